// `belfry mcp` driven over stdio by the clients of both SDK lines: the same tools, results and refusals as at /mcp.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TOOLS } from "../../tools/index.ts";
import {
  belfry,
  CLI,
  environment,
  initialised,
  type RunningServer,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";

const folder = temporaryFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(initialised(`${folder.path}/data`));
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

const stdio = (settings: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [CLI, "mcp"],
  env: environment({ DATA_DIR: server.dataDir, ...settings }),
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

test.each(["2026-07-28", "legacy", "sdk 1"])("the story with %s", async (version) => {
  const client = await connected(version);
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
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

test("it ends with its input, and says nothing but protocol", async () => {
  const silent = await belfry(["mcp"], { DATA_DIR: server.dataDir }, "");
  expect(silent).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("without a server or a key the results say what to do", async () => {
  for (const [settings, type] of [
    [{ BELFRY_URL: "http://127.0.0.1:59999", BELFRY_API_KEY: "x" }, "server_error"],
    [{ DATA_DIR: `${folder.path}/none` }, "unauthorized"],
  ] as const) {
    const client = new Client(info);
    await client.connect(new StdioClientTransport(stdio(settings)));
    const result: any = await client.callTool({ name: "get_me", arguments: {} });
    await client.close();
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { type } } });
  }
});
