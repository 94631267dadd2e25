// Changes of a channel: what they leave, pausing, and what a suspended channel still takes.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { createHandle } from "../../support/world.ts";
import { createAlertInState, getSharedPusher, suspend } from "../fixtures.ts";
import { CHANNEL_CIRCLE, CLEARED_CHANNEL_FIELDS, REQUIRED_FIELDS, suspendedPusher } from "./fixtures.ts";

const TAGS = "channel-tags";
const COLOUR = "channel-colours";
const NULLS = "patch-null";
const PATCH = "patch";
const PAUSE = "channel-paused";
const STATUS_FIRST = "channel-suspended-edits";

export const changePusherCases: TestCase[] = [
  {
    rule: "expected-version",
    tool: "update_pusher",
    name: "another version than the expected one",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, name: "Late", expected_updated_at: "2026-11-20T14:25:31Z" }),
    want: { error: "conflict", param: null, says: /Read it with get_pusher/ },
    after: async (world, { id, name }) =>
      expect((await world.rest("get_pusher", { pusher_id: id })).body.name).toBe(name),
  },
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, handle: "another-one" }),
    want: { error: "invalid_request", param: "handle" },
  },
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    name: "the present handle is fine",
    given: (world) => world.pusher(),
    input: ({ id, handle }) => ({ pusher_id: id, handle, name: "Renamed" }),
    want: { body: { name: "Renamed" } },
  },
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    name: "the same handle in upper case is another one",
    given: getSharedPusher,
    input: ({ id, handle }) => ({ pusher_id: id, handle: handle.toUpperCase() }),
    want: { error: "invalid_request", param: "handle" },
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "one field changes, the rest stays",
    given: (world) =>
      world.pusher({ ...CHANNEL_CIRCLE, long: "text", tags: ["a"], requested_perms: ["tts"], initials: "ZZ" }),
    input: ({ id }) => ({ pusher_id: id, city: "Porto" }),
    want: { body: { city: "Porto" } },
    after: (_world, pusher, { body }) =>
      expect({ ...body, updated_at: "" }).toEqual({ ...pusher, city: "Porto", updated_at: "" }),
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "null clears what may be null",
    given: (world) =>
      world.pusher({
        ...CHANNEL_CIRCLE,
        long: "x",
        site: "https://example.org/",
        city: "x",
        loc_rule: "x",
        image_url: "https://example.org/",
      }),
    input: ({ id }) => ({ pusher_id: id, ...CLEARED_CHANNEL_FIELDS }),
    want: { body: CLEARED_CHANNEL_FIELDS },
  },
  {
    rule: NULLS,
    tool: "update_pusher",
    name: "nothing sent, nothing changed",
    given: (world) => world.pusher(CHANNEL_CIRCLE),
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, pusher, { body }) => expect(body).toEqual(pusher),
  },
  {
    rule: COLOUR,
    tool: "update_pusher",
    name: "an invalid colour keeps the current one",
    given: (world) => world.pusher({ gradient_from: "#00ff7f", gradient_to: "#abcdef" }),
    input: ({ id }) => ({ pusher_id: id, gradient_from: "rgb(0,0,0)", gradient_to: "" }),
    want: { body: { gradient_from: "#00ff7f", gradient_to: "#abcdef" } },
  },
  {
    rule: COLOUR,
    tool: "update_pusher",
    name: "each colour is judged alone",
    given: (world) => world.pusher({ gradient_from: "#00ff7f", gradient_to: "#abcdef" }),
    input: ({ id }) => ({ pusher_id: id, gradient_from: "#12345g", gradient_to: "#000000" }),
    want: { body: { gradient_from: "#00ff7f", gradient_to: "#000000" } },
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "initials stay when the name changes",
    given: (world) => world.pusher({ name: "Harbour Watch" }),
    input: ({ id }) => ({ pusher_id: id, name: "Other Name" }),
    want: { body: { name: "Other Name", initials: "HW" } },
  },
  {
    rule: TAGS,
    tool: "update_pusher",
    name: "found by the new name and tags, no longer by the old ones",
    given: async (world) => {
      const [before, after, tag] = [createHandle(), createHandle(), createHandle()];
      const pusher = await world.pusher({ name: `Old ${before}` });
      return { pusher, before, after, tag };
    },
    input: ({ pusher, after, tag }) => ({
      pusher_id: pusher.id,
      name: `New ${after.toUpperCase()}`,
      tags: [tag.toUpperCase()],
    }),
    want: {},
    after: async (world, { pusher, before, after, tag }) => {
      const device = await world.device();
      // rules#directory
      const found = async (q: string) =>
        (await world.handset("GET", `/channels?q=${q}`, device)).body.data.map(({ handle }: any) => handle);
      expect(await found(before)).toEqual([]);
      expect(await found(after)).toEqual([pusher.handle]);
      expect(await found(tag)).toEqual([pusher.handle]);
    },
  },
  {
    rule: "channel-public",
    tool: "update_pusher",
    name: "made private, it is closed to new devices",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, is_public: false }),
    want: { body: { is_public: false } },
    after: async (world, { handle }) => {
      const device = await world.device();
      expect((await world.handset("GET", `/channels/${handle}`, device)).status).toBe(404);
      expect((await world.handset("PUT", `/subscriptions/${handle}`, device, {})).status).toBe(404);
    },
  },
  {
    rule: PAUSE,
    tool: "update_pusher",
    name: "paused, and nothing is scheduled",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused", note: expect.stringMatching(/No alerts are scheduled/) } },
    after: async (world, { id, handle }) => {
      expect((await world.rest("create_alert", { pusher_id: id, title: "x" })).status).toBe(201);
      expect((await world.rest("create_alert", { pusher_id: id, title: "x", send: true })).status).toBe(409);
      expect((await world.rest("create_pusher", { handle, ...REQUIRED_FIELDS })).status).toBe(409);
    },
  },
  {
    rule: "pausing-withdraws-nothing",
    tool: "update_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await createAlertInState(world, "scheduled", pusher);
      await createAlertInState(world, "scheduled", pusher);
      await createAlertInState(world, "passed", pusher);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused", note: expect.stringMatching(/\b2\b.*cancel/) } },
    after: async (world, { id }) => {
      const { body } = await world.rest("list_alerts", { pusher_id: id, status: "scheduled" });
      expect(body.data).toHaveLength(2);
    },
  },
  {
    rule: "channel-resumed",
    tool: "update_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "active" }),
    want: { body: { status: "active" } },
    after: async (world, { id }) =>
      expect((await world.rest("create_alert", { pusher_id: id, title: "x", send: true })).status).toBe(201),
  },
  {
    rule: PAUSE,
    tool: "update_pusher",
    name: "paused and changed at once",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, status: "paused", city: "Porto" }),
    want: { body: { status: "paused", city: "Porto" } },
  },
  ...(["suspended", "deleted", "ACTIVE", "", null, true] as const).map(
    (status): TestCase => ({
      rule: "channel-status",
      tool: "update_pusher",
      name: `status ${JSON.stringify(status)}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, status }),
      want: { error: "invalid_request", param: "status" },
    }),
  ),
  ...["active", "paused"].map(
    (status): TestCase => ({
      rule: "channel-suspended",
      tool: "update_pusher",
      name: `${status} while suspended`,
      given: suspendedPusher,
      input: ({ id }) => ({ pusher_id: id, status, name: "Renamed" }),
      want: { error: "forbidden", param: null },
      after: async (world, { id }) =>
        expect((await world.rest("get_pusher", { pusher_id: id })).body).toMatchObject({
          status: "suspended",
          name: "A channel",
        }),
    }),
  ),
  {
    rule: "channel-suspended",
    tool: "update_pusher",
    name: "restored by staff, it takes a status again",
    given: async (world) => {
      const pusher = await suspendedPusher(world);
      await suspend(world, pusher.handle, false);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused" } },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "suspended as value, while suspended",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id, status: "suspended" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "a bad status of a missing channel",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", status: "gone" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "other fields while suspended",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id, name: "Renamed" }),
    want: { body: { status: "suspended", name: "Renamed" } },
  },
  {
    rule: "update-channel",
    tool: "update_pusher",
    name: "the channel does not exist",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", name: "x" }),
    want: { error: "not_found", param: null },
  },
];
