// The version of an alert that a change is meant for: the same result from every verb, with both spellings of a time.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import type { World } from "../../support/world.ts";
import { type AlertState, alertArguments, createAlertInState, parseUuid, readAlert } from "../fixtures.ts";

const RULE = "expected-version";

/** The change of each verb, and the arguments that it needs. */
const VERBS: [tool: string, state: AlertState, more: Record<string, unknown>][] = [
  ["update_alert", "draft", { title: "Mine" }],
  ["update_alert", "draft", {}],
  ["send_alert", "draft", {}],
  ["schedule_alert", "draft", {}],
  ["cancel_alert", "scheduled", {}],
  ["delete_alert", "cancelled", {}],
];

/** An alert that another person edited after it was read. */
const edited = (state: AlertState) => async (world: World) => {
  const read = await createAlertInState(world, state);
  const change = state === "cancelled" ? "geo_rule = 'theirs'" : "title = 'Theirs'";
  await world.sql(`update alert set ${change}, updated_at = updated_at + interval '1 microsecond' where id = ?`, [
    parseUuid(read.id),
  ]);
  return { read, now: await readAlert(world, read) };
};

/** The same time in a zone two hours further east. */
const elsewhere = (instant: string) => {
  const [, date, time, decimals] = /^(.*)T(.*)(\.\d{6})Z$/.exec(instant)!;
  const shifted = new Date(Date.parse(`${date}T${time}Z`) + 7_200_000).toISOString().slice(0, 19);
  return `${shifted}${decimals}+02:00`;
};

export const alertVersionCases: TestCase[] = [
  ...VERBS.map(
    ([tool, state, more]): TestCase => ({
      rule: RULE,
      tool,
      name: `${Object.keys(more).join() || "nothing"} for a version that is one microsecond old`,
      given: edited(state),
      input: ({ read }) => alertArguments(read, { ...more, expected_updated_at: read.updated_at }),
      want: { error: "conflict", param: null, says: /get_alert.*updated_at/ },
      after: async (world, { now }) => expect(await readAlert(world, now)).toEqual(now),
    }),
  ),
  ...VERBS.map(
    ([tool, state, more]): TestCase => ({
      rule: RULE,
      tool,
      name: `${Object.keys(more).join() || "nothing"} for the version that it is`,
      given: edited(state),
      input: ({ now }) => alertArguments(now, { ...more, expected_updated_at: elsewhere(now.updated_at) }),
      want: {},
    }),
  ),
  {
    rule: RULE,
    tool: "send_alert",
    name: "a repeat is also refused, since the alert has changed",
    given: async (world) => {
      const read = await createAlertInState(world, "draft");
      const args = alertArguments(read, { expected_updated_at: read.updated_at });
      expect((await world.rest("send_alert", args)).status).toBe(200);
      return args;
    },
    input: (args) => args,
    want: { error: "conflict", says: /has changed/ },
  },
  {
    rule: RULE,
    tool: "cancel_alert",
    name: "an alert that came due keeps its version",
    given: async (world) => {
      const due = await createAlertInState(world, "passed");
      await readAlert(world, due);
      return due;
    },
    input: (alert) => alertArguments(alert, { expected_updated_at: alert.updated_at }),
    want: { body: { status: "cancelled" } },
  },
  {
    rule: RULE,
    tool: "update_alert",
    name: "a bare date is not a time",
    given: edited("draft"),
    input: ({ read }) => alertArguments(read, { expected_updated_at: "2026-11-20" }),
    want: { error: "invalid_request", param: "expected_updated_at" },
  },
  {
    rule: "order-of-checks",
    tool: "send_alert",
    name: "the version is judged before the state",
    given: async (world) => {
      const read = await createAlertInState(world, "scheduled");
      await world.rest("cancel_alert", alertArguments(read));
      return read;
    },
    input: (read) => alertArguments(read, { expected_updated_at: read.updated_at }),
    want: { error: "conflict", says: /has changed/ },
  },
];
