// The same calls over REST and MCP.

import { readAlert } from "../../src/store/queries/alerts.ts";
import {
  ALERT_ARGUMENTS,
  alertPath,
  bearer,
  createScopeParameters,
  getRequest,
  JSON_BODY,
  LAST_WRITTEN,
  mcpRequests,
  withKeyLookup,
} from "../case_requests.ts";
import type { BenchCase } from "../case_types.ts";
import { toPgbenchScript } from "../load_generators.ts";
import { alertNumber, benchIdSql, channelPath, REPORTABLE } from "../seed_database.ts";

export const MCP_CASES: BenchCase[] = [
  {
    name: "key look-up (GET /me)",
    sides: {
      http: async (world) => getRequest(world, "/api/v1/me"),
      pgbench: async (world) => withKeyLookup(world, []),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
    flat: ["http"],
  },
  {
    name: "get_alert over REST and MCP",
    sides: {
      rest: async (world) => getRequest(world, alertPath(2, REPORTABLE.first)),
      mcp: async (world) => {
        const [, , , , pusher_id, , alert_id] = alertPath(2, REPORTABLE.first).split("/");
        return mcpRequests(world, "tools/call", { name: "get_alert", arguments: { pusher_id, alert_id } });
      },
      pgbench: async (world) =>
        withKeyLookup(world, [
          toPgbenchScript(readAlert, {
            ...createScopeParameters(benchIdSql("channel", "2")),
            id: benchIdSql("alert", `${alertNumber(2, REPORTABLE.first)}`),
          }),
        ]),
    },
    ratios: [
      { of: "rest", to: "pgbench", by: "rate", goal: null },
      { of: "mcp", to: "rest", by: "rate", goal: { least: 0.7 } },
    ],
    flat: ["rest", "mcp"],
  },
  {
    name: "get_me over REST and MCP",
    sides: {
      rest: async (world) => getRequest(world, "/api/v1/me"),
      mcp: async (world) => mcpRequests(world, "tools/call", { name: "get_me", arguments: {} }),
    },
    ratios: [{ of: "mcp", to: "rest", by: "rate", goal: { least: 0.7 } }],
    flat: [],
  },
  {
    name: "create over REST and MCP",
    sides: {
      rest: async (world) => ({
        kind: "http",
        target: world.service,
        status: 201,
        requests: () => [
          {
            method: "POST",
            path: `${channelPath(LAST_WRITTEN)}/alerts`,
            headers: { ...bearer(world.tokens.key), ...JSON_BODY },
            body: JSON.stringify(ALERT_ARGUMENTS),
          },
        ],
      }),
      mcp: async (world) => {
        const pusher_id = channelPath(LAST_WRITTEN).split("/").at(-1)!;
        return mcpRequests(world, "tools/call", {
          name: "create_alert",
          arguments: { pusher_id, ...ALERT_ARGUMENTS, view: "full" },
        });
      },
    },
    ratios: [{ of: "mcp", to: "rest", by: "rate", goal: { least: 0.9 } }],
    flat: [],
  },
  {
    name: "tools/list against a plain h3 answer",
    sides: {
      mcp: async (world) => mcpRequests(world, "tools/list", {}),
      h3: async (world) => ({ kind: "http", target: world.plain, status: 200, requests: () => [{ path: "/" }] }),
    },
    ratios: [{ of: "mcp", to: "h3", by: "cpu", goal: { most: 10 } }],
    flat: ["mcp"],
  },
];
