// Many scheduled alerts moved or cancelled by one call: which are meant, what each becomes, what is refused, and what
// is only shown.

import { expect } from "vitest";
import { toIsoMicros } from "../../src/model/fields/sql_statement_types.ts";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import { alertArguments, createAlertInState, getSharedPusher, NO_PUSHER, oncePerWorld, readAlert } from "./fixtures.ts";

const MOVES = "move-many";

/** Alerts of a channel of its own, each scheduled in this number of hours. */
export async function createScheduledAlerts(world: World, hours: number[]) {
  const pusher = await world.pusher();
  const alerts = [];
  for (const hour of hours)
    alerts.push(await createAlertInState(world, "scheduled", pusher, { send_at: timeInSeconds(hour * 3600) }));
  return { pusher, alerts, events: world.acts.length };
}

export const addMinutes = (instant: string, minutes: number) =>
  toIsoMicros(new Date(Date.parse(instant) + minutes * 60_000)).slice(0, 19);

/** Their state now, in the order in which they were made. */
export const readStates = async (world: World, alerts: any[]) => {
  const read = [];
  for (const alert of alerts) {
    const { status, send_at } = await readAlert(world, alert);
    read.push([status, send_at.slice(0, 19)]);
  }
  return read;
};

export const getScheduledStates = (alerts: any[]) => alerts.map(({ send_at }) => ["scheduled", send_at.slice(0, 19)]);

const lines = async (world: World, pusher_id: string) =>
  (await world.rest("list_audit_events", { pusher_id })).body.data.filter(
    ({ operation }: any) => operation === "move_alerts",
  );

const refused = (name: string, args: Record<string, unknown>, param: string): TestCase => ({
  rule: MOVES,
  tool: "move_alerts",
  name,
  given: getSharedPusher,
  input: ({ id }) => ({ pusher_id: id, ...args }),
  want: { error: "invalid_request", param },
});

export const moveCases: TestCase[] = [
  {
    rule: MOVES,
    also: ["edit-scheduled", "edit-tells-receivers"],
    tool: "move_alerts",
    name: "by minutes, what is scheduled within the time",
    given: (world) => createScheduledAlerts(world, [3, 1, 2]),
    input: ({ pusher, alerts }) => ({
      pusher_id: pusher.handle,
      from: alerts[1].send_at,
      to: alerts[0].send_at,
      action: "move",
      by_minutes: 90,
    }),
    want: { body: { dry_run: false } },
    after: async (world, { pusher, alerts, events }, { body }) => {
      const [third, first, second] = alerts;
      expect(body.data).toMatchObject(
        [first, second].map(({ id, title, send_at }) => ({
          id,
          title,
          send_at,
          outcome: "done",
          code: null,
          message: null,
        })),
      );
      for (const row of body.data) expect(row.becomes.slice(0, 19)).toBe(addMinutes(row.send_at, 90));
      expect(await readStates(world, alerts)).toEqual([
        ...getScheduledStates([third]),
        ["scheduled", addMinutes(first.send_at, 90)],
        ["scheduled", addMinutes(second.send_at, 90)],
      ]);
      expect(world.acts.slice(events).map(({ event, data }: any) => [event, data.alert_id])).toEqual([
        ["alert.scheduled", first.id],
        ["alert.scheduled", second.id],
      ]);
      const told = await lines(world, pusher.id);
      expect(told.map(({ subject_id, status }: any) => [subject_id, status]).sort()).toEqual(
        [first.id, second.id].sort().map((id) => [id, "scheduled"]),
      );
    },
  },
  {
    rule: MOVES,
    also: ["cancel"],
    tool: "move_alerts",
    name: "cancelled, also on a paused channel",
    given: async (world) => {
      const given = await createScheduledAlerts(world, [1, 2]);
      await createAlertInState(world, "draft", given.pusher);
      await world.rest("update_pusher", { pusher_id: given.pusher.id, status: "paused" });
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "cancel" }),
    want: { body: { dry_run: false } },
    after: async (world, { alerts, events }, { body }) => {
      expect(body.data.map(({ id, outcome, becomes }: any) => [id, outcome, becomes])).toEqual(
        alerts.map(({ id }: any) => [id, "done", null]),
      );
      for (const alert of alerts) {
        const { status, cancelled_at, sent_at } = await readAlert(world, alert);
        expect([status, typeof cancelled_at, sent_at]).toEqual(["cancelled", "string", null]);
      }
      expect(world.acts.slice(events).map(({ event }: any) => event)).toEqual(["alert.cancelled", "alert.cancelled"]);
    },
  },
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "a dry run reports the changes and makes none",
    given: (world) => createScheduledAlerts(world, [1, 5]),
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "move", by_minutes: -90, dry_run: true }),
    want: { body: { dry_run: true } },
    after: async (world, { pusher, alerts, events }, { body }) => {
      expect(body.data.map(({ outcome, message }: any) => [outcome, message])).toEqual([
        ["refused", "The new send_at must be in the future."],
        ["would", null],
      ]);
      expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts));
      expect(world.acts.length).toBe(events);
      expect(await lines(world, pusher.id)).toEqual([]);
    },
  },
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "each has its own outcome",
    given: async (world) => {
      const { pusher, alerts } = await createScheduledAlerts(world, [1]);
      const short = await createAlertInState(world, "scheduled", pusher, {
        send_at: timeInSeconds(7200),
        expires_at: timeInSeconds(9000),
      });
      return { pusher, alerts: [...alerts, short] };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "move", by_minutes: 60 }),
    want: {},
    after: async (world, { alerts }, { body }) => {
      expect(body.data.map(({ outcome }: any) => outcome)).toEqual(["done", "refused"]);
      expect(body.data[1].message).toMatch(/expires_at must be later/);
      const [moved, stays] = await readStates(world, alerts);
      expect(moved).toEqual(["scheduled", addMinutes(alerts[0].send_at, 60)]);
      expect([stays]).toEqual(getScheduledStates(alerts.slice(1)));
    },
  },
  {
    rule: MOVES,
    also: ["channel-not-active"],
    tool: "move_alerts",
    name: "on a paused channel nothing is moved",
    given: async (world) => {
      const given = await createScheduledAlerts(world, [1]);
      await world.rest("update_pusher", { pusher_id: given.pusher.id, status: "paused" });
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "move", by_minutes: 60 }),
    want: {},
    after: async (world, { alerts }, { body }) => {
      expect(body.data).toMatchObject([{ outcome: "refused", becomes: null }]);
      expect(body.data[0].message).toMatch(/channel is not active/);
      expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts));
    },
  },
  {
    rule: MOVES,
    tool: "move_alerts",
    name: "of fifty-one none",
    given: oncePerWorld(async (world) => {
      const { pusher, alerts } = await createScheduledAlerts(world, [1]);
      await world.sql(
        `insert into alert (id, pusher_id, status, title, send_at)
         select gen_random_uuid(), pusher_id, 'scheduled', title, send_at from alert, generate_series(1, 50)
         where id = (select id from alert where title = ? and pusher_id = (select id from pusher where handle = ?) limit
           1)`,
        [alerts[0].title, pusher.handle],
      );
      return { pusher, alerts };
    }),
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "cancel" }),
    want: { error: "invalid_request", param: "to", says: /More than 50/ },
    after: async (world, { alerts }) => expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts)),
  },
  {
    rule: "restricted-sees-its-channels",
    also: [MOVES],
    tool: "move_alerts",
    name: "an alert of a channel that the caller does not see is missing, and nothing is moved",
    given: async (world) => {
      const [own, other] = [await createScheduledAlerts(world, [1]), await createScheduledAlerts(world, [1])];
      return { own, other, key: await world.key({ pusher: own.pusher.id }) };
    },
    as: (_world, { key }) => key,
    input: ({ own, other }) => ({ alert_ids: [own.alerts[0].id, other.alerts[0].id], action: "move", by_minutes: 1 }),
    want: { error: "not_found", param: null },
    after: async (world, { own, other }) => {
      for (const { alerts } of [own, other])
        expect(await readStates(world, alerts)).toEqual(getScheduledStates(alerts));
    },
  },
  {
    rule: MOVES,
    also: ["alert-changes"],
    tool: "move_alerts",
    name: "values replaced by a move are kept",
    given: (world) => createScheduledAlerts(world, [1]),
    input: ({ pusher }) => ({ pusher_id: pusher.id, action: "move", by_minutes: 7 }),
    want: {},
    after: async (world, { alerts }) => {
      const { updated_at } = (await world.rest("get_alert", alertArguments(alerts[0]))).body;
      const kept = await world.sql(
        `select previous_values from alert_change where updated_at = ?::timestamptz
          and previous_values->>'send_at' = ?`,
        [updated_at, alerts[0].send_at],
      );
      expect(kept).toHaveLength(1);
    },
  },
  {
    rule: "idempotency",
    tool: "move_alerts",
    name: "a repeat moves nothing again",
    given: async (world) => {
      const { pusher, alerts } = await createScheduledAlerts(world, [1]);
      const args = { pusher_id: pusher.id, action: "move", by_minutes: 60, idempotency_key: pusher.id };
      const first = await world.rest("move_alerts", args);
      return { args, alerts, body: first.body };
    },
    input: ({ args }) => args,
    want: {},
    after: async (world, { alerts, body: first }, { body }) => {
      expect(body).toEqual(first);
      expect(await readStates(world, alerts)).toEqual([["scheduled", addMinutes(alerts[0].send_at, 60)]]);
    },
  },
  {
    rule: "foreign-is-missing",
    tool: "move_alerts",
    name: "no such channel",
    input: () => ({ pusher_id: NO_PUSHER, action: "cancel" }),
    want: { error: "not_found", param: null },
  },
  refused("a move by nothing", { action: "move" }, "by_minutes"),
  refused("a move by 0", { action: "move", by_minutes: 0 }, "by_minutes"),
  refused("a cancellation by minutes", { action: "cancel", by_minutes: 5 }, "by_minutes"),
  refused("by more than a year", { action: "move", by_minutes: 525_601 }, "by_minutes"),
  refused("another action", { action: "send" }, "action"),
  refused("half a minute", { action: "move", by_minutes: 0.5 }, "by_minutes"),
];
