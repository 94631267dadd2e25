// An owner's channels in Chromium. Avatar and circle follow the fields, and the position is requested only by its
// button. A camera can read an invite's code. Needs CHROMIUM; skipped without one.

import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { readQr, scanQrPicture } from "../support/public_pages.ts";
import { createHandle } from "../support/world.ts";

describeInBrowser("channels, in a browser", () => {
  const its = openSiteAsOwner();

  test("a new channel's handle follows its name until it is edited", async () => {
    const { context, page } = await its.visit();
    await page.goto(`${its.base}channels/new`);
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

  test("an invite ends at the minute that its maker typed, in their own zone", async () => {
    const { id } = await its.site.world.pusher({ is_public: false });
    const { context, page, faults } = await its.visit({ timezoneId: "America/New_York", locale: "en-GB" });
    await page.goto(`${its.base}channels/${id}/invites`);
    await page.locator("label:has([name=life][value=own])").click();
    const year = new Date().getUTCFullYear() + 1;
    await page.getByLabel("Expires").fill(`${year}-01-31T21:30`);
    expect(await page.locator("[data-zone-of=expires_at]").textContent()).toBe(
      `America/New_York; 1 Feb ${year}, 02:30 UTC.`,
    );
    await page.getByRole("button", { name: "Create invite" }).click();
    await page.getByText("Invite created.").waitFor();
    const { data } = (await its.site.world.rest("list_invites", { pusher_id: id })).body;
    expect(data[0].expires_at).toBe(`${year}-02-01T02:30:00.000000Z`);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("avatar and circle follow typed values, and the position is only requested by its button", async () => {
    const { context, page, faults } = await its.visit({
      geolocation: { latitude: 41.14961, longitude: -8.61099 },
      permissions: ["geolocation"],
    });
    await page.goto(`${its.base}channels/new`);
    await page.getByLabel("Name", { exact: true }).fill("Harbour Watch");
    await page.locator("#channel-shown").getByText("Harbour Watch").waitFor();
    await page.locator("#channel-shown svg").getByText("HW").waitFor();
    expect(await page.locator("#circle-shown svg").count()).toBe(0);
    await page.locator("summary").getByText("Area", { exact: true }).click();
    expect(await page.getByLabel("Latitude").inputValue()).toBe("");
    await page.getByRole("button", { name: "Use my location" }).click();
    await page.getByRole("img", { name: /A circle with a radius of 5 km around 41\.1496° N, 8\.6110° W/ }).waitFor();
    await page.getByLabel("Radius in kilometres").fill("2");
    await page.getByRole("img", { name: /A circle with a radius of 2 km/ }).waitFor();
    // Shown as long as no permission is requested.
    const silent = page.getByText("The channel requests no permissions");
    expect(await silent.isVisible()).toBe(false);
    for (const asked of ["Notify", "Play a sound"]) await page.getByLabel(asked, { exact: true }).uncheck();
    expect(await silent.isVisible()).toBe(true);
    const line = page.getByLabel("Short description");
    await line.fill("🌊".repeat(201));
    expect(await page.getByText("201 of 200").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Create channel" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("description");
    expect(await line.inputValue()).toBe("🌊".repeat(201));
    await line.fill("Tides");
    const handle = createHandle();
    await page.getByLabel("Handle", { exact: true }).fill(handle);
    await page.getByLabel("Invite only").check({ force: true });
    await page.getByRole("button", { name: "Create channel" }).click();
    await page.waitForURL(/\/channels\/psh_\w+$/);
    const { data } = (await its.site.world.rest("list_pushers", { handle })).body;
    expect(data[0]).toMatchObject({ lat: 41.1496, lon: -8.611, radius_km: 2, is_public: false, requested_perms: [] });

    // An invite, made and read back from the screen.
    await page.goto(`${its.base}channels/${data[0].id}/invites`);
    await page.getByLabel("Note").fill("At the pier");
    await page.getByRole("button", { name: "Create invite" }).click();
    await page.getByRole("heading", { name: /At the pier/ }).waitFor();
    const [invite] = (await its.site.world.rest("list_invites", { pusher_id: data[0].id })).body.data;
    expect(readQr(await page.evaluate<string>("document.querySelector('svg.qr').outerHTML"))).toBe(invite.url);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "PNG" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${handle}-${invite.id}.png`);
    const png = await buffer(await download.createReadStream());
    const wide = png.readUInt32BE(16);
    expect([wide >= 720, png.readUInt32BE(20)]).toEqual([true, wide]);
    expect(await scanQrPicture(png)).toBe(invite.url);
    expect(faults).toEqual([]);
    await context.close();
  });
});
