// A call that waited gets the response of a new call with its credential: anything that ended in the meantime also ends
// its response.

import { expect, test } from "vitest";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

const QUESTION = { type: "reply", label: "Who goes?", choices: ["I", "Not me"] };

interface Given {
  key: { credential: { id: string }; member: { id: string } };
  pusher: { id: string };
  other: { id: string };
  alert: { id: string; pusher_id: string };
}

const ofKey =
  (change: string) =>
  async ({ key }: Given) =>
    void (await world.sql(`update api_key set ${change} where id = ?`, [parseUuid(key.credential.id)]));
const ofMember =
  (change: string) =>
  async ({ key }: Given) =>
    void (await world.sql(`update member set ${change} where id = ?`, [parseUuid(key.member.id)]));

const CHANGES: [string, number, (given: Given) => Promise<void>][] = [
  ["its key was revoked", 401, ofKey("revoked_at = now()")],
  ["its key expired", 401, ofKey("expires_at = now()")],
  ["its key lost the scopes", 403, ofKey("scopes = '{alerts:write}'")],
  [
    "its key was restricted to another channel",
    404,
    async ({ key, other }) => {
      await world.sql("update api_key set pusher_id = ? where id = ?", [
        parseUuid(other.id),
        parseUuid(key.credential.id),
      ]);
    },
  ],
  [
    "its member was removed",
    401,
    async ({ key }) => {
      await world.sql("delete from member where id = ?", [parseUuid(key.member.id)]);
    },
  ],
  ["its member sees no channel any more", 404, ofMember("pusher_ids = '{}'")],
];

/** Over MCP one refusal of each tool, over REST all. */
const REFUSED = (["wait_for_review", "wait_for_replies"] as const).flatMap((tool) =>
  CHANGES.flatMap(([name, status, change], i) =>
    (i === 0 ? (["rest", "mcp"] as const) : (["rest"] as const)).map(
      (face) => [face, tool, name, status, change] as const,
    ),
  ),
);

// rules#wait-credential
test.each(REFUSED)("over %s, %s is refused when %s", async (face, tool, _name, status, change) => {
  const token = await world.memberKey("editor", undefined, { scopes: "all" });
  const key = (await world.rest("get_me", {}, token)).body;
  const pusher = await world.pusher();
  const other = await world.pusher();
  const alert = await world.alert(pusher.id, { actions: [QUESTION], send: tool === "wait_for_replies" });
  let isAnswered = false;
  const answer = world[face](tool, alertArguments(alert), token).finally(() => {
    isAnswered = true;
  });
  // Another call from its beginning to its end.
  const meanwhile = () => world[face](tool, alertArguments(alert, { seconds: 0 }), token);
  for (let i = 0; i < 3; i++) expect((await meanwhile()).status).toBe(200);
  expect(isAnswered).toBe(false);
  await change({ key, pusher, other, alert });
  expect((await meanwhile()).status).toBe(status);
  // The wait ends by what it waits for.
  await world.rest("update_alert", alertArguments(alert, { review_note: "Look again" }));
  await world.sql("update alert set updated_at = now() where id = ?", [parseUuid(alert.id)]);
  const { status: got, body } = await answer;
  expect([got, JSON.stringify(body)]).toEqual([status, expect.not.stringContaining("decision")]);
  expect(body.replies).toBeUndefined();
});

// rules#wait-credential
test.each(["rest", "mcp"] as const)("over %s, a credential that is as it was gets its answer", async (face) => {
  const token = await world.memberKey("editor", undefined, { scopes: "alerts:read" });
  const pusher = await world.pusher();
  const alert = await world.alert(pusher.id, {});
  const answer = world[face]("wait_for_review", alertArguments(alert), token);
  await world.rest("wait_for_review", alertArguments(alert, { seconds: 0 }), token);
  await world.rest("cancel_alert", alertArguments(alert));
  await world.rest("delete_alert", alertArguments(alert));
  expect([200, 404]).toContain((await answer).status);
});
