// Requests as traces. A client's own trace continues over HTTP and MCP through operations and statements to webhooks. A
// collector gets all of it, and it contains no tenant's data. The collector is a server of this test.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpanExporter } from "../../src/program/boot/otlp_exporter.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { SILENT_LOG } from "../support/member_sessions.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

interface Shown {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  links?: { traceId: string; spanId: string }[];
  status: { code: number };
}

const spansOf = (body: Buffer): Shown[] =>
  JSON.parse(body.toString()).resourceSpans.flatMap(({ scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) => spans),
  );
const said = ({ attributes }: Shown) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ABOVE = "b7ad6b7169203331";
const traceparent = (flags = "01", trace = TRACE) => `00-${trace}-${ABOVE}-${flags}`;
const MCP = { accept: "application/json, text/event-stream" };

describe("of a service", () => {
  let world: World;
  let collector: Awaited<ReturnType<typeof startHttpReceiver>>;
  let sink: Awaited<ReturnType<typeof startHttpReceiver>>;
  const lines: any[] = [];
  let spans: Shown[] = [];
  let pusher: any;

  beforeAll(async () => {
    collector = await startHttpReceiver((_request, response) => void response.end("{}"));
    sink = await startHttpReceiver((_request, response) => void response.writeHead(503).end());
    world = await World.open({
      settings: {
        WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${sink.port}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20key",
        OTEL_SERVICE_NAME: "bells",
        LOG_LEVEL: "info",
      },
      logTo: {
        write: (line) =>
          void lines.push(
            ...line
              .trim()
              .split("\n")
              .map((one) => JSON.parse(one)),
          ),
      },
    });
    pusher = await world.pusher({ name: "Tenant text" });
    await world.rest("create_webhook", { url: `http://127.0.0.1:${sink.port}/tenant-text`, events: ["alert.sent"] });
    // Calls, of which each has a trace of its own but for the first two.
    const args = { pusher_id: pusher.id, title: "Tenant text", send: true };
    await world.request("POST", `/api/v1/pushers/${pusher.id}/alerts`, {
      token: world.owner,
      headers: { traceparent: traceparent() },
      body: JSON.stringify({ title: "Tenant text", send: true }),
    });
    await waitUntil(() => sink.requests.length === 1);
    const params = {
      name: "create_alert",
      arguments: args,
      _meta: { traceparent: traceparent("01", TRACE.replace("0a", "1b")) },
    };
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect((await world.request("POST", "/mcp", { token: world.owner, headers: MCP, body: message })).status).toBe(200);
    await world.request("GET", "/api/v1/me", { token: world.owner, headers: { traceparent: traceparent("00") } });
    await world.request("GET", "/api/v1/me", { token: "bfk_wrong", headers: { traceparent: "00-what-ever" } });
    await world.rest("get_alert", { pusher_id: pusher.id, alert_id: "alr_nothing" });
    await world.request("GET", "/healthz");
    await waitUntil(() => sink.requests.length === 2);
    await world.leave();
    spans = collector.requests.flatMap(({ body }) => spansOf(body));
  });
  afterAll(async () => {
    await world.remove();
    collector.close();
    sink.close();
  });

  const below = (parent: string) => spans.filter(({ parentSpanId }) => parentSpanId === parent);

  // rules#traces
  test("a client's trace continues: request, operation, statements, webhook", () => {
    const [request, ...others] = below(ABOVE).filter(({ traceId }) => traceId === TRACE);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ name: "POST /api/v1/pushers/:id/alerts", kind: 2, status: { code: 0 } });
    expect(said(request!)).toMatchObject({ "http.request.method": "POST", "http.response.status_code": 201 });
    const [operation] = below(request!.spanId).filter(({ name }) => name === "create_alert");
    expect(said(operation!)).toEqual({ "belfry.transport": "rest" });
    const under = below(operation!.spanId);
    expect(under.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^sql create/), "webhook"]),
    );
    const webhook = under.find(({ name }) => name === "webhook")!;
    expect(said(webhook)).toEqual({ "belfry.event": "alert.sent", "belfry.outcome": "status" });
    for (const span of [request!, operation!, ...under]) {
      expect(span.traceId).toBe(TRACE);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    // The statement's span is within its operation's.
    const [sql] = under.filter(({ name }) => name.startsWith("sql create"));
    expect(BigInt(sql!.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(operation!.startTimeUnixNano));
    expect(BigInt(sql!.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(operation!.endTimeUnixNano));
  });

  // rules#traces
  test("a message of MCP has the parent of its call, and the request is linked", () => {
    const [operation] = below(ABOVE).filter(({ name }) => name === "create_alert");
    expect(operation!.traceId).toBe(TRACE.replace("0a", "1b"));
    expect(said(operation!)).toEqual({ "belfry.transport": "mcp" });
    const request = spans.find(({ name }) => name === "POST /mcp")!;
    expect(operation!.links).toEqual([{ traceId: request.traceId, spanId: request.spanId }]);
    expect(below(operation!.spanId).map(({ name }) => name)).toContain("webhook");
  });

  test("an unsampled trace is not sampled, an invalid one begins a new one, and probes have none", () => {
    expect(spans.filter(({ name }) => name === "GET /api/v1/me").map(({ parentSpanId }) => parentSpanId)).toEqual([
      undefined,
    ]);
    expect(spans.filter(({ name }) => /healthz/.test(name))).toEqual([]);
    const refused = spans.find(({ name }) => name === "get_alert")!;
    expect([refused.status.code, said(refused)["error.type"]]).toEqual([2, "not_found"]);
  });

  // rules#traces-name-nobody
  test("no span contains a tenant's text, an id or a key, and no receiver gets a trace", () => {
    const all = collector.requests.map(({ body }) => body.toString()).join();
    const theirs = [/tenant.text/i, pusher.id, pusher.handle, world.owner, world.workspace.id, String(sink.port)];
    for (const word of [...theirs, /bfk_|psh_|alr_|wsp_|dlv_|whk_/]) expect(all).not.toMatch(word);
    for (const { headers } of sink.requests) expect(headers).not.toHaveProperty("traceparent");
    expect(collector.requests.map(({ url, headers }) => [url, headers["x-key"]])).toEqual(
      collector.requests.map(() => ["/v1/traces", "a key"]),
    );
    expect(all).toContain('{"key":"service.name","value":{"stringValue":"bells"}}');
  });

  // rules#request-id
  test("the log's lines of a request, and of its deliveries, have its id and its trace", () => {
    const request = lines.find(({ trace_id, msg }) => trace_id === TRACE && msg === "request");
    expect(request).toMatchObject({ operation: "create_alert", status: 201 });
    const delivery = lines.find(
      ({ request_id, msg }) => request_id === request.request_id && /delivery failed/.test(msg),
    );
    expect(delivery).toMatchObject({ trace_id: TRACE, failure: "status" });
    const span = spans.find(({ traceId, kind }) => traceId === TRACE && kind === 2)!;
    expect(said(span)["belfry.request_id"]).toBe(request.request_id);
  });
});

const span = {
  traceId: TRACE,
  spanId: ABOVE,
  parent: undefined,
  name: "n",
  kind: 1,
  attributes: {},
  failed: false,
  start: 1n,
  end: 2n,
  link: undefined,
};

test("a collector that refuses, or is away, costs the spans and nothing else", async () => {
  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  const refusing = await startHttpReceiver((_request, response) => void response.writeHead(401).end());
  const config = (port: number) => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, {});
  const one = createSpanExporter(config(refusing.port), "0", log);
  for (let i = 0; i < 3; i++) one.add(span);
  await one.close();
  refusing.close();
  const other = createSpanExporter(config(refusing.port), "0", log);
  other.add(span);
  await other.close();
  expect(warned).toEqual([
    { dropped: 3, status: 401 },
    { dropped: 1, cause: "ECONNREFUSED" },
  ]);
});

test("the queue for a collector is limited", async () => {
  const got: Buffer[] = [];
  const warned: any[] = [];
  const open = Promise.withResolvers<void>();
  const slow = await startHttpReceiver((_request, response) => void open.promise.then(() => response.end()));
  const config = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${slow.port}` }, {});
  const exporter = createSpanExporter(config, "0", {
    ...SILENT_LOG,
    warn: (fields: object) => void warned.push(fields),
  });
  for (let i = 0; i < 5_000; i++) exporter.add(span);
  expect(warned).toEqual([{ dropped: 1, waiting: 2048 }]);
  open.resolve();
  await exporter.close();
  got.push(...slow.requests.map(({ body }) => body));
  expect(got.flatMap(spansOf)).toHaveLength(2_560);
  slow.close();
});
