// The calls of cases: each as an HTTP request, and as a pgbench script.

import { formatId } from "../src/model/domain/type_ids.ts";
import { findKeysByHash } from "../src/store/queries/api_keys.ts";
import type { BenchWorld } from "./case_types.ts";
import { type HttpLoad, type LoadTarget, type SideLoad, toPgbenchScript } from "./load_generators.ts";
import { alertNumber, benchId, channelPath, hashHex, WRITTEN_CHANNELS } from "./seed_database.ts";

export const INBOX = "/handset/v1/inbox";
export const JSON_BODY = { "content-type": "application/json" };
export const LAST_WRITTEN = WRITTEN_CHANNELS.first + WRITTEN_CHANNELS.count - 1;
export const ALERT_ARGUMENTS = {
  title: "What is new",
  body: "It is measured how long this takes to be on every phone. ".repeat(4),
};
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const alertPath = (channel: number, k: number) =>
  `${channelPath(channel)}/alerts/${formatId("alr", benchId("alert", alertNumber(channel, k)))}`;
export const createScopeParameters = (channel: string) => ({
  pusher_id: channel,
  workspace_id: `'${benchId("workspace", 0)}'`,
  pusher_ids: "null",
});

export async function pollRequest({ url }: LoadTarget, token: string, path = INBOX) {
  const answer = await fetch(url + path, { headers: bearer(token) });
  return { token, etag: answer.headers.get("etag")!, body: await answer.text() };
}

export function getRequest({ service, tokens }: BenchWorld, path: string): HttpLoad {
  return { kind: "http", target: service, status: 200, requests: () => [{ path, headers: bearer(tokens.key) }] };
}

/** Creates and sends, on fifty channels in turn. */
export function sendRequests({ tokens }: BenchWorld, target: LoadTarget): HttpLoad {
  return {
    kind: "http",
    target,
    status: 201,
    requests: (connection) =>
      Array.from({ length: WRITTEN_CHANNELS.count }, (_, i) => ({
        method: "POST",
        path: `${channelPath(WRITTEN_CHANNELS.first + ((i + connection) % WRITTEN_CHANNELS.count))}/alerts`,
        headers: { ...bearer(tokens.key), ...JSON_BODY },
        body: JSON.stringify({ ...ALERT_ARGUMENTS, send: true }),
      })),
  };
}

/** The key's look-up, then the statements. */
export function withKeyLookup({ tokens }: BenchWorld, statements: string[], before: string[] = []): SideLoad {
  const script = [...before, toPgbenchScript(findKeysByHash, { hashes: "array[:key_hash]" }), ...statements];
  return { kind: "pgbench", scripts: [script.join("\n")], variables: { key_hash: hashHex(tokens.key), i: 0 } };
}

const PROTOCOL = "2026-07-28";

export function mcpRequests(
  { service, tokens }: BenchWorld,
  method: string,
  params: { name?: string; arguments?: object },
): HttpLoad {
  const request = {
    method: "POST",
    path: "/mcp",
    headers: {
      ...bearer(tokens.key),
      ...JSON_BODY,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": PROTOCOL,
      "mcp-method": method,
      ...(params.name ? { "mcp-name": params.name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": PROTOCOL,
          "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  };
  const verify = (body: string) => body.includes('"result":{') && !body.includes('"isError":true');
  return { kind: "http", target: service, status: 200, verify, requests: () => [request] };
}
