// Inboxes that did not change, and pages of fifty cards.

import { readInboxPage } from "../../src/store/queries/inbox.ts";
import { findDevicesWithInboxState } from "../../src/store/queries/subscriptions_and_directory.ts";
import { bearer, INBOX, pollRequest } from "../case_requests.ts";
import type { BenchCase } from "../case_types.ts";
import { toPgbenchScript } from "../load_generators.ts";
import { hashHex, POLLED_WIDTHS, POLLER_IDS } from "../seed_database.ts";

const PAGE = 50;

/** The handsets of one channel have the same; of more, each has its own. */
const NAMES = { 1: "one channel for all", 5: "5 channels", 50: "50 channels" };

export const INBOX_CASES: BenchCase[] = [
  ...POLLED_WIDTHS.map((width): BenchCase => {
    return {
      name: `inbox unchanged, ${NAMES[width]}`,
      sides: {
        http: async (world) => {
          const held = await Promise.all(world.tokens.pollers[width].map((token) => pollRequest(world.service, token)));
          return {
            kind: "http",
            target: world.service,
            status: 304,
            requests: (connection) => {
              const { token, etag } = held[connection % held.length]!;
              return [{ path: INBOX, headers: { ...bearer(token), "if-none-match": etag } }];
            },
          };
        },
        pgbench: async ({ tokens }) => ({
          kind: "pgbench",
          // One handset: each further script is a further statement that every connection has to plan.
          scripts: [toPgbenchScript(findDevicesWithInboxState, { hashes: "array[:hash]" })],
          variables: { hash: hashHex(tokens.pollers[width][0]!) },
        }),
      },
      ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.5 } }],
      flat: ["http"],
    };
  }),
  ...POLLED_WIDTHS.map((width): BenchCase => {
    return {
      name: `inbox of ${PAGE} cards, ${NAMES[width]}`,
      sides: {
        http: async (world) => {
          const tokens = world.tokens.pollers[width];
          const polled = await Promise.all(tokens.map((token) => pollRequest(world.service, token)));
          for (const { body } of polled)
            if (JSON.parse(body).data.length !== PAGE) throw new Error("an inbox without a full page");
          const bodies = new Set(polled.map(({ body }) => body));
          return {
            kind: "http",
            target: world.service,
            status: 200,
            verify: (body) => bodies.has(body),
            requests: (connection) => [{ path: INBOX, headers: bearer(tokens[connection % tokens.length]!) }],
          };
        },
        pgbench: async ({ tokens }) => ({
          kind: "pgbench",
          scripts: [
            [
              toPgbenchScript(findDevicesWithInboxState, { hashes: "array[:hash]" }),
              toPgbenchScript(readInboxPage, {
                device_id: String(POLLER_IDS + BigInt(width * 1000)),
                before: "null",
                inside: "null",
                limit: PAGE + 1,
                max_bytes: 2 ** 20,
              }),
            ].join("\n"),
          ],
          variables: { hash: hashHex(tokens.pollers[width][0]!) },
        }),
      },
      ratios: [{ of: "http", to: "pgbench", by: "rate", goal: { least: 0.65 } }],
      flat: ["http"],
    };
  }),
];
