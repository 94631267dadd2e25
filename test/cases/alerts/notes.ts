// What an answer notes when a channel never asked its subscribers for what an alert wants.

import { expect } from "vitest";
import type { Case } from "../../support/cases.ts";
import { ALL_PERMS, alertAt, once, sharedPusher } from "../given.ts";
import { FENCE, type Fields } from "./given.ts";

const NULLS = "patch-null";
const NOTES = "notes-rules";

const USES: [fields: Fields, capability: string, field: string][] = [
  [{ sound: "siren" }, "sound", "sound"],
  [{ sound: "default" }, "sound", "sound"],
  [{ audio_url: "https://example.org/a.mp3" }, "sound", "audio_url"],
  [{ vibrate: "sos" }, "vibrate", "vibrate"],
  [{ vibrate: "default" }, "vibrate", "vibrate"],
  [{ tts_text: "x" }, "tts", "tts_text"],
  [{ priority: "urgent" }, "full", "priority"],
  [FENCE, "loc", "lat"],
];

export const alertNoteCases: Case[] = [
  ...USES.flatMap(([fields, capability, field]): Case[] => [
    {
      rule: NOTES,
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that asked for all else`,
      given: async (world) =>
        world.pusher({ requested_perms: ALL_PERMS.filter((perm) => perm !== capability) }),
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [{ capability, field, message: expect.stringContaining(capability) }] } },
      after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
    },
    {
      rule: "alert-notes",
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that asked for it`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [] } },
    },
  ]),
  {
    rule: NOTES,
    tool: "create_alert",
    name: "silent, none and normal use nothing but notify",
    given: once((world) => world.pusher()),
    input: ({ id }) => ({
      pusher_id: id,
      title: "x",
      sound: "silent",
      vibrate: "none",
      priority: "important",
    }),
    want: { body: { notes: [{ capability: "notify" }] } },
    after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
  },
  {
    rule: "unasked-is-silent",
    tool: "create_alert",
    given: (world) => world.pusher({ requested_perms: ["notify"] }),
    input: ({ id }) => ({ pusher_id: id, title: "x", sound: "siren", send: true }),
    want: { body: { status: "sent", sound: "siren", notes: [{ capability: "sound", field: "sound" }] } },
  },
  {
    rule: NULLS,
    tool: "update_alert",
    name: "notes of the alert as it is after the edit",
    given: async (world) =>
      world.alert((await world.pusher({ requested_perms: ["notify"] })).id, { sound: "siren" }),
    input: (alert) => alertAt(alert, { vibrate: "sos", sound: null }),
    want: { body: { notes: [{ capability: "vibrate", field: "vibrate" }], blocked: [] } },
    after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
  },
  {
    rule: "priority-is-a-ceiling",
    also: ["no-delivered-figure"],
    tool: "create_alert",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", priority: "urgent", send: true }),
    want: { body: { priority: "urgent", status: "sent" } },
    after: (_world, _given, { body }) =>
      expect(Object.keys(body).filter((key) => /deliver|rang|_rate/.test(key))).toEqual([]),
  },
];
