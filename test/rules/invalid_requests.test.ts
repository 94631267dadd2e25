// Malformed requests: bodies, paths, queries and ids of every wrong kind. Never a server error, always the envelope,
// and never an echo of the input.

import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { getPathArguments } from "../../src/operation/define_operation.ts";
import { removeNullFromSchema, toJsonSchema } from "../../src/operation/validation_errors.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import {
  alertArguments,
  createAlertInState,
  getRoleKey,
  NO_ALERT,
  NO_PUSHER,
  SUCCESS_ARGUMENTS,
} from "../cases/fixtures.ts";
import { openWorld } from "../support/open_world.ts";
import { type Answer, createHandle } from "../support/world.ts";

const MIB = 1024 * 1024;
const PUSHERS = "/api/v1/pushers";
const pusherJson = (more = "") => `{"handle":"${createHandle()}","name":"x","category":"ai","description":"x"${more}}`;
const callJson = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const ACCEPT = { accept: "application/json, text/event-stream" };

const refused = (param: string | null, type = "invalid_request", status = 422) => ({
  status,
  body: { error: { type, param } },
});

type Sendable = NonNullable<RequestInit["body"]>;

/** A refusal over MCP is in the result, or in the protocol's own error. */
const mcpError = ({ body }: Answer) => body.error ?? body.result.structuredContent.error;

/** The parts of a response that must not distinguish two requests. */
const comparable = ({ status, body, headers }: Answer) => ({
  status,
  body: JSON.stringify(body),
  headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"),
});

const world = await openWorld();
const token = world.owner;
const pusher = await world.pusher();
const draft = await world.alert(pusher.id);

describe("on a service", () => {
  const post = (body: Sendable | null, headers: Record<string, string> = {}, path = PUSHERS) =>
    world.request("POST", path, { token, body, headers, ...({ duplex: "half" } as object) });
  const mcp = (body: Sendable) => post(body, { ...ACCEPT, "content-type": "application/json" }, "/mcp");

  describe("bodies", () => {
    test.each(["{", '{"a":}', "nul", '{"a":1}{"b":2}', '{"a":1,}', "{'a':1}", "\u0000", '{"a":"\n"}', "NaN"])(
      "malformed JSON: %j",
      async (body) => expect(await post(body)).toMatchObject(refused(null)),
    );
    test.each(["[]", "null", '"x"', "5", "true", "[{}]"])("JSON that is not an object: %s", async (body) =>
      expect(await post(body)).toMatchObject(refused(null)),
    );
    test("bytes that are not UTF-8", async () => {
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      expect(await post(bytes, { "content-type": "application/json" })).toMatchObject(refused(null));
    });
    test.each([
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "application/json5",
      "json",
      "multipart/form-data",
    ])("content type %s", async (type) =>
      expect(await post(pusherJson(), { "content-type": type })).toMatchObject(refused(null)),
    );
    test("no content type", async () => expect(await post(Buffer.from(pusherJson()))).toMatchObject(refused(null)));
    test.each(["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=UTF-8"])(
      "content type %s is fine",
      async (type) => expect((await post(pusherJson(), { "content-type": type })).status).toBe(201),
    );
    // rules#empty-body
    test("an empty body is {}", async () => {
      const path = `${PUSHERS}/${pusher.id}`;
      expect((await world.request("PATCH", path, { token })).status).toBe(200);
      expect((await world.request("PATCH", path, { token, body: "" })).status).toBe(200);
      expect(await world.request("POST", PUSHERS, { token })).toMatchObject(refused("handle"));
    });
    test("the wrong credential comes before the wrong body", async () => {
      const answer = await world.request("POST", PUSHERS, { body: "{" });
      expect(answer).toMatchObject(refused(null, "unauthorized", 401));
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });
    const alertJson = (more = "") => `{"title":"x"${more}}`;
    const postAlert = (body: Sendable, headers = {}) => post(body, headers, `${PUSHERS}/${pusher.id}/alerts`);
    test("over 4 MiB", async () => {
      const large = alertJson(`,"body":"${"x".repeat(4 * MIB)}"`);
      expect(await postAlert(large)).toMatchObject(refused(null));
      expect(mcpError(await mcp(callJson("create_pusher", large)))).toMatchObject({
        type: "invalid_request",
        param: null,
      });
    });
    test("exactly 4 MiB are read", async () => {
      const frame = alertJson(',"body":""').length;
      const body = alertJson(`,"body":"${"x".repeat(4 * MIB - frame)}"`);
      expect(body.length).toBe(4 * MIB);
      expect(await postAlert(body)).toMatchObject(refused("body"));
    });
    test("exactly 64 KiB are read elsewhere", async () => {
      // One handle: the next one may be longer.
      const frame = pusherJson(',"long":""');
      const body = frame.replace('"long":""', `"long":"${"x".repeat(64 * 1024 - frame.length)}"`);
      expect(await post(body)).toMatchObject(refused("long"));
      expect(await post(`${body} `)).toMatchObject(refused(null));
    });
    test("over 4 MiB without a length", async () => {
      const endless = () => {
        let sent = 0;
        return new ReadableStream({
          pull: (stream) => {
            sent++;
            stream.enqueue(Buffer.alloc(MIB, 0x20));
            if (sent === 6) stream.close();
          },
        });
      };
      expect(await postAlert(endless(), { "content-type": "application/json" })).toMatchObject(refused(null));
      expect(mcpError(await mcp(endless()))).toMatchObject({ type: "invalid_request" });
    });

    const OPENS = 100_000;
    const nested: [string, string][] = [
      ["a thousand brackets", "[".repeat(1000) + "]".repeat(1000)],
      ["a thousand objects", `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`],
      ["brackets", "[".repeat(OPENS) + "]".repeat(OPENS)],
      ["objects", `${'{"a":'.repeat(OPENS)}1${"}".repeat(OPENS)}`],
      ["as many as the body has room for", "[".repeat(2 * MIB - 1000) + "]".repeat(2 * MIB - 1000)],
    ];
    test.each(nested)("deep nesting: %s", async (_name, deep) => {
      // Within the number of values that a request may have, the field is named; beyond it, nothing is parsed.
      const param = (field: string) => (deep.length > 10_000 ? null : field);
      expect(await postAlert(alertJson(`,"body":${deep}`))).toMatchObject(refused(param("body")));
      expect(await postAlert(alertJson(`,"other":${deep}`))).toMatchObject(refused(param("other")));
      expect(await postAlert(deep)).toMatchObject(deep.startsWith("[") ? refused(null) : { status: 422 });
      const answer = await mcp(callJson("create_pusher", pusherJson(`,"long":${deep}`)));
      expect(mcpError(answer)).toMatchObject({ type: "invalid_request", param: param("long") });
    });

    test.each(["1e999", "-1e999", "1e308", "true", '"1"', "[1]"])("a latitude of %s", async (number) => {
      const body = pusherJson(`,"lat":${number},"lon":1,"radius_km":1`);
      expect(await post(body)).toMatchObject(refused("lat"));
      // A number as text is read there (rules#lenient-arguments).
      const read = mcpError(await mcp(callJson("create_pusher", body)));
      if (number === '"1"') expect(read).toBeUndefined();
      else expect(read).toMatchObject({ param: "lat" });
    });
    test.each(["-0", "0.1e-320", "1.7976931348623157e1", "1E1"])("a latitude of %s is one", async (number) =>
      expect((await post(pusherJson(`,"lat":${number},"lon":1,"radius_km":1`))).status).toBe(201),
    );

    const ODD_TEXT: [string, string][] = [
      ["NUL", "a\\u0000b"],
      ["half a surrogate pair", "a\\ud800b"],
      ["the other half", "\\udc00"],
      ["halves in the wrong order", "\\udc00\\ud800"],
    ];
    test.each(ODD_TEXT)("%s in text", async (_name, text) => {
      const alerts = `${PUSHERS}/${pusher.id}/alerts`;
      expect(await post(pusherJson(`,"long":"${text}"`))).toMatchObject(refused("long"));
      expect(await post(pusherJson(`,"tags":["a","${text}"]`))).toMatchObject(refused("tags.1"));
      expect(await post(`{"title":"x","html":"<p>${text}</p>"}`, {}, alerts)).toMatchObject(refused("html"));
      expect(
        await post(
          `{"title":"x","actions":[{"type":"open_url","label":"${text}","url":"https://a.example/"}]}`,
          {},
          alerts,
        ),
      ).toMatchObject(refused("actions.0.label"));
      expect((await post(`{"title":"x","${text}":1}`, {}, alerts)).status).toBe(422);
      expect((await post(`{"title":"x","other":[[{"a":"${text}"}]]}`, {}, alerts)).status).toBe(422);
      const args = `{"pusher_id":"${pusher.id}","title":"${text}"}`;
      expect(mcpError(await mcp(callJson("create_alert", args)))).toMatchObject({
        type: "invalid_request",
        param: "title",
      });
    });

    test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
      "a field called %s",
      async (name) => {
        const alerts = `${PUSHERS}/${pusher.id}/alerts`;
        expect(await post(pusherJson(`,"${name}":{"is_public":false}`))).toMatchObject(refused(name));
        expect(
          await post(
            `{"title":"x","actions":[{"type":"open_url","label":"x","url":"https://a.example/","${name}":1}]}`,
            {},
            alerts,
          ),
        ).toMatchObject(refused(`actions.0.${name}`));
        expect(
          await world.request("PATCH", `${alerts}/${draft.id}`, { token, body: `{"action":"send","${name}":1}` }),
        ).toMatchObject(refused("action"));
        expect(await world.request("GET", `${alerts}?${name}=1`, { token })).toMatchObject(refused(name));
        // The protocol's own reading of arguments leaves this one out; what matters is that it changes nothing.
        if (name !== "__proto__")
          expect(mcpError(await mcp(callJson("create_pusher", pusherJson(`,"${name}":1`))))).toMatchObject({
            param: name,
          });
      },
    );

    test("of a field that is sent twice the last one counts", async () => {
      const { body } = await post(pusherJson(',"name":"first","name":"last"'));
      expect(body.name).toBe("last");
    });

    test.each(["pusher_id", "alert_id"])("a field named like a path argument: %s", async (name) => {
      const path = `${PUSHERS}/${pusher.id}/alerts/${draft.id}`;
      expect(await world.request("PATCH", path, { token, body: `{"${name}":"x"}` })).toMatchObject(refused(name));
      expect(await world.request("GET", `${path}?${name}=x`, { token })).toMatchObject(refused(name));
    });
  });

  describe("queries", () => {
    const query = (text: string) => world.request("GET", `${PUSHERS}/${pusher.id}/alerts?${text}`, { token });
    test.each([
      ["limit=1&limit=2", "limit"],
      ["limit=1&limit=1", "limit"],
      ["status=draft&limit=1&status=sent", "status"],
      ["limit=", "limit"],
      ["limit", "limit"],
      ["status=", "status"],
      ["limit=%20", "limit"],
      ["limit=0x10", "limit"],
      ["limit=1e2", "limit"],
      ["limit=+5", "limit"],
      ["limit=null", "limit"],
      ["limit[]=1", null],
      ["Limit=1", "Limit"],
      ["before=%00", "before"],
      ["before=%ff", "before"],
      ["=1", null],
      ["x%00y=1", null],
      [`${"x".repeat(65)}=1`, null],
    ])("%s", async (text, param) => expect(await query(text)).toMatchObject(refused(param)));
    test.each([
      "limit=5",
      "limit=05",
      "",
      "&&",
      "before=2026-01-01T00:00:00+01:00",
      "before=2026-01-01T00:00:00%2B01:00",
    ])("%s is fine", async (text) => expect((await query(text)).status).toBe(200));
    test("none where the body speaks", async () => {
      const path = `${PUSHERS}/${pusher.id}`;
      expect(await world.request("PATCH", `${path}?name=x`, { token, body: "{}" })).toMatchObject(refused("name"));
      expect(await world.request("POST", `${PUSHERS}?a=1`, { token, body: pusherJson() })).toMatchObject(refused("a"));
    });
  });

  // rules#unknown-route rules#version-path
  describe("routes", () => {
    test.each([
      ["GET", "/api"],
      ["GET", "/api/v2/me"],
      ["GET", "/api/v1/Me"],
      ["GET", "/api/v1//pushers"],
      ["GET", "//api/v1/me"],
      ["GET", "/api/v1/pushers/a/b"],
      ["GET", "/api/v1/pushers/%zz"],
      ["GET", "/api/v1/pushers/%ff/x"],
      ["POST", "/nowhere"],
      ["GET", "/.env"],
      ["GET", "/console/../api"],
      ["GET", "/api/v1/pushers/%2e%2e/%2e%2e/etc"],
      ["GET", "/__proto__"],
      ["GET", "/constructor"],
      ["OPTIONS", "/nowhere"],
    ])("%s %s is unknown, credential or none", async (method, path) => {
      const [without, withKey] = [await world.request(method, path), await world.request(method, path, { token })];
      expect(without).toMatchObject(refused(null, "not_found", 404));
      expect(comparable(withKey)).toEqual(comparable(without));
    });

    test.each([
      ["PUT", "/api/v1/me", "GET, HEAD"],
      ["DELETE", "/api/v1/me", "GET, HEAD"],
      ["DELETE", PUSHERS, "GET, HEAD, POST"],
      ["PUT", `${PUSHERS}/x`, "GET, HEAD, PATCH, DELETE"],
      ["POST", `${PUSHERS}/x/alerts/y`, "GET, HEAD, PATCH, DELETE"],
      ["PATCH", `${PUSHERS}/x/alerts`, "GET, HEAD, POST"],
      ["OPTIONS", PUSHERS, "GET, HEAD, POST"],
      ["PROPFIND", PUSHERS, "GET, HEAD, POST"],
    ])("%s %s is not served there", async (method, path, allow) => {
      const answer = await world.request(method, path);
      expect(answer).toMatchObject(refused(null, "not_found", 404));
      expect(answer.headers.get("allow")).toBe(allow);
    });

    test.each(["GET", "DELETE", "PUT", "PATCH"])("%s /mcp", async (method) => {
      const answer = await world.request(method, "/mcp", { token });
      expect(answer.status).toBe(405);
      expect(answer.body.error).toMatchObject({ message: expect.any(String), param: null });
      expect(answer.headers.get("allow")).toBe("POST");
    });

    test.each([
      `${PUSHERS}/%00`,
      `${PUSHERS}/%2e%2e`,
      `${PUSHERS}/a%2fb`,
      `${PUSHERS}/%ff`,
      `${PUSHERS}/%ed%a0%80`,
      `${PUSHERS}/${"x".repeat(5000)}`,
      `${PUSHERS}/..;/me`,
      `${PUSHERS}/%5c..%5c`,
      `${PUSHERS}/%20`,
      `${PUSHERS}/x%0d%0aSet-Cookie:a`,
      `${PUSHERS}/%25%30%30`,
    ])("an id that is a trick: %s", async (path) => {
      for (const method of ["GET", "PATCH", "DELETE"])
        expect([200, 404]).toContain((await world.request(method, path, { token })).status);
      for (const tail of ["/alerts", "/alerts/x"])
        expect((await world.request("GET", path + tail, { token })).status).toBe(404);
    });

    test("HEAD answers as GET, without a body", async () => {
      const get = await world.request("GET", `${PUSHERS}/${pusher.id}`, { token });
      const response = await world.service.app.fetch(
        new Request(`http://localhost${PUSHERS}/${pusher.id}`, {
          method: "HEAD",
          headers: { authorization: `Bearer ${token}` },
        }),
      );
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect((await world.request("HEAD", `${PUSHERS}/${NO_PUSHER}`, { token })).status).toBe(404);
      expect((await world.request("HEAD", PUSHERS)).status).toBe(401);
    });

    test.each(["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Token x", "Bearer a b", "bearer"])(
      "Authorization: %s",
      async (value) => {
        const answer = await world.request("GET", "/api/v1/me", { headers: { authorization: value } });
        expect(answer).toMatchObject(refused(null, "unauthorized", 401));
        expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      },
    );
    test("the scheme is read in any case, a key in one", async () => {
      const me = (authorization: string) => world.request("GET", "/api/v1/me", { headers: { authorization } });
      expect((await me(`bearer ${token}`)).status).toBe(200);
      expect((await me(`BEARER   ${token} `)).status).toBe(200);
      expect((await me(`Bearer ${token.toUpperCase()}`)).status).toBe(401);
      expect((await me(`Bearer ${token}, Bearer ${token}`)).status).toBe(401);
      expect((await world.request("GET", `/api/v1/me?access_token=${token}`)).status).toBe(401);
    });
  });

  describe("rows of others", () => {
    const withIds = OPERATIONS.filter(({ http }) => http.path.includes("{id}"));
    test.each(withIds.map((tool) => [tool.name, tool] as const))(
      "%s: foreign and missing rows look the same",
      async (name, tool) => {
        const foreign = await world.foreignKey();
        const theirs = await world.pusher({}, foreign);
        const their = await world.rest("create_alert", { pusher_id: theirs.id, title: "x" }, foreign);
        const more = Object.fromEntries(
          Object.entries(await SUCCESS_ARGUMENTS[name]!(world)).filter(
            ([field]) => field !== "pusher_id" && field !== "alert_id",
          ),
        );
        const deep = tool.http.path.includes("{alertId}");
        const ids = deep
          ? [
              alertArguments({ id: NO_ALERT, pusher_id: NO_PUSHER }),
              alertArguments(their.body),
              alertArguments({ id: their.body.id, pusher_id: pusher.id }),
              alertArguments({ id: NO_ALERT, pusher_id: pusher.id }),
              alertArguments({ id: pusher.id, pusher_id: draft.id }),
            ]
          : [
              { pusher_id: NO_PUSHER },
              { pusher_id: theirs.id },
              { pusher_id: draft.id },
              { pusher_id: pusher.id.toUpperCase() },
              { pusher_id: "x" },
            ];
        // A malformed id is reported as such, independent of its owner: by its own shape, never by a row.
        const isId = (text: string) => parseIdOrNull("psh", text) !== null || parseIdOrNull("alr", text) !== null;
        const shapes = Map.groupBy(ids, ({ pusher_id }) => isId(pusher_id));
        expect([...shapes.keys()].sort()).toEqual(deep ? [true] : [false, true]);
        const keys = [token, await getRoleKey("viewer")(world)];
        for (const [key, alike] of keys.flatMap((one) => [...shapes.values()].map((of) => [one, of] as const))) {
          const overRest: Answer[] = [];
          const overMcp: Answer[] = [];
          for (const id of alike) {
            overRest.push(await world.rest(name, { ...more, ...id }, key));
            const message = callJson(name, JSON.stringify({ ...more, ...id }));
            overMcp.push(await world.request("POST", "/mcp", { token: key, body: message, headers: ACCEPT }));
          }
          for (const answer of overRest) {
            expect(answer).toMatchObject(refused(null, "not_found", 404));
            expect(comparable(answer)).toEqual(comparable(overRest[0]!));
          }
          for (const answer of overMcp) {
            expect(mcpError(answer)).toMatchObject({ type: "not_found", param: null });
            expect(comparable(answer)).toEqual(comparable(overMcp[0]!));
          }
        }
        expect((await world.rest("get_alert", alertArguments(their.body), foreign)).body).toMatchObject({
          status: "draft",
          title: "x",
        });
      },
    );
  });

  // rules#no-echo
  describe("no echo", () => {
    const CANARY = "canary-7f3a";
    /** The name of an unknown field is in its `param`, and nowhere else. */
    const NAME = new RegExp(
      `(param\\\\?":\\\\?"[\\w.]+\\.)${CANARY}(\\\\?",\\\\?"code\\\\?":\\\\?"unknown_field)`,
      "g",
    );
    const text = ({ body, headers }: Answer) =>
      `${JSON.stringify(body).replace(NAME, "$1$2")} ${[...headers]
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}`;
    const check = (answer: Answer) => {
      expect(answer.status).not.toBe(500);
      if (answer.status >= 400 || answer.body?.error || answer.body?.result?.isError)
        expect(text(answer)).not.toContain(CANARY);
    };

    test.each(OPERATIONS.map((tool) => [tool.name, tool] as const))(
      "%s: no field, id or header of a refused call",
      async (name, tool) => {
        const ready = await SUCCESS_ARGUMENTS[name]!(world);
        const fields = Object.entries(toJsonSchema(tool.input).properties ?? {});
        for (const [field, schema] of fields) {
          const { type } = removeNullFromSchema(schema);
          const values =
            type === "array"
              ? [CANARY, [CANARY], [{ [CANARY]: CANARY, type: CANARY, url: CANARY, label: CANARY }]]
              : [CANARY, { a: CANARY }, `${CANARY}\u0000`, ` ${CANARY}`, `http://${CANARY}/`];
          for (const value of values) {
            const args = { ...ready, [field]: value };
            const ids = getPathArguments(tool.http.path).includes(field);
            if (!ids || typeof value === "string") check(await world.rest(name, args));
            const body = callJson(name, JSON.stringify(args));
            check(await world.request("POST", "/mcp", { token, body, headers: ACCEPT }));
          }
        }
        const { method, path, body } = buildRestRequest(tool, ready);
        for (const header of [
          "authorization",
          "idempotency-key",
          "content-type",
          "if-none-match",
          "x-request-id",
          "accept",
          "origin",
          "cookie",
        ]) {
          const headers = {
            authorization: `Bearer ${token}`,
            [header]: header === "idempotency-key" ? `${CANARY}\té` : CANARY,
          };
          const answer = await world.request(method, path, { headers, body });
          expect(answer.headers.get("x-request-id")).not.toContain(CANARY);
          if (answer.status >= 400) check(answer);
        }
        const key = await world.key({ scopes: "webhooks:read", name: CANARY });
        check(await world.rest(name, ready, key));
      },
    );

    test("MCP's own errors", async () => {
      for (const body of [
        callJson(CANARY, "{}"),
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":"${CANARY}"}}`,
        `{"jsonrpc":"2.0","id":1,"method":"${CANARY}","params":{}}`,
        `{"${CANARY}"`,
        `"${CANARY}"`,
      ])
        expect(JSON.stringify((await mcp(body)).body)).not.toContain(CANARY);
    });

    test("routes", async () => {
      for (const path of [
        `/${CANARY}`,
        `${PUSHERS}/${CANARY}`,
        `${PUSHERS}?${CANARY}x=${CANARY}`,
        `${PUSHERS}/${CANARY}/alerts/${CANARY}`,
      ]) {
        const answer = await world.request("GET", path, { token });
        // A query's name may be in `param`, like a field's; its value never.
        expect(answer.body.error.message).not.toContain(CANARY);
        if (!path.includes("?")) check(answer);
      }
    });
  });

  describe("on a socket", () => {
    let listening: ListeningServer;
    let port: number;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    beforeAll(async () => {
      port = await findFreePort("127.0.0.1");
      listening = await listenHttp(world.service.app, { host: "127.0.0.1", port });
    });
    afterAll(async () => {
      agent.destroy();
      await listening.close();
    });

    /** One request on a socket; the body is written as given, in chunks when it has no length. */
    const send = (
      method: string,
      path: string,
      {
        body,
        headers = {},
        chunked = false,
      }: { body?: Buffer | string; headers?: Record<string, string>; chunked?: boolean } = {},
    ) =>
      new Promise<{ status: number; body: any; headers: IncomingMessage["headers"] }>((resolve, reject) => {
        const outgoing = httpRequest({
          host: "127.0.0.1",
          port,
          method,
          path,
          agent,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(body === undefined || chunked ? {} : { "content-length": String(Buffer.byteLength(body)) }),
            ...headers,
          },
        });
        let answered = false;
        outgoing.on("response", async (response) => {
          answered = true;
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve({
            status: response.statusCode!,
            body: text === "" ? null : JSON.parse(text.replace(/^[^{]*(?={)/, "")),
            headers: response.headers,
          });
        });
        // A refused upload may still be under way when the answer has come.
        outgoing.on("error", (error) => answered || reject(error));
        if (chunked && body !== undefined)
          for (let at = 0; at < body.length; at += 64 * 1024) outgoing.write(body.slice(at, at + 64 * 1024));
        outgoing.end(chunked ? undefined : body);
      });

    test.each([
      ["with a length", false, PUSHERS],
      ["in chunks", true, PUSHERS],
      ["with a length", false, "/mcp"],
      ["in chunks", true, "/mcp"],
    ])("a body of 6 MiB %s (%s) to %s, then another request", async (_name, chunked, path) => {
      const body = Buffer.alloc(6 * MIB, 0x20);
      const answer = await send("POST", path, { body, chunked, headers: ACCEPT });
      expect(answer).toMatchObject(refused(null));
      expect(answer.headers["x-request-id"]).toBeTruthy();
      expect((await send("GET", "/api/v1/me")).status).toBe(200);
    });
    test("a refused body without a credential, then another request", async () => {
      const body = Buffer.alloc(3 * MIB, 0x20);
      const answer = await send("POST", PUSHERS, { body, headers: { authorization: "none" } });
      expect(answer).toMatchObject(refused(null, "unauthorized", 401));
      expect((await send("GET", "/api/v1/me")).status).toBe(200);
    });
    test("a body where none is read, then another request", async () => {
      expect((await send("GET", "/api/v1/me", { body: "{}" })).status).toBe(200);
      expect((await send("GET", "/nowhere", { body: "x".repeat(100_000) })).status).toBe(404);
      expect((await send("GET", "/api/v1/me")).status).toBe(200);
    });
    test.each([
      "/api/v1/../../etc/passwd",
      "/api/v1/%2e%2e/me",
      "//api/v1/me",
      "/api/v1/me%00",
      "/api/v1/me/../pushers",
      "/%",
      "/api/v1/pushers/%c0%ae",
      "/?/api/v1/me",
      "/api/v1/me#x",
      "/api/v1/me?%",
    ])("the path %s", async (path) => {
      const answer = await send("GET", path);
      expect([200, 404, 422]).toContain(answer.status);
      expect(answer.headers["x-request-id"]).toBeTruthy();
      if (answer.status !== 200) expect(answer.body.error.type).toMatch(/not_found|invalid_request/);
    });
    test("HEAD and 204 have no body", async () => {
      const head = await send("HEAD", PUSHERS);
      expect([head.status, head.body]).toEqual([200, null]);
      const alert = await createAlertInState(world, "draft");
      const gone = await send("DELETE", `${PUSHERS}/${alert.pusher_id}/alerts/${alert.id}`);
      expect([gone.status, gone.body]).toEqual([204, null]);
      expect((await send("GET", "/api/v1/me")).status).toBe(200);
    });
  });
});
