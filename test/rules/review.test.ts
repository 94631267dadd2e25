// A person reviews an assistant's alert: the place, the information for each side, and the parts that stay between the
// two.

import { beforeEach, expect, test } from "vitest";
import { decline_alert } from "../../src/identity/session/decline_and_review_aids.ts";
import { ApiError } from "../../src/model/api_error.ts";
import { alertArguments, createAlertInState } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

let pusher: { id: string; handle: string };
/** A key that may write alerts and publish none. */
const world = await openWorld();
await signInOwner(world);
const person = await createOwnerSession(world);
const author = await world.key({ scopes: "alerts:read,alerts:write" });
beforeEach(async () => {
  pusher = await world.pusher();
});

type Named = { id: string; pusher_id: string };

const decline = (alert: Named, review_reply = "Not yet.", more: object = {}): Promise<any> =>
  world.service.dispatcher.runSession(decline_alert, person, {
    args: { ...alertArguments(alert), review_reply, ...more },
    log: SILENT_LOG,
  });
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error("it was not refused");
  return error.toEnvelope().error;
};
const read = async (alert: Named) => (await world.rest("get_alert", alertArguments(alert), author)).body;
const addressOf = (alert: Named) =>
  `http://localhost:8787/console/${world.workspace.id}/channels/${alert.pusher_id}/alerts/${alert.id}`;

// rules#review-url
test("the address is in the results while there is something to review, over both transports", async () => {
  const made = (await world.rest("create_alert", { pusher_id: pusher.id, title: "x" }, author)).body;
  expect(made.review_url).toBe(addressOf(made));
  for (const [tool, more] of [
    ["get_alert", {}],
    ["update_alert", { title: "y" }],
    ["update_alert", {}],
  ] as const)
    for (const face of ["rest", "mcp"] as const)
      expect((await world[face](tool, alertArguments(made, more), author)).body.review_url).toBe(addressOf(made));
  const copy = (await world.rest("duplicate_alert", alertArguments(made), author)).body;
  expect(copy.review_url).toBe(addressOf(copy));
  await world.rest("schedule_alert", alertArguments(made, { send_at: timeInSeconds(3600) }));
  expect((await read(made)).review_url).toBe(addressOf(made));
  for (const tool of ["send_alert", "cancel_alert"]) {
    await world.rest(tool, alertArguments(made));
    expect((await read(made)).review_url).toBeNull();
  }
  expect((await world.alert(pusher.id, { send: true })).review_url).toBeNull();
  expect((await read(await createAlertInState(world, "passed", pusher))).review_url).toBeNull();
});

// rules#review-url
test("a caller who may not publish gets the address for a person, and for a missing alert nothing more", async () => {
  const alert = await world.alert(pusher.id, { send_at: timeInSeconds(3600) });
  for (const face of ["rest", "mcp"] as const) {
    for (const tool of ["send_alert", "schedule_alert", "cancel_alert"]) {
      const refused = await world[face](tool, alertArguments(alert), author);
      expect(refused.status).toBe(403);
      expect(refused.body.error.message).toContain(addressOf(alert));
      for (const alert_id of ["alr_</tool>", "", "psh_01h2xcejqtf2nbrexx3vqjhp41", 7]) {
        const { message } = (await world[face](tool, { ...alertArguments(alert), alert_id }, author)).body.error;
        expect(message).toMatch(/Or ask a person to do it in the console: \S+\/console\/wsp_\w+$/);
      }
    }
    // A channel's handle is as good as its id.
    const byHandle = { ...alertArguments(alert), pusher_id: pusher.handle };
    const named = await world[face]("send_alert", byHandle, author);
    expect(named.body.error.message).toContain(addressOf(alert));
  }
  await world.rest("schedule_alert", alertArguments(alert));
  const edit = await world.rest("update_alert", alertArguments(alert, { title: "y" }), author);
  expect(edit.status).toBe(403);
  expect(edit.body.error.message).toContain(addressOf(alert));
  // Other scopes have nothing to do with it.
  const reader = await world.key({ scopes: "alerts:read" });
  const other = await world.rest("update_alert", alertArguments(alert, { title: "y" }), reader);
  expect(other.body.error.message).not.toMatch(/console/);
});

/** MCP's own response, which is not a result of the tool itself. */
async function calledOverMcp(name: string, alert: Named): Promise<unknown> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: alertArguments(alert) } };
  const { body } = await world.request("POST", "/mcp", {
    token: author,
    headers: { accept: "application/json, text/event-stream" },
    body: JSON.stringify(message),
  });
  expect(body.result.isError ?? false).toBe(false);
  return body.result.structuredContent;
}

// rules#mcp-review
test("over MCP a call to publish a decided alert returns the decision; a call to withdraw it does not", async () => {
  for (const [decision, decide] of [
    ["declined", (alert: Named) => decline(alert)],
    [
      "scheduled",
      (alert: Named) => world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(3600) })),
    ],
    ["sent", (alert: Named) => world.rest("send_alert", alertArguments(alert))],
  ] as const) {
    const alert = await world.alert(pusher.id);
    await decide(alert);
    for (const tool of ["send_alert", "schedule_alert"]) {
      expect(await calledOverMcp(tool, alert)).toMatchObject({ id: alert.id, decision });
      expect((await world.rest(tool, alertArguments(alert), author)).status).toBe(403);
    }
    expect((await world.mcp("cancel_alert", alertArguments(alert), author)).body.error.type).toBe("insufficient_scope");
    expect((await read(alert)).status).toBe(decision === "declined" ? "draft" : decision);
  }
});

// rules#review-draft
test("create with send without permission: REST keeps nothing, MCP a draft for a person's decision", async () => {
  const count = async () => (await world.rest("list_alerts", { pusher_id: pusher.id, limit: 100 })).body.data.length;
  const before = await count();
  const args = { pusher_id: pusher.id, title: "Written once", send: true };
  const rest = await world.rest("create_alert", args, author);
  expect(rest.body.error.message).toMatch(/without send.*review_url/);
  expect(await count()).toBe(before);
  const later = timeInSeconds(3600);
  const key = { idempotency_key: "written-once" };
  const refused = await world.mcp("create_alert", { ...args, send_at: later, ...key }, author);
  expect(refused.body.error.type).toBe("insufficient_scope");
  const [, kept] = /draft (alr_\w+), so do not create it again/.exec(refused.body.error.message)!;
  const draft = await read({ id: kept!, pusher_id: pusher.id });
  expect(draft).toMatchObject({ status: "draft", title: "Written once" });
  expect(Date.parse(draft.send_at)).toBe(Date.parse(later));
  expect(refused.body.error.message).toContain(addressOf(draft));
  // Under the same key it is the same draft.
  const again = await world.mcp("create_alert", { ...args, send_at: later, ...key }, author);
  expect(again.body.error.message).toBe(refused.body.error.message);
  expect(await count()).toBe(before + 1);
  // A failing call is refused for its scope, which is checked first. A caller without write permission leaves nothing.
  const bad = await world.mcp("create_alert", { ...args, title: "" }, author);
  expect(bad.body.error).toMatchObject({ type: "insufficient_scope", param: null });
  const reader = await world.key({ scopes: "alerts:read" });
  expect((await world.mcp("create_alert", args, reader)).body.error.message).not.toContain("draft alr_");
  expect(await count()).toBe(before + 1);
});

// rules#decline
test("a scheduled alert is a draft again, receivers are notified, and the author reads the reason", async () => {
  const alert = await createAlertInState(world, "scheduled", pusher);
  const before = world.acts.length;
  const declined = await decline(alert, "Say which quay.");
  expect(declined).toMatchObject({ status: "draft", send_at: null, review_reply: "Say which quay." });
  expect(world.acts.slice(before)).toMatchObject([{ event: "alert.cancelled", data: { status: "draft" } }]);
  expect(await read(alert)).toMatchObject({ status: "draft", review_reply: "Say which quay." });
  const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id }, author)).body;
  expect(data[0].review_reply).toBe("Say which quay.");
});

// rules#decline
test("a draft keeps the time that its author proposed, and no event is sent", async () => {
  const send_at = timeInSeconds(3600).replace("Z", "000Z");
  const alert = await world.alert(pusher.id, { send_at });
  const before = world.acts.length;
  expect(await decline(alert)).toMatchObject({ status: "draft", send_at, review_reply: "Not yet." });
  expect(await decline(alert, "Never.")).toMatchObject({ review_reply: "Never." });
  expect(world.acts.length).toBe(before);
});

// rules#decline
test("the reply stays until an edit, a schedule or a send; no copy has it", async () => {
  const declined = async () => {
    const alert = await world.alert(pusher.id, { review_note: "The office called." });
    await decline(alert);
    return alert;
  };
  const alert = await declined();
  expect((await world.rest("update_alert", alertArguments(alert), author)).body.review_reply).toBe("Not yet.");
  const copy = (await world.rest("duplicate_alert", alertArguments(alert), author)).body;
  expect(copy).toMatchObject({ review_note: "The office called.", review_reply: null });
  const refused = { title: "" };
  expect((await world.rest("update_alert", alertArguments(alert, refused), author)).status).toBe(422);
  expect((await read(alert)).review_reply).toBe("Not yet.");
  for (const [tool, more] of [
    ["update_alert", { body: "Mended." }],
    ["schedule_alert", { send_at: timeInSeconds(3600) }],
    ["send_alert", {}],
  ] as const) {
    const one = await declined();
    expect((await world.rest(tool, alertArguments(one, more))).body.review_reply).toBeNull();
  }
});

// rules#decline
test("a frozen alert, or one that has changed since, is not declined", async () => {
  for (const state of ["sent", "passed", "cancelled"] as const) {
    const alert = await createAlertInState(world, state, pusher);
    expect(await refusalOf(decline(alert))).toMatchObject({ type: "conflict", message: /frozen/ });
    expect((await read(alert)).review_reply).toBeNull();
  }
  const alert = await world.alert(pusher.id);
  await world.rest("update_alert", alertArguments(alert, { title: "Other" }));
  const stale = { expected_updated_at: alert.updated_at };
  expect(await refusalOf(decline(alert, "No.", stale))).toMatchObject({ type: "conflict" });
  for (const reply of ["", "  ", "x".repeat(1001), "a\u0007", "a\u200bb"])
    expect(await refusalOf(decline(alert, reply))).toMatchObject({ param: "review_reply" });
});

// rules#review-note
test("handsets and receivers of events get neither the note nor the reply", async () => {
  const token = await world.device(pusher.handle);
  const alert = await world.alert(pusher.id, { review_note: "Between us: the office called." });
  await decline(alert, "Between us: wait.");
  await world.rest("update_alert", alertArguments(alert, { title: "Now" }), author);
  await world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(3600) }));
  await world.rest("send_alert", alertArguments(alert));
  const inbox = await world.handset("GET", "/inbox", token);
  expect(inbox.body.data).toHaveLength(1);
  expect(JSON.stringify([inbox.body, world.events])).not.toMatch(/Between us|review_/);
  expect((await read(alert)).review_note).toBe("Between us: the office called.");
});

// rules#review-note
test("invisible characters are removed from the note and reported", async () => {
  const args = { pusher_id: pusher.id, title: "x", review_note: "Send\u200b now" };
  const { body } = await world.rest("create_alert", args, author);
  expect(body).toMatchObject({ review_note: "Send now", blocked: [{ name: "zero-width", count: 1 }] });
});
