// An uploaded page in a real browser, inside of its frame. Nothing in it runs, and it requests only pictures (and
// prefetches) by https. Needs a Chromium: CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { serve } from "srvx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, type SharedBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { openConsoleUploads } from "../support/sample_files.ts";
import { World } from "../support/world.ts";

const DOCUMENT = `<!doctype html><html><head><title>x</title>
<meta http-equiv="refresh" content="0;url=https://elsewhere.example/refresh">
<base href="https://elsewhere.example/">
<link rel="stylesheet" href="https://elsewhere.example/a.css"><link rel="prefetch" href="http://elsewhere.example/p">
<link rel="prefetch" href="https://pictures.example/prefetched">
<link rel="preconnect" href="https://elsewhere.example">
<style>@import url(https://elsewhere.example/b.css);
@font-face{font-family:f;src:url(https://elsewhere.example/f.woff2)}
body{font-family:f;color:rgb(1, 2, 3)}</style>
<script>document.title="ran"; fetch("https://elsewhere.example/fetch"); top.hit=1;
parent.postMessage("ran","*")</script>
<script src="https://elsewhere.example/s.js"></script>
<script type="module">import "https://elsewhere.example/m.js"</script>
</head><body onload="document.title='ran'">
<p id="shown">Tide</p>
<img src="x:" onerror="document.title='ran'"><img src="http://elsewhere.example/plain.png">
<img src="https://pictures.example/allowed.png">
<iframe src="https://elsewhere.example/frame"></iframe>
<iframe srcdoc="<script>parent.document.title='ran'</script>"></iframe>
<object data="https://elsewhere.example/o"></object><embed src="https://elsewhere.example/e">
<video src="https://elsewhere.example/v.mp4" autoplay></video><audio src="https://elsewhere.example/a.mp3"></audio>
<svg><script>document.title='ran'</script><use href="https://elsewhere.example/u.svg#a"/></svg>
<form id="f" action="https://elsewhere.example/form"><button id="send">x</button></form>
<a id="js" href="javascript:document.title='ran'">x</a>
<a id="up" href="https://elsewhere.example/top" target="_top">x</a>
<a id="pop" href="https://elsewhere.example/pop" target="_blank">x</a>
</body></html>`;

describeInBrowser("in Chromium", () => {
  let world: World;
  let server: ReturnType<typeof serve>;
  let browser: SharedBrowser;
  let page: Page;
  let origin: string;
  let file: { url: string; frame_url: string };
  const asked: string[] = [];

  beforeAll(async () => {
    world = await World.open();
    const fetch = (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/console/page")
        return new Response(`<!doctype html><iframe id=frame src="${new URL(file.frame_url).pathname}"></iframe>`, {
          headers: { "content-type": "text/html" },
        });
      return world.service.app.fetch(request);
    };
    server = serve({ port: 0, hostname: "127.0.0.1", silent: true, fetch: fetch as never });
    await server.ready();
    origin = server.url!.replace(/\/$/, "");
    file = await openConsoleUploads(world).upload("html", Buffer.from(DOCUMENT));
    browser = await launchBrowser();
    const context = await browser.newContext();
    page = await context.newPage();
    await context.route("**/*", (route) => {
      const url = route.request().url();
      if (url.startsWith(origin)) return route.continue();
      asked.push(url);
      return route.abort();
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close(true);
    await world?.close();
  });

  const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
  /** A prefetch is permitted wherever any kind of content is, so by https: it reveals no more than a picture does. */
  const OUTSIDE = ["https://pictures.example/allowed.png", "https://pictures.example/prefetched"];
  const reached = () => [...new Set(asked)].sort();

  test("a document in its frame is shown, and inert", async () => {
    await page.goto(`${origin}/console/page`);
    const frame = page.frameLocator("#frame");
    await frame.locator("#shown").waitFor();
    await pause();
    expect(await frame.locator("#shown").innerText()).toBe("Tide");
    for (const id of ["#js", "#send", "#up", "#pop"])
      await frame
        .locator(id)
        .dispatchEvent("click")
        .catch(() => {});
    await expect.poll(reached).toEqual(OUTSIDE);
    await pause();
    const inside = page.frames().find((candidate) => candidate.url().endsWith("/frame"))!;
    expect(await inside.title()).toBe("x");
    expect(await inside.evaluate("getComputedStyle(document.body).color")).toBe("rgb(1, 2, 3)");
    expect(await inside.evaluate("self.origin")).toBe("null");
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(page.url()).toBe(`${origin}/console/page`);
    expect(page.context().pages().length).toBe(1);
    expect(reached()).toEqual(OUTSIDE);
  });

  test("so it is when a person opens the frame's address itself", async () => {
    asked.length = 0;
    await page.goto(`${origin}${new URL(file.frame_url).pathname}`);
    await expect.poll(reached).toEqual(OUTSIDE);
    await pause();
    expect(await page.title()).toBe("x");
    expect(await page.evaluate("self.origin")).toBe("null");
    expect(reached()).toEqual(OUTSIDE);
  });

  test("the same script does run without the policy", async () => {
    asked.length = 0;
    // Off the page before, whose policy a written page would inherit.
    await page.goto("about:blank");
    await page.setContent(DOCUMENT, { waitUntil: "commit" });
    await expect.poll(() => asked.some((url) => url.includes("elsewhere.example"))).toBe(true);
  });

  test("the file's own address is a download", async () => {
    // On a page of its own: the script of the test before may still be on its way to somewhere else.
    const fresh = await page.context().newPage();
    const download = fresh.waitForEvent("download");
    await fresh.goto(`${origin}${new URL(file.url).pathname}`).catch(() => {});
    expect((await download).suggestedFilename()).toBe("html.html");
  });
});
