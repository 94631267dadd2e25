// Scheduled alerts named by their ids, and plans: a call with the plan of a dry run does exactly what was shown, or
// nothing.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import { alertArguments, createAlertInState, getSharedPusher, NO_ALERT, oncePerWorld } from "./fixtures.ts";
import { addMinutes, createScheduledAlerts, getScheduledStates, readStates } from "./move_alerts.ts";

const PLAN = "move-plan";
const MOVES = "move-many";

const idsOf = (alerts: any[]) => alerts.map(({ id }) => id);

/** Three scheduled alerts, and the plan of a dry run of them. */
async function shown(world: World, args: Record<string, unknown> = { action: "cancel" }) {
  const given = await createScheduledAlerts(world, [1, 2, 3]);
  const { status, body } = await world.rest("move_alerts", { pusher_id: given.pusher.id, dry_run: true, ...args });
  expect([status, body.data.length, body.dry_run]).toEqual([200, 3, true]);
  return { ...given, plan: body.plan, shown: body.data };
}

/** The plan is refused after one of its alerts changed, and nothing is done. */
const broken = (name: string, change: (world: World, alert: any) => Promise<unknown>): TestCase => ({
  rule: PLAN,
  tool: "move_alerts",
  name: `is refused as a whole where one alert was ${name} since`,
  given: async (world) => {
    const given = await shown(world);
    await change(world, given.alerts[1]);
    return given;
  },
  input: ({ plan }) => ({ plan }),
  want: { error: "conflict", param: null, says: /changed since the dry run/ },
  after: async (world, { alerts: [first, , third] }) =>
    expect(await readStates(world, [first, third])).toEqual(getScheduledStates([first, third])),
});

const wrong = (
  name: string,
  args: Record<string, unknown> | ((given: any) => Record<string, unknown>),
  param: string,
  says?: RegExp,
): TestCase => ({
  rule: PLAN,
  tool: "move_alerts",
  name,
  given: oncePerWorld((world) => shown(world)),
  input: (given) => (typeof args === "function" ? args(given) : args),
  want: { error: "invalid_request", param, ...(says ? { says } : {}) },
  after: async (world, { alerts }) => expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts)),
});

const planCases: TestCase[] = [
  {
    rule: PLAN,
    tool: "move_alerts",
    name: "cancels exactly the alerts of the dry run, not those added to the channel since",
    given: async (world) => {
      const given = await shown(world);
      const added = await createAlertInState(world, "scheduled", given.pusher, { send_at: timeInSeconds(5400) });
      return { ...given, added };
    },
    input: ({ plan }) => ({ plan }),
    want: { body: { dry_run: false, plan: null } },
    after: async (world, { pusher, alerts, added, shown: rows }, { body }) => {
      expect(body.data).toEqual(rows.map((row: any) => ({ ...row, outcome: "done" })));
      expect(body.data).toMatchObject(
        idsOf(alerts).map((id) => ({ id, pusher_id: pusher.id, handle: pusher.handle, series_id: null })),
      );
      expect((await readStates(world, alerts)).map(([status]) => status)).toEqual(Array(3).fill("cancelled"));
      expect(await readStates(world, [added])).toEqual(getScheduledStates([added]));
    },
  },
  {
    rule: PLAN,
    tool: "move_alerts",
    name: "moves by what was planned, and may repeat the action",
    given: (world) => shown(world, { action: "move", by_minutes: 45 }),
    input: ({ plan }) => ({ plan, action: "move", by_minutes: 45 }),
    want: { body: { dry_run: false } },
    after: async (world, { alerts }) =>
      expect(await readStates(world, alerts)).toEqual(
        alerts.map(({ send_at }: any) => ["scheduled", addMinutes(send_at, 45)]),
      ),
  },
  {
    rule: PLAN,
    tool: "move_alerts",
    name: "a refused plan stays refused",
    given: (world) => shown(world, { action: "move", by_minutes: -90 }),
    input: ({ plan }) => ({ plan }),
    want: {},
    after: (_world, _given, { body }) =>
      expect(body.data.map(({ outcome }: any) => outcome)).toEqual(["refused", "done", "done"]),
  },
  {
    rule: PLAN,
    tool: "move_alerts",
    name: "works once",
    given: async (world) => {
      const given = await shown(world);
      expect((await world.rest("move_alerts", { plan: given.plan })).status).toBe(200);
      return given;
    },
    input: ({ plan }) => ({ plan }),
    want: { error: "conflict", param: null },
  },
  {
    rule: PLAN,
    tool: "move_alerts",
    name: "no plan where nothing would change",
    given: async (world) => {
      const { pusher } = await createScheduledAlerts(world, [1]);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, action: "move", by_minutes: -90, dry_run: true }),
    want: { body: { plan: null } },
  },
  broken("edited", (world, alert) => world.rest("update_alert", alertArguments(alert, { title: "Other" }))),
  broken("moved", (world, alert) =>
    world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(9000) })),
  ),
  broken("sent", (world, alert) => world.rest("send_alert", alertArguments(alert))),
  broken("cancelled", (world, alert) => world.rest("cancel_alert", alertArguments(alert))),
  broken("deleted", (world, alert) => world.rest("delete_alert", alertArguments(alert))),
  {
    rule: PLAN,
    also: ["foreign-is-missing"],
    tool: "move_alerts",
    name: "of another credential of the workspace is missing",
    given: (world) => shown(world),
    as: (world) => world.key({}),
    input: ({ plan }) => ({ plan }),
    want: { error: "not_found", param: null },
    after: async (world, { alerts, plan }, { body }) => {
      expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts));
      // One of another workspace and an unknown one have the same response.
      for (const [name, key] of [
        [plan, await world.foreignKey()],
        ["pln_x", world.owner],
        ["", world.owner],
      ])
        expect((await world.rest("move_alerts", { plan: name }, key)).body).toEqual(body);
    },
  },
  wrong("with a channel", ({ plan, pusher }) => ({ plan, pusher_id: pusher.id }), "pusher_id"),
  wrong("with alerts", ({ plan, alerts }) => ({ plan, alert_ids: idsOf(alerts) }), "alert_ids"),
  wrong("with a time", ({ plan }) => ({ plan, from: timeInSeconds(60) }), "from"),
  wrong("with another action", ({ plan }) => ({ plan, action: "move", by_minutes: 5 }), "action"),
];

const idCases: TestCase[] = [
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "neither a channel nor alerts: refused, and nothing is cancelled on any channel",
    given: (world) => createScheduledAlerts(world, [1, 2]),
    input: () => ({ action: "cancel" }),
    want: { error: "invalid_request", param: "pusher_id", says: /pusher_id is required unless you pass alert_ids/ },
    after: async (world, { alerts }) => expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts)),
  },
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "a time alone names no alerts",
    input: () => ({ action: "cancel", from: timeInSeconds(60), to: timeInSeconds(7200) }),
    want: { error: "invalid_request", param: "pusher_id" },
  },
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "alerts of two channels by their ids, each once",
    given: async (world) => [await createScheduledAlerts(world, [1, 2]), await createScheduledAlerts(world, [3])],
    input: ([one, other]) => ({
      alert_ids: [one.alerts[1].id, other.alerts[0].id, other.alerts[0].id],
      action: "cancel",
    }),
    want: {},
    after: async (world, [one, other], { body }) => {
      expect(body.data.map(({ id, handle }: any) => [id, handle])).toEqual([
        [one.alerts[1].id, one.pusher.handle],
        [other.alerts[0].id, other.pusher.handle],
      ]);
      expect(await readStates(world, [one.alerts[0]])).toEqual(getScheduledStates([one.alerts[0]]));
    },
  },
  {
    rule: MOVES,
    also: ["occurrence"],
    tool: "move_alerts",
    name: "an occurrence names its series; what is not scheduled is refused by itself",
    given: async (world) => {
      const pusher = await world.pusher();
      const series = await createAlertInState(world, "repeating", pusher);
      const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id, status: "scheduled" })).body;
      const others = [];
      for (const state of ["draft", "sent", "cancelled"] as const)
        others.push(await createAlertInState(world, state, pusher));
      return { series, occurrence: data[0], others };
    },
    input: ({ series, occurrence, others }) => ({
      alert_ids: [occurrence.id, series.id, ...idsOf(others)],
      action: "cancel",
    }),
    want: {},
    after: (_world, { series, occurrence, others: [draft, sent, cancelled] }, { body }) => {
      const by = new Map(body.data.map((row: any) => [row.id, row]));
      expect(by.get(occurrence.id)).toMatchObject({ series_id: series.id, outcome: "done" });
      for (const [alert, code] of [
        [draft, "alert_not_sent"],
        [sent, "alert_already_sent"],
        [cancelled, "alert_cancelled"],
        [series, "alert_repeats"],
      ])
        expect(by.get(alert.id)).toMatchObject({
          ...{ outcome: "refused", becomes: null, code },
          message: expect.any(String),
        });
    },
  },
  {
    rule: MOVES,
    also: ["foreign-is-missing"],
    tool: "move_alerts",
    name: "an id that is not an alert's",
    given: (world) => createScheduledAlerts(world, [1]),
    input: ({ alerts }) => ({ alert_ids: [alerts[0].id, NO_ALERT], action: "cancel" }),
    want: { error: "not_found", param: null },
    after: async (world, { alerts }) => expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts)),
  },
  ...(
    [
      ["fifty-one ids", { alert_ids: Array(51).fill(NO_ALERT) }, "alert_ids"],
      ["no ids", { alert_ids: [] }, "alert_ids"],
      ["ids with a time", { alert_ids: [NO_ALERT], to: timeInSeconds(60) }, "to"],
    ] as const
  ).map(
    ([name, args, param]): TestCase => ({
      rule: MOVES,
      tool: "move_alerts",
      name,
      given: getSharedPusher,
      input: () => ({ ...args, action: "cancel" }),
      want: { error: "invalid_request", param },
    }),
  ),
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "without an action",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "invalid_request", param: "action" },
  },
];

export const movePlanCases: TestCase[] = [...planCases, ...idCases];
