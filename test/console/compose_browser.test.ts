// An owner who writes an alert, and reviews an assistant's alert, in a real browser: with and without scripts, on a
// phone and on a wide screen. Needs a Chromium: CHROMIUM=/path/to/chromium.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { checkAccessibility, MAX_PAGE_BYTES } from "../support/page_checks.ts";
import { PNG } from "../support/sample_files.ts";
import { timeInSeconds } from "../support/world.ts";

/** The folder for pictures of the pages, for a reader who needs them. */
const PICTURES = process.env.PICTURES;

/** An option of a segmented control. */
const choose = (page: Page, name: string, value: string) =>
  page.locator(`label:has([name=${name}][value=${value}])`).click();

describeInBrowser("an owner who writes and reviews", () => {
  const its = openSiteAsOwner();
  let pusher: any;
  let base: string;
  const faults: string[][] = [];

  beforeAll(async () => {
    pusher = await its.site.world.pusher({ name: "Riverside Flood Desk", requested_perms: ["notify"] });
    for (let i = 0; i < 3; i++) await its.site.world.device(pusher.handle);
    base = `${its.base}channels/${pusher.id}/alerts`;
  });

  async function visitor(options: object = {}): Promise<Page> {
    const { page, faults: wrong } = await its.visit({ timezoneId: "America/New_York", locale: "en-GB", ...options });
    faults.push(wrong);
    return page;
  }
  const newest = async () =>
    (await its.site.world.rest("list_alerts", { pusher_id: pusher.id, limit: 1 })).body.data[0];

  /** Keeps pictures of an accessible page, for a reader who needs them. */
  async function look(page: Page, name: string): Promise<void> {
    await checkAccessibility(page, name);
    for (const width of PICTURES ? [320, 390, 1280] : [])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png` });
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}-whole.png`, fullPage: true });
      }
  }

  test("the preview follows typed text, files are uploaded at once, and local times are sent as UTC", async () => {
    const page = await visitor();
    await page.goto(`${base}/new`);
    const drawn = page.locator(".phone h3");
    await page.locator("#title").fill("River at 3.9 m & rising");
    await expect.poll(() => drawn.textContent()).toBe("River at 3.9 m & rising");
    expect(await page.locator("[data-counts=title]").textContent()).toBe(`23 of ${LIMITS.alert_title}`);

    await choose(page, "layout", "html");
    await page.locator("#html").fill('<h2>Which way</h2><p onclick="x">Mill Street</p><script>x</script>');
    const removed = page.getByRole("region", { name: "Removed content" });
    await expect.poll(() => removed.textContent()).toContain("<script>");
    const opened = page.frameLocator("iframe.paper");
    await opened.getByRole("heading", { name: "Which way" }).waitFor();
    expect((await page.locator("iframe.paper").boundingBox())?.height).toBeLessThan(200);
    expect(await opened.locator("script").count()).toBe(0);

    await choose(page, "layout", "image");
    await page
      .locator("#image_file")
      .setInputFiles({ name: "quay.png", mimeType: "image/png", buffer: Buffer.from("no") });
    await expect.poll(() => page.locator("[data-upload=image] [role=status]").textContent()).toMatch(/picture|kind/);
    await page.locator("#image_file").setInputFiles({ name: "quay.png", mimeType: "image/png", buffer: PNG });
    await expect.poll(() => page.locator("#image_asset_id").inputValue()).toMatch(/^ast_/);
    await page.locator(".phone .picture").waitFor();

    // Half past six in the evening in New York, a year ahead.
    await choose(page, "when", "later");
    const year = new Date().getUTCFullYear() + 1;
    await page.locator("#send_at").fill(`${year}-01-15T18:30`);
    expect(await page.locator("[data-zone-of=send_at]").textContent()).toBe(
      `America/New_York; 15 Jan ${year}, 23:30 UTC.`,
    );
    await look(page, "compose");
    expect(await page.getByRole("button", { name: /^Send to/ }).isVisible()).toBe(false);
    await choose(page, "priority", "urgent");
    const sure = page.getByLabel("This alert is urgent enough to ring at night");
    expect(await sure.isChecked()).toBe(false);
    await page.getByRole("button", { name: "Schedule for 3" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("sure");
    expect(await page.locator("#send_at").inputValue()).toBe(`${year}-01-15T18:30`);
    await look(page, "compose-refused");
    await sure.check();
    await page.getByRole("button", { name: "Schedule for 3" }).click();
    await page.getByRole("status").filter({ hasText: "scheduled" }).waitFor();
    expect(await newest()).toMatchObject({ status: "scheduled", send_at: `${year}-01-15T23:30:00.000000Z` });
    expect(faults.flat()).toEqual([]);
  });

  test("the preview is folded in a narrow window, and open once the window is wide", async () => {
    const page = await visitor({ viewport: { width: 600, height: 844 } });
    await page.goto(`${base}/new`);
    const isOpen = () => page.locator(".peek").evaluate((part: any) => part.open);
    await expect.poll(isOpen).toBe(false);
    await page.setViewportSize({ width: 1280, height: 844 });
    await expect.poll(isOpen).toBe(true);
    await page.setViewportSize({ width: 600, height: 844 });
    await expect.poll(isOpen).toBe(false);
    await page.locator(".peek summary").click();
    await page.reload();
    await expect.poll(isOpen).toBe(true);
  });

  test("without a script a form writes, previews, saves and sends", async () => {
    const page = await visitor({ javaScriptEnabled: false });
    await page.goto(`${base}/new`);
    await page.locator("#title").fill("Without a script");
    await choose(page, "layout", "html");
    await page.locator("#html").fill("<p>A page</p><script>x</script>");
    await page.getByRole("button", { name: "Refresh preview" }).click();
    expect(await page.locator(".phone h3").textContent()).toBe("Without a script");
    await page.getByRole("region", { name: "Removed content" }).waitFor();
    await page.getByRole("button", { name: "Show page" }).click();
    await page.frameLocator("iframe.paper").getByText("A page").waitFor();
    await page.locator("#html").fill("<p>A page</p>");
    // The return key saves nothing and sends nothing.
    await page.locator("#title").press("Enter");
    await page.locator(".phone").waitFor();
    expect((await newest())?.title).not.toBe("Without a script");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
    expect(await newest()).toMatchObject({ title: "Without a script", status: "draft" });
    await page.getByRole("button", { name: "Send to 3" }).click();
    await page.getByRole("status").filter({ hasText: "was sent" }).waitFor();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("link", { name: "Edit" }).click();
    expect(await page.locator("#title").inputValue()).toBe("Without a script");
    expect(faults.flat()).toEqual([]);
  });

  // rules#review-url, rules#decline and rules#console-story
  test("a person reviews an assistant's alert on a phone: declines it, sees the fix, and sends it", async () => {
    const key = await its.site.world.key({ name: "Tide robot", scopes: "alerts:read,alerts:write" });
    const client = new Client({ name: "robot", version: "1" });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${its.site.url}/mcp`), { requestInit: { headers } }) as any,
    );
    const call = async (name: string, args: object): Promise<any> =>
      client.callTool({ name, arguments: { pusher_id: pusher.id, ...args } });
    const written = await call("create_alert", {
      title: "River at 3.9 m: move cars out of the lower car park",
      body: "Water reaches the ramp at about 16:00.",
      priority: "urgent",
      sound: "siren",
      html: "<h2>Which way</h2><p onclick=go()>Mill Street</p><script>go()</script>",
      requires_ack: true,
      expires_at: timeInSeconds(7200),
      review_note: "The gauge at the weir passed 3.8 m.",
      actions: [{ type: "open_url", label: "Live gauge", url: "https://example.org/gauge" }],
    });
    const { id, review_url } = written.structuredContent;
    const refused = await call("send_alert", { alert_id: id });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error.message).toContain(review_url);

    const page = await visitor({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.goto(review_url);
    for (const shown of [
      "Tide robot",
      "via MCP",
      "The gauge at the weir",
      "Without this permission, sounds and recordings are not played.",
    ])
      expect(await page.locator("main").textContent()).toContain(shown);
    await page.frameLocator("iframe.paper").getByRole("heading", { name: "Which way" }).waitFor();
    // The author, and the parts that were removed, are visible before scrolling, and nothing covers them.
    const bottom = async (part: Locator) => {
      const { y, height } = (await part.boundingBox())!;
      return y + height;
    };
    const foot = (await page.locator(".deciding .acts").boundingBox())!.y;
    expect(await bottom(page.getByText(/Created .* by Tide robot.*via MCP/).first())).toBeLessThan(foot);
    const removed = page.getByRole("region", { name: "Removed content" });
    expect(await removed.textContent()).toMatch(/<script> element.*onclick attribute/s);
    expect(await bottom(removed)).toBeLessThan(foot);
    // Decisions that are not at the foot of the screen have a link there, and one tap brings them into reach.
    for (const [link, button] of [
      ["Schedule", "Schedule"],
      ["Decline", "Decline"],
    ] as const) {
      await page.getByRole("link", { name: "More", exact: true }).click();
      await page.getByRole("link", { name: link, exact: true }).click();
      expect(await bottom(page.getByRole("button", { name: button }))).toBeLessThan(foot);
    }
    await page.evaluate("scrollTo(0, 0)");
    // The message is before the page that it opens.
    const top = async (part: string) => (await page.locator(part).boundingBox())!.y;
    expect(await top(".seen .alert")).toBeLessThan(await top(".opened iframe"));
    // The decision is in reach of a thumb: at the foot of the screen, next to the other actions, without scrolling.
    const send = page.getByRole("button", { name: "Send to 3" });
    const box = (await send.boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(844);
    expect(box.y).toBeGreaterThan(600);
    expect(box.width).toBeGreaterThan(80);
    expect(box.height).toBeGreaterThanOrEqual(44);
    await look(page, "review");
    await page.setViewportSize({ width: 390, height: 844 });
    const weight = (await page.evaluate(
      "performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)",
    )) as number;
    expect(weight).toBeLessThan(MAX_PAGE_BYTES);

    // The form of a decision opens by its link.
    await page.getByRole("link", { name: "More", exact: true }).click();
    await page.getByRole("link", { name: "Decline", exact: true }).click();
    await page.getByLabel("Comment").fill("Say which car park.");
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("status").filter({ hasText: "declined" }).waitFor();
    const read = await call("get_alert", { alert_id: id });
    expect(read.structuredContent).toMatchObject({ review_reply: "Say which car park.", status: "draft" });
    await call("update_alert", { alert_id: id, title: "River at 3.9 m: move cars out of Mill Street car park" });
    await client.close();

    await page.goto(review_url);
    const since = page.getByRole("region", { name: "1 edit since it was declined" });
    expect(await since.locator("q").textContent()).toBe("Say which car park.");
    expect(await since.locator("del").textContent()).toContain("the lower");
    expect(await since.locator("ins").textContent()).toContain("Mill Street");
    // Not by colour alone.
    for (const [mark, line] of [
      ["del", "line-through"],
      ["ins", "underline"],
    ] as const)
      expect(
        await since.locator(mark).evaluate((part) => (globalThis as any).getComputedStyle(part).textDecorationLine),
      ).toBe(line);
    await look(page, "review-again");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Send to 3" }).click();
    await page.getByText("Tick the box").first().waitFor();
    await page.getByLabel("This alert is urgent enough to ring at night").check();
    await page.getByRole("button", { name: "Send to 3" }).click();
    await page.getByRole("status").filter({ hasText: "was sent" }).waitFor();
    expect((await its.site.world.rest("get_alert", { pusher_id: pusher.id, alert_id: id })).body.status).toBe("sent");
    await look(page, "alert-sent");
    expect(faults.flat()).toEqual([]);
  });

  test("the device fills in the circle's middle on request, and it is drawn before anything is saved", async () => {
    const page = await visitor({
      geolocation: { latitude: 41.14961, longitude: -8.61099 },
      permissions: ["geolocation"],
    });
    await page.goto(`${base}/new`);
    await page.getByText("Limit to an area").click();
    await page.getByText("No area: the alert applies everywhere.").waitFor();
    expect(await page.getByLabel("Latitude").inputValue()).toBe("");
    await page.getByRole("button", { name: "Use my location" }).click();
    await page.getByRole("img", { name: /A circle with a radius of 5 km around 41\.1496° N, 8\.6110° W/ }).waitFor();
    await page.getByLabel("Radius in kilometres").fill("0.8");
    await page.getByRole("img", { name: /A circle with a radius of 800 m/ }).waitFor();
    await look(page, "compose-circle");
    await page.locator("#title").fill("At the quay");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByRole("img", { name: /A circle with a radius of 800 m/ }).waitFor();
    await look(page, "review-circle");
    expect(await newest()).toMatchObject({ title: "At the quay", lat: 41.1496, lon: -8.611, radius_km: 0.8 });
    expect(faults.flat()).toEqual([]);
  });

  test("two people at one draft: the slower one is notified while they write, and sees both texts", async () => {
    const alert = await its.site.world.alert(pusher.id, { title: "The old title", body: "The old text" });
    const page = await visitor();
    await page.goto(`${base}/${alert.id}/edit`);
    const at = { pusher_id: pusher.id, alert_id: alert.id };
    await its.site.world.rest("update_alert", { ...at, title: "Their title", sound: "bell" });
    await page.locator("#title").fill("My title");
    await page.getByRole("status").filter({ hasText: "Someone else changed this alert" }).waitFor();
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByRole("heading", { name: "Someone changed this alert" }).waitFor();
    expect(await page.locator("#title").inputValue()).toBe("My title");
    expect(await page.locator(".both").textContent()).toContain("Their title");
    await look(page, "compose-clash");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
    expect((await its.site.world.rest("get_alert", at)).body).toMatchObject({ title: "My title", sound: "bell" });
    expect(faults.flat()).toEqual([]);
  });
});
