// The identity of a credential.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { getSharedPusher, oncePerWorld, TIMESTAMP_PATTERN } from "./fixtures.ts";

const ME = "get-me";

export const meCases: TestCase[] = [
  {
    rule: "get-me",
    tool: "get_me",
    name: "an owner's key",
    input: () => ({}),
    want: {
      body: {
        workspace: { id: expect.stringMatching(/^wsp_[0-9a-z]{26}$/), name: "Test workspace" },
        member: { id: expect.stringMatching(/^mem_[0-9a-z]{26}$/), role: "owner", pusher_ids: null },
        credential: {
          type: "key",
          id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
          name: "operator key",
          pusher_id: null,
          expires_at: null,
        },
      },
    },
    after: (world, _given, { body }) => {
      expect(body.workspace.id).toBe(world.workspace.id);
      expect(JSON.stringify(body)).not.toContain(world.owner);
    },
  },
  {
    rule: "get-me",
    tool: "get_me",
    name: "the server's time",
    input: () => ({}),
    want: { body: { now: expect.stringMatching(TIMESTAMP_PATTERN) } },
    after: (_world, _given, { body }) => expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(60_000),
  },
  {
    rule: "account-read-always",
    tool: "get_me",
    name: "a key with one other scope",
    given: async (world) => ({ key: await world.key({ scopes: "alerts:send", name: "robot" }) }),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { credential: { name: "robot", scopes: ["account:read", "alerts:send"] } } },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "get_me",
    name: "a key of one channel shows it",
    given: oncePerWorld(async (world) => {
      const { id } = await getSharedPusher(world);
      return { id, key: await world.key({ pusher: id, expires_in: 3600 }) };
    }),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { credential: { expires_at: expect.stringMatching(TIMESTAMP_PATTERN) } } },
    after: (_world, { id }, { body }) => expect(body.credential.pusher_id).toBe(id),
  },
  {
    rule: ME,
    tool: "get_me",
    name: "a restricted viewer",
    given: oncePerWorld(async (world) => {
      const { id } = await getSharedPusher(world);
      return { id, key: await world.memberKey("viewer", [id]) };
    }),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { member: { role: "viewer" } } },
    after: (_world, { id }, { body }) => expect(body.member.pusher_ids).toEqual([id]),
  },
  {
    rule: "unknown-fields",
    tool: "get_me",
    name: "an unknown parameter",
    input: () => ({ verbose: "yes" }),
    want: { error: "invalid_request", param: "verbose" },
  },
];
