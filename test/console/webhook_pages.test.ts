// Webhooks and the audit log without script. An endpoint is created, fails until it is disabled, is tested, enabled and
// gets its missed events. The log lists every step.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureProblem } from "../../examples/webhooks/verify.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { renderWebhookStateBadge } from "../../src/pages/console/pages/webhooks.ts";
import { type HttpVisitor, OWNER, signInMember } from "../support/console_site.ts";
import { parseUuid } from "../support/handsets.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { ScriptlessBrowser } from "../support/scriptless_browser.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const ADA = { ...OWNER, name: "Ada Owner" };

test("a stopped endpoint has another colour than a failing one, and a paused one has none", () => {
  const hook = { disabled: false, paused_at: null, failure_count: 0, last_delivery_at: "2026-11-28T00:00:00.000000Z" };
  const badge = (state: object) => String(renderWebhookStateBadge({ ...hook, ...state } as never));
  expect(badge({ disabled: true, failure_count: 20 })).toBe(
    '<span class="badge bad">disabled after 20 failures</span>',
  );
  expect(badge({ failure_count: 4 })).toBe('<span class="badge warn">4 consecutive failures</span>');
  expect(badge({ paused_at: hook.last_delivery_at, failure_count: 4 })).toBe('<span class="badge">paused</span>');
  expect(badge({})).toBe('<span class="badge good">active</span>');
});

describe("an owner", () => {
  let world: World;
  let owner: HttpVisitor;
  let base: string;
  let sink: Awaited<ReturnType<typeof startHttpReceiver>>;
  let status = 200;

  async function visit(): Promise<ScriptlessBrowser> {
    const page = new ScriptlessBrowser(owner);
    await page.open(base);
    return page;
  }

  beforeAll(async () => {
    world = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1", AUDIT_RETENTION_DAYS: "90" } });
    owner = await signInMember(world, ADA);
    base = `/console/${world.workspace.id}/`;
    sink = await startHttpReceiver((_request, response) => {
      response.statusCode = status;
      response.end();
    });
  });
  afterAll(async () => {
    sink?.close();
    await world?.close();
  });

  const reloadedUntil = (page: ScriptlessBrowser, words: RegExp) =>
    waitFor(async () => {
      await page.reload();
      expect(page.text("main")).toMatch(words);
    });
  const arrived = (count: number) => waitFor(() => expect(sink.requests).toHaveLength(count));

  // rules#webhook-by-hand
  test("makes a webhook, fixes it, redelivers missed events, changes its secret and deletes it", async () => {
    const pusher = await world.pusher({ name: "Harbour" });
    const page = await visit();
    await page.follow("Developers");
    await page.follow("Webhooks");
    // The most frequent event is selected at first.
    expect(page.field("events", "alert.sent")).toHaveProperty("checked");
    await page.press("Add endpoint", { events: [] });
    expect(page.withRole("alert").join()).toMatch(/Address is missing\..*Events requires at least one choice\./);
    await page.press("Add endpoint", { url: "ftp://nowhere", events: "alert.sent" });
    expect(page.withRole("alert").join()).toContain("https");
    expect(page.field("events", "alert.sent")).toHaveProperty("checked");
    expect(page.field("url")).toMatchObject({ value: "ftp://nowhere", autofocus: "" });
    await page.press("Add endpoint", { url: `http://127.0.0.1:${sink.port}/in` });
    const secret = page.text("pre");
    expect(secret).toMatch(/^whsec_/);
    await page.reload();
    expect(page.text("pre")).toBe(secret);
    expect(await world.sql("select from webhook_endpoint")).toHaveLength(1);
    await page.follow("I have copied it");
    expect(page.text("html")).not.toContain(secret);
    expect(page.text("main")).toContain("There are no automatic retries");

    // It fails until it is disabled.
    status = 500;
    const [{ id }] = await world.sql("select id from webhook_endpoint");
    await world.sql("update webhook_endpoint set failure_count = 19");
    await world.alert(pusher.id, { title: "Missed", send: true });
    await reloadedUntil(page, /Disabled since/);
    expect(page.all("button", /^Redeliver/)).toEqual([]);

    // The receiver works again; the endpoint is tried and enabled.
    status = 200;
    await page.press("Send a test event");
    expect(page.withRole("status").join()).toContain("A test event was sent");
    await reloadedUntil(page, /webhook\.test.*delivered/);
    // rules#webhook-payload
    await page.follow("webhook.test");
    expect(JSON.parse(page.text("pre"))).toEqual(JSON.parse(sink.requests[1]!.body.toString()));
    expect(page.text("main")).toContain(String(sink.requests[1]!.headers["x-webhook-id"]));
    await page.follow("Back to webhook");
    await page.press("Enable");
    expect(page.text("main")).not.toContain("Disabled since");
    await page.press(/^Redeliver alert\.sent/);
    await arrived(3);
    expect(sink.requests[2]!.body.toString()).toBe(sink.requests[0]!.body.toString());
    await reloadedUntil(page, /redelivery.*delivered/);

    // A new secret in addition to the old one.
    await page.follow("New secret");
    expect(page.text("main")).toContain("For 24 hours");
    await page.press("Create new secret");
    const next = page.text("pre");
    await page.follow("I have copied it");
    await page.press("Send a test event");
    await arrived(4);
    const { headers, body } = sink.requests[3]!;
    const header = String(headers["x-webhook-signature"]);
    for (const one of [secret, next]) expect(signatureProblem(header, body, one)).toBeNull();

    await page.follow("Delete");
    await page.press("Delete webhook");
    expect(page.text("main")).toContain("New endpoint");
    expect(page.text("main")).not.toContain(`127.0.0.1:${sink.port}`);
    expect(await world.sql("select from webhook_endpoint where id = ?", [id])).toEqual([]);
  });

  // rules#webhook-edited and rules#webhook-paused
  test("edits the events of a webhook, pauses it and resumes it", async () => {
    sink.requests.length = 0;
    const pusher = await world.pusher({ name: "Ferry" });
    const url = `http://127.0.0.1:${sink.port}/`;
    const { body: hook } = await world.rest("create_webhook", { url, events: ["alert.scheduled"] });
    const page = await visit();
    await page.open(`${base}webhooks/${hook.id}`);
    await page.follow("Edit events");
    expect(page.field("events", "alert.scheduled")).toHaveProperty("checked");
    expect(page.field("events", "alert.sent")).not.toHaveProperty("checked");
    await page.press("Save events", { events: [] });
    expect(page.withRole("alert").join()).toContain("Events requires at least one choice.");
    await page.press("Save events", { events: ["alert.sent", "alert.cancelled"] });
    expect(page.withRole("status").join()).toContain("The choice of events was saved");
    const send = (title: string) => world.alert(pusher.id, { title, send: true });
    await send("After the edit");
    await arrived(1);
    expect(sink.requests[0]!.headers["x-webhook-event"]).toBe("alert.sent");

    await page.press("Pause");
    expect(page.text("main")).toMatch(/Paused since.*paused/);
    await send("During the pause");
    // A test and a redelivery arrive; the event before them does not.
    await page.press("Send a test event");
    await arrived(2);
    expect(sink.requests[1]!.headers["x-webhook-event"]).toBe("webhook.test");
    await reloadedUntil(page, /webhook\.test.*delivered/);
    await page.press(/^Redeliver alert\.sent/);
    await arrived(3);
    expect(sink.requests[2]!.body.toString()).toContain("After the edit");
    await page.open(`${base}webhooks`);
    expect(page.text("main")).toContain("paused");
    await page.open(`${base}webhooks/${hook.id}`);
    await page.press("Resume");
    expect(page.text("main")).not.toContain("Paused since");
    await send("After the pause");
    await arrived(4);
    expect(sink.requests[3]!.body.toString()).toContain("After the pause");
    const lines = await world.sql(
      "select changed from audit_event where operation = 'update_webhook' order by created_at, id",
    );
    expect(lines.map(({ changed }) => changed)).toEqual([["events"], ["paused"], ["paused"]]);
    // The part of the page that updates itself is the same part alone.
    const { text } = await owner.get(`${base}webhooks/${hook.id}?live=1`);
    expect(text).toContain('data-live="');
    expect(text).not.toContain("<html");
    await world.rest("delete_webhook", { webhook_id: hook.id });
  });

  // rules#audit-list
  test("reads who did all that, by channel and by who, and keeps it as a table", async () => {
    const key = await world.key({ name: "=cmd|' /C calc'!A0" });
    const pusher = await world.pusher({ name: "Lighthouse" }, key);
    const page = await visit();
    await page.follow("Workspace");
    await page.follow("Audit log");
    for (const words of ["removed a webhook", "rotated the secret of", "enabled", "redelivered an event"])
      expect(page.text("main")).toContain(`Ada Owner ${words}`);
    expect(page.text("main")).toContain("Entries are kept for 90 days");
    await page.press("Apply", { channel: page.option("channel", "Lighthouse") });
    expect(page.text("tbody")).toMatch(/^=cmd\|' \/C calc'!A0 created the channel Lighthouse.*REST with a key/);
    const { headers, text } = await owner.get(page.all("a", "Download as CSV")[0]!.attribs.href!);
    expect(headers.get("content-type")).toContain("text/csv");
    const [head, line, end] = text.split("\r\n");
    expect(head).toMatch(/^at,operation,actor_type/);
    expect(line).toContain("'=cmd|' /C calc'!A0");
    expect(line).toContain(`${pusher.id},Lighthouse,${pusher.id},active`);
    expect(end).toBe("");
    await page.press("Apply", { channel: "", actor: page.option("actor", "Ada Owner (person)") });
    expect(page.text("tbody")).not.toContain("with a key");

    // Pages of twenty-five.
    await world.sql(
      `insert into audit_event (id, workspace_id, actor_type, transport, operation, created_at)
       select gen_random_uuid(), ?, 'operator', 'operator', 'suspend_channel', now() - interval '1 hour' - n * interval
         '1 second'
       from generate_series(1, 45) n`,
      [parseUuid(world.workspace.id)],
    );
    await page.open(`${base}audit`);
    for (const next of ["Older", "Older"]) await page.follow(next);
    expect(page.all("a", "Older")).toEqual([]);
    await page.follow("Newest");
    expect(page.path).toBe(`${base}audit`);
    for (const [wrong, told] of [
      ["audit?before=x", 422],
      ["webhooks/whk_x", 404],
      ["audit?channel=nothing", 200],
      ["audit.csv?actor=nobody", 200],
    ] as const)
      expect([wrong, (await owner.get(base + wrong)).status]).toEqual([wrong, told]);
  });

  test("a viewer is offered no actions", async () => {
    const { body: hook } = await world.rest("create_webhook", {
      url: `http://127.0.0.1:${sink.port}/`,
      events: ["alert.sent"],
    });
    const email = "vi@example.org";
    const em = world.service.orm.em.fork() as never;
    await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "viewer" });
    const viewer = await signInMember(world, { ...OWNER, name: "Vi", email });
    const path = `/console/${world.workspace.id}/webhooks`;
    for (const one of [path, `${path}/${hook.id}`]) {
      const { status: seen, text } = await viewer.get(one);
      expect(seen).toBe(200);
      expect(text.match(/<form/g)).toHaveLength(1);
      const fields: Record<string, string | string[]> =
        one === path ? { url: "https://93.184.216.34/", events: ["alert.sent"] } : {};
      const act = one === path ? one : `${one}/test`;
      expect((await viewer.post(act, fields, { from: path })).status, act).toBe(403);
      if (one === path) continue;
      expect(text).not.toMatch(/Edit events|Pause/);
      for (const forbidden of ["events", "pause", "resume"])
        expect((await viewer.post(`${one}/${forbidden}`, { events: "alert.sent" }, { from: path })).status).toBe(403);
    }
    expect((await viewer.get(`${path}/../audit`)).status).toBe(200);
  });
});
