// A person in the call. It covers the results for clients of each era that may write and not publish, after a person's
// decision on the review page, or without one.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeEach, describe, expect, test } from "vitest";
import { alertArguments } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { connectAssistant, registerClient } from "../support/oauth_flow.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

const URL_MODE = { elicitation: { url: {} } };
const info = { name: "test", version: "1.0.0" };
const MCP = "http://localhost:8787/mcp";

let pusher: any;
let author: string;
const world = await openWorld();
const owner = await signInOwner(world);
beforeEach(async () => {
  pusher = await world.pusher();
  author = await world.key(COMPOSES);
});

const COMPOSES = { scopes: "alerts:read,alerts:write" };
// rules#asks-first
const ASKS_FIRST = { scopes: "all", requires_approval: true };

type Told = { url: string; message: string; mode?: string };

const through = (key: string) => (address: string | URL, init?: RequestInit) => {
  const headers = new Headers(init?.headers);
  headers.set("host", "localhost");
  headers.set("authorization", `Bearer ${key}`);
  return world.service.app.fetch(new Request(address, { ...init, headers }));
};

/** A client of 2026 whose person does `act` where the server sends them. */
async function modern(act: (asked: Told) => Promise<string>, key = author) {
  const client = new Client(info, { capabilities: URL_MODE, versionNegotiation: { mode: "auto" } });
  const asked: Told[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }: any) => {
    asked.push(params);
    return { action: (await act(params)) as "accept" };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP), { fetch: through(key) as never }));
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const call = (name: string, args: object, options: object = {}): Promise<any> =>
    client.callTool({ name, arguments: args as Record<string, unknown> }, options);
  return { client, asked, call };
}

/** A client of 2025 that can open addresses, by SDK 2 or SDK 1. */
async function legacy(kind: "sdk 2" | "sdk 1", key = author) {
  const [client, transport] =
    kind === "sdk 1"
      ? [
          new OldClient(info, { capabilities: URL_MODE }),
          new OldTransport(new URL(MCP), { fetch: through(key) as never }),
        ]
      : [
          new Client(info, { capabilities: URL_MODE, versionNegotiation: { mode: "legacy" } }),
          new StreamableHTTPClientTransport(new URL(MCP), { fetch: through(key) as never }),
        ];
  await (client as Client).connect(transport as never);
  return (name: string, args: object): Promise<any> =>
    (client as Client).callTool({ name, arguments: args as Record<string, unknown> }).then(
      (result) => result,
      (error: unknown) => error,
    );
}

const draft = async (more: object = {}) =>
  (await world.rest("create_alert", { pusher_id: pusher.id, title: "Tide", ...more }, author)).body;
const now = async (alert: { id: string }) =>
  (await world.rest("get_alert", { pusher_id: pusher.id, alert_id: alert.id })).body;

/** The taps of a signed-in person on the page at `url`. */
async function tap(url: string, act: string, more: Record<string, string> = {}) {
  const { pathname } = new URL(url);
  const { text } = await owner.get(pathname);
  const [, version = ""] = /name="version" value="([^"]+)"/.exec(text) ?? [];
  return owner.post(pathname, { act, version, ...more }, { from: pathname });
}

// rules#mcp-review
describe("a client of 2026", () => {
  test.each([
    ["send", {}, { decision: "sent", status: "sent" }, COMPOSES],
    ["send", {}, { decision: "sent", status: "sent" }, ASKS_FIRST],
    ["decline", { review_reply: "Wrong ferry." }, { decision: "declined", review_reply: "Wrong ferry." }, COMPOSES],
    [
      "schedule",
      { send_at: timeInSeconds(7200).slice(0, 16) },
      { decision: "scheduled", status: "scheduled" },
      COMPOSES,
    ],
  ] as const)("its person taps %s, and the call returns the decision", async (act, more, want, may) => {
    author = await world.key(may);
    const alert = await draft();
    const { asked, call } = await modern(async ({ url }) => {
      expect((await tap(url, act, more)).status).toBe(303);
      return "accept";
    });
    const result = await call("send_alert", alertArguments(alert));
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({ id: alert.id, ...want });
    expect(asked).toEqual([{ mode: "url", url: alert.review_url, message: expect.any(String) }]);
    // The repeated call succeeds without a person.
    expect((await call("send_alert", alertArguments(alert))).structuredContent).toMatchObject(want);
    expect(asked).toHaveLength(1);
  });

  test.each(["decline", "cancel"])("an answer of the client (%s) decides nothing", async (answer) => {
    const alert = await draft();
    const { call } = await modern(async () => answer);
    const { structuredContent } = await call("send_alert", alertArguments(alert));
    expect(structuredContent).toMatchObject({ decision: "waiting", review_url: alert.review_url });
    expect(await now(alert)).toMatchObject({ status: "draft", review_reply: null });
  });

  test("a client that confirms for its person publishes nothing", async () => {
    const alert = await draft();
    const going = new AbortController();
    const { call } = await modern(async () => "accept");
    let answered = false;
    const waiting = call("send_alert", alertArguments(alert), { signal: going.signal }).finally(() => {
      answered = true;
    });
    const told: unknown = waiting.catch((error: unknown) => error);
    // It waits until a decision.
    await expect
      .poll(async () => (await world.sql("select 1 from idempotency_record where operation = 'asked'")).length)
      .toBeGreaterThan(0);
    expect([answered, (await now(alert)).status]).toEqual([false, "draft"]);
    going.abort();
    await told;
    expect((await now(alert)).status).toBe("draft");
  });

  test("create with send: one draft, which its person sends", async () => {
    const { asked, call } = await modern(async ({ url }) => {
      await tap(url, "send");
      return "accept";
    });
    const made = await call("create_alert", { pusher_id: pusher.id, title: "Once", send: true });
    expect(made.structuredContent).toMatchObject({ title: "Once", decision: "sent" });
    expect(asked).toHaveLength(1);
    const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id })).body;
    expect(data.map(({ status }: any) => status)).toEqual(["sent"]);
  });

  test("an edit of what is scheduled: made once a person took it back to draft, else refused", async () => {
    const alert = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(7200) });
    let act = "draft";
    const { call } = await modern(async ({ url }) => {
      if (act) await tap(url, act);
      return act ? "accept" : "cancel";
    });
    const edited = await call("update_alert", alertArguments(alert, { title: "Right" }));
    expect(edited.structuredContent).toMatchObject({ status: "draft", title: "Right" });
    await world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(7200) }));
    act = "";
    const refused = await call("update_alert", alertArguments(alert, { title: "Wrong" }));
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error.message).toContain(alert.review_url);
    expect((await now(alert)).title).toBe("Right");
  });

  test("edited while its person looks: challenged again, about the present version", async () => {
    const alert = await draft();
    const { asked, call } = await modern(async ({ url }) => {
      if (asked.length > 1) await tap(url, "send");
      else await world.rest("update_alert", alertArguments(alert, { title: "Another" }), author);
      return "accept";
    });
    const { structuredContent } = await call("send_alert", alertArguments(alert));
    expect(structuredContent).toMatchObject({ decision: "sent", title: "Another" });
    expect(asked).toHaveLength(2);
  });

  test("two deciders: one of them counts, and the call answers that one", async () => {
    const alert = await draft();
    const { call } = await modern(async ({ url }) => {
      const version = alert.updated_at;
      const { pathname } = new URL(url);
      const form = (fields: Record<string, string>) => owner.post(pathname, { version, ...fields }, { from: pathname });
      const both = await Promise.all([form({ act: "send" }), form({ act: "decline", review_reply: "No." })]);
      expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
      return "accept";
    });
    const { structuredContent } = await call("send_alert", alertArguments(alert));
    const { status } = await now(alert);
    expect(structuredContent.decision).toBe(status === "sent" ? "sent" : "declined");
  });

  test("a foreign or missing alert, and a caller who may not read, are refused as before", async () => {
    const foreign = await world.foreignKey();
    const alert = await draft();
    const reader = await world.key({ scopes: "alerts:write" });
    for (const [key, id] of [
      [author, "alr_01h2xcejqtf2nbrexx3vqjhp41"],
      [reader, alert.id],
    ] as const) {
      const { asked, call } = await modern(async () => "accept", key);
      const refused = await call("send_alert", { pusher_id: pusher.id, alert_id: id });
      expect([refused.isError, asked]).toEqual([true, []]);
      expect(refused.structuredContent.error.type).toBe("insufficient_scope");
    }
    const { call } = await modern(async () => "accept", foreign);
    expect((await call("send_alert", alertArguments(alert))).structuredContent.error.type).toBe("not_found");
  });
});

// rules#mcp-step-up
test("a connected assistant: challenged where its client opens addresses, and nothing is kept then", async () => {
  const client = (await registerClient(world)).body;
  const scope = "alerts:read alerts:write";
  const { access_token } = (await connectAssistant(world, owner, client, { scope })).tokens.body;
  const args = { pusher_id: pusher.id, title: "By consent", send: true };
  const challenged = await world.mcp("create_alert", args, access_token);
  expect(challenged.status).toBe(403);
  expect((await world.rest("list_alerts", { pusher_id: pusher.id })).body.data).toEqual([]);
  const { call } = await modern(async ({ url }) => {
    await tap(url, "send");
    return "accept";
  }, access_token);
  expect((await call("create_alert", args)).structuredContent).toMatchObject({ decision: "sent" });
  // An action without a person's decision on one alert is still challenged.
  await expect(call("delete_pusher", { pusher_id: pusher.id })).rejects.toThrow(/pushers:write/);
});

describe("the state that travels", () => {
  /** One call as the wire has it. */
  const raw = async (name: string, args: object, more: object = {}, key = author) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": URL_MODE,
    };
    const params = { name, arguments: args, ...more, _meta };
    const response = await through(key)(MCP, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return (await response.json()) as any;
  };
  const stays = { inputResponses: { review: { action: "cancel" } } };

  // rules#mcp-review
  test("good once, for its caller, its call and its alert", async () => {
    const [alert, other] = [await draft(), await draft()];
    const first = (await raw("send_alert", alertArguments(alert))).result;
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: { review: { method: "elicitation/create", params: { mode: "url", url: alert.review_url } } },
    });
    const { requestState } = first;
    const again = { ...stays, requestState };
    const invalid = { code: -32602, message: "Invalid or expired requestState" };
    const another = await world.key({ scopes: "alerts:read,alerts:write" });
    const altered = { ...stays, requestState: `${requestState.slice(0, -2)}AA` };
    for (const refused of [
      await raw("send_alert", alertArguments(other), again),
      await raw("schedule_alert", alertArguments(alert), again),
      await raw("send_alert", alertArguments(alert), again, another),
      await raw("send_alert", alertArguments(alert), altered),
      await raw("send_alert", alertArguments(alert), { ...stays, requestState: "" }),
    ])
      expect(refused.error).toMatchObject(invalid);
    expect((await raw("send_alert", alertArguments(alert), again)).result.structuredContent.decision).toBe("waiting");
    expect((await raw("send_alert", alertArguments(alert), again)).error).toMatchObject(invalid);
    // A new call is challenged again.
    expect((await raw("send_alert", alertArguments(alert))).result.resultType).toBe("input_required");
    expect((await now(alert)).status).toBe("draft");
  });
});

// rules#mcp-review
describe.each(["sdk 2", "sdk 1"] as const)("a client of 2025, %s", (kind) => {
  test.each([
    ["may not publish", COMPOSES],
    ["needs approval", ASKS_FIRST],
  ])("that %s: sent there by the error of its era, and tries again after its person's tap", async (_why, may) => {
    author = await world.key(may);
    const alert = await draft();
    const call = await legacy(kind);
    const error = await call("send_alert", alertArguments(alert));
    expect(error.code).toBe(-32042);
    const [asked] = error.data.elicitations;
    expect(asked).toMatchObject({ mode: "url", url: alert.review_url, elicitationId: expect.any(String) });
    // Not before a person decided.
    expect((await call("send_alert", alertArguments(alert))).code).toBe(-32042);
    await tap(asked.url, "send");
    expect((await call("send_alert", alertArguments(alert))).structuredContent).toMatchObject({ decision: "sent" });
  });

  test("create with send: by the error where the call can be retried, else by the refusal with its draft", async () => {
    const call = await legacy(kind);
    const args = { pusher_id: pusher.id, title: "Once", send: true };
    const refused = await call("create_alert", args);
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error.message).toMatch(/draft alr_\w+, so do not create it again.*\/console\//);
    const keyed = { ...args, idempotency_key: `once-${kind}` };
    const error = await call("create_alert", keyed);
    expect(error.code).toBe(-32042);
    await tap(error.data.elicitations[0].url, "send");
    expect((await call("create_alert", keyed)).structuredContent).toMatchObject({ decision: "sent" });
    const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id })).body;
    expect(data).toHaveLength(2);
  });
});

// rules#review-wait
test("a call that waits reports its progress, and ends when its client cancels it", async () => {
  const alert = await draft();
  const { call } = await modern(async () => "cancel");
  const progress: number[] = [];
  const onprogress = (told: { progress: number }) => progress.push(told.progress);
  const leaving = new AbortController();
  const held = call("wait_for_review", alertArguments(alert), { onprogress, signal: leaving.signal });
  const ended = held.catch((error: unknown) => error);
  await expect.poll(() => progress.length).toBeGreaterThan(0);
  leaving.abort();
  expect(await ended).toBeInstanceOf(Error);
  // Its slot is free: the permitted number of calls waits.
  const all = Array.from({ length: 4 }, () => call("wait_for_review", alertArguments(alert)));
  await tap(alert.review_url, "send");
  for (const { structuredContent } of await Promise.all(all)) expect(structuredContent.decision).toBe("sent");
});
