// The permissions that a channel requests from its subscribers, and the notes when it requests none.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { createHandle } from "../../support/world.ts";

const ASKS = "channel-asks-for-nothing";

const SILENT = [
  { capability: "notify", field: "requested_perms", message: expect.stringMatching(/inbox.*requested_perms/) },
];

export const askingPusherCases: TestCase[] = [
  {
    rule: ASKS,
    tool: "create_pusher",
    name: "a channel without requested permissions has a note",
    input: () => ({ handle: createHandle(), name: "x", category: "ai", description: "x" }),
    want: { body: { requested_perms: [], notes: SILENT } },
  },
  {
    rule: ASKS,
    tool: "create_pusher",
    name: "one with a requested permission has no notes",
    input: () => ({ handle: createHandle(), name: "x", category: "ai", description: "x", requested_perms: ["notify"] }),
    want: {},
    after: (_world, _given, { body }) => expect(body).not.toHaveProperty("notes"),
  },
  {
    rule: ASKS,
    tool: "update_pusher",
    name: "on every change, until it requests a permission",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, name: "Another name" }),
    want: { body: { notes: SILENT } },
    after: async (world, { id }) => {
      const { body } = await world.rest("update_pusher", { pusher_id: id, requested_perms: ["notify", "sound"] });
      expect(body).not.toHaveProperty("notes");
      const none = await world.rest("update_pusher", { pusher_id: id, requested_perms: [] });
      expect(none.body).toMatchObject({ notes: SILENT });
    },
  },
];
