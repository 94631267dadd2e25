// Arguments as assistants and scripts write them, and refusals that lead them on.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseLenientArguments } from "../../src/operation/lenient_arguments.ts";
import { openTransports } from "../support/transports.ts";
import { findOperation, timeInSeconds, World } from "../support/world.ts";

const read = (tool: string, args: Record<string, unknown>) => parseLenientArguments(findOperation(tool), args);

// rules#lenient-arguments
describe("the reading of arguments", () => {
  test.each<[tool: string, given: Record<string, unknown>, read: Record<string, unknown>]>([
    ["list_alerts", { pusher_id: "c", status: null, limit: null }, { pusher_id: "c" }],
    ["list_alerts", { pusher_id: "c", limit: "20" }, { pusher_id: "c", limit: 20 }],
    ["list_alerts", { pusher_id: "c", limit: " 20 " }, { pusher_id: "c", limit: 20 }],
    [
      "create_alert",
      { send: "true", requires_ack: "False", lat: "-3.5e1" },
      { send: true, requires_ack: false, lat: -35 },
    ],
    ["create_alert", { body: null, title: "T", view: null }, { title: "T" }],
    ["create_pusher", { tags: '["a", "b"]', is_public: "false" }, { tags: ["a", "b"], is_public: false }],
    [
      "create_alert",
      { actions: '[{"label":"Go","url":"https://example.org","choices":null}]' },
      { actions: [{ label: "Go", url: "https://example.org" }] },
    ],
    ["create_alert", { actions: ['{"label":"Go"}'] }, { actions: [{ label: "Go" }] }],
    ["move_alerts", { by_minutes: "-15", dry_run: "true", plan: null }, { by_minutes: -15, dry_run: true }],
    ["duplicate_alert", { body: null, send: null }, {}],
    // Null empties a field of an edit, and is absent for its other arguments.
    ["update_alert", { body: null, title: null, view: null }, { body: null }],
    ["update_alert", { clear: ["send_at", "body"] }, { send_at: null, body: null }],
    ["update_alert", { clear: '["send_at"]', title: "T" }, { send_at: null, title: "T" }],
    ["update_pusher", { clear: "city", tags: null }, { city: null }],
    ["update_alert", { clear: null }, {}],
    // Times.
    ["create_alert", { send_at: "2026-11-24T07:30Z" }, { send_at: "2026-11-24T07:30:00Z" }],
    ["create_alert", { expires_at: "2026-11-24 07:30 +01:00" }, { expires_at: "2026-11-24T07:30:00+01:00" }],
    [
      "list_alerts",
      { from: "2026-11-24", to: "2026-11-24" },
      { from: "2026-11-24T00:00:00Z", to: "2026-11-25T00:00:00Z" },
    ],
    ["move_alerts", { to: "2026-12-31 Europe/Lisbon" }, { to: "2027-01-01T00:00 Europe/Lisbon" }],
  ])("%s %j", (tool, given, expected) => {
    expect(read(tool, given)).toEqual(expected);
  });

  test.each<[tool: string, args: Record<string, unknown>]>([
    ["list_alerts", { limit: "many" }],
    ["list_alerts", { limit: "0x10", query: "20" }],
    ["create_alert", { send: "yes", title: "true", body: "[1]" }],
    ["create_alert", { actions: "Go", send_at: "2026-11-24", expires_at: "2026-11-24T07:30" }],
    ["create_alert", { actions: '{"label":"Go"}' }],
    ["create_alert", { unknown: null, title: null, pusher_id: null }],
    ["get_pusher_stats", { from: "2026-11-24", to: "2026-11-25" }],
    ["create_alert", { clear: ["body"] }],
    ["update_alert", { clear: ["body"], body: "x" }],
    ["update_alert", { clear: [1] }],
  ])("%s %j stays as it is", (tool, args) => {
    expect(read(tool, args)).toEqual(args);
  });
});

describe("on a service", () => {
  let world: World;
  let pusher: { id: string; handle: string };
  let other: { id: string };
  beforeAll(async () => {
    world = await World.open();
    [pusher, other] = await Promise.all([world.pusher(), world.pusher()]);
  });
  afterAll(() => world.close());

  const refusal = async (tool: string, args: Record<string, unknown>, key?: string) =>
    (await world.mcp(tool, args, key)).body.error;

  test("a call with nulls and texts publishes once, and REST refuses the same body", async () => {
    const args = { pusher_id: pusher.id, title: "T", body: null, image_url: null, send: "true", send_at: null };
    const { body } = await world.mcp("create_alert", { ...args, idempotency_key: null, view: null });
    expect(body).toMatchObject({ status: "sent", title: "T" });
    expect((await world.rest("create_alert", args)).body.error).toMatchObject({ code: "wrong_type", param: "send" });
  });

  test("a text that publishes needs the scope that the value needs", async () => {
    const key = await world.key({ scopes: "alerts:read,alerts:write" });
    const error = await refusal("create_alert", { pusher_id: pusher.id, title: "T", send: "true" }, key);
    expect(error).toMatchObject({ type: "insufficient_scope" });
    expect(error.message).toMatch(/^The alert was not published: .* draft alr_/);
  });

  test("clear makes a scheduled alert a draft again", async () => {
    const alert = await world.alert(pusher.id, { body: "B", send: true, send_at: timeInSeconds(3600) });
    const at = { pusher_id: pusher.id, alert_id: alert.id };
    const { body } = await world.mcp("update_alert", { ...at, clear: ["send_at", "body"], view: "full" });
    expect(body).toMatchObject({ status: "draft", send_at: null, body: null });
    expect(await refusal("update_alert", { ...at, clear: ["body"], body: "x" })).toMatchObject({ param: "clear" });
    expect(await refusal("update_alert", { ...at, clear: ["title"] })).toMatchObject({ param: "title" });
    expect(await refusal("update_alert", { ...at, clear: ["nonsense"] })).toMatchObject({ code: "unknown_field" });
  });

  // rules#refusal-begins-with-effect
  test("refusals begin with their effect, list all problems, and are prefixed over MCP only", async () => {
    const args = { pusher_id: pusher.id, title: "T", layout: "image", lat: 1, expires_at: "2020-01-01T00:00Z" };
    const error = await refusal("create_alert", { ...args, send: true });
    expect(error.message).toMatch(/^Nothing was sent\. The image layout requires/);
    expect(error.problems.map(({ param }: { param: string }) => param)).toEqual(["image_url", "lon", "expires_at"]);
    expect((await refusal("update_pusher", { pusher_id: pusher.id, name: "" })).message).toMatch(
      /^Nothing was changed\. name/,
    );
    expect((await refusal("get_alert", { pusher_id: pusher.id, alert_id: "alr_x" })).message).toBe("Alert not found.");
    const rest = await world.rest("create_alert", { ...args, expires_at: "2020-01-01T00:00:00Z" });
    expect(rest.body.error.message).toMatch(/^The image layout requires/);
    expect(rest.body.error.problems).toHaveLength(3);
  });

  test("a stale version is answered with the present one, which the next call takes", async () => {
    const alert = await world.alert(pusher.id, { title: "One" });
    const at = { pusher_id: pusher.id, alert_id: alert.id };
    const { body } = await world.rest("update_alert", { ...at, title: "Two" });
    const stale = { ...at, expected_updated_at: alert.updated_at };
    for (const tool of ["update_alert", "send_alert", "delete_alert"]) {
      const { code, message } = await refusal(tool, stale);
      expect(code).toBe("version_conflict");
      expect(message).toContain(`current updated_at (or ETag over REST): ${body.updated_at}.`);
    }
    const { message } = await refusal("update_pusher", { pusher_id: other.id, expected_updated_at: alert.updated_at });
    const [, version] = /: (\S+Z)\.$/.exec(message)!;
    expect(
      (await world.mcp("update_pusher", { pusher_id: other.id, expected_updated_at: version, name: "N" })).status,
    ).toBe(200);
  });

  // rules#row-of-another-channel
  test("an id of another channel that the caller sees is refused with that channel", async () => {
    const alert = await world.alert(other.id);
    const invite = (await world.rest("create_invite", { pusher_id: other.id })).body;
    const misses: [tool: string, args: Record<string, unknown>][] = [
      ["get_alert", { alert_id: alert.id }],
      ["update_alert", { alert_id: alert.id, title: "x" }],
      ["send_alert", { alert_id: alert.id }],
      ["wait_for_review", { alert_id: alert.id, seconds: 0 }],
      ["revoke_invite", { invite_id: invite.id }],
    ];
    const bound = await world.key({ pusher: pusher.id });
    // A foreign channel and a missing one look the same.
    const foreign = await world.pusher({}, await world.foreignKey());
    const at = { alert_id: alert.id };
    const [missing, theirs] = await Promise.all([
      refusal("get_alert", { pusher_id: "psh_01h455vb4pex5vsknk084sn02q", ...at }),
      refusal("get_alert", { pusher_id: foreign.id, ...at }),
    ]);
    expect(theirs).toEqual(missing);
    for (const [tool, args] of misses) {
      const answer = await world.mcp(tool, { pusher_id: pusher.handle, ...args });
      expect(answer.status, tool).toBe(404);
      expect(answer.body.error.message, tool).toContain(`not found in this channel. It is in ${other.id}`);
      // A row that this key does not see is a missing row.
      expect((await refusal(tool, { pusher_id: pusher.id, ...args }, bound)).message, tool).not.toContain("psh_");
    }
  });

  test("a command reads and refuses alike", async () => {
    const { faces, close } = await openTransports(world);
    try {
      const alert = await world.alert(pusher.id, { body: "B" });
      const at = { pusher_id: pusher.handle, alert_id: alert.id };
      const cleared = await faces.cli("update_alert", { ...at, clear: "body", view: null }, world.owner);
      expect(cleared).toMatchObject({ refused: null, body: { body: null } });
      const refused = await faces.cli("send_alert", { ...at, expected_updated_at: alert.updated_at }, world.owner);
      expect(refused.body.error.message).toMatch(/^Nothing was sent\. The alert has changed/);
      const listed = await faces.cli(
        "list_alerts",
        { pusher_id: pusher.id, from: "2026-11-24", to: null },
        world.owner,
      );
      expect(listed.refused).toBeNull();
    } finally {
      await close();
    }
  });
});
