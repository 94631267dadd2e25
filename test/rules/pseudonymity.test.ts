// Subscribers are pseudonyms, and secrets are shown once. One run of all operations uses the service as it is started,
// with the most verbose log. No response, webhook, log line or metric contains internal data.

import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { join as joinPath } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { expectNoDeliveryFigures } from "../cases/stats/fixtures.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { waitFor } from "../support/wait.ts";
import { createHandle, findOperation, freshDatabase, timeInSeconds } from "../support/world.ts";

const MAIN = joinPath(import.meta.dirname, "../../src/main.ts");

describe("on a service", () => {
  let child: ChildProcess;
  let base = "";
  let log = "";
  let owner = "";
  let sink: Awaited<ReturnType<typeof startHttpReceiver>>;
  let settings: Record<string, string>;
  let sql: (text: string) => Promise<unknown>;
  const closers: (() => unknown)[] = [];

  /** The responses to every owner's call, with the tool's name. */
  const answers: { tool: string; text: string }[] = [];
  const hidden = {
    device: new Set<string>(),
    key: new Set<string>(),
    code: new Set<string>(),
    secret: new Set<string>(),
  };

  beforeAll(async () => {
    const fresh = await freshDatabase();
    closers.push(fresh.remove);
    settings = fresh.settings;
    const orm = createOrm({ databaseUrl: settings.DATABASE_URL! });
    const em = orm.em.fork() as SqlEntityManager;
    const workspace = await createEmptyWorkspace(em, { name: "Tests" });
    await addWorkspaceMember(em, { workspace: workspace.id, email: "owner@example.org", role: "owner" });
    owner = (await createKey(em, { workspace: workspace.id, scopes: "all" }, new Date())).key;
    hidden.key.add(owner);
    sql = (text) => (orm.em.fork() as SqlEntityManager).execute(text);
    closers.unshift(() => orm.close(true));

    sink = await startHttpReceiver((_request, response) => void response.end());
    closers.push(sink.close);
    child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, ...settings, PORT: "0", LOG_LEVEL: "trace", WEBHOOK_ALLOW_HOSTS: "127.0.0.1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr!.on("data", (chunk) => {
      log += chunk;
    });
    let out = "";
    child.stdout!.on("data", (chunk) => {
      out += chunk;
    });
    await waitFor(() => expect(out).toMatch(/listens on ([^\s"]+)/));
    base = /listens on ([^\s"]+)/.exec(out)![1]!;
  });
  afterAll(async () => {
    if (child?.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    for (const close of closers) await close();
  });

  const fetched = async (method: string, path: string, token?: string, body?: string) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        accept: "application/json, text/event-stream",
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  };

  /** One tool over REST and over MCP; the REST body. */
  async function call(tool: string, args: Record<string, unknown> = {}): Promise<any> {
    const { method, path, body } = buildRestRequest(findOperation(tool), args);
    const rest = await fetched(method, path, owner, body);
    answers.push({ tool, text: rest.text });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    if (!tool.startsWith("create_") && !tool.startsWith("delete_"))
      answers.push({ tool, text: (await fetched("POST", "/mcp", owner, JSON.stringify(message))).text });
    return rest.text === "" ? null : JSON.parse(rest.text);
  }
  async function handset(method: string, path: string, token?: string, body?: unknown): Promise<any> {
    const { text } = await fetched(
      method,
      `/handset/v1${path}`,
      token,
      body === undefined ? undefined : JSON.stringify(body),
    );
    return text === "" ? null : JSON.parse(text);
  }

  // rules#subscribers-are-pseudonyms
  test("nothing that must stay inside comes out", async () => {
    const pusher = await call("create_pusher", {
      handle: createHandle(),
      name: "A",
      category: "ai",
      description: "B",
      is_public: false,
    });
    const channel = { pusher_id: pusher.id };
    const invite = await call("create_invite", { ...channel, label: "door" });
    hidden.code.add(invite.code);
    const events = ["alert.sent", "alert.scheduled", "alert.cancelled", "subscriber.created", "subscriber.deleted"];
    const listening = await call("create_webhook", { url: `http://127.0.0.1:${sink.port}/`, events });
    const failing = await call("create_webhook", { url: "http://127.0.0.1:9/", events });
    for (const { secret } of [listening, failing]) hidden.secret.add(secret);

    const devices = [];
    for (let n = 0; n < 3; n++) {
      const facts = { platform: "ios", app_version: "1", locale: "en", timezone: "UTC" };
      const device = await handset("POST", "/devices", undefined, facts);
      hidden.device.add(device.id).add(device.token);
      devices.push(device);
      await handset("GET", `/channels/${pusher.handle}?invite=${invite.code}`, device.token);
      await handset("PUT", `/subscriptions/${pusher.handle}`, device.token, { invite: invite.code });
    }
    const alert = await call("create_alert", { ...channel, title: "T", send: true });
    const path = { ...channel, alert_id: alert.id };
    const later = await call("create_alert", { ...channel, title: "L", send: true, send_at: timeInSeconds(3600) });
    for (const { token } of devices) {
      await handset("GET", "/inbox", token);
      const reports = ["read", "ack"].map((kind) => ({ alert_id: alert.id, kind }));
      await handset("POST", "/reports", token, { reports });
    }
    await handset("DELETE", `/reports?before=${timeInSeconds(60)}`, devices[0].token);
    await handset("DELETE", `/subscriptions/${pusher.handle}`, devices[2].token);

    for (const tool of ["get_me", "list_webhooks", "list_pushers", "get_account_stats"]) await call(tool);
    for (const tool of ["get_pusher", "list_invites", "list_alerts", "get_pusher_stats", "list_subscribers"])
      await call(tool, channel);
    for (const tool of ["get_alert", "get_alert_stats"]) await call(tool, path);
    await call("update_alert", { ...channel, alert_id: later.id, title: "M" });
    await call("cancel_alert", { ...channel, alert_id: later.id });
    await call("delete_alert", { ...channel, alert_id: later.id });
    await call("preview_html", { html: "<script>" });
    await call("update_pusher", { ...channel, name: "C" });

    // Callers also make mistakes: secrets where they do not belong.
    const [device] = devices;
    await call("create_webhook", { url: `https://user:${listening.secret}@1.1.1.1/`, events: [listening.secret] });
    await call("create_invite", { ...channel, [invite.code]: owner });
    await call("get_pusher", { pusher_id: owner });
    for (const [method, where, token, body] of [
      ["GET", `/api/v1/pushers?key=${owner}&token=${device.token}`, owner],
      ["GET", `/api/v1/pushers/${device.token}/stats`, owner],
      ["GET", `/c/nobody?invite=${invite.code}`],
      ["GET", "/api/v1/me", device.token],
      ["GET", "/handset/v1/inbox", owner],
      ["GET", `/handset/v1/inbox?token=${device.token}`],
      ["GET", `/handset/v1/channels/${device.token}?invite=${invite.code}`, device.token],
      ["POST", "/handset/v1/reports", device.token, `{"token":"${device.token}",`],
      ["POST", "/mcp", owner, `{"key":"${owner}"}`],
      ["POST", `/mcp?key=${owner}`, undefined, "{}"],
      ["PUT", "/handset/v1/subscriptions/nobody", device.token, JSON.stringify({ invite: invite.code })],
    ] as [string, string, string?, string?][]) {
      const { text } = await fetched(method, where, token, body);
      answers.push({ tool: "mistake", text });
    }
    await call("revoke_invite", { ...channel, invite_id: invite.id, remove_subscribers: true });
    const bodies = () => sink.requests.map(({ body }) => body.toString());
    await waitFor(() => expect(bodies()).toContainEqual(expect.stringContaining('"count":0')));
    await call("delete_webhook", { webhook_id: failing.id });

    // A fault of the database quotes rows; the log must not.
    await sql("alter table subscription rename to subscription_gone");
    await handset("PUT", `/subscriptions/${pusher.handle}`, device.token, { invite: invite.code });
    expect((await call("list_subscribers", channel)).error.type).toBe("server_error");
    await sql("alter table subscription_gone rename to subscription");
    await sql("alter table device add constraint none check (app_version <> 'none')");
    const facts = { platform: "other", app_version: "none", locale: "en", timezone: "UTC" };
    expect((await handset("POST", "/devices", undefined, facts)).error.type).toBe("server_error");
    const metrics = await fetched("GET", "/metrics");
    expect(metrics.text).toContain("belfry_http_requests_total");
    child.kill("SIGTERM");
    await once(child, "exit");

    // The run was a run: successes, deliveries of every kind, and a log of all of it.
    const received = new Set(sink.requests.map(({ headers }) => headers["x-webhook-event"]));
    expect([...received].sort()).toEqual([...events].sort());
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === "request").length).toBeGreaterThan(70);
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["webhook delivered", "webhook delivery failed", "stopping"]),
    );
    const counted = answers.find(({ tool }) => tool === "get_alert_stats")!;
    expect(JSON.parse(counted.text).totals).toEqual({ reads: 3, acks: 3 });

    const places: [string, string, (keyof typeof hidden)[]][] = [
      ["log", log, ["device", "key", "code", "secret"]],
      ["metrics", metrics.text, ["device", "key", "code", "secret"]],
      ...sink.requests.map(({ headers, body }): (typeof places)[number] => [
        "webhook",
        JSON.stringify(headers) + body,
        ["device", "key", "code", "secret"],
      ]),
      ...answers.map(({ tool, text }): (typeof places)[number] => [
        tool,
        text,
        [
          "device",
          "key",
          // An owner sees the codes of its invites, and a secret in the one answer that makes it.
          ...(tool.endsWith("_invites") || tool.endsWith("_invite") ? [] : (["code"] as const)),
          ...(tool === "create_webhook" ? [] : (["secret"] as const)),
        ],
      ]),
    ];
    const found = [];
    for (const [place, text, kinds] of places) {
      for (const kind of kinds) for (const value of hidden[kind]) if (text.includes(value)) found.push([place, kind]);
      if (text.includes(settings.SECRET!)) found.push([place, "the server's secret"]);
    }
    expect(found).toEqual([]);
    // The pseudonym is for the list of subscribers, and not a word of a device is in anything else.
    const pseudonyms = devices.map(({ id }) =>
      createHmac("sha256", settings.SECRET!).update(id).digest("hex").slice(0, 10),
    );
    for (const [place, text] of places)
      if (place !== "list_subscribers")
        for (const pseudonym of pseudonyms) expect([place, text.includes(pseudonym)]).toEqual([place, false]);
    for (const { tool, text } of answers)
      if (tool !== "mistake" && text.startsWith("{")) expectNoDeliveryFigures(JSON.parse(text));
  });
});
