// Channels: what the specification says happens, one row a sentence.

import { expect } from "vitest";
import type { Case } from "../support/cases.ts";
import { uniqueHandle } from "../support/world.ts";

const required = { name: "Harbour Watch", category: "community", description: "Tides and closures" };

export const pusherCases: Case[] = [
  {
    spec: "A pusher owns a permanent public handle",
    tool: "create_pusher",
    given: async () => ({ handle: uniqueHandle() }),
    input: ({ handle }) => ({ handle, ...required, tags: ["Sea", "sea", "TIDE"] }),
    want: {
      body: {
        name: "Harbour Watch",
        status: "active",
        is_public: true,
        tags: ["sea", "tide"],
        initials: "HW",
      },
    },
    after: (_world, { handle }, { body }) => expect(body.handle).toBe(handle),
  },
  {
    spec: "Handle already taken on create | 409",
    tool: "create_pusher",
    given: (world) => world.pusher(),
    input: ({ handle }) => ({ handle, ...required }),
    want: { error: "conflict", param: null },
  },
  {
    spec: "PATCH pusher with a different handle | 422",
    tool: "update_pusher",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, handle: "another-one" }),
    want: { error: "invalid_request", param: "handle" },
  },
];
