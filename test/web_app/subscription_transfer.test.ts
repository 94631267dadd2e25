// Subscriptions outlive a browser: as a file, and by a link that moves them. A removed device is deleted. In a real
// Chromium against a whole service. Needs CHROMIUM=/path/to/chromium.

import { buffer } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { readQr } from "../support/public_pages.ts";
import { expandAllCards, findAlertCard, joinInApp, readAppStore, readDeviceToken } from "../support/web_app.ts";

// Covers rules#export, #import, #move and #remove-device.
describeInBrowser("this device", () => {
  const its = openSiteAndBrowser();
  let open: { handle: string };
  let secret: { id: string; handle: string };
  let invite: string;

  beforeEach(async () => {
    open = await its.site.world.pusher({ name: "Everybody's", requested_perms: ["sound"] });
    secret = await its.site.world.pusher({ name: "Some people's", is_public: false });
    invite = (await its.site.world.rest("create_invite", { pusher_id: secret.id })).body.code;
  });

  /** A browser of its own that follows both channels. */
  async function follower(): Promise<Page> {
    const { page } = await openWatchedPage(its.browser, its.site, { viewport: { width: 390, height: 844 } });
    await joinInApp(page, its.site.url, { handle: open.handle, grants: ["Play sounds"] });
    await joinInApp(page, its.site.url, { handle: secret.handle, invite });
    return page;
  }
  async function elsewhere(hash: string): Promise<Page> {
    const { page } = await openWatchedPage(its.browser, its.site, { viewport: { width: 390, height: 844 } });
    await page.goto(`${its.site.url}/app/${hash}`);
    return page;
  }
  const settings = async (page: Page) => {
    await page.goto(`${its.site.url}/app/#settings`);
    await expandAllCards(page);
  };
  const followed = async (page: Page) =>
    (await its.site.world.handset("GET", "/subscriptions", await readDeviceToken(page))).body.data
      .map(({ handle }: { handle: string }) => handle)
      .toSorted();

  test("a file names what is followed, and is followed again where it is opened", async () => {
    const page = await follower();
    await settings(page);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export my channels" }).click();
    const text = await buffer(await (await saved).createReadStream());
    const file = JSON.parse(text.toString());
    expect(file.data.map(({ handle }: { handle: string }) => handle).toSorted()).toEqual(
      [open.handle, secret.handle].toSorted(),
    );

    const other = await elsewhere("#settings");
    const choose = (files: Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0]) =>
      other.locator("input[type=file]").setInputFiles(files);
    await choose({ name: "x.json", mimeType: "application/json", buffer: Buffer.from('{"version":2}') });
    await other.getByText("This file was not exported by this app.").waitFor();
    await choose({ name: "y.json", mimeType: "application/json", buffer: text });
    await other.getByText(`need an invite: ${secret.handle}`).waitFor();
    expect(await followed(other)).toEqual([open.handle]);
    const [card] = await readAppStore(other, "channels");
    expect(card.subscription).toMatchObject({ permissions: ["sound"] });
  });

  test("a link moves everything once, the private channel too", async () => {
    const page = await follower();
    const offers = () => page.evaluate<boolean>("'share' in navigator");
    // Headless browsers have no share targets: a function replaces it.
    await page.addInitScript("globalThis.shared = []; navigator.share = async (what) => void shared.push(what)");
    await settings(page);
    const asks = page.getByRole("button", { name: "Move to another browser" });
    const share = page.getByRole("button", { name: "Share" });
    await asks.click();
    await page.getByLabel("Open this link in the other browser").waitFor();
    expect(await share.count()).toBe((await offers()) ? 1 : 0);
    await page.reload();
    await expandAllCards(page);
    await asks.click();
    const link = await page.getByLabel("Open this link in the other browser").inputValue();
    await share.click();
    expect(await page.evaluate("shared")).toEqual([{ url: link }]);
    const other = await elsewhere(new URL(link).hash);
    await other.getByRole("button", { name: "Move here" }).click();
    await other.getByText("2 channels were moved here.").waitFor();
    expect(await followed(other)).toEqual([open.handle, secret.handle].toSorted());
    expect(await followed(page)).toEqual([]);

    const late = await elsewhere(new URL(link).hash);
    await late.getByRole("button", { name: "Move here" }).click();
    await late.getByText("This link is invalid or expired.").waitFor();
  });

  // rules#app-move-keeps-states
  test("the read and confirmed state is moved too, and the old browser shows that it moved", async () => {
    const page = await follower();
    const { world, url } = its.site;
    const pusher = (await world.sql("select id from pusher where handle = ?", [open.handle]))[0];
    const send = (title: string) => world.alert(formatId("psh", pusher.id), { title, send: true, requires_ack: true });
    const inbox = (of: Page) => of.goto(`${url}/app/#inbox`);
    await inbox(page);
    for (const title of ["Opened", "Confirmed", "Untouched"]) await send(title);
    await findAlertCard(page, "Untouched").waitFor();
    await findAlertCard(page, "Confirmed").getByRole("button", { name: "Acknowledge" }).click();
    await findAlertCard(page, "Opened").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Opened" }).waitFor();
    await settings(page);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await page.getByRole("button", { name: "Move to another browser" }).click();
    const link = await page.getByLabel("Open this link in the other browser").inputValue();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Link copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
    const code = page.getByRole("img", { name: "QR code for the link" });
    await code.waitFor();
    expect(readQr(await code.evaluate((node) => node.outerHTML))).toBe(link);

    const other = await elsewhere(new URL(link).hash);
    await other.getByRole("button", { name: "Move here" }).click();
    await other.getByText("2 channels were moved here.").waitFor();
    await inbox(other);
    await findAlertCard(other, "Confirmed").getByText("Acknowledged", { exact: true }).waitFor();
    await other.getByRole("button", { name: /^Unread 1$/ }).waitFor();
    await other.getByRole("button", { name: /^To acknowledge 2$/ }).waitFor();
    await findAlertCard(other, "Untouched").locator(".dot").waitFor();

    await inbox(page);
    await page.getByText("Your channels were moved to another browser.").waitFor();
    await findAlertCard(page, "Untouched").getByText("Not subscribed").waitFor();
    expect(await page.getByText("Withdrawn").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Acknowledge", exact: true }).count()).toBe(0);
  });

  // rules#app-move-keeps-states
  test("a device that was removed from a channel sees that, and not that its alerts were withdrawn", async () => {
    const page = await follower();
    await page.goto(`${its.site.url}/app/#inbox`);
    await its.site.world.alert(secret.id, { title: "For the crew", send: true });
    await findAlertCard(page, "For the crew").waitFor();
    const { data } = (await its.site.world.rest("list_invites", { pusher_id: secret.id })).body;
    const revoked = { pusher_id: secret.id, invite_id: data[0].id, remove_subscribers: true };
    await its.site.world.rest("revoke_invite", revoked);
    await findAlertCard(page, "For the crew").getByText("Not subscribed").waitFor();
    expect(await page.getByText("Withdrawn").count()).toBe(0);
    expect(await page.getByText("were moved to another browser").count()).toBe(0);
  });

  test("a device that is removed is unknown, after a confirmation", async () => {
    const page = await follower();
    const token = await readDeviceToken(page);
    await settings(page);
    await page.getByRole("button", { name: "Remove this device" }).click();
    await page.getByRole("button", { name: "Unsubscribe and remove" }).click();
    await page.getByText("The device was removed.").waitFor();
    expect((await its.site.world.handset("GET", "/devices/me", token)).status).toBe(401);
    expect(await readAppStore(page, "channels")).toEqual([]);
    expect(await page.getByText("This browser deleted the app’s data.").count()).toBe(0);
  });
});
