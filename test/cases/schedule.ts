// Results and refusals of schedule beyond the grid: its send_at, given with the call or kept in the draft.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds } from "../support/world.ts";
import {
  alertArguments,
  createAlertInState,
  createDraftChangedBySql,
  createDraftWith,
  oncePerWorld,
  parseUuid,
  readAlert,
} from "./fixtures.ts";

const SCHEDULE = "schedule";
const SCHEDULE_AT = "schedule-takes-send-at";
const LATER = "2999-01-01T00:00:00.000000Z";

export const scheduleCases: TestCase[] = [
  {
    rule: SCHEDULE,
    tool: "schedule_alert",
    name: "without a send_at",
    given: oncePerWorld(createDraftWith()),
    input: (alert) => alertArguments(alert),
    want: { error: "invalid_request", param: "send_at", says: /no send_at\. Set send_at.*call send_alert/ },
  },
  {
    rule: SCHEDULE,
    tool: "schedule_alert",
    name: "with a past send_at",
    given: oncePerWorld(createDraftWith({ send_at: "2001-01-01T00:00:00Z" })),
    input: (alert) => alertArguments(alert),
    want: { error: "invalid_request", param: "send_at", says: /in the future\. Set send_at/ },
  },
  ...(
    [
      ["a draft without one", {}],
      ["a draft with another one", { send_at: "2998-01-01T00:00:00Z" }],
      ["a draft with a past one", { send_at: "2001-01-01T00:00:00Z" }],
    ] as const
  ).map(
    ([name, fields]): TestCase => ({
      rule: SCHEDULE_AT,
      tool: "schedule_alert",
      name: `send_at given: ${name}`,
      given: createDraftWith(fields),
      input: (alert) => alertArguments(alert, { send_at: "2999-01-01T01:00:00+01:00" }),
      want: { body: { status: "scheduled", send_at: LATER, sent_at: null } },
      after: async (world, alert) => {
        expect(await readAlert(world, alert)).toMatchObject({ status: "scheduled", send_at: LATER });
        expect(world.events.filter(({ data }) => data.alert_id === alert.id)).toMatchObject([
          { event: "alert.scheduled", data: { send_at: LATER } },
        ]);
      },
    }),
  ),
  {
    rule: SCHEDULE_AT,
    tool: "schedule_alert",
    name: "send_at given: a scheduled alert is moved and announced again",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert, { send_at: LATER }),
    want: { body: { status: "scheduled", send_at: LATER } },
    after: (world, alert) =>
      expect(world.events.filter(({ data }) => data.alert_id === alert.id)).toMatchObject([
        { event: "alert.scheduled", data: { send_at: alert.send_at } },
        { event: "alert.scheduled", data: { send_at: LATER } },
      ]),
  },
  {
    rule: SCHEDULE_AT,
    tool: "schedule_alert",
    name: "send_at given: the present one of a scheduled alert changes nothing",
    given: (world) => createAlertInState(world, "scheduled", undefined, { send_at: LATER }),
    input: (alert) => alertArguments(alert, { send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "scheduled", send_at: LATER } },
    after: (world, alert, { body }) => {
      expect(body.updated_at).toBe(alert.updated_at);
      expect(world.events.filter(({ data }) => data.alert_id === alert.id)).toHaveLength(1);
    },
  },
  ...(
    [
      ["gone by", timeInSeconds(-5), /in the future/],
      ["null", null, /string/],
      ["no instant", "tomorrow", /RFC 3339/],
    ] as const
  ).map(
    ([name, send_at, says]): TestCase => ({
      rule: SCHEDULE_AT,
      tool: "schedule_alert",
      name: `send_at given: ${name}`,
      given: createDraftWith({ send_at: LATER }),
      input: (alert) => alertArguments(alert, { send_at }),
      want: { error: "invalid_request", param: "send_at", says },
      after: async (world, alert) =>
        expect(await readAlert(world, alert)).toMatchObject({ status: "draft", send_at: LATER }),
    }),
  ),
  {
    rule: "alert-expires-at",
    tool: "schedule_alert",
    name: "send_at given: not before it expires",
    given: createDraftWith({ expires_at: timeInSeconds(3600) }),
    input: (alert) => alertArguments(alert, { send_at: timeInSeconds(7200) }),
    want: { error: "invalid_request", param: "expires_at" },
  },
  ...["send_alert", "cancel_alert"].map(
    (tool): TestCase => ({
      rule: SCHEDULE_AT,
      tool,
      name: "send_at is refused with any other action",
      over: "REST",
      given: (world) => createAlertInState(world, "scheduled"),
      input: (alert) => alertArguments(alert, { send_at: LATER }),
      want: { error: "invalid_request", param: "action" },
      after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("scheduled"),
    }),
  ),
  {
    rule: SCHEDULE_AT,
    tool: "schedule_alert",
    name: "and no other field with it",
    over: "REST",
    given: createDraftWith(),
    input: (alert) => alertArguments(alert, { send_at: LATER, title: "Changed" }),
    want: {
      error: "invalid_request",
      param: "action",
      says: /Only these can be combined with schedule: send_at, expected_updated_at\./,
    },
    after: async (world, alert) =>
      expect(await readAlert(world, alert)).toMatchObject({ status: "draft", send_at: null, title: alert.title }),
  },
  {
    rule: "alert-expires-at",
    tool: "schedule_alert",
    name: "expired before it is scheduled",
    given: createDraftChangedBySql("expires_at = clock_timestamp() - interval '1 minute'"),
    input: (alert) => alertArguments(alert),
    want: { error: "invalid_request", param: "expires_at" },
  },
  {
    rule: SCHEDULE,
    tool: "schedule_alert",
    name: "becomes visible at its time by itself",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await createAlertInState(world, "draft", pusher);
      return { alert, device: await world.device(pusher.handle) };
    },
    input: ({ alert }) => alertArguments(alert),
    want: { body: { status: "scheduled", sent_at: null, note: expect.stringMatching(/send_at/) } },
    after: async (world, { alert, device }) => {
      expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
      const events = world.acts.length;
      await world.sql("update alert set send_at = now() - interval '1 second' where id = ?", [parseUuid(alert.id)]);
      const inbox = await world.handset("GET", "/inbox", device);
      expect(inbox.body.data).toMatchObject([{ id: alert.id, status: "sent" }]);
      expect(await readAlert(world, alert)).toMatchObject({ status: "sent", sent_at: inbox.body.data[0].sent_at });
      expect(world.acts.length).toBe(events);
    },
  },
];
