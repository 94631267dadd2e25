// MCP compared with the SDK's own example, the everything-server, which keeps a session for each client.

import { JSON_BODY, mcpRequests } from "../case_requests.ts";
import type { BenchCase, BenchWorld } from "../case_types.ts";
import { CONNECTIONS, type HttpLoad, type LoadTarget, type SideLoad } from "../load_generators.ts";

/** The newest protocol that it speaks. */
const PROTOCOL = "2025-06-18";
const HEADERS = { ...JSON_BODY, accept: "application/json, text/event-stream", "mcp-protocol-version": PROTOCOL };

const message = (method: string, params: object, id?: number) =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });

async function openSession({ url }: LoadTarget): Promise<string> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: HEADERS,
    body: message("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo }, 0),
  });
  await answer.text();
  const session = answer.headers.get("mcp-session-id")!;
  const headers = { ...HEADERS, "mcp-session-id": session };
  await fetch(`${url}/mcp`, { method: "POST", headers, body: message("notifications/initialized", {}) });
  return session;
}

/** The same of the everything-server, with a session for each connection. */
async function everything(world: BenchWorld, method: string, params: object): Promise<SideLoad> {
  const target = await world.everything();
  if (!target)
    return { kind: "missing", why: "the everything-server is not installed (npm run bench -- --everything)" };
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSession(target)));
  return {
    kind: "http",
    target,
    status: 200,
    verify: (body) => body.includes('"result":{') && !body.includes('"isError":true'),
    requests: (connection) => [
      {
        method: "POST",
        path: "/mcp",
        headers: { ...HEADERS, "mcp-session-id": sessions[connection % CONNECTIONS]! },
        body: message(method, params, 1),
      },
    ],
  } satisfies HttpLoad;
}

/** Above 1 this service is ahead. */
const ratios = (ours: string, theirs: string): BenchCase["ratios"] => [
  { of: ours, to: theirs, by: "rate", goal: null },
  { of: theirs, to: ours, by: "cpu", goal: null },
];

export const EVERYTHING_CASES: BenchCase[] = [
  {
    name: "everything-server, tools/list",
    sides: {
      belfry: async (world) => mcpRequests(world, "tools/list", {}),
      everything: (world) => everything(world, "tools/list", {}),
    },
    ratios: ratios("belfry", "everything"),
    flat: [],
  },
  {
    // Its echo reads nothing; get_me reads the key and its member from the database.
    name: "everything-server, tools/call",
    sides: {
      get_me: async (world) => mcpRequests(world, "tools/call", { name: "get_me", arguments: {} }),
      echo: (world) => everything(world, "tools/call", { name: "echo", arguments: { message: "a word" } }),
    },
    ratios: ratios("get_me", "echo"),
    flat: [],
  },
];
