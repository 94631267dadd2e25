// A draft made from another alert: what comes along, where it may go, and who may not.

import { expect } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import {
  type AlertState,
  alertArguments,
  createAlertInState,
  getSharedDraft,
  getSharedPusher,
  NO_ALERT,
  NO_PUSHER,
  oncePerWorld,
  parseUuid,
  readAlert,
  suspend,
} from "./fixtures.ts";

const DUPLICATE = "duplicate";
const CORRECTED = "duplicate-corrects";
const NOT_YOURS = "foreign-is-missing";
const NARROWED = "restricted-sees-its-channels";

/** Every field but the files, which test/content/assets.test.ts has. */
const FULL = {
  title: "The quay floods at six",
  body: "Move the carts.",
  priority: "urgent",
  layout: "html",
  html: "<p>Move <b>everything</b></p>",
  source_url: "https://example.org/tides",
  image_url: "https://example.org/quay.png",
  actions: [{ type: "open_url", label: "Map", url: "https://example.org/map" }],
  requires_ack: true,
  sound: "siren",
  audio_url: "https://example.org/a.mp3",
  vibrate: "sos",
  tts_text: "The quay floods",
  tts_lang: "en",
  lat: 38.7,
  lon: -9.1,
  radius_km: 2.5,
  geo_rule: "inside",
  collapse_key: "quay",
  review_note: "The gauge at the quay rises",
  expires_at: timeInSeconds(86_400),
};

/** The fields that a copy shares with its model. */
const copied = (alert: any) => {
  const { id: _, pusher_id: __, status: ___, blocked: ____, notes: _____, note: ______, ...fields } = alert;
  return {
    ...fields,
    via: null,
    decision: "",
    recurrence: null,
    send_at: null,
    sent_at: null,
    expires_at: null,
    cancelled_at: null,
    created_at: "",
    updated_at: "",
    review_url: "",
  };
};

/** The state of the original after its copy replaces it. */
const ENDED: [state: AlertState, becomes: string, told: string[]][] = [
  ["scheduled", "cancelled", ["alert.cancelled", "alert.sent"]],
  ["passed", "cancelled", ["alert.cancelled", "alert.sent"]],
  ["sent", "cancelled", ["alert.cancelled", "alert.sent"]],
];

const FIXED = { title: "The quay floods at seven", body: null, expires_at: timeInSeconds(7200) };

const CANCELLED_ORIGINALS: [name: string, given: (world: World) => Promise<any>][] = [
  ["alert", (world) => createAlertInState(world, "cancelled", undefined, FULL)],
  [
    "occurrence",
    async (world) => {
      const pusher_id = (await createAlertInState(world, "repeating", await world.pusher())).pusher_id;
      const [one] = (await world.rest("list_alerts", { pusher_id, status: "scheduled", order: "oldest" })).body.data;
      await world.rest("cancel_alert", alertArguments(one));
      return one;
    },
  ],
];

const correctionCases: TestCase[] = [
  ...CANCELLED_ORIGINALS.flatMap(([name, given]) =>
    [{ send: true }, { send: true, send_at: timeInSeconds(3600) }, {}].map(
      (more): TestCase => ({
        rule: CORRECTED,
        tool: "duplicate_alert",
        name: `a correction of a cancelled ${name} is sent once (${Object.keys(more)})`,
        given,
        input: (alert) => alertArguments(alert, { ...more, title: "Again", cancel_original: true }),
        want: { error: "conflict", param: null, says: /already cancelled/ },
        after: async (world, { pusher_id }) => {
          const { data } = (await world.rest("list_alerts", { pusher_id })).body;
          expect(data.filter(({ title }: any) => title === "Again")).toEqual([]);
        },
      }),
    ),
  ),
  ...ENDED.map(
    ([state, becomes, told]): TestCase => ({
      rule: CORRECTED,
      also: ["cancel", "send"],
      tool: "duplicate_alert",
      name: `in one call, in place of a ${state} original`,
      given: async (world) => {
        const alert = await createAlertInState(world, state, undefined, FULL);
        return { alert, events: world.acts.length };
      },
      input: ({ alert }) => alertArguments(alert, { ...FIXED, send: true, cancel_original: true }),
      want: { body: { status: "sent", title: FIXED.title, body: null, sound: FULL.sound, html: FULL.html } },
      after: async (world, { alert, events }, { body }) => {
        expect(body.id).not.toBe(alert.id);
        expect(body.expires_at.slice(0, 19)).toBe(FIXED.expires_at.slice(0, 19));
        expect((await readAlert(world, alert)).status).toBe(becomes);
        const acts = world.acts.slice(events).map(({ event, data }: any) => [event, data.alert_id]);
        const log = (await world.rest("list_audit_events", { subject_id: alert.id })).body.data;
        const ended = log.filter(({ operation }: any) => operation === "duplicate_alert");
        expect(ended.map(({ status: left }: any) => left)).toEqual(["cancelled"]);
        expect(acts).toEqual(told.map((event) => [event, event === "alert.sent" ? body.id : alert.id]));
      },
    }),
  ),
  {
    rule: CORRECTED,
    also: ["series-end"],
    tool: "duplicate_alert",
    name: "in place of one that repeats, with all that is planned of it",
    given: async (world) => {
      const alert = await createAlertInState(world, "repeating", await world.pusher());
      return { alert, events: world.acts.length };
    },
    input: ({ alert }) => alertArguments(alert, { send: true, cancel_original: true }),
    want: { body: { status: "sent", recurrence: null, series_id: null } },
    after: async (world, { alert, events }) => {
      const { pusher_id } = alert;
      expect((await readAlert(world, alert)).status).toBe("cancelled");
      expect((await world.rest("list_alerts", { pusher_id, status: "scheduled" })).body.data).toEqual([]);
      const told = world.acts.slice(events).map(({ event }) => event);
      expect(told.toSorted()).toEqual([...Array(LIMITS.occurrences_ahead).fill("alert.cancelled"), "alert.sent"]);
      const log = (await world.rest("list_audit_events", { pusher_id })).body.data;
      const ended = log.filter(
        ({ operation, status }: any) => operation === "duplicate_alert" && status === "cancelled",
      );
      expect(ended).toHaveLength(1 + LIMITS.occurrences_ahead);
    },
  },
  {
    rule: CORRECTED,
    tool: "duplicate_alert",
    name: "a draft has nothing to withdraw, and no copy is made",
    given: async (world) => createAlertInState(world, "draft", await world.pusher()),
    input: (alert) => alertArguments(alert, { title: "Another", cancel_original: true }),
    want: { error: "conflict", param: null, says: /Delete it instead/ },
    after: async (world, { pusher_id }) =>
      expect((await world.rest("list_alerts", { pusher_id })).body.data).toHaveLength(1),
  },
  {
    rule: CORRECTED,
    tool: "duplicate_alert",
    name: "a refusal leaves the original as it was",
    given: (world) => createAlertInState(world, "scheduled"),
    input: (alert) => alertArguments(alert, { layout: "image", cancel_original: true }),
    want: { error: "invalid_request", param: "image_url" },
    after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("scheduled"),
  },
  {
    rule: CORRECTED,
    also: ["scheduled"],
    tool: "duplicate_alert",
    name: "published later",
    given: (world) => createAlertInState(world, "sent"),
    input: (alert) => alertArguments(alert, { send: true, send_at: timeInSeconds(3600) }),
    want: { body: { status: "scheduled", sent_at: null } },
    after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("sent"),
  },
  {
    rule: CORRECTED,
    also: ["draft-proposes"],
    tool: "duplicate_alert",
    name: "send_at without send is proposed",
    given: (world) => createAlertInState(world, "sent"),
    input: (alert) => alertArguments(alert, { send_at: timeInSeconds(3600) }),
    want: { body: { status: "draft" } },
  },
  {
    rule: CORRECTED,
    tool: "duplicate_alert",
    name: "on another channel, with the original withdrawn from its own",
    given: async (world) => ({ alert: await createAlertInState(world, "sent"), to: await otherPusher(world) }),
    input: ({ alert, to }) =>
      alertArguments(alert, { to_pusher_id: to.handle, priority: "important", send: true, cancel_original: true }),
    want: { body: { status: "sent", priority: "important" } },
    after: async (world, { alert, to }, { body }) => {
      expect(body.pusher_id).toBe(to.id);
      expect((await readAlert(world, alert)).status).toBe("cancelled");
    },
  },
  {
    rule: "channel-not-active",
    tool: "duplicate_alert",
    name: "publishing on a paused channel, which keeps the original",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await createAlertInState(world, "sent", pusher);
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      return alert;
    },
    input: (alert) => alertArguments(alert, { send: true, cancel_original: true }),
    want: { error: "conflict", param: null },
    after: async (world, alert) => expect((await readAlert(world, alert)).status).toBe("sent"),
  },
];

const otherPusher = oncePerWorld((world) => world.pusher());

const states: readonly AlertState[] = ["draft", "repeating", "scheduled", "passed", "sent", "cancelled"];

export const duplicateCases: TestCase[] = [
  ...states.map(
    (state): TestCase => ({
      rule: DUPLICATE,
      also: state === "cancelled" ? ["send-cancelled"] : [],
      tool: "duplicate_alert",
      name: `of a ${state} alert`,
      given: async (world) => {
        const alert = await readAlert(world, await createAlertInState(world, state, undefined, FULL));
        return { alert, events: world.acts.length };
      },
      input: ({ alert }) => alertArguments(alert),
      want: { body: { status: "draft", blocked: [], notes: [] } },
      after: async (world, { alert, events }, { body }) => {
        expect(body.id).not.toBe(alert.id);
        expect(body.pusher_id).toBe(alert.pusher_id);
        expect({ ...copied(body) }).toEqual(copied(alert));
        const { notes: _, via: __, decision: ___, ...read } = await readAlert(world, body);
        expect({ ...read, notes: [] }).toEqual(body);
        // The model stays as it was, and no event reports a draft.
        expect(await readAlert(world, alert)).toEqual(alert);
        expect(world.acts.length).toBe(events);
      },
    }),
  ),
  {
    rule: DUPLICATE,
    also: ["alert-notes"],
    tool: "duplicate_alert",
    name: "on another channel, whose own notes it carries",
    given: async (world) => ({
      alert: await createAlertInState(world, "sent", undefined, FULL),
      to: await otherPusher(world),
    }),
    input: ({ alert, to }) => alertArguments(alert, { to_pusher_id: to.id }),
    want: { body: { status: "draft", title: FULL.title } },
    after: async (world, { to }, { body }) => {
      expect(body.pusher_id).toBe(to.id);
      expect(body.notes.map(({ field }: any) => field)).toEqual(
        expect.arrayContaining(["title", "sound", "vibrate", "tts_text", "priority", "lat"]),
      );
      expect((await readAlert(world, body)).title).toBe(FULL.title);
    },
  },
  {
    rule: DUPLICATE,
    tool: "duplicate_alert",
    name: "a copy is sent like any draft",
    given: async (world) => {
      const alert = await createAlertInState(world, "cancelled");
      const { body } = await world.rest("duplicate_alert", alertArguments(alert));
      expect((await world.rest("send_alert", alertArguments(body))).body.status).toBe("sent");
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "draft" } },
  },
  {
    rule: DUPLICATE,
    tool: "duplicate_alert",
    name: "drafts are also made on a suspended channel",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await createAlertInState(world, "sent", pusher);
      await suspend(world, pusher.handle);
      return alert;
    },
    input: (alert) => alertArguments(alert),
    want: { body: { status: "draft" } },
  },
  ...(
    [
      [
        "the alert does not exist",
        async (world: World) => alertArguments({ id: NO_ALERT, pusher_id: (await getSharedPusher(world)).id }),
      ],
      [
        "an alert of another channel",
        async (world: World) => ({
          pusher_id: (await otherPusher(world)).id,
          alert_id: (await getSharedDraft(world)).id,
        }),
      ],
      [
        "the target channel does not exist",
        async (world: World) => alertArguments(await getSharedDraft(world), { to_pusher_id: NO_PUSHER }),
      ],
      [
        "an unknown handle in place of a channel's id",
        async (world: World) => alertArguments(await getSharedDraft(world), { to_pusher_id: "no-such-handle" }),
      ],
    ] as const
  ).map(
    ([name, args]): TestCase => ({
      rule: NOT_YOURS,
      tool: "duplicate_alert",
      name,
      given: args,
      input: (given) => given,
      want: { error: "not_found", param: null },
    }),
  ),
  ...(["pusher_id", "to_pusher_id"] as const).map(
    (hidden): TestCase => ({
      rule: NARROWED,
      tool: "duplicate_alert",
      name: `both channels must be visible: not ${hidden}`,
      given: oncePerWorld(async (world) => {
        const [from, to] = [await world.pusher(), await world.pusher()];
        const alert = await createAlertInState(world, "sent", from);
        const key = await world.memberKey("editor", [hidden === "pusher_id" ? to.id : from.id]);
        return { alert, to, key };
      }),
      as: (_world, { key }) => key,
      input: ({ alert, to }) => alertArguments(alert, { to_pusher_id: to.id }),
      want: { error: "not_found", param: null },
      after: async (world, { to }) =>
        expect((await world.rest("list_alerts", { pusher_id: to.id })).body.data).toEqual([]),
    }),
  ),
  {
    rule: "unknown-fields",
    tool: "duplicate_alert",
    name: "an unknown field",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { headline: "Another" }),
    want: { error: "invalid_request", param: "headline" },
  },
  ...correctionCases,
  {
    rule: "idempotency",
    tool: "duplicate_alert",
    name: "a repeat makes no second draft, although its model was deleted in between",
    given: async (world) => {
      const alert = await createAlertInState(world, "draft");
      const args = alertArguments(alert, { idempotency_key: `copy ${alert.id}` });
      const { body } = await world.rest("duplicate_alert", args);
      await world.rest("delete_alert", alertArguments(alert));
      return { args, body };
    },
    input: ({ args }) => args,
    want: {},
    after: (_world, { body: first }, { body }) => expect(body).toEqual(first),
  },
  {
    rule: "idempotency-keys",
    tool: "duplicate_alert",
    name: "a repeat is not shown to who no longer sees the other channel",
    given: async (world) => {
      const [from, to] = [await world.pusher(), await world.pusher()];
      const key = await world.memberKey("editor", [from.id, to.id]);
      const alert = await createAlertInState(world, "sent", from);
      const args = alertArguments(alert, { to_pusher_id: to.id, idempotency_key: `copy ${alert.id}` });
      expect((await world.rest("duplicate_alert", args, key)).status).toBe(201);
      const { body } = await world.rest("get_me", {}, key);
      await world.sql("update member set pusher_ids = array[?::uuid] where id = ?", [
        parseUuid(from.id),
        parseUuid(body.member.id),
      ]);
      return { args, key };
    },
    as: (_world, { key }) => key,
    input: ({ args }) => args,
    want: { error: "not_found", param: null },
  },
];
