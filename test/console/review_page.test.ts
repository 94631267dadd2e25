// The page on which a person reviews what an assistant wrote: what it shows, and each decision. Without a browser,
// and so without a script.

import { describe, expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

// Covers rules#review-url, #review-note and #decline.
const world = await openWorld();
const owner = await signInOwner(world);
const pusher = (await world.pusher({ name: "Ferries <b>" })).id;

describe("the review of an alert", () => {
  const written = (fields: object) => world.alert(pusher, { ...fields });
  const now = async ({ id }: { id: string }) =>
    (await world.rest("get_alert", { pusher_id: pusher, alert_id: id })).body;
  const pathOf = ({ review_url }: { review_url: string }) => new URL(review_url).pathname;
  async function decide(alert: any, fields: Record<string, string>) {
    const path = pathOf(alert);
    return owner.post(path, { form_token: await owner.token(path), version: alert.updated_at, ...fields });
  }

  test("its address shows the alert as a phone does, and why it was written", async () => {
    const alert = await written({
      title: "Pier <script>3</script>",
      body: "The 18:40 leaves from pier 3.",
      priority: "urgent",
      review_note: "The harbour <i>called</i>.",
    });
    const { status, text } = await owner.get(pathOf(alert));
    expect(status).toBe(200);
    for (const shown of [
      "Pier &lt;script&gt;3",
      "Ferries &lt;b&gt;",
      "Urgent",
      "The harbour &lt;i&gt;called",
      "0 devices",
    ])
      expect(text).toContain(shown);
    expect(text).not.toContain("<script>3");
  });

  test("one click sends what was seen, and not what was changed since", async () => {
    const alert = await written({ title: "Seen" });
    await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, title: "Changed since" });
    const refused = await decide(alert, { act: "send" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("The alert changed after you opened this page");
    expect(refused.text).toMatch(/<del>.*Seen.*<\/del><ins>.*Changed since.*<\/ins>/);
    expect((await now(alert)).status).toBe("draft");
    const sent = await decide(await now(alert), { act: "send" });
    expect(sent.status).toBe(303);
    expect((await now(alert)).status).toBe("sent");
    const page = await owner.get(pathOf(alert));
    expect(page.text).toMatch(/<p class="lede">Sent <time /);
    expect(page.text).not.toContain('value="send"');
  });

  test("it is scheduled at a time in UTC, and refused without one", async () => {
    const alert = await written({ title: "Later" });
    // A day ahead, as a person types it.
    const minute = timeInSeconds(86_400).slice(0, 16);
    expect((await decide(alert, { act: "schedule", send_at: "" })).status).toBe(422);
    const wrong = await decide(alert, { act: "schedule", send_at: "tomorrow" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="tomorrow"');
    expect((await decide(alert, { act: "schedule", send_at: minute })).status).toBe(303);
    const planned = await now(alert);
    expect({ status: planned.status, send_at: planned.send_at }).toEqual({
      status: "scheduled",
      send_at: `${minute}:00.000000Z`,
    });
  });

  test("a refused decision is open, with what was typed, and its own button", async () => {
    const isOpen = (text: string, id: string) =>
      /class="card"/.test(text.split(`aria-labelledby="${id}"`)[0]!.slice(-40));
    const urgent = await written({ title: "At night", priority: "urgent" });
    const page = (await owner.get(pathOf(urgent))).text;
    expect([isOpen(page, "at-a-time"), isOpen(page, "decline")]).toEqual([false, false]);
    const send_at = timeInSeconds(86_400).slice(0, 16);
    const unsure = await decide(urgent, { act: "schedule", send_at });
    expect([unsure.status, isOpen(unsure.text, "at-a-time")]).toEqual([422, true]);
    expect(unsure.text).toContain(`value="${send_at}"`);
    expect(isOpen(unsure.text, "decline")).toBe(false);
    await world.rest("update_alert", { pusher_id: pusher, alert_id: urgent.id, title: "Changed" });
    const old = await decide(urgent, { act: "decline", review_reply: "Not at night." });
    expect([old.status, isOpen(old.text, "decline")]).toEqual([409, true]);
    expect(old.text).toContain("Not at night.");
    // Enter in the time of a repeating draft presses the first button after it.
    const weekly = await written({ title: "Weekly", recurrence: "FREQ=WEEKLY;BYDAY=MO Europe/Lisbon" });
    const [, after = ""] = (await owner.get(pathOf(weekly))).text.split('name="send_at"');
    expect(/<button[^>]*>/.exec(after)?.[0]).toContain('value="schedule"');
  });

  test("a decline has a reason, and the author reads it", async () => {
    const alert = await written({ title: "Not so" });
    const empty = await decide(alert, { act: "decline", review_reply: "" });
    expect(empty.status).toBe(422);
    expect(empty.text).toContain('aria-invalid="true"');
    expect((await decide(alert, { act: "decline", review_reply: "Name the <b>pier</b>." })).status).toBe(303);
    expect((await now(alert)).review_reply).toBe("Name the <b>pier</b>.");
    expect((await owner.get(pathOf(alert))).text).toContain("Name the &lt;b&gt;pier");
  });

  // Covers rules#blocked-kept.
  test("the removed parts are listed above it, here and in its edit form, until the text is rewritten", async () => {
    const alert = await written({ title: "Page", html: "<p onclick=x>Hi</p><script>1</script><script>2</script>" });
    for (const path of [pathOf(alert), `${pathOf(alert)}/edit`]) {
      const { text } = await owner.get(path);
      expect(text).toContain("Removed content");
      expect(text).toContain("<code>&lt;script&gt;</code> element, 2 times");
      expect(text).toContain("<code>onclick</code> attribute");
    }
    await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, html: "<p>Anew</p>" });
    expect((await owner.get(pathOf(alert))).text).not.toContain("Removed content");
  });

  // Covers rules#alert-changes and #console-story.
  test("a declined draft is shown with the request and the changed text, and nothing of them is markup", async () => {
    const alert = await written({ title: "The <b>old</b> pier", body: "Leaves at five." });
    const edit = (fields: object) => world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, ...fields });
    await edit({ body: "Leaves at six." });
    await decide(await now(alert), { act: "decline", review_reply: "Name <i>it</i>." });
    expect((await owner.get(pathOf(alert))).text).not.toContain("since it was declined");
    await edit({ title: "The <b>new</b> pier", priority: "urgent" });
    await edit({ priority: "normal", html: "<p>Map</p>" });
    const { text } = await owner.get(pathOf(alert));
    const [, since = ""] = /<section class="report changed"(.*?)<\/section>/s.exec(text)!;
    expect(since).toContain("2 edits since it was declined");
    expect(since).toContain("<q>Name &lt;i&gt;it&lt;/i&gt;.</q>");
    expect(since).toMatch(/The &lt;b&gt;<del>.*?old.*?<\/del><ins>.*?new.*?<\/ins>&lt;\/b&gt; pier/);
    expect(since).toMatch(/<ins>.*?&lt;p&gt;Map&lt;\/p&gt;.*?<\/ins>/);
    // It is as urgent as it was, and the earlier edit was seen already.
    expect(since).not.toMatch(/Priority|Leaves at/);
    const story = text.slice(text.indexOf('id="story"'));
    const labels = [...story.matchAll(/<dl class="diff">.*?<\/dl>/gs)].map(([list]) =>
      [...list.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, label]) => label),
    );
    expect(labels).toEqual([["Priority", "Card type", "HTML"], ["Title", "Priority"], ["Text"]]);
  });

  // Covers rules#console-story.
  test("deleted changes are reported as such", async () => {
    const alert = await written({ title: "0" });
    await decide(alert, { act: "decline", review_reply: "No." });
    for (let i = 1; i <= 22; i++)
      await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, title: String(i) });
    const { text } = await owner.get(pathOf(alert));
    expect(text).toContain("22 edits since it was declined");
    expect(text).toContain("Details of the first 2 changes are no longer stored.");
  });

  // Covers rules#console-story.
  test("the page stays small and fast, with any edits", async () => {
    const alert = await written({ title: "Long", layout: "document", html: "<p>1</p>" });
    const words = (i: number) => Array.from({ length: 60_000 }, (_, n) => `<${(n * i) % 97}>`).join(" ");
    for (let i = 1; i <= 20; i++)
      await world.rest("update_alert", {
        pusher_id: pusher,
        alert_id: alert.id,
        html: words(i),
        body: `${i} ${"'".repeat(3900)}`,
        review_note: words(i).slice(0, 900),
      });
    const { text } = await owner.get(pathOf(alert));
    expect(text.length).toBeLessThan(120_000);
    for (const said of ["Too long to compare", "more characters", "the page is too long"]) expect(text).toContain(said);
  });

  // Covers rules#console-story.
  test("a decision about an older version does nothing, and shows the changes since with their actors", async () => {
    const alert = await written({ title: "Seen", send_at: timeInSeconds(3600) });
    const { id } = alert;
    await world.rest("schedule_alert", { pusher_id: pusher, alert_id: id, send_at: timeInSeconds(7200) });
    await world.rest("update_alert", { pusher_id: pusher, alert_id: id, title: "Not seen" });
    const { status, text } = await decide(alert, { act: "decline", review_reply: "Typed words" });
    expect(status).toBe(409);
    const [, since = ""] = /<section class="report warn changed"(.*?)<\/section>/s.exec(text)!;
    expect(since.match(/<li>/g)).toHaveLength(2);
    for (const shown of ["edited it via REST", "scheduled it via REST", "<dt>Title</dt>", "<dt>Time</dt>"])
      expect(since).toContain(shown);
    expect(text).toContain("Typed words</textarea>");
    expect((await now(alert)).status).toBe("scheduled");
  });

  const planned = async (title: string) => {
    const { id } = await written({ title });
    const at = { pusher_id: pusher, alert_id: id, send_at: timeInSeconds(86_400) };
    await world.rest("schedule_alert", at);
    return now({ id });
  };
  const sentNow = ({ id }: { id: string }) => world.rest("send_alert", { pusher_id: pusher, alert_id: id });
  const isOffered = (text: string, act: string) => new RegExp(`name="act"\\s+value="${act}"`).test(text);

  test.each([
    { button: "Cancel alert", act: "cancel", becomes: "cancelled" },
    { button: "Back to draft", act: "draft", becomes: "draft" },
  ])("$button: of a scheduled alert, as it was seen and not as it became", async ({ button, act, becomes }) => {
    const alert = await planned(`Scheduled, ${act}`);
    const page = await owner.get(pathOf(alert));
    expect(isOffered(page.text, act)).toBe(true);
    expect(page.text).toContain(`>${button}</button>`);
    await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, body: "Changed since" });
    const old = await decide(alert, { act });
    expect([old.status, (await now(alert)).status]).toEqual([409, "scheduled"]);
    expect(old.text).toContain("The alert changed after you opened this page");
    // The page with this message shows the current state, and decides about that.
    expect(old.text).toContain(`name="version" value="${(await now(alert)).updated_at}"`);
    expect((await decide(await now(alert), { act })).status).toBe(303);
    const after = await now(alert);
    expect([after.status, after.send_at === null]).toEqual([becomes, act === "draft"]);
  });

  test("an alert that was sent during its review shows that, and no old button withdraws it", async () => {
    for (const act of ["cancel", "draft"]) {
      const alert = await planned(`Sent meanwhile, ${act}`);
      await sentNow(alert);
      const late = await decide(alert, { act });
      expect([late.status, (await now(alert)).status]).toEqual([409, "sent"]);
      for (const said of ["The alert changed after you opened this page", '<p class="lede">Sent <time '])
        expect(late.text).toContain(said);
      expect(isOffered(late.text, "draft")).toBe(false);
    }
  });

  test("a sent alert can be cancelled, and its page explains the effect on devices", async () => {
    const alert = await written({ title: "Out already", send: true });
    // A sent alert needs no review any more, and its page replaces the review.
    const path = `/console/${world.workspace.id}/channels/${pusher}/alerts/${alert.id}`;
    const { text } = await owner.get(path);
    for (const said of [">Cancel alert</button>", "Devices that have it will keep it"]) expect(text).toContain(said);
    const act = async (version: string) =>
      owner.post(path, { form_token: await owner.token(path), version, act: "cancel" });
    const old = await act("2026-01-01T00:00:00.000000Z");
    expect([old.status, (await now(alert)).status]).toEqual([409, "sent"]);
    expect((await act(alert.updated_at)).headers.get("location")).toBe(path);
    expect((await now(alert)).status).toBe("cancelled");
    expect(isOffered((await owner.get(path)).text, "cancel")).toBe(false);
  });

  test("Delete it: confirmed once, never a changed one, and never a sent one", async () => {
    const alert = await written({ title: "No <b>more" });
    const path = `${pathOf(alert)}/delete`;
    expect((await owner.get(pathOf(alert))).text).toContain(`href="${path}"`);
    const asked = await owner.get(path);
    for (const said of ["Delete this alert?", "No &lt;b&gt;more", alert.updated_at]) expect(asked.text).toContain(said);
    expect((await now(alert)).title).toBe("No <b>more");
    await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, body: "Changed since" });
    const old = await owner.post(path, { version: alert.updated_at });
    expect(old.status).toBe(409);
    const { updated_at: version } = await now(alert);
    for (const said of ["has changed since", `value="${version}"`]) expect(old.text).toContain(said);
    expect((await owner.post(path, { version })).status).toBe(303);
    expect((await world.rest("get_alert", { pusher_id: pusher, alert_id: alert.id })).status).toBe(404);
    expect((await owner.get(path)).status).toBe(404);

    const gone = await written({ title: "Sent meanwhile" });
    await sentNow(gone);
    const late = await owner.post(`${pathOf(gone)}/delete`, { version: gone.updated_at });
    expect([late.status, (await now(gone)).status]).toEqual([409, "sent"]);
    expect(late.text).toContain("Sent alerts are kept as a record");
    expect(late.text).not.toContain("Delete alert");
  });

  test("Duplicate it: a draft without times, once for each page, in any state of the alert", async () => {
    const alert = await planned("Again");
    const { text } = await owner.get(pathOf(alert));
    const [, once] = /name="once" value="([^"]+)"/.exec(text)!;
    await sentNow(alert);
    const path = `${pathOf(alert)}/duplicate`;
    const fields = { version: alert.updated_at, once: once! };
    const [first, second] = [
      await owner.post(path, fields, { from: pathOf(alert) }),
      await owner.post(path, fields, { from: pathOf(alert) }),
    ];
    const made = first.headers.get("location")!;
    expect([first.status, second.headers.get("location")]).toEqual([303, made]);
    const copy = await now({ id: /alr_\w+/.exec(made)![0] });
    expect(copy).toMatchObject({ title: "Again", status: "draft", send_at: null, expires_at: null });
    expect(copy.id).not.toBe(alert.id);
    expect((await owner.get(made)).text).toContain("Draft, not sent yet.");
  });

  test("another's alert is not found, and an unknown action is ignored", async () => {
    const alert = await written({ title: "Mine" });
    expect((await owner.get(pathOf(alert).replace(alert.id, `alr_${"0".repeat(26)}`))).status).toBe(404);
    expect((await decide(alert, { act: "constructor" })).status).toBe(404);
  });
});
