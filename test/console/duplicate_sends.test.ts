// An alert that would be sent twice: by the browser's back button, by a second form with the same content, by a second
// draft (rules#console-once, rules#console-asks-again).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { type HttpVisitor, OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { World } from "../support/world.ts";

describe("without a browser", () => {
  let world: World;
  let owner: HttpVisitor;
  let pusher: any;
  let base: string;

  beforeAll(async () => {
    world = await World.open();
    owner = await signInOwner(world);
    pusher = await world.pusher({ name: "Ferries" });
    base = `/console/${world.workspace.id}/channels/${pusher.id}/alerts`;
  });
  afterAll(() => world?.close());

  const alerts = async (title: string): Promise<any[]> =>
    (await world.rest("list_alerts", { pusher_id: pusher.id })).body.data.filter((alert: any) => alert.title === title);
  const form = { layout: "text", priority: "normal", when: "now", act: "send" };
  /** A new form, as a link of the console leads to it. */
  async function opened(): Promise<{ at: string; once: string }> {
    const { status, headers } = await owner.get(`${base}/new`);
    expect(status).toBe(303);
    const at = headers.get("location")!;
    const { text } = await owner.get(at);
    const once = /name="once" value="([^"]+)"/.exec(text)![1]!;
    expect(text).toContain(`action="${base}/new?once=${once}"`);
    return { at, once };
  }
  const againOf = (text: string) => /name="again" value="([^"]+)"/.exec(text)?.[1] ?? "";

  // rules#console-once
  test("the address names the form, which makes one alert wherever it was opened from", async () => {
    const { at, once } = await opened();
    expect((await opened()).once).not.toBe(once);
    const sent = await owner.send(at, { ...form, once, title: "The pier is shut" });
    expect(sent.headers.get("location")).toContain(`${base}/alr_`);
    // Going back requests the address once more.
    expect((await owner.get(at)).text).toContain(`name="once" value="${once}"`);
    const back = await owner.send(at, { ...form, once, title: "The pier is shut" });
    expect(back.headers.get("location")).toBe(sent.headers.get("location"));
    expect(await alerts("The pier is shut")).toHaveLength(1);
    // Another text in the same form requires confirmation. Going back and forth any number of times makes one more.
    const other = { ...form, once, title: "The pier is open" };
    const [asked, again] = [await owner.send(at, other), await owner.send(at, other)];
    expect(asked.status).toBe(409);
    const next = /name="once" value="([^"]+)"/.exec(asked.text)![1]!;
    expect(again.text).toContain(`name="once" value="${next}"`);
    for (let i = 0; i < 2; i++)
      expect((await owner.send(at, { ...other, once: next })).headers.get("location")).toContain("/alr_");
    expect(await alerts("The pier is open")).toHaveLength(1);
  });

  // rules#console-asks-again
  test("an equal alert that was just sent requires confirmation, in a new form, an edit and a review", async () => {
    const said = {
      title: "Line 2 stops at noon",
      body: "Take the tram.",
      "actions.0.label": "Map",
      "actions.0.url": "https://example.org/map",
    };
    const first = await owner.send((await opened()).at, { ...form, ...said });
    const path = first.headers.get("location")!;
    const { at, once } = await opened();
    const asked = await owner.send(at, { ...form, ...said, once });
    expect(asked.status).toBe(409);
    expect(asked.text).toMatch(/You sent this alert \d+ seconds? ago/);
    expect(asked.text).toContain(`href="${path}"`);
    expect(asked.text).toContain("Take the tram.");
    expect(await alerts(said.title)).toHaveLength(1);
    // A different text on phones is another alert, and a draft rings nowhere.
    expect((await owner.send((await opened()).at, { ...form, ...said, sound: "bell" })).status).toBe(303);
    expect((await owner.send((await opened()).at, { ...form, ...said, act: "save" })).status).toBe(303);

    const draft = (await alerts(said.title)).find(({ status }) => status === "draft");
    const at2 = `${base}/${draft.id}`;
    const { updated_at: version } = draft;
    const review = await owner.post(at2, { act: "send", version });
    const edit = await owner.send(`${at2}/edit`, { ...form, ...said, version });
    for (const { status, text } of [review, edit]) {
      expect(status).toBe(409);
      expect(text).toMatch(/You sent this alert \d+ seconds? ago/);
      expect(text).toContain(`href="${path}"`);
    }
    expect((await alerts(said.title)).filter(({ status }) => status === "sent")).toHaveLength(2);

    // An intended repeat is sent.
    const again = againOf(asked.text);
    expect(path).toContain(again);
    expect((await owner.send(at, { ...form, ...said, once, again })).headers.get("location")).not.toBe(path);
    const newest = await owner.post(at2, { act: "send", version });
    expect(newest.status).toBe(409);
    const meant = await owner.post(at2, { act: "send", version, again: againOf(newest.text) });
    expect(meant.status).toBe(303);
    expect((await alerts(said.title)).filter(({ status }) => status === "sent")).toHaveLength(4);
  });

  // rules#console-asks-again
  test("it names the sender of the other one, and older ones or another channel's require nothing", async () => {
    const em = world.service.orm.em.fork() as never;
    const email = "editor@example.org";
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
    const editor = await signInMember(world, { ...OWNER, name: "Ines Prado", email });
    const said = { ...form, title: "The lift is out" };
    await editor.send(`${base}/new`, said);
    expect((await owner.send(`${base}/new`, said)).text).toContain("Ines Prado sent this");
    await world.sql("update alert set sent_at = sent_at - interval '11 minutes' where title = ?", [said.title]);
    expect((await owner.send(`${base}/new`, said)).status).toBe(303);
    const other = await world.pusher({ name: "Trams" });
    expect((await owner.send(`${base.replace(pusher.id, other.id)}/new`, said)).status).toBe(303);
    const { body } = await world.rest("create_alert", { pusher_id: pusher.id, title: "By a key", send: true });
    expect(body.status).toBe("sent");
    // A program that sends twice means it.
    expect((await world.rest("create_alert", { pusher_id: pusher.id, title: "By a key", send: true })).status).toBe(
      201,
    );
  });
});

describeInBrowser("in a browser", () => {
  const its = openSiteAsOwner();
  let base: string;
  let pusher: any;

  beforeAll(async () => {
    pusher = await its.site.world.pusher({ name: "Ferries" });
    base = `${its.base}channels/${pusher.id}/alerts`;
  });

  // rules#console-once
  test.each([true, false])("the way back after Send leads to the same form, scripts: %s", async (javaScriptEnabled) => {
    const title = `The pier is shut ${javaScriptEnabled}`;
    const { context, page, faults } = await its.visit({ javaScriptEnabled });
    await page.goto(`${base}/new`);
    await page.locator("#title").fill(title);
    await page.locator("#body").fill("Use pier 4.");
    const send = page.getByRole("button", { name: /^Send to/ });
    await send.click();
    await page.getByRole("status").filter({ hasText: "was sent" }).waitFor();
    await page.goBack();
    await send.waitFor();
    // The preview shows the values that the browser restored.
    const kept = await page.locator("#title").inputValue();
    if (javaScriptEnabled) await expect.poll(() => page.locator(".phone h3").textContent()).toBe(kept || "Alert title");
    await page.locator("#title").fill(title);
    await page.locator("#body").fill("Use pier 4.");
    await send.click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { data } = (await its.site.world.rest("list_alerts", { pusher_id: pusher.id })).body;
    expect(data.filter((alert: any) => alert.title === title)).toHaveLength(1);
    expect([kept, faults]).toEqual([title, []]);
    await context.close();
  });

  test("the way back keeps what was typed, times in the person's own zone among it", async () => {
    const { context, page, faults } = await its.visit({ timezoneId: "America/New_York", locale: "en-GB" });
    const year = new Date().getUTCFullYear() + 1;
    await page.goto(`${base}/new`);
    await page.locator("#title").fill("Planned");
    await page.locator("label:has([name=when][value=later])").click();
    await page.locator("#send_at").fill(`${year}-01-15T18:30`);
    await page.getByRole("button", { name: /^Schedule for/ }).click();
    await page.getByRole("status").filter({ hasText: "scheduled" }).waitFor();
    const { data } = (await its.site.world.rest("list_alerts", { pusher_id: pusher.id, limit: 1 })).body;
    expect(data[0]).toMatchObject({ title: "Planned", send_at: `${year}-01-15T23:30:00.000000Z` });
    await page.goBack();
    await expect.poll(() => page.locator(".phone h3").textContent()).toBe("Planned");
    expect(await page.locator("#send_at").inputValue()).toBe(`${year}-01-15T18:30`);
    expect(await page.locator("[data-zone-of=send_at]").textContent()).toContain(`15 Jan ${year}, 23:30 UTC`);
    expect(await page.locator("[name=when]:checked").getAttribute("value")).toBe("later");
    expect(faults).toEqual([]);
    await context.close();
  });
});
