// Requests in the usual form are answered without the SDK: with its own result, for any variation in them.

import { createMcpHandler } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { createMcpEndpoint } from "../../src/api/transports/mcp_endpoint.ts";
import { parseMcpFastPathRequest } from "../../src/api/transports/mcp_fast_path.ts";
import { createToolServer } from "../../src/api/transports/mcp_server.ts";
import { invalidRequest } from "../../src/model/api_error.ts";
import { ALL_SCOPES } from "../../src/model/scopes.ts";
import type { Dispatcher } from "../../src/operation/dispatcher.ts";
import { buildMcpResultCardPage } from "../../src/pages/web_app/mcp_card_page.ts";
import type { Caller } from "../../src/store/handler_context.ts";
import { SILENT_LOG } from "../support/member_sessions.ts";

const MODERN = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";

/** Returns its input, so that arguments are also compared. */
async function echo(name: string, args: Record<string, unknown>) {
  if (args.title === "refused") throw invalidRequest("invalid_value", "No.", "title");
  const headers: Record<string, string> = args.title === "limited" ? { ratelimit: "limit=1" } : {};
  return { body: { name, args }, headers };
}

const dispatcher = {
  runOrDraft: (tool, _caller, { args }) => echo(tool.name, args as Record<string, unknown>),
} as Dispatcher;
const caller = { credential: { id: "key_1", scopes: ALL_SCOPES } } as unknown as Caller;
const endpoint = createMcpEndpoint({
  tools: OPERATIONS,
  dispatcher,
  authenticate: async () => caller,
  onChallenge: async () => {},
  publicUrl: "http://127.0.0.1",
  host: "127.0.0.1",
  loadCard: buildMcpResultCardPage,
});
const sdk = createMcpHandler(() =>
  createToolServer(OPERATIONS, (tool, args) => echo(tool.name, args), { publicUrl: "http://127.0.0.1" }),
);

interface Asked {
  headers: Record<string, string>;
  body: any;
}

const request = ({ headers, body }: Asked) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { host: "127.0.0.1", ...headers },
    body: JSON.stringify(body),
  });

async function answerOf(response: Response) {
  const text = await response.text();
  const type = response.headers.get("content-type");
  const events = type === "text/event-stream" ? text.split("\n\n").filter(Boolean) : [];
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: type === "application/json" ? JSON.parse(text) : text === "" ? "" : undefined,
    events: events.map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event)!;
      return { name, data: JSON.parse(data!) };
    }),
  };
}

const args = fc.record(
  { title: fc.oneof(fc.constantFrom("refused", "limited"), fc.string()), pusher_id: fc.string(), more: fc.jsonValue() },
  { requiredKeys: [] },
);
const id = fc.oneof(fc.integer(), fc.string(), fc.uuid());
const name = fc.constantFrom("get_me", "list_pushers", "preview_html");

/** As clients send them. */
const usual: fc.Arbitrary<Asked> = fc
  .record({ modern: fc.boolean(), call: fc.boolean(), id, name, args, progress: fc.boolean(), named: fc.boolean() })
  .map(({ modern, call, id, name, args, progress, named }) => {
    const method = call ? "tools/call" : "tools/list";
    const meta = {
      ...(modern
        ? {
            [`${PREFIX}protocolVersion`]: MODERN,
            [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } },
            ...(named ? { [`${PREFIX}clientInfo`]: { name: "test", version: "1" } } : {}),
          }
        : {}),
      ...(progress ? { progressToken: 3 } : {}),
    };
    const params = {
      ...(call ? { name, arguments: args } : {}),
      ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(modern
        ? { "mcp-protocol-version": MODERN, "mcp-method": method, ...(call ? { "mcp-name": name } : {}) }
        : named
          ? { "mcp-protocol-version": "2025-11-25" }
          : {}),
    };
    const bare = Object.keys(params).length === 0 && progress;
    return { headers, body: { jsonrpc: "2.0", id, method, ...(bare ? {} : { params }) } };
  });

const HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-x"];
const header = fc.constantFrom(
  ...[undefined, "", "application/json", "application/json; charset=utf-8", "text/plain", "*/*"],
  ...[MODERN, "2025-11-25", "2025-06-18", "2024-11-05", "2030-01-01", " 2026-07-28"],
  ...["tools/list", "tools/call", "get_me", "=?base64?Z2V0X21l?="],
);
const PLACES = [
  ["jsonrpc"],
  ["id"],
  ["method"],
  ["params"],
  ["more"],
  ["params", "name"],
  ["params", "arguments"],
  ["params", "cursor"],
  ["params", "task"],
  ["params", "_meta"],
  ...["progressToken", "other", "traceparent", `${PREFIX}logLevel`].map((key) => ["params", "_meta", key]),
  ...["protocolVersion", "clientCapabilities", "clientInfo"].map((key) => ["params", "_meta", PREFIX + key]),
  ["params", "_meta", `${PREFIX}clientInfo`, "version"],
  ["params", "_meta", `${PREFIX}clientCapabilities`, "sampling"],
];
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...[undefined, null, {}, [], "", 0, 1.5, -0, 1e300, true, "2.0", MODERN, "2025-11-25"],
    ...["tools/list", "tools/call", "ping", "get_me", "no_such_tool", { name: "x", version: "1" }],
  ),
  fc.jsonValue(),
);

/** One of them with things varied that a client could get wrong, or have another reason for. */
const varied: fc.Arbitrary<Asked> = fc
  .record({
    asked: usual,
    headers: fc.array(fc.tuple(fc.constantFrom(...HEADERS), header), { maxLength: 2 }),
    fields: fc.array(fc.tuple(fc.constantFrom(...PLACES), value), { maxLength: 2 }),
  })
  .map(({ asked, headers, fields }) => {
    const next = structuredClone(asked);
    for (const [header, value] of headers) {
      if (value === undefined) delete next.headers[header];
      else next.headers[header] = value;
    }
    for (const [place, value] of fields) {
      const parent = place.slice(0, -1).reduce((at, key) => at?.[key], next.body);
      if (typeof parent === "object" && parent !== null) parent[place.at(-1)!] = value;
    }
    return next;
  });

const isPlain = (asked: Asked) =>
  parseMcpFastPathRequest(request(asked), JSON.parse(JSON.stringify(asked.body))) !== null;

// rules#mcp-protocols
test("a request in the usual form is recognised, and answered as the SDK answers it", async () => {
  await fc.assert(
    fc.asyncProperty(usual, async (asked) => {
      expect(isPlain(asked)).toBe(true);
      expect(await answerOf(await endpoint.fetch(request(asked), SILENT_LOG))).toEqual(
        await answerOf(await sdk.fetch(request(asked))),
      );
    }),
    { numRuns: 150 },
  );
});

// rules#mcp-protocols
test("for any variation of it, the response is the SDK's", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(varied, async (asked) => {
      if (isPlain(asked)) plain++;
      expect(await answerOf(await endpoint.fetch(request(asked), SILENT_LOG))).toEqual(
        await answerOf(await sdk.fetch(request(asked))),
      );
    }),
    { numRuns: 600 },
  );
  expect(plain).toBeGreaterThan(60);
  expect(plain).toBeLessThan(500);
});
