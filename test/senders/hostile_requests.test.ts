// Hostile input for every adapter at each of its routes, over a socket. It is refused in the adapter's own format or
// shown as a clean alert. No refusal repeats any of it, nothing is half-written, and the service continues.

import { createHmac } from "node:crypto";
import { request as ask, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import { INGEST_SOURCE_PROGRAM_IDS, type IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openSenderSite } from "../support/sender_site.ts";

interface Sent {
  body: string | Buffer;
  type?: string;
  headers?: Record<string, string>;
  query?: string;
  /** Without declaring its length. */
  chunked?: boolean;
}

interface Told {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

const { site, channel, key } = await openSenderSite();
const { handle } = channel;

/** No refusal may repeat anything with it inside. */
const MARK = "zq7mark";

/** The path of each sender format, and the shape of its refusals. */
type IngestRoute = [name: string, program: IngestSourceProgramId, path: () => string];
const INGEST_ROUTES: IngestRoute[] = [
  ["ntfy", "ntfy", () => `/ntfy/${handle}?`],
  ["ntfy, JSON", "ntfy", () => "/ntfy?"],
  ["gotify", "gotify", () => "/gotify/message?"],
  ...INGEST_SOURCE_PROGRAM_IDS.map(
    (program): IngestRoute => [`?from=${program}`, program, () => `/api/v1/pushers/${handle}/ingest?from=${program}&`],
  ),
  ["recognised", "json", () => `/api/v1/pushers/${handle}/ingest?`],
];

const REFUSALS: Partial<Record<IngestSourceProgramId, (status: number) => object>> = {
  ntfy: (http) => ({ code: expect.any(Number), http, error: expect.any(String), link: expect.any(String) }),
  gotify: (errorCode) => ({ error: expect.any(String), errorCode, errorDescription: expect.any(String) }),
};
const ENVELOPE = { error: expect.objectContaining({ type: expect.any(String), message: expect.any(String) }) };

/** The common input of all programs is built once, since bodies are large. */
function madeFor(sent: (program: IngestSourceProgramId) => Sent): (program: IngestSourceProgramId) => Sent {
  if (sent.length > 0) return sent;
  const { body, ...rest } = (sent as () => Sent)();
  const made = { ...rest, body: Buffer.from(body) };
  return () => made;
}

const signatures = new WeakMap<Buffer, string>();
function signatureOf(bytes: Buffer): string {
  const signature = signatures.get(bytes) ?? createHmac("sha256", key).update(bytes).digest("hex");
  signatures.set(bytes, signature);
  return signature;
}

function send([, program, path]: IngestRoute, { body, type, headers = {}, query = "", chunked }: Sent): Promise<Told> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const sample = program === "github" ? { ...SAMPLE_PAYLOADS.github.headers } : {};
  return new Promise((resolve, reject) => {
    const request = ask(site.url + path() + query, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": type ?? "application/json",
        ...(chunked ? {} : { "content-length": bytes.length }),
        ...sample,
        "x-hub-signature-256": `sha256=${signatureOf(bytes)}`,
        ...headers,
      },
    });
    request.once("error", reject);
    request.once("response", async (answer) => {
      // A server that refuses a long body does not read it to its end.
      request.off("error", reject).on("error", () => {});
      let text = "";
      for await (const chunk of answer) text += chunk;
      request.destroy();
      resolve({ status: answer.statusCode!, text, headers: answer.headers });
    });
    request.end(bytes);
  });
}

/** The possible refusals of this route: where the adapter is detected, it may be any. */
const shapesOf = ([name, program]: IngestRoute, status: number): object[] =>
  name === "recognised"
    ? [ENVELOPE, ...Object.values(REFUSALS).map((refusal) => refusal(status))]
    : [REFUSALS[program]?.(status) ?? ENVELOPE];

const countAlerts = async () => Number((await site.world.sql("select count(*) as n from alert"))[0].n);

/**
 * Characters that no text of an alert contains: controls, changes of the writing direction, invisible ones, lone
 * surrogates.
 */
const UNCLEAN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]|[\p{Cs}]/u;

async function isWell(sent: (program: IngestSourceProgramId) => Sent, heard: boolean): Promise<void> {
  const made = madeFor(sent);
  // The three routes refuse a long body before a format is chosen: the first four routes have all of them.
  const isLong = Buffer.byteLength(made("json").body) > 4 * MB;
  for (const route of isLong ? INGEST_ROUTES.slice(0, 4) : INGEST_ROUTES) {
    const [name, program] = route;
    const before = await countAlerts();
    const { status, text, headers } = await send(route, made(program));
    const body = JSON.parse(text);
    const told = { name, status, body };
    const refused = status >= 400;
    if (heard && name === `?from=${program}`) expect(told).toMatchObject({ status: 200 });
    if (refused) {
      expect(told).toMatchObject({ status: expect.toSatisfy((code) => [400, 401, 413, 422].includes(code)) });
      expect(shapesOf(route, status)).toContainEqual(body);
      expect([name, text + JSON.stringify(headers)]).toEqual([name, expect.not.stringContaining(MARK)]);
    } else expect(told).toMatchObject({ status: 200 });
    const notes = String(headers["belfry-notes"] ?? "");
    expect([name, notes]).toEqual([name, expect.stringMatching(/^[ -~]*$/)]);
    expect([name, notes]).toEqual([name, expect.not.stringContaining(MARK)]);
    // A repeat with other content is answered with the first alert of its id.
    const published = refused || notes.includes("was already published") ? 0 : (body.alerts?.length ?? 1);
    expect([name, await countAlerts()]).toEqual([name, before + published]);
    const rows = await site.world.sql("select title, body from alert order by id desc limit ?", [published]);
    for (const { title, body: shown } of rows) {
      expect([name, title, shown]).toEqual([name, expect.not.stringMatching(UNCLEAN), shown]);
      if (shown !== null) expect([name, shown]).toEqual([name, expect.not.stringMatching(UNCLEAN)]);
      expect([...title].length).toBeLessThanOrEqual(LIMITS.alert_title);
    }
  }
}

let events = 0;

/** A program's own message with each of its texts (or each value) made of something else. */
function poisoned(program: IngestSourceProgramId, make: (value: unknown) => unknown): Sent {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return make(value);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  const { body: sample, headers } = SAMPLE_PAYLOADS[program];
  // An event is published once by its id.
  const body = program === "cloudevents" ? { ...(sample as object), id: `e${++events}` } : sample;
  const own = typeof body === "string" ? String(make(body)) : JSON.stringify(walk(body));
  return { body: own, ...(program === "github" ? {} : headers && { headers }) };
}

const MB = 1024 * 1024;
/** Texts for people, and addresses; a field may be one that identifies the format. */
const text = (value: unknown, add: string) =>
  typeof value === "string" && /\s|\/\//.test(value) ? value + add : value;
/** The same under each name that some shape reads. */
const everywhere = (json: string): string => {
  const names = "topic title message body extras tags actions alerts labels commits data heartbeat monitor check";
  return `{${names
    .split(" ")
    .map((name) => `"${name}":${json}`)
    .join(",")}}`;
};
/** Parsers refuse a short one. */
const BOUNDARY = "b".repeat(40);
const multipart = (part: string, times: number) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${part}"\r\n\r\n${MARK}\r\n`.repeat(times) +
  `--${BOUNDARY}--\r\n`;
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** `heard`: it is a message all the same, of which each shape shows what it can. */
const HOSTILE: [what: string, sent: (program: IngestSourceProgramId) => Sent, heard?: "heard"][] = [
  ["5 MB of text", () => ({ body: MARK.repeat(0.75 * MB), type: "text/plain" })],
  ["5 MB of JSON", () => ({ body: `{"title":"${MARK.repeat(0.75 * MB)}"}` })],
  ["5 MB without a declared length", () => ({ body: `{"title":"${MARK.repeat(0.75 * MB)}"}`, chunked: true })],
  ["4 MB less a little", () => ({ body: `{"title":"${"x".repeat(4 * MB - 100)}"}` })],
  ["100,000 lists in one another", () => ({ body: `${"[".repeat(1e5)}${"]".repeat(1e5)}` })],
  ["100,000 objects in one another", () => ({ body: `${'{"a":'.repeat(1e5)}1${"}".repeat(1e5)}` })],
  ["depth in each field", () => ({ body: everywhere(`${"[".repeat(2000)}${"]".repeat(2000)}`) })],
  ["depth in a form", () => ({ body: `data=${"[".repeat(1e5)}&payload=${"[".repeat(1e5)}`, type: FORM })],
  [
    "depth in a form of parts",
    () => ({
      body: [
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="data"\r\n`,
        `{"msg":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
        `--${BOUNDARY}--\r\n`,
      ].join("\r\n"),
      type: MULTIPART,
    }),
  ],
  ["a million elements", () => ({ body: `[${"1,".repeat(1e6)}1]` })],
  ["a million objects", () => ({ body: `[${"{},".repeat(1e6)}{}]` })],
  ["many elements in each field", () => ({ body: everywhere(`[${"{},".repeat(900)}{}]`) })],
  ["a million names", () => ({ body: `{${Array.from({ length: 2e5 }, (_, i) => `"${i}":1`).join()}}` })],
  ["a form of a million fields", () => ({ body: "a=1&".repeat(1e6), type: FORM })],
  ["a form of many parts", () => ({ body: multipart("title", 40_000), type: MULTIPART })],
  ["a form with parts' names of 60 KB", () => ({ body: multipart("x".repeat(60_000), 1), type: MULTIPART })],
  ["a form without its boundary", () => ({ body: multipart(MARK, 1), type: "multipart/form-data" })],
  ["a form with another boundary", () => ({ body: multipart(MARK, 1), type: `${MULTIPART}${MARK}` })],
  ["a zip bomb", () => ({ body: gzipSync(Buffer.alloc(10 * MB)), headers: { "content-encoding": "gzip" } })],
  ["cut-off JSON", () => ({ body: `{"title":"${MARK}` })],
  ["nothing", () => ({ body: "" })],
  ["null", () => ({ body: "null" })],
  ["a number", () => ({ body: "7" })],
  ["an empty object", () => ({ body: "{}" })],
  ["an empty list", () => ({ body: "[]" })],
  ["no UTF-8", () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) })],
  ["no UTF-8 as text", () => ({ body: Buffer.from([0x61, 0xc3, 0x28, 0x62]), type: "text/plain" })],
  ["UTF-16", () => ({ body: Buffer.from(`{"title":"${MARK}"}`, "utf16le"), type: "application/json; charset=utf-16" })],
  ["a NUL in each text", (program) => poisoned(program, (value) => text(value, "\u0000x")), "heard"],
  ["NULs as they are", () => ({ body: `{"title":"a\u0000b","message":"\u0000"}` })],
  [
    "line ends in each text",
    (program) => poisoned(program, (value) => text(value, "\r\nSet-Cookie: a=b\r\n\r\n<p>")),
    "heard",
  ],
  [
    "characters that turn and hide text",
    (program) => poisoned(program, (value) => text(value, "\u202etxt\u2066\u200b\u{e0041}x")),
    "heard",
  ],
  ["half characters", (program) => poisoned(program, (value) => text(value, "\ud800")), "heard"],
  [
    "markup and templates",
    (program) => poisoned(program, (value) => text(value, "<script>{{x}}{{=<% %>=}}{% raw %}")),
    "heard",
  ],
  ["texts of 100 KB", (program) => poisoned(program, (value) => text(value, "y".repeat(100_000)))],
  ["a thousand lines in each text", (program) => poisoned(program, (value) => text(value, "\nz".repeat(500))), "heard"],
  [
    "objects for texts",
    (program) => poisoned(program, (value) => (typeof value === "string" ? { $ne: MARK } : [MARK])),
  ],
  ["numbers for texts", (program) => poisoned(program, () => 1e21)],
  ["texts for numbers", (program) => poisoned(program, (value) => (typeof value === "number" ? "5" : value))],
  ["texts for all else", (program) => poisoned(program, () => MARK)],
  [
    "numbers without end",
    (program) => ({
      ...poisoned(program, (value) => value),
      body:
        `{"title":"a","message":"b","topic":"${handle}","priority":1e999,` +
        `"id":${"9".repeat(400)},"delay":-1e999,"alerts":1e400}`,
    }),
  ],
  ["a priority of its own", () => ({ body: `{"topic":"${handle}","message":"b","priority":"${MARK}"}` })],
  [
    "names twice",
    () => ({ body: `{"topic":"${MARK}","topic":"${handle}","message":"a","message":"b","title":"c","title":"d"}` }),
  ],
  [
    "names of what all objects have",
    () => ({
      body:
        `{"__proto__":{"title":"${MARK}","polluted":1},"constructor":{"prototype":{"polluted":1}},` +
        `"toString":"x","message":"m","topic":"${handle}","labels":{"__proto__":"x"}}`,
    }),
  ],
  ["a template with parts", () => ({ body: '{"title":"a"}', query: "title={{> b}}&message=x" })],
  [
    "a template with other marks",
    () => ({ body: '{"a":"b"}', query: `title=${encodeURIComponent("{{=<% %>=}}<% a %>")}` }),
  ],
  [
    "a template with functions",
    () => ({ body: '{"a":"b","title":"t"}', query: "title={{constructor.constructor}}{{a.toString}}{{__proto__.a}}|" }),
  ],
  ["a template of nothing but openings", () => ({ body: '{"a":[1]}', query: `title=${"{{%23a}}".repeat(120)}` })],
  ["a template of braces", () => ({ body: '{"a":[1]}', query: `title=${"{".repeat(900)}&body=${"{{".repeat(400)}` })],
  [
    "a template that names a large object in a list",
    () => ({
      body: `{"message":"m","l":[${"1,".repeat(19)}1],"o":{${Array.from(
        { length: 19_000 },
        (_, i) => `"${i}":1`,
      ).join()}}}`,
      query: `body=${encodeURIComponent(`{{#l}}${"{{o}}".repeat(195)}{{/l}}`)}`,
    }),
  ],
  [
    "line ends in the address",
    () => ({
      body: '{"title":"a","message":"m"}',
      query: `title=a%0d%0aX-Evil:%20${MARK}&tags=%0d%0a&click=%0d%0a&delay=%0d%0a`,
    }),
  ],
  ["an address that is not UTF-8", () => ({ body: '{"title":"a","message":"m"}', query: "title=%ff%fe&message=%c3" })],
  [
    "a name of headers in the body",
    () => ({
      body: '{"title":"a","message":"m"}',
      headers: { title: "=?utf-8?B?DQpTZXQtQ29va2llOiBhPWI=?=", tags: "=?utf-8?Q?=0D=0Aa?=" },
    }),
  ],
  [
    "encoded text without an end",
    () => ({ body: "m", type: "text/plain", headers: { title: "=?utf-8?Q?".repeat(1000) } }),
  ],
  [
    "a hundred headers",
    () => ({
      body: '{"title":"a","message":"m"}',
      headers: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, MARK.repeat(10)])),
    }),
  ],
  ["a header of 12 KB", () => ({ body: '{"title":"a","message":"m"}', headers: { "x-title": "t".repeat(12_000) } })],
  ["many tags", () => ({ body: "m", type: "text/plain", headers: { tags: "tada,".repeat(2000) } })],
  [
    "many buttons",
    () => ({ body: "m", type: "text/plain", headers: { actions: `view, ${MARK}, https://e.org;`.repeat(250) } }),
  ],
  [
    "a button without an end",
    () => ({ body: "m", type: "text/plain", headers: { actions: `view, "${"\\".repeat(7000)}` } }),
  ],
  [
    "a long idempotency key",
    () => ({
      body: '{"title":"a","message":"m"}',
      headers: { "idempotency-key": MARK.repeat(100), "x-github-delivery": MARK.repeat(100) },
    }),
  ],
  ["marks of Markdown", () => ({ body: "*".repeat(3500) + MARK, type: "text/markdown", headers: { markdown: "yes" } })],
  ["quotes in quotes", () => ({ body: `${">".repeat(490)} a`, type: "text/markdown", headers: { markdown: "1" } })],
  ...[
    "application/xml",
    "image/png",
    ";;;;",
    "application/json/json",
    `text/${MARK}`,
    "application/cloudevents+json",
    "application/cloudevents-batch+json",
  ].map((type): [string, () => Sent] => [
    `the content type ${type}`,
    () => ({ body: `{"title":"a","message":"${"m"}"}`, type }),
  ]),
];

test.each(HOSTILE)("%s", (_, sent, heard) => isWell(sent, heard !== undefined));

// rules#sender-format-errors
test("JSON has its bounds of depth and values, also in a form", async () => {
  const routeOf = (program: IngestSourceProgramId) => INGEST_ROUTES.find(([name]) => name === `?from=${program}`)!;
  const inField = (json: string): Sent => ({
    body: `--${BOUNDARY}\r\ncontent-disposition: form-data; name="data"\r\n\r\n${json}\r\n--${BOUNDARY}--\r\n`,
    type: MULTIPART,
  });
  const statusOf = async (more: string) => {
    const json = `{"title":"a","msg":"b","more":${more}}`;
    const sent = [send(routeOf("json"), { body: json }), send(routeOf("uptime_kuma"), inField(json))];
    return (await Promise.all(sent)).map(({ status }) => status);
  };
  const nested = (levels: number) => `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`;
  expect(await statusOf(nested(LIMITS.ingest_depth))).toEqual([200, 200]);
  expect(await statusOf(nested(LIMITS.ingest_depth + 1))).toEqual([422, 422]);
  const inner = (values: number) => `{"a":[${"1,".repeat(values)}1]}`;
  expect(await statusOf(inner(LIMITS.ingest_values - 10))).toEqual([200, 200]);
  expect(await statusOf(inner(LIMITS.ingest_values))).toEqual([422, 422]);
});

/** Written on a socket unchanged, since no client would send it; returns the data until the server ends it. */
async function raw(head: string): Promise<string> {
  const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
  socket.write(`POST /ntfy/${handle} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${head}`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

test("other data than HTTP, or too much of it, ends before an adapter receives it", async () => {
  const before = await countAlerts();
  const rest = "Content-Length: 1\r\nConnection: close\r\n\r\nx";
  expect(await raw(`Title: ${MARK.repeat(3000)}\r\n${rest}`)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await raw(`${"A: b\r\n".repeat(5000)}${rest}`)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await raw(`Title: a\rX: ${MARK}\r\n${rest}`)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await raw(`Title: a\0b\r\n${rest}`)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await raw("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc")).toMatch(/^HTTP\/1\.1 400 /);
  expect(await countAlerts()).toBe(before);
  // The same in one line is a title like any other.
  expect(await raw(`Title: a\r\n${rest}`)).toMatch(/^HTTP\/1\.1 200 /);
});

// rules#sender-format-errors
test.each(["/ntfy/a/b/c", "/ntfy/%00", "/gotify/application", "/gotify/message/1"])(
  "the address %s is refused in the format of its beginning",
  async (path) => {
    const [, program] = path.split("/") as [string, "ntfy" | "gotify"];
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await fetch(site.url + path, { method, headers: { authorization: `Bearer ${key}` } });
      expect([path, method, await answer.json()]).toEqual([path, method, REFUSALS[program]!(answer.status)]);
      expect([404, 405]).toContain(answer.status);
    }
  },
);

// rules#sender-formats
test("a channel of others, a private one and none are refused alike, and without a key all are", async () => {
  const { world } = site;
  const foreign = await world.foreignKey();
  const others = await Promise.all([
    world.pusher({}, foreign),
    world.pusher({ is_public: false }, foreign),
    // In the same workspace: the key belongs to another one.
    world.pusher(),
    world.pusher({ is_public: false }),
  ]);
  const alike = [
    [...others.map((other) => other.handle), "no-such-channel"],
    [...others.map((other) => other.id), "psh_00000000000000000000000000"],
  ];
  const paths = [
    (name: string) => `/ntfy/${name}`,
    (name: string) => `/api/v1/pushers/${name}/ingest?from=text`,
    (name: string) => `/api/v1/pushers/${name}/ingest/api/v2/alerts`,
  ];
  const before = await countAlerts();
  for (const token of [key, `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`, "bfk_no", null])
    for (const [path, names] of paths.flatMap((path) => alike.map((names) => [path, names] as const))) {
      const told = new Set<string>();
      for (const name of token === key ? names : [...names, handle]) {
        const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
        const body = path === paths[2] ? JSON.stringify(SAMPLE_PAYLOADS.prometheus.body) : "b";
        const answer = await fetch(site.url + path(name), { method: "POST", body, headers });
        told.add(`${answer.status} ${await answer.text()}`);
      }
      expect([path("x"), [...told]]).toEqual([path("x"), [expect.stringMatching(token === key ? /^404 / : /^401 /)]]);
    }
  expect(await countAlerts()).toBe(before);
});

test("after all of it the service is as it was, and keeps nothing of it", async () => {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = async () => {
    // Finalisers run in turns of their own.
    for (let i = 0; i < 5; i++) {
      collect();
      await pause(50);
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / MB;
  };
  const round = async () => {
    for (const [, sent] of HOSTILE.slice(0, 20)) {
      const made = madeFor(sent);
      for (const route of INGEST_ROUTES.slice(0, 2)) await send(route, made(route[1]));
    }
  };
  await round();
  const before = await used();
  await round();
  expect((await used()) - before).toBeLessThan(8);
  const answer = await send(INGEST_ROUTES[0]!, { body: "Still here", type: "text/plain" });
  expect(answer.status).toBe(200);
});
