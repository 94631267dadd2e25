// An owner's channels in Chromium: nothing keeps anybody out at any width, the face and the circle follow what is typed, the
// position is asked for when its person asks, and an invite's code is what a camera reads. Needs CHROMIUM; skipped without one.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readQr } from "../support/pages.ts";
import { executablePath, join, launch, Site, watched } from "../support/site.ts";
import { inSeconds, uniqueHandle } from "../support/world.ts";

if (!executablePath) console.log("channels: skipped, since CHROMIUM names no browser");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const OWNER = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };

/** The most bytes that a page may take, with all that it asks for. */
const HEAVIEST = 150_000;

describe.skipIf(!executablePath)("channels, in a browser", () => {
  let browser: Browser;
  let site: Site;
  let base: string;
  let signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;
  let full: { id: string };
  let paths: string[];

  beforeAll(async () => {
    [browser, site] = await Promise.all([launch(), Site.open()]);
    const { world } = site;
    const { context, page } = await watched(browser, site);
    await join(page, await site.link(), OWNER);
    await page.waitForURL(/\/console\/wsp_\w+\/$/);
    base = page.url();
    signedIn = await context.storageState();
    await context.close();
    const word = "w".repeat(80);
    full = await world.pusher({
      name: word,
      long: "A line.\n".repeat(400),
      lat: 51.5,
      lon: -1.25,
      radius_km: 4,
      tags: Array.from({ length: 20 }, (_, n) => `${"t".repeat(37)}${n}`),
    });
    const closed = await world.pusher({ name: "Private", is_public: false });
    const { id } = (await world.rest("create_invite", { pusher_id: closed.id, label: word, max_uses: 3 }))
      .body;
    await world.alert(full.id, { title: word, review_note: word.repeat(3) });
    await world.alert(full.id, { title: "Later", send: true, send_at: inSeconds(3600) });
    await world.rest("update_pusher", { pusher_id: closed.id, status: "paused" });
    const [one, two] = [`channels/${full.id}`, `channels/${closed.id}`];
    paths = [
      "",
      "channels",
      "channels?q=nothing+is+so",
      "channels/new",
      `${one}/edit`,
      `${one}/delete`,
      `${one}/invites`,
    ];
    paths.push(`${two}/edit`, `${two}/invites`, `${two}/invites/${id}`, `${two}/invites/${id}/revoke`);
  });
  afterAll(() => Promise.all([browser?.close(), site?.close()]));

  const visit = (options = {}) => watched(browser, site, { storageState: signedIn, ...options });

  const weight = (page: Page) =>
    page.evaluate<number>(
      `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
    );

  for (const colorScheme of ["light", "dark"] as const)
    test(`nothing keeps anybody out, ${colorScheme}: axe, 320 to 1280 pixels, no other server, no heavy page`, async () => {
      const { context, page, faults } = await visit({ colorScheme });
      for (const path of paths)
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await page.goto(base + path);
          const bytes = await weight(page);
          expect([path, bytes > 10_000 && bytes < HEAVIEST]).toEqual([path, true]);
          await page.evaluate("for (const more of document.querySelectorAll('details')) more.open = true");
          expect([
            path,
            width,
            await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
          ]).toEqual([path, width, true]);
          const found = await page.evaluate<string[]>(
            `${AXE}; axe.run(document).then(({ violations }) => violations.map((one) => one.id + ": " + one.nodes[0].html))`,
          );
          expect([path, width, found]).toEqual([path, width, []]);
        }
      expect(faults).toEqual([]);
      await context.close();
    });

  test("a new channel's handle follows its name until somebody types one", async () => {
    const { context, page } = await visit();
    await page.goto(`${base}channels/new`);
    const [name, handle] = ["Name", "Handle"].map((label) => page.getByLabel(label, { exact: true }));
    const reads = (value: string) => expect.poll(() => handle!.inputValue()).toBe(value);
    await name!.fill("L’Écluse & Évora: night  trains of the south");
    await reads("lecluse-evora-night-trains-of");
    expect(await page.locator("[data-counts=handle]").textContent()).toBe("29 of 30");
    await handle!.fill("evora-trains");
    await name!.fill("Évora trains");
    await reads("evora-trains");
    await name!.fill("Something else");
    await reads("evora-trains");
    await context.close();
  });

  test("the face and the circle follow what is typed, and the position is asked for when its person asks", async () => {
    const { context, page, faults } = await visit({
      geolocation: { latitude: 41.14961, longitude: -8.61099 },
      permissions: ["geolocation"],
    });
    await page.goto(`${base}channels/new`);
    await page.getByLabel("Name", { exact: true }).fill("Harbour Watch");
    await page.locator("#channel-shown").getByText("Harbour Watch").waitFor();
    await page.locator("#channel-shown svg").getByText("HW").waitFor();
    expect(await page.locator("#circle-shown svg").count()).toBe(0);
    expect(await page.getByLabel("Latitude").inputValue()).toBe("");
    await page.getByRole("button", { name: "Use this device’s position" }).click();
    await page.getByRole("img", { name: /A circle of 5 km around 41\.1496° N, 8\.6110° W/ }).waitFor();
    await page.getByLabel("Radius in kilometres").fill("2");
    await page.getByRole("img", { name: /A circle of 2 km/ }).waitFor();
    // Said as long as nothing is asked for.
    const silent = page.getByText("The channel asks for nothing");
    expect(await silent.isVisible()).toBe(false);
    for (const asked of ["Notify", "Play a sound"]) await page.getByLabel(asked, { exact: true }).uncheck();
    expect(await silent.isVisible()).toBe(true);
    const line = page.getByLabel("One line about it");
    await line.fill("🌊".repeat(201));
    expect(await page.getByText("201 of 200").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Open the channel" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("description");
    expect(await line.inputValue()).toBe("🌊".repeat(201));
    await line.fill("Tides");
    const handle = uniqueHandle();
    await page.getByLabel("Handle", { exact: true }).fill(handle);
    await page.getByLabel("Who is invited").check({ force: true });
    await page.getByRole("button", { name: "Open the channel" }).click();
    await page.waitForURL(/\/channels\/psh_\w+$/);
    const { data } = (await site.world.rest("list_pushers", { handle })).body;
    expect(data[0]).toMatchObject({
      lat: 41.1496,
      lon: -8.611,
      radius_km: 2,
      is_public: false,
      requested_perms: [],
    });

    // An invite, made and read back from the screen.
    await page.goto(`${base}channels/${data[0].id}/invites`);
    await page.getByLabel("Note").fill("At the pier");
    await page.getByRole("button", { name: "Make the invite" }).click();
    await page.getByRole("heading", { name: /At the pier/ }).waitFor();
    const [invite] = (await site.world.rest("list_invites", { pusher_id: data[0].id })).body.data;
    expect(readQr(await page.evaluate<string>("document.querySelector('svg.qr').outerHTML"))).toBe(
      invite.url,
    );
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "PNG" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${handle}-${invite.id}.png`);
    const png = readFileSync(await download.path());
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    // What a camera would see of the file.
    const wide = png.readUInt32BE(16);
    expect([wide >= 720, png.readUInt32BE(20)]).toEqual([true, wide]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
