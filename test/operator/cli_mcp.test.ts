// `belfry mcp` driven over stdio by the clients of both SDK lines: the same tools, results and refusals as at /mcp.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { CLI, createChildEnvironment, runBelfry, startServer } from "../support/processes.ts";
import { openStartedService, prepareStartedService } from "../support/started_service.ts";

const { folder, server } = await openStartedService();

const stdio = (settings: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [CLI, "mcp"],
  env: createChildEnvironment({ DATA_DIR: server.dataDir, ...settings }),
});
const info = { name: "test", version: "1.0.0" };

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<any>;
  close(): Promise<void>;
}

async function connected(version: string): Promise<AnyClient> {
  if (version === "sdk 1") {
    const client = new OldClient(info);
    await client.connect(new OldTransport(stdio()));
    return client as unknown as AnyClient;
  }
  const mode = version === "legacy" ? version : { pin: version };
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(stdio()));
  if (version !== "legacy") expect(client.getNegotiatedProtocolVersion()).toBe(version);
  return client as unknown as AnyClient;
}

// rules#mcp-over-stdio
test.each(["2026-07-28", "legacy", "sdk 1"])("the story with %s", async (version) => {
  const client = await connected(version);
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(OPERATIONS.map(({ name }) => name));
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
      return { refused: result.isError === true, body: result.structuredContent, meta: result._meta };
    };
    const handle = version.replace(" ", "-");
    const fields = { handle, name: "N", category: "ai", description: "D", tags: ["x"] };
    const made = await call("create_pusher", { ...fields, idempotency_key: version });
    expect(made).toMatchObject({ refused: false, body: { handle, tags: ["x"] } });
    expect(made.meta).toHaveProperty("ratelimit-policy");
    expect((await call("create_pusher", { ...fields, idempotency_key: version })).body).toEqual(made.body);
    const { id: pusher_id } = made.body;
    const { body: alert } = await call("create_alert", { pusher_id, title: "T" });
    const ids = { pusher_id, alert_id: alert.id };
    expect((await call("send_alert", ids)).body).toMatchObject({ status: "sent" });
    expect((await call("list_alerts", { pusher_id, limit: 5 })).body.data).toHaveLength(1);
    const { data: noted } = (await call("list_audit_events", { pusher_id })).body;
    expect(new Set(noted.map(({ transport }: { transport: string }) => transport))).toEqual(new Set(["mcp"]));

    // The body is that of the other face, and so are the refusals.
    expect((await call("get_alert", ids)).body).toEqual((await overHttp("get_alert", ids)).structuredContent);
    for (const [name, args] of [
      ["get_alert", { pusher_id, alert_id: "alr_x" }],
      ["get_alert", { pusher_id }],
      ["get_alert", { pusher_id: 5, alert_id: "x" }],
      ["update_alert", { ...ids, title: "frozen" }],
      ["update_alert", { ...ids, action: "cancel" }],
      ["send_alert", { ...ids, title: "x" }],
      ["create_alert", { pusher_id, title: "T", idempotency_key: 5 }],
      ["create_alert", { pusher_id, title: " " }],
    ] as const) {
      const refused = await call(name, args);
      expect(refused.refused).toBe(true);
      expect(refused.body).toEqual((await overHttp(name, args)).structuredContent);
    }
    expect((await call("get_alert", ids)).body).toMatchObject({ status: "sent" });
    expect((await call("cancel_alert", ids)).body).toMatchObject({ status: "cancelled" });
    expect((await call("delete_alert", ids)).body).toEqual({ deleted: true, id: alert.id });
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow("Unknown tool");
  } finally {
    await client.close();
  }
});

async function overHttp(name: string, args: Record<string, unknown>): Promise<any> {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!).result;
}

test("it ends with its input, and prints only protocol messages", async () => {
  const silent = await runBelfry(["mcp"], { DATA_DIR: server.dataDir }, "");
  expect(silent).toMatchObject({ code: 0, stdout: "", stderr: "" });
  const garbled = await runBelfry(["mcp"], { DATA_DIR: server.dataDir }, "garbled\n[]\n");
  expect(garbled.stdout.match(/"code":-32700/g)).toHaveLength(2);
});

// rules#mcp-over-stdio
test("calls before the end of its input are answered", async () => {
  const message = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const started = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info };
  const lines = [
    message(1, "initialize", started),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    message(2, "tools/list"),
    message(3, "tools/call", { name: "get_me", arguments: {} }),
  ];
  const { code, stdout, stderr } = await runBelfry(["mcp"], { DATA_DIR: server.dataDir }, lines.join("\n"));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(answers.find(({ id }) => id === 3).result.structuredContent).toHaveProperty("workspace");
  expect(answers.find(({ id }) => id === 2).result.tools).toHaveLength(OPERATIONS.length);
});

test("without a server or a key the connection is refused, with instructions", async () => {
  for (const [settings, words] of [
    [{ BELFRY_URL: "http://127.0.0.1:59999", BELFRY_API_KEY: "x" }, "Start one with belfry serve"],
    [{ BELFRY_URL: server.url, BELFRY_API_KEY: "x" }, "has not been revoked and has not expired"],
    [{ DATA_DIR: `${folder.path}/none` }, "set --key or BELFRY_API_KEY"],
  ] as const) {
    const client = new Client(info);
    await expect(client.connect(new StdioClientTransport(stdio(settings)))).rejects.toThrow(words);
    await client.close();
  }
});

test("a key is offered what it may use; what it may not is refused in the result, with the way out", async () => {
  const made = await runBelfry(["keys", "create", "--scopes", "alerts:read"], { DATA_DIR: server.dataDir });
  const client = new Client(info);
  await client.connect(new StdioClientTransport(stdio({ BELFRY_URL: server.url, BELFRY_API_KEY: made.json.key })));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("list_alerts");
  expect(tools.map(({ name }) => name)).not.toContain("create_alert");
  const refused: any = await client.callTool({ name: "create_pusher", arguments: {} });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { type: "insufficient_scope" } } });
  expect(JSON.parse(refused.content[0].text)).toEqual(refused.structuredContent);
  await client.close();
});

test("a server that is away is reported in the results, until it is back", async () => {
  const dataDir = `${folder.path}/away`;
  const first = await startServer(await prepareStartedService(dataDir));
  const client = new Client(info);
  await client.connect(new StdioClientTransport(stdio({ BELFRY_URL: first.url, BELFRY_API_KEY: first.key })));
  await first.stop();
  const ask = () => client.callTool({ name: "get_me", arguments: {} });
  expect(await ask()).toMatchObject({ isError: true, structuredContent: { error: { type: "server_error" } } });
  const second = await startServer(dataDir, { port: Number(new URL(first.url).port) });
  expect(await ask()).toMatchObject({ structuredContent: { workspace: {} } });
  await client.close();
  await second.stop();
});

// rules#mcp-review
test("a client of 2025 that opens addresses is sent to the review page, here as over HTTP", async () => {
  const made = await runBelfry(["keys", "create", "--scopes", "alerts:read,alerts:write"], {
    DATA_DIR: server.dataDir,
  });
  const client = new OldClient(info, { capabilities: { elicitation: { url: {} } } });
  await client.connect(new OldTransport(stdio({ BELFRY_API_KEY: made.json.key, BELFRY_URL: server.url })));
  try {
    const call = (name: string, args: Record<string, unknown>): Promise<any> =>
      client.callTool({ name, arguments: { pusher_id: "hello-belfry", ...args } });
    const { structuredContent: draft } = await call("create_alert", { title: "Tide" });
    await expect(call("send_alert", { alert_id: draft.id })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ url: draft.review_url }] },
    });
  } finally {
    await client.close();
  }
});
