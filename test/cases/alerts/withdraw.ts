// Deleting a scheduled alert withdraws it: who may, and what stays deletable without alerts:send.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import type { World } from "../../support/world.ts";
import { type AlertState, alertArguments, createAlertInState, oncePerWorld, readAlert } from "../fixtures.ts";

const RULE = "delete-scheduled";

const writer = oncePerWorld((world) => world.key({ scopes: "alerts:write" }));
const sender = oncePerWorld((world) => world.key({ scopes: "alerts:write,alerts:send" }));
const asking = oncePerWorld((world) => world.key({ requires_approval: true }));

const firstOccurrence = async (world: World) => {
  const pusher = await world.pusher();
  await createAlertInState(world, "repeating", pusher);
  const { body } = await world.rest("list_alerts", { pusher_id: pusher.id, status: "scheduled", order: "oldest" });
  return body.data[0];
};

const refused = (name: string, given: (world: World) => Promise<any>): TestCase => ({
  rule: RULE,
  also: ["error-insufficient-scope"],
  tool: "delete_alert",
  name: `${name}, by a key that may only write`,
  given,
  as: writer,
  input: (alert) => alertArguments(alert),
  want: { error: "insufficient_scope", param: null, says: /requires the scope alerts:send.*\/console\// },
  after: async (world, alert, { headers }) => {
    expect((await readAlert(world, alert)).status).toBe("scheduled");
    // Over MCP a key is answered a result, since its scopes never grow.
    const challenge = headers.get("www-authenticate");
    if (challenge !== null) expect(challenge).toContain('scope="alerts:send"');
  },
});

const deleted = (state: AlertState, who: string, as: TestCase["as"]): TestCase => ({
  rule: RULE,
  tool: "delete_alert",
  name: `a ${state} alert, by ${who}`,
  given: (world) => createAlertInState(world, state),
  as,
  input: (alert) => alertArguments(alert),
  want: {},
  after: async (world, alert) => expect((await world.rest("get_alert", alertArguments(alert))).status).toBe(404),
});

export const withdrawCases: TestCase[] = [
  refused("a scheduled alert", (world) => createAlertInState(world, "scheduled")),
  refused("an occurrence", firstOccurrence),
  deleted("draft", "a key that may only write", writer),
  deleted("cancelled", "a key that may only write", writer),
  deleted("scheduled", "a key that may send", sender),
  deleted("scheduled", "a key with required approval", asking),
  {
    rule: RULE,
    also: ["delete-sent"],
    tool: "delete_alert",
    name: "one that has become visible, by a key that may only write",
    given: (world) => createAlertInState(world, "passed"),
    as: writer,
    input: (alert) => alertArguments(alert),
    want: { error: "conflict", param: null },
  },
  {
    rule: RULE,
    also: ["foreign-is-missing"],
    tool: "delete_alert",
    name: "a foreign scheduled alert is missing",
    given: oncePerWorld((world) => createAlertInState(world, "scheduled")),
    as: (world) => world.foreignKey(),
    input: (alert) => alertArguments(alert),
    want: { error: "not_found", param: null },
  },
  {
    rule: RULE,
    also: ["expected-version"],
    tool: "delete_alert",
    name: "another version of a scheduled alert, by a key that may only write",
    given: (world) => createAlertInState(world, "scheduled"),
    as: writer,
    input: (alert) => alertArguments(alert, { expected_updated_at: "2026-01-01T00:00:00Z" }),
    want: { error: "conflict", param: null },
  },
];
