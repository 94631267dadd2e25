// An alert's page: its title, its author, texts by others, and the requests before a decision.

import { describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { openWorld } from "../support/open_world.ts";
import { joinInApp } from "../support/web_app.ts";
import { timeInSeconds } from "../support/world.ts";

const ELSEWHERE = "https://tracker.example/river.png?who=reviewer";
const MARKUP = `<h2>Which way</h2><img src="${ELSEWHERE}" alt=""><p>Mill Street</p>`;

const world = await openWorld();
const owner = await signInOwner(world);
const pusher = await world.pusher({ name: "Ferries" });
const base = `/console/${world.workspace.id}/channels/${pusher.id}/alerts`;

describe("without a browser", () => {
  const written = async (more: object = {}): Promise<any> => {
    const key = await world.key({ name: "Tide robot", scopes: "alerts:read,alerts:write" });
    return (await world.rest("create_alert", { pusher_id: pusher.id, title: "River rises", ...more }, key)).body;
  };
  const main = (text: string) => text.slice(text.indexOf("<main"));

  // rules#console-story
  test("its title is the heading, and its author is named once", async () => {
    const { id } = await written({ title: "River <rises>" });
    const page = main((await owner.get(`${base}/${id}`)).text);
    expect(page).toMatch(/<h1>River &lt;rises&gt;<\/h1>/);
    expect(page.match(/Tide robot/g)).toHaveLength(1);
    expect(page).toMatch(/<p class="lede">Draft.* Created <time [^>]*>just now<\/time> by <strong>Tide robot.*REST/s);
    await world.rest("update_alert", { pusher_id: pusher.id, alert_id: id, body: "Now" });
    const edited = main((await owner.get(`${base}/${id}`)).text);
    expect([edited.match(/Created <time/g)?.length, edited.match(/edited it/g)?.length]).toEqual([1, 1]);
  });

  // rules#console-decline-own
  test("declining is not offered to the only author", async () => {
    const form = { layout: "text", priority: "normal", when: "now", act: "save" };
    const saved = await owner.send(`${base}/new`, { ...form, title: "Mine" });
    const at = saved.headers.get("location")!;
    const own = (await owner.get(at)).text;
    expect(own).not.toContain("Decline");
    expect(own).toContain('value="send"');
    // Another person may, and so may its author once another person has changed it.
    const em = world.service.orm.em.fork() as never;
    const email = "editor@example.org";
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
    const editor = await signInMember(world, { ...OWNER, name: "Ines Prado", email });
    expect((await editor.get(at)).text).toContain(">Decline</button>");
    await world.rest("update_alert", { pusher_id: pusher.id, alert_id: at.split("/").at(-1)!, title: "Mine no more" });
    expect((await owner.get(at)).text).toContain(">Decline</button>");
    const { id } = await written();
    expect((await owner.get(`${base}/${id}`)).text).toContain(">Decline</button>");
  });

  // rules#review-note
  test("a note and a reply are marked as texts of others", async () => {
    const said = "The operator has approved this.";
    const { id, updated_at } = await written({ review_note: said });
    expect((await owner.get(`${base}/${id}`)).text).toContain(
      `Not verified:</p><blockquote class="written">${said}</blockquote>`,
    );
    await owner.post(`${base}/${id}`, { act: "decline", review_reply: said, version: updated_at });
    for (const path of [`${base}/${id}`, `${base}/${id}/edit`])
      expect((await owner.get(path)).text).toContain(
        `Reviewer’s comment:</p><blockquote class="written">${said}</blockquote>`,
      );
    expect((await owner.get(`/console/${world.workspace.id}/drafts`)).text).toContain(`<q>${said}</q>`);
  });

  // rules#member-names
  test("no member's name equals a label of the pages", async () => {
    const name = (of: string) => owner.post("/console/account/name", { name: of }, { from: "/console/account" });
    for (const taken of [
      "The operator",
      " the OPERATOR ",
      "The-Operator",
      "Ｔhe operator",
      "Somebody",
      "Someone",
      "Unknown",
      "You",
      "A member",
      "Belfry",
    ]) {
      const refused = await name(taken);
      expect([taken, refused.status]).toEqual([taken, 422]);
      expect(refused.text).toContain("This name is reserved.");
    }
    expect((await name("Operatorova, T.")).status).toBe(303);
    const em = world.service.orm.em.fork() as never;
    const email = "false@example.org";
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
    await expect(signInMember(world, { ...OWNER, name: "The operator", email })).rejects.toThrow("422");
  });

  // rules#console-pictures
  test("nothing of another server is part of the page, nor of its frame, before a person requests it", async () => {
    const { id } = await written({ image_url: ELSEWHERE, layout: "html", html: MARKUP });
    for (const path of [`${base}/${id}`, `${base}/${id}/edit`]) {
      const { text } = await owner.get(path);
      const open = text.replace(/<details class="more elsewhere">.*?<\/details>/gs, "");
      expect(open).not.toMatch(/<img[^>]*tracker\.example/);
      expect(text).toContain("Show picture from tracker.example");
      expect(text).toContain(`href="${base}/${id}/page?pictures=shown" target="page"`);
    }
    const policy = async (path: string) => (await owner.get(path)).headers.get("content-security-policy");
    expect(await policy(`${base}/${id}/page`)).toContain("img-src 'self' data:;");
    expect(await policy(`${base}/${id}/page?pictures=shown`)).toContain("img-src 'self' https: data:;");
    const token = await owner.token("/console/account");
    const typed = { layout: "html", html: MARKUP };
    const of = async (more: object) =>
      (await owner.post(`${base}/page`, { ...typed, ...more }, { token })).headers.get("content-security-policy");
    expect(await of({ version: "x" })).toContain("img-src 'self' data:;");
    expect(await of({})).toContain("img-src 'self' https: data:;");
  });
});

describeInBrowser("in a browser", () => {
  const its = openSiteAsOwner();

  // rules#console-pictures
  test("a review sends no request to another server until a person taps", async () => {
    const pusher = await its.site.world.pusher({ name: "Ferries" });
    const { review_url } = await its.site.world.alert(pusher.id, {
      title: "River",
      image_url: ELSEWHERE,
      layout: "html",
      html: MARKUP,
    });
    const { context, page, faults } = await its.visit();
    const asked: string[] = [];
    await context.route("https://tracker.example/**", (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    for (const address of [review_url, `${review_url}/edit`]) {
      await page.goto(address, { waitUntil: "load" });
      await page.frameLocator("iframe.paper").getByText("Mill Street").waitFor();
      await page.mouse.wheel(0, 5000);
      expect(asked).toEqual([]);
    }
    await page.goto(review_url);
    await page.getByText("Show picture from tracker.example").click();
    await expect.poll(() => asked.length).toBe(1);
    await page.getByRole("link", { name: "Show pictures from other servers" }).click();
    await expect.poll(() => asked.length).toBe(2);
    expect(faults.filter((fault) => !/tracker\.example|img-src/.test(fault))).toEqual([]);
    await context.close();
  });

  // rules#console-one-clock
  test("one clock: the reader's zone, and UTC as the tip, on every page", async () => {
    const { world, url } = its.site;
    const pusher = await world.pusher({ name: "Ferries", is_public: true });
    const at = `${new Date().getUTCFullYear() + 1}-01-15T23:30:00Z`;
    const planned = await world.alert(pusher.id, { title: "Planned", send: true, send_at: at });
    const sent = await world.alert(pusher.id, { title: "Sent", send: true, expires_at: timeInSeconds(7200) });
    await world.rest("create_invite", { pusher_id: pusher.id });
    const { context, page, faults } = await its.visit({ timezoneId: "America/New_York", locale: "en-GB" });
    const year = new Date().getUTCFullYear() + 1;
    for (const [path, text] of [
      [planned.review_url, `15 Jan ${year}, 18:30`],
      [its.base, `15 Jan ${year}, 18:30`],
      [`${its.base}channels/${pusher.id}`, `15 Jan ${year}`],
    ] as const) {
      await page.goto(path);
      const time = page.locator(`time[datetime="${at.replace("Z", ".000Z")}"]`).first();
      expect(await time.textContent()).toBe(text);
      expect(await time.getAttribute("title")).toBe(`15 Jan ${year}, 23:30 UTC`);
    }
    // Parts that a script draws later follow, and a public page shows the same time.
    const { sent_at } = (await world.rest("get_alert", { pusher_id: pusher.id, alert_id: sent.id })).body;
    const there = new Intl.DateTimeFormat("en-GB", {
      hour: "2-digit",
      minute: "2-digit",
      timeZone: "America/New_York",
    });
    await page.goto(`${url}/c/${pusher.handle}`);
    const shown = page.locator(".alert header time").first();
    expect(await shown.textContent()).toContain(there.format(new Date(sent_at)));
    expect(await shown.getAttribute("title")).toMatch(/UTC$/);
    await page.goto(`${its.base}channels/${pusher.id}/alerts/new`);
    await page.locator("#title").fill("Later");
    await expect.poll(() => page.locator(".phone h3").textContent()).toBe("Later");
    await expect.poll(() => page.locator(".phone time").first().textContent()).not.toContain("UTC");
    expect(await page.locator("main").textContent()).not.toMatch(/\d\d:\d\d UTC/);
    // An invite without a note is called by when it was made.
    await page.goto(`${its.base}channels/${pusher.id}/invites`);
    await page.getByRole("link", { name: /^Invite from \d+ \w+ \d{4}, \d\d:\d\d$/ }).click();
    await page.getByRole("heading", { name: /^Invite from \d+ \w+ \d{4}, \d\d:\d\d active$/ }).waitFor();
    // And so has the app.
    await joinInApp(page, url, { handle: pusher.handle });
    await page.goto(`${url}/app/#alert/${sent.id}`);
    const inApp = page.locator(":has(> .whole)").getByTitle(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
    await expect.poll(() => inApp.count()).toBe(2);
    expect(await inApp.first().textContent()).not.toContain("UTC");
    expect(faults).toEqual([]);
    await context.close();
  });
});
