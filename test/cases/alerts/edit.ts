// Edits of an alert: what they change, what they leave, and the verbs that an edit may carry over REST.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { timeInSeconds } from "../../support/world.ts";
import {
  alertArguments,
  createAlertInState,
  createDraftWith,
  getSharedDraft,
  oncePerWorld,
  parseUuid,
  readAlert,
} from "../fixtures.ts";
import { ALERT_CIRCLE, CLEARED_ALERT_FIELDS, LINK_BUTTON } from "./fixtures.ts";

const EXPIRES = "alert-expires-at";
const CIRCLE = "alert-circle";
const NULLS = "patch-null";
const UNKNOWN = "unknown-fields";
const PATCH = "patch";
const DRAFT = "draft-proposes";

export const editAlertCases: TestCase[] = [
  {
    rule: PATCH,
    tool: "update_alert",
    name: "one field changes, the rest stays",
    given: createDraftWith({
      ...ALERT_CIRCLE,
      body: "b",
      actions: [LINK_BUTTON],
      sound: "bell",
      tts_lang: "en",
      collapse_key: "k",
      html: "<i>x</i>",
      expires_at: timeInSeconds(7200),
      send_at: timeInSeconds(60),
    }),
    input: (alert) => alertArguments(alert, { title: "New" }),
    want: { body: { title: "New" } },
    after: (_world, alert, { body }) =>
      expect({ ...body, updated_at: "" }).toEqual({ ...alert, title: "New", updated_at: "" }),
  },
  {
    rule: PATCH,
    tool: "update_alert",
    name: "null clears what may be null",
    given: createDraftWith({
      ...ALERT_CIRCLE,
      body: "b",
      layout: "text",
      image_url: "https://example.org/",
      html: "x",
      send_at: timeInSeconds(3600),
      expires_at: timeInSeconds(7200),
      sound: "bell",
      audio_url: "https://example.org/",
      vibrate: "sos",
      tts_text: "x",
      tts_lang: "en",
      geo_rule: "x",
      collapse_key: "k",
    }),
    input: (alert) => alertArguments(alert, CLEARED_ALERT_FIELDS),
    want: { body: { ...CLEARED_ALERT_FIELDS, html_length: 0 } },
  },
  {
    rule: NULLS,
    tool: "update_alert",
    name: "nothing sent, nothing changed",
    given: createDraftWith({ ...ALERT_CIRCLE, html: "<p>x</p>" }),
    input: (alert) => alertArguments(alert),
    want: {},
    after: (_world, alert, { body }) => expect(body).toEqual(alert),
  },
  {
    rule: CIRCLE,
    tool: "update_alert",
    name: "one member cleared alone",
    given: oncePerWorld(createDraftWith(ALERT_CIRCLE)),
    input: (alert) => alertArguments(alert, { lon: null }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: CIRCLE,
    tool: "update_alert",
    name: "one member moved alone",
    given: createDraftWith(ALERT_CIRCLE),
    input: (alert) => alertArguments(alert, { lon: 3 }),
    want: { body: { ...ALERT_CIRCLE, lon: 3 } },
  },
  {
    rule: EXPIRES,
    tool: "update_alert",
    name: "send_at moved beyond the stored expires_at",
    given: oncePerWorld(createDraftWith({ expires_at: "2998-01-01T00:00:00Z" })),
    input: (alert) => alertArguments(alert, { send_at: "2998-06-01T00:00:00Z" }),
    want: { error: "invalid_request", param: "expires_at" },
  },
  {
    rule: EXPIRES,
    tool: "update_alert",
    name: "an alert that has expired since can still be edited",
    given: async (world) => {
      const alert = await createDraftWith()(world);
      await world.sql("update alert set expires_at = now() - interval '1 hour' where id = ?", [parseUuid(alert.id)]);
      return alert;
    },
    input: (alert) => alertArguments(alert, { title: "y" }),
    want: { body: { title: "y" } },
  },
  {
    rule: DRAFT,
    tool: "update_alert",
    name: "a future send_at on a draft",
    given: async (world) => ({ ...(await createDraftWith()(world)), events: world.acts.length }),
    input: (alert) => alertArguments(alert, { send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "draft", send_at: "2999-01-01T00:00:00.000000Z", sent_at: null } },
    after: (world, { events }) => expect(world.acts.length).toBe(events),
  },
  {
    rule: "edit-scheduled",
    tool: "update_alert",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert, { send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z" } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.scheduled",
        data: { alert_id: alert.id, status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z" },
      }),
  },
  {
    rule: "edit-to-draft",
    tool: "update_alert",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert, { send_at: null }),
    want: { body: { status: "draft", send_at: null, sent_at: null, cancelled_at: null } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.cancelled",
        data: { alert_id: alert.id, status: "draft" },
      }),
  },
  {
    rule: "edit-tells-receivers",
    tool: "update_alert",
    name: "the same time in another spelling moves nothing",
    given: async (world) => {
      const alert = await createAlertInState(world, "scheduled", undefined, { send_at: "2999-01-01T00:00:00Z" });
      return { ...alert, events: world.acts.length };
    },
    input: (alert) => alertArguments(alert, { send_at: "2999-01-01T02:00:00.0+02:00", title: "y" }),
    want: { body: { status: "scheduled", title: "y" } },
    after: (world, { events }) => expect(world.acts.length).toBe(events),
  },
  {
    rule: "send-at-must-be-ahead",
    tool: "update_alert",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert, { send_at: timeInSeconds(-5) }),
    want: { error: "invalid_request", param: "send_at", says: /Omit it to send now/ },
  },
  {
    rule: UNKNOWN,
    tool: "update_alert",
    name: "send is for create only",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { send: true }),
    want: { error: "invalid_request", param: "send" },
  },
  {
    rule: "action-or-fields",
    tool: "update_alert",
    name: "over MCP an action is its own tool",
    over: "MCP",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { action: "send" }),
    want: { error: "invalid_request", param: "action" },
  },
  ...["unsend", "", "SEND", "delete"].map(
    (action): TestCase => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `unknown action ${JSON.stringify(action)}`,
      over: "REST",
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { action }),
      want: { error: "invalid_request", param: "action", says: /send, schedule, cancel/ },
    }),
  ),
  ...([null, true, ["send"], { do: "send" }] as const).map(
    (action): TestCase => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `an action that is not a word: ${JSON.stringify(action)}`,
      over: "REST",
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { action }),
      want: { error: "invalid_request", param: "action" },
    }),
  ),
  ...["send", "schedule", "cancel"].map(
    (action): TestCase => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `${action} with another field`,
      over: "REST",
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { action, title: "y" }),
      want: { error: "invalid_request", param: "action" },
      after: async (world, alert) =>
        expect(await readAlert(world, alert)).toMatchObject({ status: "draft", title: "An alert" }),
    }),
  ),
  ...["send_alert", "schedule_alert", "cancel_alert"].flatMap((tool): TestCase[] => [
    {
      rule: UNKNOWN,
      tool,
      name: "with another field",
      over: "MCP",
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { title: "y" }),
      want: { error: "invalid_request", param: "title" },
    },
    {
      rule: "action-or-fields",
      tool,
      name: "with another field",
      over: "REST",
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { title: "y" }),
      want: { error: "invalid_request", param: "action" },
    },
  ]),
  {
    rule: UNKNOWN,
    tool: "get_alert",
    name: "an unknown parameter",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { fields: "title" }),
    want: { error: "invalid_request", param: "fields" },
  },
  {
    rule: UNKNOWN,
    tool: "delete_alert",
    name: "an unknown parameter",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { force: "1" }),
    want: { error: "invalid_request", param: "force" },
  },
];
