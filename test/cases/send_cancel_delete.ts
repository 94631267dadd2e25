// Results and refusals of send, cancel and delete beyond the grid (schedule.ts has the other verb). Also the state of
// an alert whose send_at has passed.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds } from "../support/world.ts";
import {
  alertArguments,
  createAlertInState,
  createDraftChangedBySql,
  getSharedPusher,
  NO_ALERT,
  oncePerWorld,
  parseUuid,
  readAlert,
} from "./fixtures.ts";

const PASSED = "passed-is-sent";
const SENT_AT = "verb-leaves";
const NOTE = "cancel";

const EMPTY_EDIT = "patch-null";

export const sendCancelDeleteCases: TestCase[] = [
  ...(["draft", "scheduled", "sent", "cancelled"] as const).map((state) => ({
    rule: EMPTY_EDIT,
    tool: "update_alert",
    name: `an empty edit of a ${state} alert`,
    given: (world: Parameters<typeof getSharedPusher>[0]) => createAlertInState(world, state),
    input: (alert: { id: string; pusher_id: string }) => alertArguments(alert),
    want: { body: { status: state, blocked: [] } },
  })),
  {
    rule: "send-whatever-send-at",
    tool: "send_alert",
    given: (world) => createAlertInState(world, "draft", undefined, { send_at: "2999-01-01T00:00:00Z" }),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent", send_at: null, note: expect.stringMatching(/\w/) } },
  },
  {
    rule: "send-needs-a-live-alert",
    tool: "send_alert",
    given: createDraftChangedBySql("expires_at = clock_timestamp() - interval '1 second'"),
    input: (alert) => alertArguments(alert),
    want: { error: "invalid_request", param: "expires_at" },
    after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("draft"),
  },
  {
    rule: "send-needs-a-live-alert",
    tool: "send_alert",
    name: "a repeat on an expired sent alert has no effect",
    given: async (world) => {
      const alert = await createAlertInState(world, "sent");
      await world.sql("update alert set expires_at = now() - interval '1 second' where id = ?", [parseUuid(alert.id)]);
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent" } },
  },
  {
    rule: "verbs-say-note",
    tool: "cancel_alert",
    given: (world) => createAlertInState(world, "cancelled"),
    input: (alert) => alertArguments(alert),
    want: { body: { note: expect.stringMatching(/will not get it.*keep it/) } },
    after: (_world, alert, { body }) => expect(body.cancelled_at).toBe(alert.cancelled_at),
  },
  {
    rule: NOTE,
    tool: "cancel_alert",
    given: (world) => createAlertInState(world, "sent"),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "cancelled", note: expect.stringMatching(/will not get it.*keep it/) } },
  },
  {
    rule: SENT_AT,
    tool: "cancel_alert",
    name: "sent: sent_at is kept",
    given: (world) => createAlertInState(world, "sent"),
    input: (alert) => alertArguments(alert),
    want: {},
    after: (_world, alert, { body }) => expect(body.sent_at).toBe(alert.sent_at),
  },
  {
    rule: SENT_AT,
    tool: "cancel_alert",
    name: "scheduled and passed: sent_at is its send_at",
    given: (world) => createAlertInState(world, "passed"),
    input: (alert) => alertArguments(alert),
    want: {},
    after: (_world, alert, { body }) => expect(body.sent_at).toBe(alert.send_at),
  },
  {
    rule: SENT_AT,
    tool: "cancel_alert",
    name: "scheduled: none, also when its send_at passes afterwards",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert),
    want: { body: { sent_at: null } },
    after: async (world, alert) => {
      await world.sql("update alert set send_at = now() - interval '1 hour' where id = ?", [parseUuid(alert.id)]);
      expect(await readAlert(world, alert)).toMatchObject({ status: "cancelled", sent_at: null });
    },
  },
  {
    rule: SENT_AT,
    tool: "cancel_alert",
    name: "alerts_sent counts it no longer",
    given: async (world) => createAlertInState(world, "sent", await world.pusher()),
    input: (alert) => alertArguments(alert),
    want: {},
    after: async (world, { pusher_id }) =>
      expect((await world.rest("get_pusher", { pusher_id })).body.alerts_sent).toBe(0),
  },
  {
    rule: "cancel-reaches-no-further",
    tool: "cancel_alert",
    name: "removed from the inbox",
    given: async (world) => {
      const pusher = await world.pusher();
      const device = await world.device(pusher.handle);
      const alert = await createAlertInState(world, "sent", pusher);
      expect((await world.handset("GET", "/inbox", device)).body.data).toHaveLength(1);
      return { alert, device };
    },
    input: ({ alert }) => alertArguments(alert),
    want: {},
    after: async (world, { device }) => expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]),
  },
  {
    rule: PASSED,
    tool: "get_alert",
    given: (world) => createAlertInState(world, "passed"),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent", cancelled_at: null } },
    after: (_world, _given, { body }) => expect(body.sent_at).toBe(body.send_at),
  },
  {
    rule: PASSED,
    tool: "get_pusher",
    name: "counts as sent",
    given: async (world) => createAlertInState(world, "passed", await world.pusher()),
    input: ({ pusher_id }) => ({ pusher_id }),
    want: { body: { alerts_sent: 1 } },
    after: async (world, { pusher_id }) => {
      const { body } = await world.rest("list_pushers");
      expect(body.data.find(({ id }: any) => id === pusher_id)).toMatchObject({ drafts: 0, scheduled: 0 });
    },
  },
  ...(["scheduled", "sent"] as const).map(
    (status): TestCase => ({
      rule: PASSED,
      tool: "list_alerts",
      name: `in the list of what is ${status}`,
      given: oncePerWorld(async (world) => createAlertInState(world, "passed", await world.pusher())),
      input: ({ pusher_id }) => ({ pusher_id, status }),
      want: {},
      after: (_world, alert, { body }) =>
        expect(body.data.map((row: any) => [row.id, row.status, row.sent_at])).toEqual(
          status === "sent" ? [[alert.id, "sent", alert.send_at]] : [],
        ),
    }),
  ),
  {
    rule: "publishing-is-one-row",
    tool: "get_alert",
    name: "a moment ahead, then there",
    given: async (world) => {
      const pusher = await world.pusher();
      const device = await world.device(pusher.handle);
      const send_at = timeInSeconds(4);
      const alert = await createAlertInState(world, "scheduled", pusher, { send_at });
      const read = async () => (await world.handset("GET", "/inbox", device)).body.data;
      const first = await read();
      if (new Date().toISOString() < send_at) expect(first).toEqual([]);
      await expect.poll(read).toHaveLength(1);
      expect(new Date().toISOString() >= send_at).toBe(true);
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent" } },
  },
  {
    rule: "publishing-is-one-row",
    tool: "get_alert",
    given: async (world) => {
      const alert = await createAlertInState(world, "passed");
      return { ...alert, fired: world.events.filter(({ data }) => data.alert_id === alert.id) };
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent" } },
    after: (_world, { fired }) => expect(fired.map(({ event }: any) => event)).toEqual(["alert.scheduled"]),
  },
  {
    rule: "send",
    tool: "send_alert",
    name: "a scheduled alert sent early",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent", send_at: null } },
    after: (world, alert, { body }) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.sent",
        data: { pusher_id: alert.pusher_id, alert_id: alert.id, status: "sent", sent_at: body.sent_at },
      }),
  },
  ...["get_alert", "update_alert", "send_alert", "schedule_alert", "cancel_alert", "delete_alert"].flatMap(
    (tool): TestCase[] => [
      {
        rule: "foreign-is-missing",
        tool,
        also: tool === "get_alert" ? ["get-alert"] : [],
        name: "the alert does not exist",
        given: getSharedPusher,
        input: ({ id }) => ({ pusher_id: id, alert_id: NO_ALERT }),
        want: { error: "not_found", param: null },
      },
      {
        rule: "foreign-is-missing",
        tool,
        name: "an alert of another channel of the same workspace",
        given: oncePerWorld(async (world) => ({
          pusher: await getSharedPusher(world),
          alert: await createAlertInState(world, "draft", await world.pusher()),
        })),
        input: ({ pusher, alert }) => ({ pusher_id: pusher.id, alert_id: alert.id }),
        want: { error: "not_found", param: null },
      },
    ],
  ),
  {
    rule: "foreign-is-missing",
    tool: "delete_pusher",
    name: "the channel does not exist",
    input: () => ({ pusher_id: NO_ALERT.replace("alr", "psh") }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "send-again",
    tool: "send_alert",
    name: "of simultaneous sends one emits the event",
    given: async (world) => {
      const alert = await createAlertInState(world, "draft");
      const events = world.acts.length;
      const answers = await Promise.all([1, 2, 3, 4].map(() => world.rest("send_alert", alertArguments(alert))));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.sent_at)).size).toBe(1);
      expect(world.acts.slice(events).filter(({ data }) => data.alert_id === alert.id)).toHaveLength(1);
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent" } },
  },
];
