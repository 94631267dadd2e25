// Real clients against a listening server: both eras of SDK 2, SDK 1 and, where it is installed, the Inspector's
// command line. Their traffic on the wire is also checked.

import { execFile } from "node:child_process";
import { request as httpRequest } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { getToolHints } from "../../src/api/transports/mcp_tool_list.ts";
import { type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { freePort } from "../support/free_port.ts";
import { isMissing } from "../support/requirements.ts";
import { createHandle, timeInSeconds, World } from "../support/world.ts";

const info = { name: "test", version: "1.0.0" };
const CLIENTS = ["auto", "legacy", "sdk 1"] as const;

/** The common interface of the clients. */
interface AnyClient {
  listTools(): Promise<any>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<any>;
  getServerVersion(): any;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

describe("on a service", () => {
  let world: World;
  let listening: ListeningServer;
  let port: number;
  let mcp: string;
  beforeAll(async () => {
    port = await freePort();
    mcp = `http://127.0.0.1:${port}/mcp`;
    world = await World.open({
      settings: { HOST: "127.0.0.1", PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
    });
    listening = await listenHttp(world.service.app, { host: "127.0.0.1", port });
  });
  afterAll(async () => {
    await listening.close();
    await world.close();
  });

  async function connected(kind: (typeof CLIENTS)[number], key: string, query = ""): Promise<AnyClient> {
    const url = new URL(`${mcp}${query}`);
    if (kind === "sdk 1") {
      const client = new OldClient(info);
      await client.connect(
        new OldTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }) as never,
      );
      return client as unknown as AnyClient;
    }
    const client = new Client(info, { versionNegotiation: { mode: kind } });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => key } }));
    expect(client.getNegotiatedProtocolVersion()).toBe(kind === "auto" ? "2026-07-28" : "2025-11-25");
    return client as unknown as AnyClient;
  }

  async function using<T>(kind: (typeof CLIENTS)[number], key: string, use: (client: AnyClient) => Promise<T>) {
    const client = await connected(kind, key);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  /** Structured content, which must equal the text. */
  const bodyOf = (result: any) => {
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    return result.structuredContent;
  };

  /** Calls of tools that must succeed. */
  const callerOf =
    (client: AnyClient) =>
    async (name: string, args: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError ?? false).toBe(false);
      return bodyOf(result);
    };

  /** Fields of a value that its schema does not declare, by path. */
  function undeclared(schema: any, value: unknown, at = ""): string[] {
    if (Array.isArray(value)) return value.flatMap((one, i) => undeclared(schema.items, one, `${at}[${i}]`));
    if (typeof value !== "object" || value === null || !schema.properties) return [];
    return Object.entries(value).flatMap(([name, field]) =>
      schema.properties[name] ? undeclared(schema.properties[name], field, `${at}.${name}`) : [`${at}.${name}`],
    );
  }

  describe.each(CLIENTS)("client %s", (kind) => {
    test("the list of tools, as the records have it", async () => {
      await using(kind, world.owner, async (client) => {
        expect(client.getServerVersion()).toMatchObject({ name: "belfry" });
        expect(client.getInstructions()).toMatch(/cannot be undone/);
        const { tools } = await client.listTools();
        expect(tools.map(({ name }: any) => name)).toEqual(OPERATIONS.map(({ name }) => name));
        for (const tool of tools) {
          expect(tool.inputSchema.type).toBe("object");
          const operation = OPERATIONS.find(({ name }) => name === tool.name)!;
          const { readOnly, destructive, idempotent, openWorld } = getToolHints(operation);
          // The protocol's defaults for a tool, and no confirmation where it only reads.
          const granted = { readOnlyHint: false, idempotentHint: readOnly, destructiveHint: !readOnly };
          expect({ ...granted, ...tool.annotations }).toEqual({
            title: operation.title,
            readOnlyHint: readOnly,
            destructiveHint: destructive,
            idempotentHint: idempotent,
            openWorldHint: openWorld,
          });
        }
      });
    });

    // rules#mcp-output-schemas
    test("on request, the tools that read have output schemas, and their results conform", async () => {
      const client = await connected(kind, world.owner, "?output_schemas=true");
      const { tools } = await client.listTools();
      const schemas = new Map<string, any>(
        tools.flatMap(({ name, outputSchema }: any) => (outputSchema ? [[name, outputSchema]] : [])),
      );
      const reading = tools.map(({ name }: any) => name).filter((name: string) => /^(get|list)_/.test(name));
      expect([...schemas.keys()]).toEqual(reading);
      const channel = await world.pusher({ handle: createHandle() });
      const pusher_id = channel.id;
      const draft = await world.alert(pusher_id, { body: "x".repeat(700), sound: "siren", html: "<p>a</p>" });
      const sent = await world.alert(pusher_id, {
        send: true,
        actions: [{ label: "On?", type: "reply", choices: ["Y"] }],
      });
      await world.rest("create_invite", { pusher_id }, world.owner);
      await world.device(channel.handle);
      const from = timeInSeconds(-3600);
      const calls: [string, Record<string, unknown>][] = [
        ...["get_me", "list_webhooks", "list_events", "list_pushers", "get_account_stats"].map(
          (name) => [name, {}] as const,
        ),
        ...["get_pusher", "get_pusher_stats", "list_invites", "list_subscribers"].map(
          (name) => [name, { pusher_id }] as const,
        ),
        ...["full", "brief", "titles"].flatMap((view) => [
          ["list_alerts", { pusher_id, view }] as const,
          ["list_account_alerts", { status: "sent", view }] as const,
        ]),
        ["list_account_alerts", { reports: "most_read", from, to: timeInSeconds(60) }],
        ["get_alert", { pusher_id, alert_id: draft.id }],
        ["get_alert_stats", { pusher_id, alert_id: sent.id }],
        ["list_audit_events", {}],
      ].map(([name, args]) => [name as string, args as Record<string, unknown>]);
      for (const [name, args] of calls) {
        // The client itself also validates the result.
        const result = await client.callTool({ name, arguments: args });
        expect(result.isError ?? false, name).toBe(false);
        expect(undeclared(schemas.get(name), bodyOf(result)), name).toEqual([]);
      }
      const unread = ["list_deliveries"];
      expect([...schemas.keys()].filter((name) => !calls.some(([called]) => called === name))).toEqual(unread);
      await client.close();
      await expect(connected(kind, world.owner, "?output_schemas=maybe")).rejects.toThrow();
    });

    // rules#deleted-answer
    test("the story: open a channel, compose, send, withdraw", async () => {
      await using(kind, world.owner, async (client) => {
        const call = callerOf(client);
        const handle = createHandle();
        const pusher = await call("create_pusher", { handle, name: "N", category: "ai", description: "d" });
        const draft = await call("create_alert", { pusher_id: pusher.id, title: "Hello" });
        expect(draft.status).toBe("draft");
        const path = { pusher_id: pusher.id, alert_id: draft.id };
        await call("update_alert", { ...path, body: "More" });
        const device = await world.device(handle);
        expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
        expect(await call("send_alert", path)).toMatchObject({ status: "sent", body: "More" });
        expect((await world.handset("GET", "/inbox", device)).body.data).toHaveLength(1);
        const later = { pusher_id: pusher.id, title: "Later", send: true, send_at: timeInSeconds(3600) };
        expect((await call("create_alert", later)).status).toBe("scheduled");
        expect((await call("list_alerts", { pusher_id: pusher.id })).data).toHaveLength(2);
        expect((await call("get_pusher", { pusher_id: pusher.id })).subscribers).toBe(1);
        expect((await call("cancel_alert", path)).status).toBe("cancelled");
        expect(await call("delete_alert", path)).toEqual({ deleted: true, id: draft.id });
      });
    });

    // rules#mcp-results
    test("a refusal is a result with isError and the envelope; an unknown tool is a protocol error", async () => {
      await using(kind, world.owner, async (client) => {
        const refused = await client.callTool({ name: "get_pusher", arguments: { pusher_id: "psh_none" } });
        expect(refused.isError).toBe(true);
        expect(bodyOf(refused)).toEqual({
          error: { type: "not_found", code: "channel_not_found", message: expect.any(String), param: null },
        });
        const wrong = await client.callTool({ name: "create_pusher", arguments: { handle: "x" } });
        expect(wrong.isError).toBe(true);
        expect(bodyOf(wrong).error).toMatchObject({ type: "invalid_request", param: expect.any(String) });
        await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toMatchObject({ code: -32602 });
        // The connection is as good as before.
        expect((await client.callTool({ name: "get_me", arguments: {} })).isError ?? false).toBe(false);
      });
    });

    test("many calls at once over one client", async () => {
      const pusher = await world.pusher();
      await using(kind, world.owner, async (client) => {
        const results = await callConcurrently(40, (i) =>
          client.callTool({
            name: "create_alert",
            arguments: { pusher_id: pusher.id, title: `Alert ${i}`, send: i % 2 === 0 },
          }),
        );
        // Each answer belongs to its own call.
        expect(results.map((result) => bodyOf(result).title)).toEqual(results.map((_, i) => `Alert ${i}`));
        const { body } = await world.rest("get_pusher", { pusher_id: pusher.id });
        expect(body.alerts_sent).toBe(20);
      });
    });

    // rules#mcp-step-up
    test("a key gets its missing scopes in the result, and the members who may publish", async () => {
      const pusher = await world.pusher();
      const key = await world.key({ scopes: "alerts:read,alerts:write" });
      await using(kind, key, async (client) => {
        const refusalOf = async (name: string, args: object) => {
          const result = await client.callTool({ name, arguments: { pusher_id: pusher.id, ...args } });
          expect(result.isError).toBe(true);
          expect(bodyOf(result).error.type).toBe("insufficient_scope");
          return bodyOf(result).error.message;
        };
        // The information for its model at the start: the instructions, and the address in the response.
        expect(client.getInstructions()).toMatch(/review_url/);
        const draft = { pusher_id: pusher.id, title: "Tide" };
        const made = bodyOf(await client.callTool({ name: "create_alert", arguments: draft }));
        expect(await refusalOf("send_alert", { alert_id: made.id })).toContain(made.review_url);
        expect(await refusalOf("create_alert", { title: "Tide", send: true })).toMatch(/\/console\/wsp_/);
        expect(await refusalOf("delete_pusher", {})).toMatch(/lacks the scope pushers:write/);
        const planned = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
        const edit = { alert_id: planned.id, title: "Changed" };
        expect(await refusalOf("update_alert", edit)).toContain(planned.review_url);
        // The connection is as good as before, and the other way out is open.
        const args = { pusher_id: pusher.id, ...edit, send_at: null };
        const back = await client.callTool({ name: "update_alert", arguments: args });
        expect(bodyOf(back)).toMatchObject({ status: "draft", title: "Changed" });
      });
    });

    test("drafts of all channels, a copy of what was sent, and its schedule, each in one call", async () => {
      await using(kind, await world.foreignKey(), async (client) => {
        const call = callerOf(client);
        const handle = createHandle();
        const opened = await call("create_pusher", { handle, name: "N", category: "ai", description: "d" });
        expect(opened.notes).toMatchObject([{ field: "requested_perms" }]);
        const { data } = await call("list_pushers", { handle });
        expect(data.map(({ id }: any) => id)).toEqual([opened.id]);
        const long = { title: "Tide", body: "x".repeat(16_384), html: "<p>Tide</p>", send: true };
        const sent = await call("create_alert", { pusher_id: opened.id, ...long });
        expect(sent).toMatchObject({ status: "sent", layout: "html", body_length: 16_384, html_length: 11 });
        expect(sent).not.toHaveProperty("html");
        const path = { pusher_id: opened.id, alert_id: sent.id };
        expect(await call("get_alert", path)).toMatchObject({ html: "<p>Tide</p>", notes: [{ field: "title" }] });
        const copy = await call("duplicate_alert", path);
        const drafts = await call("list_account_alerts", { status: "draft", view: "full" });
        // Lists carry the first 4,000 characters.
        expect(drafts.data).toMatchObject([{ id: copy.id, body: "x".repeat(4_000), body_length: 16_384 }]);
        const { now } = await call("get_me");
        const send_at = new Date(Date.parse(now) + 3_600_000).toISOString();
        const planned = await call("schedule_alert", { ...path, alert_id: copy.id, send_at });
        expect(planned).toMatchObject({ status: "scheduled", body_length: 16_384 });
        expect(Date.parse(planned.send_at)).toBe(Date.parse(send_at));
      });
    });

    test("without a live key the connection fails", async () => {
      const key = await world.key();
      const [row] = await world.sql("select id from api_key order by created_at desc limit 1");
      await world.sql("update api_key set revoked_at = now() where id = ?", [row.id]);
      for (const bad of [key, "bfk_nonsense", ""]) await expect(connected(kind, bad)).rejects.toThrow();
    });
  });

  /** One raw request; `fetch` may set neither Host nor Origin. */
  const raw = (method: string, headers: Record<string, string>, body?: object) =>
    new Promise<{ status: number; headers: Record<string, any>; body: any }>((resolve, reject) => {
      const request = httpRequest(mcp, { method, headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => {
          const data = /^data: (.+)$/m.exec(text)?.[1] ?? text;
          const { statusCode: status, headers } = response;
          resolve({ status: status!, headers, body: data === "" ? null : JSON.parse(data) });
        });
      });
      request.on("error", reject);
      request.end(body && JSON.stringify(body));
    });
  const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const bearer = (key: string) => ({ ...JSON_HEADERS, authorization: `Bearer ${key}` });
  const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
  const toolCall = (name: string, args: object) => message("tools/call", { name, arguments: args });
  const modern = (method: string, params: object = {}) => ({
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...("name" in params ? { "mcp-name": String(params.name) } : {}),
    },
    body: message(method, {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": info,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
  });

  // rules#mcp-401
  test("401 names the metadata and the scopes to begin with, and the metadata is there", async () => {
    const metadata = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`;
    const none = await raw("POST", JSON_HEADERS, message("tools/list"));
    expect(none.status).toBe(401);
    expect(none.body.error.type).toBe("unauthorized");
    expect(none.headers["www-authenticate"]).toMatch(/^Bearer /);
    expect(none.headers["www-authenticate"]).toContain(`resource_metadata="${metadata}"`);
    expect(none.headers["www-authenticate"]).toMatch(/scope="[a-z: ]+"/);
    const wrong = await raw("POST", bearer("bfk_wrong"), message("tools/list"));
    expect(wrong.headers["www-authenticate"]).toContain('error="invalid_token"');
    const document: any = await (await fetch(metadata)).json();
    expect(document.resource).toBe(mcp);
  });

  // rules#mcp-request-checks
  test("Host and Origin are checked before the key", async () => {
    const wrong: Record<string, string>[] = [
      { host: "evil.example" },
      { host: `evil.example:${port}` },
      { origin: "https://evil.example" },
      { origin: "null" },
      { host: "127.0.0.1.evil.example", origin: "http://127.0.0.1" },
    ];
    for (const headers of wrong) {
      const answer = await raw("POST", { ...bearer(world.owner), ...headers }, toolCall("get_me", {}));
      expect({ headers, status: answer.status }).toEqual({ headers, status: 403 });
      expect(answer.body.error.type).toBe("forbidden");
      // The way out is the service's own address, and never the one of the request.
      expect(answer.body.error.message).toContain(
        headers.origin?.includes("evil") || headers.origin === "null"
          ? `Send it without the Origin header, or from a page on ${new URL(mcp).origin}.`
          : `Use ${mcp}`,
      );
      expect(answer.body.error.message).not.toContain("evil");
    }
    const right: Record<string, string>[] = [{ host: `localhost:${port}` }, { origin: `http://127.0.0.1:${port}` }];
    for (const headers of right) {
      const answer = await raw("POST", { ...bearer(world.owner), ...headers }, toolCall("get_me", {}));
      expect({ headers, status: answer.status }).toEqual({ headers, status: 200 });
    }
  });

  test.each(["GET", "DELETE", "PUT"])("%s answers 405 with Allow", async (method) => {
    const answer = await raw(method, bearer(world.owner));
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe("POST");
    expect(answer.body.error).toBeDefined();
  });

  test("the modern list may be cached, for this credential alone, and is the same for the same scopes", async () => {
    const { headers, body } = modern("tools/list");
    const lists = [];
    for (const key of [world.owner, await world.foreignKey()]) {
      const answer = await raw("POST", { ...bearer(key), ...headers }, body);
      expect(answer.status).toBe(200);
      expect(answer.body.result).toMatchObject({ cacheScope: "private", resultType: "complete" });
      expect(answer.body.result.ttlMs).toBeGreaterThan(0);
      lists.push(JSON.stringify(answer.body.result.tools));
    }
    expect(new Set(lists).size).toBe(1);
    const old = await raw("POST", bearer(world.owner), message("tools/list"));
    expect(JSON.stringify(old.body.result.tools)).toBe(lists[0]);
    expect(old.body.result.ttlMs).toBeUndefined();
  });

  // rules#mcp-protocols
  test("an unknown version and a header that differs from the body are refused with 400", async () => {
    const { headers, body } = modern("tools/list");
    const unknown = await raw(
      "POST",
      { ...bearer(world.owner), ...headers, "mcp-protocol-version": "2027-01-01" },
      JSON.parse(JSON.stringify(body).replace("2026-07-28", "2027-01-01")),
    );
    expect(unknown.status).toBe(400);
    const differs = await raw("POST", { ...bearer(world.owner), ...headers, "mcp-method": "tools/call" }, body);
    expect(differs.status).toBe(400);
  });

  describe.skipIf(isMissing("Inspector"))("the Inspector", () => {
    const inspect = (...args: string[]) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const options = ["--cli", "--server-url", mcp, "--transport", "http", "--format", "json"];
        const key = ["--header", `Authorization: Bearer ${world.owner}`];
        execFile(
          process.execPath,
          [process.env.MCP_INSPECTOR!, ...options, ...key, ...args],
          { maxBuffer: 1 << 24 },
          (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      });

    test.each(["legacy", "modern"])("lists without an error or a warning and calls (%s)", async (era) => {
      const list = await inspect("--protocol-era", era, "--method", "tools/list", "--strict");
      // It names each schema that some client may not read on standard error.
      expect({ code: list.code, stderr: list.stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(list.stdout).result.tools).toHaveLength(OPERATIONS.length);
      const pusher = await world.pusher();
      const args = ["--protocol-era", era, "--method", "tools/call", "--tool-name"];
      const made = await inspect(
        ...args,
        "create_alert",
        "--tool-arg",
        `pusher_id=${pusher.id}`,
        "--tool-arg",
        "title=Hi",
      );
      expect(made.code).toBe(0);
      expect(made.stdout).toContain("alr_");
      const refused = await inspect(...args, "get_pusher", "--tool-arg", "pusher_id=psh_none");
      expect(refused.code).toBe(5);
    });
  });
});
