// A call that waits for a person: it waits until a decision, is limited for each credential, and ends when its client
// disconnects.

import { beforeEach, expect, test } from "vitest";
import { decline_alert } from "../../src/identity/session/decline_and_review_aids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";

let author: string;
let draft: { id: string; pusher_id: string };
const world = await openWorld();
await signInOwner(world);
const person = await createOwnerSession(world);
beforeEach(async () => {
  author = await world.key({ scopes: "alerts:read,alerts:write" });
  const pusher = await world.pusher();
  draft = (await world.rest("create_alert", { pusher_id: pusher.id, title: "Tide" }, author)).body;
});

const path = () => `/api/v1/pushers/${draft.pusher_id}/alerts/${draft.id}/review`;

/** A call that waits, and whether it has its answer. */
function wait(query = "", signal?: AbortSignal) {
  const request = new Request(`http://localhost${path()}${query}`, {
    headers: { authorization: `Bearer ${author}` },
    signal,
  });
  const held = { answered: false, answer: Promise.resolve<any>(null) };
  held.answer = world.service.app.fetch(request).then(async (response) => {
    held.answered = true;
    return response.json();
  });
  return held;
}

/** Another call of the same kind, from its beginning to its end. */
const meanwhile = () => world.rest("wait_for_review", alertArguments(draft, { seconds: 0 }), author);

// rules#review-wait
test.each(["rest", "mcp"] as const)("waits until a person decides, over %s", async (face) => {
  let answered = false;
  const waiting = world[face]("wait_for_review", alertArguments(draft), author).finally(() => {
    answered = true;
  });
  expect((await meanwhile()).body.decision).toBe("waiting");
  expect(answered).toBe(false);
  await world.service.dispatcher.runSession(decline_alert, person, {
    args: { ...alertArguments(draft), review_reply: "Say when." },
    log: SILENT_LOG,
  });
  const { body } = await waiting;
  expect(body).toMatchObject({ decision: "declined", status: "draft", review_reply: "Say when." });
  // The same version was seen, so there is something to wait for; an edit by its author ends it.
  const more = wait(`?seen_updated_at=${body.updated_at}`);
  await meanwhile();
  expect(more.answered).toBe(false);
  await world.rest("update_alert", alertArguments(draft, { body: "At six" }), author);
  expect(await more.answer).toMatchObject({ decision: "waiting", review_reply: null });
});

// rules#review-wait
test("four of a credential wait; one that leaves frees a slot, and all receive a decision elsewhere", async () => {
  const calls = Array.from({ length: LIMITS.review_waits + 1 }, () => {
    const leaving = new AbortController();
    return Object.assign(wait("", leaving.signal), { leaving });
  });
  // One too many is answered at once.
  const tooMany = await Promise.race(calls.map((call) => call.answer.then((answer) => ({ call, answer }))));
  expect(tooMany.answer).toMatchObject({ decision: "waiting" });
  const held = calls.filter((call) => call !== tooMany.call);
  await meanwhile();
  expect(held.map(({ answered }) => answered)).toEqual(held.map(() => false));
  held[0]!.leaving.abort();
  await held[0]!.answer;
  const another = wait();
  await meanwhile();
  expect(another.answered).toBe(false);
  await world.sql("update alert set status = 'cancelled', cancelled_at = now(), updated_at = now() where id = ?", [
    parseUuid(draft.id),
  ]);
  for (const { answer } of [...held.slice(1), another]) expect(await answer).toMatchObject({ decision: "cancelled" });
});

test("an alert that is deleted during the wait is missing, and a stop answers waiting calls", async () => {
  const gone = wait();
  await meanwhile();
  await world.rest("delete_alert", alertArguments(draft));
  expect(await gone.answer).toMatchObject({ error: { type: "not_found" } });
  const pusher = await world.pusher();
  draft = await world.alert(pusher.id);
  const last = wait();
  await meanwhile();
  world.service.app.ending();
  expect(await last.answer).toMatchObject({ decision: "waiting" });
  expect(await wait().answer).toMatchObject({ decision: "waiting" });
});
