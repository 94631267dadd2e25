// What the request log costs: the service with it and without, on the same database.

import { bearer, INBOX, poll, sends } from "../calls.ts";
import type { Case, World } from "../case.ts";
import type { HttpLoad, Target } from "../load.ts";

async function unchanged({ tokens, service }: World, target: Target): Promise<HttpLoad> {
  const held = await Promise.all(tokens.pollers[5].map((token) => poll(service, token)));
  return {
    kind: "http",
    target,
    status: 304,
    requests: (connection) => {
      const { token, etag } = held[connection % held.length]!;
      return [{ path: INBOX, headers: { ...bearer(token), "if-none-match": etag } }];
    },
  };
}

const WORK: Record<string, (world: World, target: Target) => Promise<HttpLoad>> = {
  "inbox unchanged": unchanged,
  "create and send": async (world, target) => sends(world, target),
};

export const LOG_CASES: Case[] = Object.entries(WORK).map(([name, load]) => ({
  name: `request log, ${name}`,
  sides: {
    logged: async (world) => load(world, await world.logged()),
    silent: async (world) => load(world, world.service),
  },
  ratios: [
    { of: "logged", to: "silent", by: "cpu", goal: { most: 1.05 } },
    { of: "logged", to: "silent", by: "rate", goal: { least: 0.95 } },
  ],
  flat: [],
}));
