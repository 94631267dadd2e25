// Creating alerts: layouts and exclusions, times, immediate sends, channels that refuse them; and reading them again.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { timeInSeconds } from "../../support/world.ts";
import {
  alertArguments,
  createAlertInState,
  getSharedDraft,
  getSharedPusher,
  oncePerWorld,
  parseUuid,
  setChannelState,
  TIMESTAMP_PATTERN,
} from "../fixtures.ts";
import { CLEARED_ALERT_FIELDS } from "./fixtures.ts";

const TITLE = "alert-title";
const NULLS = "patch-null";

/** An action without a type opens an address (rules#alert-actions-shape). */
const untyped = (tool: string, name: string, given: TestCase["given"], at: (row: any) => object): TestCase => ({
  rule: "alert-actions-shape",
  tool,
  name,
  ...(given ? { given } : {}),
  input: (row) => ({ ...at(row), actions: [{ label: "Map", url: "https://example.org/map" }] }),
  want: { body: { actions: [{ type: "open_url", label: "Map", url: "https://example.org/map" }] } },
});

const untypedCases: TestCase[] = [
  untyped("create_alert", "without a type", getSharedPusher, ({ id }) => ({ pusher_id: id, title: "x" })),
  untyped(
    "update_alert",
    "without a type",
    (world) => createAlertInState(world, "draft"),
    (alert) => alertArguments(alert),
  ),
  untyped("duplicate_alert", "without a type", getSharedDraft, (alert) => alertArguments(alert)),
  {
    rule: "alert-actions-shape",
    tool: "create_alert",
    name: "without a type, choices belong to a reply",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", actions: [{ label: "Map", choices: ["Yes"] }] }),
    want: { error: "invalid_request", param: "actions.0.url" },
  },
  {
    rule: "alert-actions-shape",
    tool: "create_alert",
    name: "a type that is null",
    given: getSharedPusher,
    input: ({ id }) => ({
      pusher_id: id,
      title: "x",
      actions: [{ type: null, label: "x", url: "https://example.org/" }],
    }),
    want: { error: "invalid_request", param: "actions.0.type" },
  },
  {
    rule: "alert-actions-shape",
    tool: "get_alert",
    name: "a stored row without a type",
    given: async (world) => {
      const alert = await createAlertInState(world, "sent", await world.pusher());
      const stored = [{ label: "Map", url: "https://example.org/map" }];
      await world.sql("update alert set actions = ?::jsonb where id = ?", [
        JSON.stringify(stored),
        parseUuid(alert.id),
      ]);
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { actions: [{ type: "open_url", label: "Map", url: "https://example.org/map" }] } },
    after: async (world, { pusher_id }) => {
      const { handle } = (await world.rest("get_pusher", { pusher_id })).body;
      const device = await world.device(handle);
      const { body } = await world.handset("GET", "/inbox", device);
      expect(body.data[0].actions).toEqual([{ type: "open_url", label: "Map", url: "https://example.org/map" }]);
    },
  },
];

export const createAlertCases: TestCase[] = [
  ...untypedCases,
  {
    rule: "alert-answer",
    tool: "create_alert",
    name: "with a title alone",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "Bridge closed" }),
    want: {
      body: {
        status: "draft",
        title: "Bridge closed",
        ...CLEARED_ALERT_FIELDS,
        priority: "normal",
        layout: "text",
        image_asset_id: null,
        audio_asset_id: null,
        html_asset_id: null,
        html_length: 0,
        actions: [],
        requires_ack: false,
        sent_at: null,
        cancelled_at: null,
        created_at: expect.stringMatching(TIMESTAMP_PATTERN),
        updated_at: expect.stringMatching(TIMESTAMP_PATTERN),
        blocked: [],
        notes: [],
      },
    },
    after: (_world, pusher, { body }) => {
      expect(body.id).toMatch(/^alr_[0-9a-z]{26}$/);
      expect(body.pusher_id).toBe(pusher.id);
    },
  },
  {
    rule: TITLE,
    tool: "create_alert",
    name: "needs a title",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, body: "x" }),
    want: { error: "invalid_request", param: "title" },
  },
  ...([null, "true", 1] as const).map(
    (send): TestCase => ({
      rule: NULLS,
      tool: "create_alert",
      name: `send ${JSON.stringify(send)}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", send }),
      want: { error: "invalid_request", param: "send" },
    }),
  ),
  ...([undefined, false] as const).map(
    (send): TestCase => ({
      rule: "draft",
      tool: "create_alert",
      name: `send ${send}, with a future send_at as proposal`,
      given: async (world) => {
        const pusher = await world.pusher();
        return { pusher, device: await world.device(pusher.handle), events: world.acts.length };
      },
      input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send, send_at: timeInSeconds(60) }),
      want: { body: { status: "draft", sent_at: null } },
      after: async (world, { device, events }) => {
        expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
        expect(world.acts.length).toBe(events);
      },
    }),
  ),
  {
    rule: "draft",
    tool: "create_alert",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", send: false }),
    want: { body: { status: "draft" } },
  },
  {
    rule: "sent",
    tool: "create_alert",
    given: async (world) => {
      const pusher = await world.pusher();
      return { ...pusher, device: await world.device(pusher.handle) };
    },
    input: ({ id }) => ({ pusher_id: id, title: "Now", send: true }),
    want: {
      body: { status: "sent", send_at: null, sent_at: expect.stringMatching(TIMESTAMP_PATTERN), cancelled_at: null },
    },
    after: async (world, { id, device }, { body }) => {
      const inbox = await world.handset("GET", "/inbox", device);
      expect(inbox.body.data).toMatchObject([{ id: body.id, sent_at: body.sent_at, title: "Now" }]);
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.sent",
        data: {
          pusher_id: id,
          alert_id: body.id,
          title: "Now",
          priority: "normal",
          status: "sent",
          send_at: null,
          sent_at: body.sent_at,
        },
      });
    },
  },
  {
    rule: "scheduled",
    tool: "create_alert",
    given: async (world) => {
      const pusher = await world.pusher();
      return { ...pusher, device: await world.device(pusher.handle) };
    },
    input: ({ id }) => ({ pusher_id: id, title: "Later", send: true, send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z", sent_at: null } },
    after: async (world, { device }, { body }) => {
      expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.scheduled",
        data: { alert_id: body.id, status: "scheduled", send_at: body.send_at, sent_at: null },
      });
    },
  },
  ...["2001-01-01T00:00:00Z", "now"].map(
    (send_at): TestCase => ({
      rule: "send-at-must-be-ahead",
      tool: "create_alert",
      name: `send with send_at ${send_at}`,
      given: getSharedPusher,
      input: ({ id }) => ({
        pusher_id: id,
        title: "x",
        send: true,
        send_at: send_at === "now" ? timeInSeconds(0) : send_at,
      }),
      want: { error: "invalid_request", param: "send_at", says: /Omit it to send now/ },
    }),
  ),
  {
    rule: "send-needs-a-live-alert",
    tool: "create_alert",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", send: true, expires_at: timeInSeconds(-1) }),
    want: { error: "invalid_request", param: "expires_at" },
  },
  {
    rule: "create-alert",
    tool: "create_alert",
    name: "the channel does not exist",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", title: "x" }),
    want: { error: "not_found", param: null },
  },
  ...(["paused", "suspended"] as const).flatMap((state): TestCase[] => [
    {
      rule: "channel-paused",
      tool: "create_alert",
      name: `published while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: true }),
      want: { error: "conflict", param: null, says: /draft/ },
    },
    {
      rule: "channel-paused",
      tool: "create_alert",
      name: `scheduled while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: true, send_at: timeInSeconds(60) }),
      want: { error: "conflict", param: null },
      after: async (world, { id }) =>
        expect((await world.rest("list_alerts", { pusher_id: id })).body.data).toEqual([]),
    },
    {
      rule: "channel-not-active",
      tool: "create_alert",
      name: `drafted while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: false }),
      want: { body: { status: "draft" } },
    },
  ]),
];

function channelIn(state: "paused" | "suspended") {
  return oncePerWorld(async (world) => {
    const pusher = await world.pusher();
    await setChannelState(world, pusher, state);
    return pusher;
  });
}

const READ_NOTES = "notes-on-read";

export const readAlertCases: TestCase[] = [
  {
    rule: READ_NOTES,
    tool: "get_alert",
    name: "why a sent alert was silent",
    given: async (world) => {
      const pusher = await world.pusher({ requested_perms: ["notify"] });
      return world.alert(pusher.id, { sound: "siren", vibrate: "sos", send: true });
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "sent", notes: [{ capability: "sound" }, { capability: "vibrate" }] } },
    after: (_world, alert, { body }) => expect(body.notes).toEqual(alert.notes),
  },
  {
    rule: READ_NOTES,
    tool: "get_alert",
    name: "with the present permissions of the channel",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id);
      expect(alert.notes).toHaveLength(1);
      await world.rest("update_pusher", { pusher_id: pusher.id, requested_perms: ["notify"] });
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { notes: [] } },
  },
];
