// Gotify's own server compared with this one: the same requests to both. Each difference is a row of
// docs/reference/senders.md#gotify. It runs where `gotify-server` is on the PATH. No registry has it, so it is built in
// a checkout of Gotify, by `go build -o gotify-server .`. That needs `{}` as ui/build/manifest.json and any page as
// ui/build/index.html.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PeerProgram, startProgram } from "../../bench/peers/peer_program.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { isSenderMissing } from "../support/requirements.ts";
import { World } from "../support/world.ts";

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: RequestInit["body"];
}

interface Side {
  /** An application's token; here the key of one channel. */
  app: string;
  /** A client's token; here a key that reads. */
  client: string;
  ask(asked: Asked): Promise<Response>;
}

let folder: string;
let gotify: PeerProgram;
let world: World;
let theirs: Side;
let ours: Side;

const ADMIN = { authorization: `Basic ${btoa("admin:admin")}` };
const json = (value: unknown, headers: Record<string, string> = {}) => ({
  body: JSON.stringify(value),
  headers: { "content-type": "application/json", ...headers },
});

const lacksGotify = isSenderMissing("gotify-server");

beforeAll(async () => {
  if (lacksGotify) return;
  folder = mkdtempSync(join(tmpdir(), "belfry-gotify-"));
  const port = await findFreePort("127.0.0.1");
  const env = { GOTIFY_SERVER_LISTENADDR: "127.0.0.1", GOTIFY_SERVER_PORT: String(port), GIN_MODE: "release" };
  gotify = await startProgram("gotify-server", ["serve"], { port, folder, env });
  const ask = ({ path = "/message", ...request }: Asked) => fetch(`${gotify.target.url}${path}`, request);
  const tokenOf = async (path: string) =>
    ((await (await ask({ path, method: "POST", ...json({ name: "Harbour" }, ADMIN) })).json()) as { token: string })
      .token;
  theirs = { app: await tokenOf("/application"), client: await tokenOf("/client"), ask };
  world = await World.open({ settings: { PUBLIC_URL: "http://alerts.example.org" } });
  const channel = await world.pusher();
  ours = {
    app: await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id }),
    client: await world.key({ scopes: "alerts:read", pusher: channel.id }),
    ask: ({ path = "/message", ...request }) =>
      world.service.app.fetch(new Request(`http://alerts.example.org/gotify${path}`, request), "198.51.100.7"),
  };
});
afterAll(async () => {
  await world?.close();
  await gotify?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** An answer in a line, without ids, times and sentences. */
async function shown(answer: Response): Promise<string> {
  const text = await answer.text();
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return `${answer.status} text`;
  }
  if (body?.errorDescription) return `${answer.status} ${body.error} ${body.errorCode}`;
  if (Array.isArray(body)) return `${answer.status} a list`;
  const { id, appid, date, extras = {}, ...rest } = body ?? {};
  delete extras["belfry::alert"];
  // In a message these are numbers and a time.
  const kinds = [typeof id, typeof appid, Number.isNaN(Date.parse(date)) ? "" : "date"].join(" ");
  const more = Object.keys(extras).length > 0 ? ` ${JSON.stringify(extras)}` : "";
  return "message" in rest
    ? `${answer.status}${kinds === "number number date" ? "" : ` (${kinds})`} ${rest.title} | ${rest.message} | ` +
        `${rest.priority}${more}`
    : `${answer.status} ${Object.keys(body).sort()}`;
}

type Row = [name: string, asked: (side: Side) => Asked];

const key = ({ app }: Side) => ({ "x-gotify-key": app });
const post =
  (value: unknown, more: Record<string, string> = {}): Row[1] =>
  (side) => ({ method: "POST", ...json(value, { ...key(side), ...more }) });
const form = (fields: Record<string, string>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
};
const WHOLE = { title: "T", message: "m", priority: 6 };
const asClient =
  (method: string, path: string, value?: unknown): Row[1] =>
  ({ client }) => ({
    ...{ method, path },
    ...(value === undefined ? { headers: { "x-gotify-key": client } } : json(value, { "x-gotify-key": client })),
  });

const CREDENTIALS: Row[] = [
  ["?token=", ({ app }) => ({ method: "POST", path: `/message?token=${app}`, ...json(WHOLE) })],
  ["X-Gotify-Key", post(WHOLE)],
  ["Bearer", ({ app }) => ({ method: "POST", ...json(WHOLE, { authorization: `Bearer ${app}` }) })],
  ["bearer in lower case", ({ app }) => ({ method: "POST", ...json(WHOLE, { authorization: `bearer ${app}` }) })],
  ["none", () => ({ method: "POST", ...json(WHOLE) })],
  ["a wrong one", () => ({ method: "POST", ...json(WHOLE, { "x-gotify-key": "AbCdEf123456789" }) })],
  [
    "a wrong ?token= with the right header",
    (side) => ({ method: "POST", path: "/message?token=AbCdEf123456789", ...json(WHOLE, key(side)) }),
  ],
  ["Basic of a proxy with the header", post(WHOLE, { authorization: `Basic ${btoa("proxy:pw")}` })],
  [
    "an empty ?token= beside the header",
    (side) => ({ method: "POST", path: "/message?token=", ...json(WHOLE, key(side)) }),
  ],
  ["a user's password with appid", () => ({ method: "POST", ...json({ ...WHOLE, appid: 1 }, ADMIN) })],
  ["a client's token without appid", asClient("POST", "/message", WHOLE)],
  ["a cookie", ({ app }) => ({ method: "POST", ...json(WHOLE, { cookie: `gotify-client-token=${app}` }) })],
];

const FIELDS: Row[] = [
  ["a message alone", post({ message: "m" })],
  ["a message of lines alone", post({ message: "one\ntwo" })],
  ["a title of blanks", post({ title: "  ", message: "m" })],
  ["an empty title", post({ title: "", message: "m" })],
  ...[0, 1, 3, 4, 7, 8, 10, 11, -1, 99].map((priority): Row => [`priority ${priority}`, post({ ...WHOLE, priority })]),
  ["priority null", post({ ...WHOLE, priority: null })],
  ["priority as text", post({ ...WHOLE, priority: "5" })],
  ["priority with a fraction", post({ ...WHOLE, priority: 5.5 })],
  ["no message", post({ title: "T" })],
  ["an empty message", post({ title: "T", message: "" })],
  ["a message of blanks", post({ title: "T", message: " " })],
  ["a message that is a number", post({ message: 5 })],
  ["a title that is a number", post({ title: 5, message: "m" })],
  ["an unknown field", post({ ...WHOLE, colour: "red" })],
  ["fields in capitals", post({ Title: "T", Message: "m", Priority: 6 })],
  ["an id, an appid and a date of its own", post({ ...WHOLE, id: 7, appid: 7, date: "2018-02-27T19:36:10Z" })],
  ["a long message", post({ title: "T", message: "x".repeat(5000) })],
  ["a long title", post({ title: "x".repeat(300), message: "m" })],
  ["not ASCII", post({ title: "Größe 🎉", message: "日本語" })],
];

const EXTRAS: Row[] = [
  ...["text/plain", "text/markdown", "text/html"].map(
    (contentType): Row => [
      `contentType ${contentType}`,
      post({ ...WHOLE, extras: { "client::display": { contentType } } }),
    ],
  ),
  ["click", post({ ...WHOLE, extras: { "client::notification": { click: { url: "https://gotify.net" } } } })],
  ["bigImageUrl", post({ ...WHOLE, extras: { "client::notification": { bigImageUrl: "https://e.org/a.png" } } })],
  [
    "android::action",
    post({ ...WHOLE, extras: { "android::action": { onReceive: { intentUrl: "https://gotify.net" } } } }),
  ],
  ["extras of another name", post({ ...WHOLE, extras: { "home::appliances::lighting::on": { brightness: 15 } } })],
  ["extras that are null", post({ ...WHOLE, extras: null })],
  ["empty extras", post({ ...WHOLE, extras: {} })],
  ["extras that are a list", post({ ...WHOLE, extras: [1] })],
  ["extras that are a text", post({ ...WHOLE, extras: "x" })],
  ["a part that is not an object", post({ ...WHOLE, extras: { "client::display": "text/markdown" } })],
];

const BODIES: Row[] = [
  [
    "a form",
    (side) => ({
      method: "POST",
      body: new URLSearchParams({ title: "T", message: "m", priority: "6" }),
      headers: key(side),
    }),
  ],
  [
    "a form in parts",
    (side) => ({ method: "POST", body: form({ title: "T", message: "m", priority: "6" }), headers: key(side) }),
  ],
  ["a form without a message", (side) => ({ method: "POST", body: form({ title: "T" }), headers: key(side) })],
  [
    "a form with an invalid priority",
    (side) => ({ method: "POST", body: form({ message: "m", priority: "high" }), headers: key(side) }),
  ],
  [
    "a form with an empty priority",
    (side) => ({ method: "POST", body: form({ title: "T", message: "m", priority: "" }), headers: key(side) }),
  ],
  [
    "a form with extras",
    (side) => ({ method: "POST", body: form({ title: "T", message: "m", extras: "{}" }), headers: key(side) }),
  ],
  [
    "a form with a file",
    (side) => {
      const data = form({ title: "T", message: "m" });
      data.append("file", new Blob(["log"]), "a.log");
      return { method: "POST", body: data, headers: key(side) };
    },
  ],
  [
    "the query and no body",
    (side) => ({ method: "POST", path: "/message?title=T&message=m&priority=6", headers: key(side) }),
  ],
  [
    "the query with a form",
    (side) => ({
      method: "POST",
      path: "/message?title=T",
      body: new URLSearchParams({ message: "m" }),
      headers: key(side),
    }),
  ],
  [
    "both in the query and in a form",
    (side) => ({
      method: "POST",
      path: "/message?message=q",
      body: new URLSearchParams({ message: "m", title: "T" }),
      headers: key(side),
    }),
  ],
  [
    "the query with JSON",
    (side) => ({ method: "POST", path: "/message?title=Q", ...json({ message: "m" }, key(side)) }),
  ],
  [
    "JSON without a content type",
    (side) => ({ method: "POST", body: Buffer.from(JSON.stringify(WHOLE)), headers: key(side) }),
  ],
  [
    "JSON as text",
    (side) => ({
      method: "POST",
      body: JSON.stringify(WHOLE),
      headers: { ...key(side), "content-type": "text/plain" },
    }),
  ],
  [
    "JSON with a charset",
    (side) => ({
      method: "POST",
      body: JSON.stringify(WHOLE),
      headers: { ...key(side), "content-type": "application/json; charset=utf-8" },
    }),
  ],
  [
    "broken JSON",
    (side) => ({
      method: "POST",
      body: '{"message":"a" "b"}',
      headers: { ...key(side), "content-type": "application/json" },
    }),
  ],
  ["a list", post([WHOLE])],
  ["an empty JSON body", (side) => ({ method: "POST", headers: { ...key(side), "content-type": "application/json" } })],
  ["no body at all", (side) => ({ method: "POST", headers: key(side) })],
];

const ADDRESSES: Row[] = [
  ["GET /version", () => ({ method: "GET", path: "/version" })],
  ["GET /health", () => ({ method: "GET", path: "/health" })],
  ["HEAD /health", () => ({ method: "HEAD", path: "/health" })],
  ["GET /gotifyinfo", () => ({ method: "GET", path: "/gotifyinfo" })],
  ["POST /message/", (side) => ({ method: "POST", path: "/message/", ...json(WHOLE, key(side)) })],
  ["PUT /message", (side) => ({ method: "PUT", ...json(WHOLE, key(side)) })],
  ["an invalid address", () => ({ method: "GET", path: "/nowhere" })],
  ["GET /message", asClient("GET", "/message?limit=5")],
  ["GET /message, since", asClient("GET", "/message?limit=1&since=3")],
  ["GET /message, an invalid limit", asClient("GET", "/message?limit=900")],
  ["GET /message with an application's token", (side) => ({ method: "GET", headers: key(side) })],
  ["GET /application/1/message", asClient("GET", "/application/1/message")],
  ["DELETE /message/1", asClient("DELETE", "/message/1")],
  ["DELETE /message", asClient("DELETE", "/message")],
  ["DELETE /application/1/message", asClient("DELETE", "/application/1/message")],
  ["GET /stream without an upgrade", asClient("GET", "/stream")],
  ["GET /current/user", asClient("GET", "/current/user")],
  ["GET /application", asClient("GET", "/application")],
  ["POST /application", asClient("POST", "/application", { name: "x" })],
  ["GET /client", asClient("GET", "/client")],
  ["GET /plugin", asClient("GET", "/plugin")],
  ["GET /user", asClient("GET", "/user")],
  ["OPTIONS /message", () => ({ method: "OPTIONS" })],
  ["HEAD /version", () => ({ method: "HEAD", path: "/version" })],
  ["GET /", () => ({ method: "GET", path: "/" })],
  ["GET /swagger", () => ({ method: "GET", path: "/swagger" })],
];

const NOT_SERVED = "404 Not Found 404";

/** Where the answers differ: request → Gotify's and ours (docs/reference/senders.md#gotify lists the kinds). */
const DIFFERENCES: Record<string, [gotify: string, here: string]> = {
  "a wrong ?token= with the right header": ["401 Unauthorized 401", "200 T | m | 6"],
  "a user's password with appid": ["200 T | m | 6", "401 Unauthorized 401"],
  "a client's token without appid": ["400 Bad Request 400", "403 Forbidden 403"],
  "a cookie": ["200 T | m | 6", "401 Unauthorized 401"],
  "a message alone": ["200 Harbour | m | 0", "200 m | m | 0"],
  "a message of lines alone": ["200 Harbour | one\ntwo | 0", "200 one | one\ntwo | 0"],
  "a title of blanks": ["200 Harbour | m | 0", "200 m | m | 0"],
  "an empty title": ["200 Harbour | m | 0", "200 m | m | 0"],
  "priority as text": ["400 Bad Request 400", "200 T | m | 5"],
  "priority with a fraction": ["400 Bad Request 400", "200 T | m | 0"],
  "a message that is a number": ["400 Bad Request 400", "200 5 | 5 | 0"],
  "a title that is a number": ["400 Bad Request 400", "200 5 | m | 0"],
  "extras that are a list": ["400 Bad Request 400", "200 T | m | 6"],
  "extras that are a text": ["400 Bad Request 400", "200 T | m | 6"],
  "a form with an invalid priority": ["400 Bad Request 400", "200 m | m | 0"],
  "the query with JSON": ["200 Harbour | m | 0", "200 Q | m | 0"],
  "JSON without a content type": ["400 Bad Request 400", "200 T | m | 6"],
  "JSON as text": ["400 Bad Request 400", "200 T | m | 6"],
  "GET /gotifyinfo": ["200 oidc,register,version", NOT_SERVED],
  "GET /message": ["200 messages,paging", NOT_SERVED],
  "GET /message, since": ["200 messages,paging", NOT_SERVED],
  "GET /message, an invalid limit": ["400 Bad Request 400", NOT_SERVED],
  "GET /message with an application's token": ["401 Unauthorized 401", NOT_SERVED],
  "GET /application/1/message": ["200 messages,paging", NOT_SERVED],
  "DELETE /message/1": ["200 text", NOT_SERVED],
  "DELETE /message": ["200 text", NOT_SERVED],
  "DELETE /application/1/message": ["200 text", NOT_SERVED],
  "GET /stream without an upgrade": ["400 text", NOT_SERVED],
  "GET /current/user": ["200 admin,clientId,createdAt,id,name", NOT_SERVED],
  "GET /application": ["200 a list", NOT_SERVED],
  "POST /application": [
    "200 createdAt,defaultPriority,description,id,image,internal,lastUsed,name,sortKey,token",
    NOT_SERVED,
  ],
  "GET /client": ["200 a list", NOT_SERVED],
  "GET /plugin": ["200 a list", NOT_SERVED],
  "GET /user": ["403 Forbidden 403", NOT_SERVED],
  "OPTIONS /message": ["200 text", NOT_SERVED],
  "HEAD /version": ["404 text", "200 text"],
  "GET /": ["200 text", NOT_SERVED],
  "GET /swagger": ["200 consumes,definitions,host,info,paths,produces,schemes,securityDefinitions,swagger", NOT_SERVED],
};

const SECTIONS = { CREDENTIALS, FIELDS, EXTRAS, BODIES, ADDRESSES };

// rules#sender-formats
describe.skipIf(lacksGotify)(
  "a request is answered as Gotify's server answers it, but for the differences listed",
  () => {
    const table: string[] = [];
    afterAll(() => console.log(["request | Gotify | here", ...table].join("\n")));
    for (const [section, rows] of Object.entries(SECTIONS))
      test.each(rows)(`${section.toLowerCase()}: %s`, async (name, asked) => {
        const [there, here] = await Promise.all([theirs, ours].map(async (side) => shown(await side.ask(asked(side)))));
        if (there !== here) table.push(`${name} | ${there} | ${here}`);
        expect([there, here]).toEqual(DIFFERENCES[name] ?? [there, there]);
      });
  },
);

test("each listed difference belongs to one request", () => {
  const names = Object.values(SECTIONS).flatMap((rows) => rows.map(([name]) => name));
  expect(new Set(names).size).toBe(names.length);
  for (const name of Object.keys(DIFFERENCES)) expect(names).toContain(name);
});
