// The page in a real browser, on a phone and on a desk, dark and light: it fits, it asks nobody else for anything, and
// the browser has nothing to complain about. Needs CHROMIUM=/path/to/chromium; without one it says so and is skipped.

import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, type Listening, listen } from "../../src/boot/server.ts";
import { World } from "../support/world.ts";

const executablePath = process.env.CHROMIUM;
if (!executablePath) console.log("docs_page: skipped, since CHROMIUM names no browser");

const ARGS = [
  "--no-sandbox --disable-gpu --disable-quic --no-first-run",
  "--disable-background-networking --disable-component-update --disable-sync",
].flatMap((line) => line.split(" "));

describe.skipIf(!executablePath)("the page of the API", () => {
  let world: World;
  let listening: Listening;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const [host, port] = ["127.0.0.1", await freePort("127.0.0.1")];
    url = `http://${host}:${port}`;
    world = await World.open({ settings: { PUBLIC_URL: url } });
    listening = await listen(world.service.app, { host, port });
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    await listening?.close();
    await world?.close();
  });

  const views = [390, 1280].flatMap((width) =>
    (["dark", "light"] as const).map((colorScheme) => ({ width, colorScheme })),
  );
  test.each(views)("at $width px, $colorScheme", async ({ width, colorScheme }) => {
    const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${url}/api/v1/docs`, { waitUntil: "networkidle" });

    expect(await page.title()).toBe("Belfry API");
    const pre = page.locator("#create_alert pre:visible").first();
    expect(await pre.textContent()).toMatch(/^curl /);
    await page.locator('#create_alert [data-set="JavaScript"]').click();
    expect(await pre.textContent()).toMatch(/^import /);

    if (width < 600) await page.locator(".menu summary").click();
    await page.locator("#filter").fill("invite");
    expect(await page.locator("nav li:visible").count()).toBe(3);
    // No heading stands above nothing.
    expect(await page.locator("nav .group:visible").allTextContents()).toHaveLength(1);
    await page.locator("#filter").fill("no such words");
    expect(await page.locator("nav .group:visible").count()).toBe(0);
    expect(await page.locator("#nothing").textContent()).toContain("No operation");
    expect(await page.locator('.back a[href="/console"]').isVisible()).toBe(true);
    await page.locator("#filter").fill("invite");
    await page.locator('nav a[href="#create_invite"]').click();
    expect(new URL(page.url()).hash).toBe("#create_invite");

    const overflow = "document.documentElement.scrollWidth - innerWidth";
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    expect(
      requests.filter((request) => request !== `${url}/api/v1/docs` && !request.startsWith("data:")),
    ).toEqual([]);
    await page.close();
  });

  test("a call is tried with a key that only its field holds, and nobody else is asked", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(`${url}/api/v1/docs`);
    const trial = page.locator("#get_me details.try");
    await trial.locator("summary").click();
    await trial.getByRole("button", { name: "Send GET" }).click();
    expect(await trial.getByRole("status").textContent()).toContain("Give a key");
    const key = await world.key();
    await page.locator("#key").fill(key);
    await trial.getByRole("button", { name: "Send GET" }).click();
    await trial.locator("pre").waitFor();
    expect(JSON.parse((await trial.locator("pre").textContent())!).workspace.id).toBe(world.workspace.id);

    const create = page.locator("#create_pusher details.try");
    await create.locator("summary").click();
    await create.getByRole("button", { name: "Send POST" }).click();
    await create.locator("pre").waitFor();
    expect(await create.getByRole("status").textContent()).toMatch(/^201/);
    const one = page.locator("#get_pusher details.try");
    await one.locator("summary").click();
    await one.getByRole("button", { name: "Send GET" }).click();
    expect(await one.getByRole("status").textContent()).toContain("real");

    expect(asked).toEqual(["GET /api/v1/docs", "GET /api/v1/me", "POST /api/v1/pushers"]);
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept + (await context.cookies()).join()).not.toContain(key);
    await page.goto(`${url}/`);
    await page.goBack();
    expect(await page.locator("#key").inputValue()).toBe("");
    await context.close();
  });
});
