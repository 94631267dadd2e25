// Deleting a channel, and the data that is deleted with it.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { createAlertInState, createAlertWithChannel, getSharedPusher, parseUuid } from "../fixtures.ts";
import { REQUIRED_FIELDS, suspendedPusher } from "./fixtures.ts";

const UNKNOWN = "unknown-fields";

export const deletePusherCases: TestCase[] = [
  {
    rule: "delete-channel",
    tool: "delete_pusher",
    name: "with alerts of every status, then the handle is free",
    given: async (world) => {
      const pusher = await world.pusher();
      for (const state of ["draft", "scheduled", "passed", "sent", "cancelled"] as const)
        await createAlertInState(world, state, pusher);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: async (world, { id, handle }) => {
      expect((await world.rest("get_pusher", { pusher_id: id })).status).toBe(404);
      expect((await world.rest("delete_pusher", { pusher_id: id })).status).toBe(404);
      const [left] = await world.sql(
        "select (select count(*) from alert where pusher_id = p)::int + (select count(*) from channel_state where " +
          "pusher_id = p)::int + (select count(*) from channel_day where pusher_id = p)::int as n from (select " +
          "?::uuid as p) x",
        [parseUuid(id)],
      );
      expect(left.n).toBe(0);
      expect((await world.rest("create_pusher", { handle, ...REQUIRED_FIELDS })).status).toBe(201);
    },
  },
  {
    rule: "delete-channel",
    tool: "delete_pusher",
    name: "while paused",
    given: async (world) => {
      const alert = await createAlertWithChannel("paused", "draft")(world);
      return { id: alert.pusher_id };
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
  },
  {
    rule: "delete-channel-with-subscribers",
    tool: "delete_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await world.device(pusher.handle);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "conflict", param: null, says: /Pause/ },
    after: async (world, { id }) =>
      expect((await world.rest("get_pusher", { pusher_id: id })).body.subscribers).toBe(1),
  },
  {
    rule: "delete-channel-with-subscribers",
    tool: "delete_pusher",
    name: "a muted subscriber counts as one, and after the last one left it is deleted",
    given: async (world) => {
      const pusher = await world.pusher();
      const device = await world.device(pusher.handle);
      await world.handset("PUT", `/subscriptions/${pusher.handle}`, device, { muted: true });
      return { ...pusher, device };
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "conflict" },
    after: async (world, { id, handle, device }) => {
      await world.handset("DELETE", `/subscriptions/${handle}`, device);
      expect((await world.rest("delete_pusher", { pusher_id: id })).status).toBe(204);
    },
  },
  {
    rule: "delete-suspended-channel",
    tool: "delete_pusher",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: async (world, { handle }) => {
      const again = await world.rest("create_pusher", { handle, ...REQUIRED_FIELDS });
      expect(again.body.error).toMatchObject({ type: "conflict", param: null });
      expect((await world.rest("create_pusher", { handle, ...REQUIRED_FIELDS }, await world.foreignKey())).status).toBe(
        409,
      );
    },
  },
  {
    rule: UNKNOWN,
    tool: "delete_pusher",
    name: "an unknown parameter",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, force: "true" }),
    want: { error: "invalid_request", param: "force" },
  },
];
