// A newer version of the app while an older one is open. The person is notified, nothing changes before they confirm,
// and then everything does at once. A proxy of the test's own passes the service on, and from some moment on another
// version of its files.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { waitFor } from "../support/wait.ts";

/** The worker and the page of a version carry its mark; all else is the service's own. */
async function front(to: string) {
  const state = { mark: "first" };
  const server: Server = createServer(async (request, response) => {
    const { url = "/", method = "GET" } = request;
    const answer = await fetch(to + url, { method, redirect: "manual" });
    for (const [name, value] of answer.headers)
      if (!/^(content-length|content-encoding|etag|transfer-encoding|connection)$/.test(name))
        response.setHeader(name, value);
    response.writeHead(answer.status);
    if (url === "/sw.js") response.end((await answer.text()).replace(/VERSION = "/, `VERSION = "${state.mark}-`));
    else if (/^\/app\/?$/.test(url))
      response.end((await answer.text()).replace("<body>", `<body data-version="${state.mark}">`));
    else response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close };
}

describeInBrowser("a newer version of the app", () => {
  const its = openSiteAndBrowser();

  // rules#app-new-version
  test("waits until the person takes it, and then the page, its files and what is kept of them are new", async () => {
    const { url, state, close } = await front(its.site.url);
    const context = await its.browser.newContext({ viewport: { width: 390, height: 844 } });
    try {
      const page = await context.newPage();
      const shown = () => page.locator("body").getAttribute("data-version");
      const kept = () => page.evaluate("caches.keys()") as Promise<string[]>;
      const strip = page.getByText("A new version is available.");
      await page.goto(`${url}/app/`);
      await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
      await waitFor(async () => expect(await page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true));
      expect([await shown(), (await kept()).length, await strip.count()]).toEqual(["first", 1, 0]);

      state.mark = "second";
      // As a browser does by itself when the app is opened, at the latest a day after it last looked.
      await page.evaluate("navigator.serviceWorker.ready.then((one) => one.update()).then(() => true)");
      await strip.waitFor();
      await page.reload();
      await strip.waitFor();
      expect(await shown()).toBe("first");

      await page.getByRole("button", { name: "Update now" }).click();
      await page.locator('body[data-version="second"]').waitFor();
      await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
      expect(await strip.count()).toBe(0);
      await waitFor(async () => expect(await kept()).toEqual([expect.stringMatching(/^belfry-second-/)]));
    } finally {
      await context.close();
      await close();
    }
  });
});
