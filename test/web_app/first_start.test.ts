// The first minute with the service. The page that the first start prints is opened and subscribed to in a browser, and
// the printed command makes that page ring.

import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { observeOutputs, waitForRing } from "../support/app_modules.ts";
import { launchBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { createChildEnvironment, readStart, startServer, temporaryFolder } from "../support/processes.ts";
import { waitUntil } from "../support/wait.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** Types a line into a shell in the program's folder, and returns its output. */
async function typed(line: string): Promise<{ code: number | null; said: string }> {
  const shell = spawn("bash", ["-c", line], { cwd: ROOT, env: createChildEnvironment(), stdio: "pipe" });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (chunk) => (said += chunk));
  const code = await new Promise<number | null>((resolve) => shell.once("close", resolve));
  return { code, said };
}

describeInBrowser("after the first start", () => {
  // rules#first-start rules#start-names-the-page
  test("the printed page is there, takes a subscriber, and rings by the printed line", async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder.path);
    const browser = await launchBrowser();
    try {
      const { log: welcome, lines } = readStart(server.log());
      const { channel } = lines.find(({ msg }) => msg === "first start");
      const printed = /Channel +(http\S+)$/m.exec(welcome)![1]!;
      expect(printed).toBe(`${server.url}/c/hello-belfry`);
      expect(channel.page).toBe(printed);
      expect(lines.find(({ page }) => page)).toMatchObject({ msg: `To subscribe a device, open ${printed}` });
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      await observeOutputs(page);
      await page.goto(printed);
      await page.getByRole("link", { name: "Subscribe" }).first().click();
      await page
        .getByRole("button", { name: /^Subscribe/ })
        .first()
        .click();
      await page.getByText("Subscribed", { exact: true }).first().waitFor();
      // The test tone of the subscription is not the alert's.
      await waitUntil(async () => (await page.evaluate("heard.peak()")) === 0);
      await page.evaluate("heard.forget()");
      const line = /^ +(.*npm run -s belfry .*)$/m.exec(welcome)![1]!;
      expect(line).toMatch(/ create-alert .* --send$/);
      const { code, said } = await typed(line);
      expect([said, code]).toEqual([expect.stringContaining('"status":"sent"'), 0]);
      await waitForRing(page, "Hello");
    } finally {
      await browser.close();
      await server.stop();
      folder.remove();
    }
  });
});
