// The page on which a person reviews what an assistant wrote: what it shows, and each decision. Without a browser, and so
// without a script.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownerOf, type Visitor } from "../support/site.ts";
import { inSeconds, World } from "../support/world.ts";

// Covers docs/rules.md#review-url, #review-note and #decline.
describe("the review of an alert", () => {
  let world: World;
  let owner: Visitor;
  let pusher: string;

  beforeAll(async () => {
    world = await World.open();
    owner = await ownerOf(world);
    pusher = (await world.pusher({ name: "Ferries <b>" })).id;
  });
  afterAll(() => world?.close());

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
    expect(refused.text).toContain("It changed after you opened this page");
    expect(refused.text).toMatch(/<del>.*Seen.*<\/del><ins>.*Changed since.*<\/ins>/);
    expect((await now(alert)).status).toBe("draft");
    const sent = await decide(await now(alert), { act: "send" });
    expect(sent.status).toBe(303);
    expect((await now(alert)).status).toBe("sent");
    const page = await owner.get(pathOf(alert));
    expect(page.text).toContain("cannot be unsent");
    expect(page.text).not.toContain('value="send"');
  });

  test("it is scheduled at an instant in UTC, and refused without one", async () => {
    const alert = await written({ title: "Later" });
    // A day ahead, as a person types it.
    const minute = inSeconds(86_400).slice(0, 16);
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

  test("who declines says why, and the author reads it", async () => {
    const alert = await written({ title: "Not so" });
    const empty = await decide(alert, { act: "decline", review_reply: "" });
    expect(empty.status).toBe(422);
    expect(empty.text).toContain('aria-invalid="true"');
    expect((await decide(alert, { act: "decline", review_reply: "Name the <b>pier</b>." })).status).toBe(303);
    expect((await now(alert)).review_reply).toBe("Name the <b>pier</b>.");
    expect((await owner.get(pathOf(alert))).text).toContain("Name the &lt;b&gt;pier");
  });

  // Covers docs/rules.md#blocked-kept.
  test("what was taken out of it stands above it, here and where it is edited, until the text is written anew", async () => {
    const alert = await written({
      title: "Page",
      html: "<p onclick=x>Hi</p><script>1</script><script>2</script>",
    });
    for (const path of [pathOf(alert), `${pathOf(alert)}/edit`]) {
      const { text } = await owner.get(path);
      expect(text).toContain("What phones will not get");
      expect(text).toContain("<code>&lt;script&gt;</code>, 2 times");
      expect(text).toContain("the attribute <code>onclick</code>");
    }
    await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, html: "<p>Anew</p>" });
    expect((await owner.get(pathOf(alert))).text).not.toContain("What phones will not get");
  });

  // Covers docs/rules.md#alert-changes and #console-story.
  test("a declined draft comes back with what was asked for and the words that changed, and nothing of them is markup", async () => {
    const alert = await written({ title: "The <b>old</b> pier", body: "Leaves at five." });
    const edit = (fields: object) =>
      world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, ...fields });
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
    for (const summary of ["Card, markup, priority", "Title, priority", "Text"])
      expect(story).toContain(`<summary>${summary}</summary>`);
  });

  // Covers docs/rules.md#console-story.
  test("what is no longer kept is said to be", async () => {
    const alert = await written({ title: "0" });
    await decide(alert, { act: "decline", review_reply: "No." });
    for (let i = 1; i <= 22; i++)
      await world.rest("update_alert", { pusher_id: pusher, alert_id: alert.id, title: String(i) });
    const { text } = await owner.get(pathOf(alert));
    expect(text).toContain("22 edits since it was declined");
    expect(text).toContain("What the first 2 of them changed is not kept any more.");
  });

  // Covers docs/rules.md#console-story.
  test("the page stays small and soon there, whatever the edits are", async () => {
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
    for (const said of ["Too much to compare", "more characters", "no more room to show it"])
      expect(text).toContain(said);
  });

  // Covers docs/rules.md#console-story.
  test("a decision about an older version does nothing, and tells who did what since, and what it changed", async () => {
    const alert = await written({ title: "Seen", send_at: inSeconds(3600) });
    const { id } = alert;
    await world.rest("schedule_alert", { pusher_id: pusher, alert_id: id, send_at: inSeconds(7200) });
    await world.rest("update_alert", { pusher_id: pusher, alert_id: id, title: "Not seen" });
    const { status, text } = await decide(alert, { act: "decline", review_reply: "Typed words" });
    expect(status).toBe(409);
    const [, since = ""] = /<section class="report warn changed"(.*?)<\/section>/s.exec(text)!;
    expect(since.match(/<li>/g)).toHaveLength(2);
    for (const shown of ["edited it over REST", "scheduled it over REST", "<dt>Title</dt>", "<dt>Time</dt>"])
      expect(since).toContain(shown);
    expect(text).toContain("Typed words</textarea>");
    expect((await now(alert)).status).toBe("scheduled");
  });

  test("another's alert is not there, and an unknown act is none", async () => {
    const alert = await written({ title: "Mine" });
    expect((await owner.get(pathOf(alert).replace(alert.id, `alr_${"0".repeat(26)}`))).status).toBe(404);
    expect((await decide(alert, { act: "constructor" })).status).toBe(404);
  });
});
