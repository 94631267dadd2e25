// The same calls over REST and MCP.

import { readAlert } from "../../src/store/queries/alerts.ts";
import { ALERT, alertPath, bearer, get, JSON_BODY, LAST_WRITTEN, mcp, scopeOf, withKey } from "../calls.ts";
import type { Case } from "../case.ts";
import { asScript } from "../load.ts";
import { alertNumber, channelPath, ID, REPORTABLE } from "../seed.ts";

export const MCP_CASES: Case[] = [
  {
    name: "key look-up (GET /me)",
    sides: {
      http: async (world) => get(world, "/api/v1/me"),
      pgbench: async (world) => withKey(world, []),
    },
    ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
    flat: ["http"],
  },
  {
    name: "get_alert over REST and MCP",
    sides: {
      rest: async (world) => get(world, alertPath(2, REPORTABLE.first)),
      mcp: async (world) => {
        const [, , , , pusher_id, , alert_id] = alertPath(2, REPORTABLE.first).split("/");
        return mcp(world, "tools/call", { name: "get_alert", arguments: { pusher_id, alert_id } });
      },
      pgbench: async (world) =>
        withKey(world, [
          asScript(readAlert, {
            ...scopeOf(ID("channel", "2")),
            id: ID("alert", `${alertNumber(2, REPORTABLE.first)}`),
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
      rest: async (world) => get(world, "/api/v1/me"),
      mcp: async (world) => mcp(world, "tools/call", { name: "get_me", arguments: {} }),
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
            body: JSON.stringify(ALERT),
          },
        ],
      }),
      mcp: async (world) => {
        const pusher_id = channelPath(LAST_WRITTEN).split("/").at(-1)!;
        return mcp(world, "tools/call", {
          name: "create_alert",
          arguments: { pusher_id, ...ALERT, view: "full" },
        });
      },
    },
    ratios: [{ of: "mcp", to: "rest", by: "rate", goal: { least: 0.9 } }],
    flat: [],
  },
  {
    name: "tools/list against a plain h3 answer",
    sides: {
      mcp: async (world) => mcp(world, "tools/list", {}),
      h3: async (world) => ({
        kind: "http",
        target: world.plain,
        status: 200,
        requests: () => [{ path: "/" }],
      }),
    },
    ratios: [{ of: "mcp", to: "h3", by: "cpu", goal: { most: 10 } }],
    flat: ["mcp"],
  },
];
