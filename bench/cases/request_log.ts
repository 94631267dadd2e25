// The cost of the request log: the service with it and without, on the same database.

import { bearer, INBOX, pollRequest, sendRequests } from "../case_requests.ts";
import type { BenchCase, BenchWorld } from "../case_types.ts";
import type { HttpLoad, LoadTarget } from "../load_generators.ts";

async function unchanged({ tokens, service }: BenchWorld, target: LoadTarget): Promise<HttpLoad> {
  const held = await Promise.all(tokens.pollers[5].map((token) => pollRequest(service, token)));
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

const WORK: Record<string, (world: BenchWorld, target: LoadTarget) => Promise<HttpLoad>> = {
  "inbox unchanged": unchanged,
  "create and send": async (world, target) => sendRequests(world, target),
};

export const LOG_CASES: BenchCase[] = Object.entries(WORK).map(([name, load]) => ({
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
