// Edge cases of requests from ntfy's and Gotify's programs: credentials in several places, RFC 2047 encoded text,
// invalid or misplaced JSON, time zones, files. An alert is never lost for a part of it.

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodeHeader } from "../../src/api/ingest/message_text.ts";
import { parseNtfyDelay } from "../../src/api/ingest/ntfy_delay.ts";
import { findJsonError } from "../../src/api/transports/json_error_position.ts";
import { PNG } from "../support/sample_files.ts";
import { openSenderSite } from "../support/sender_site.ts";

const { site, channel, key } = await openSenderSite();
const reader: string = await site.world.key({ scopes: "alerts:read", pusher: channel.id });

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: NonNullable<RequestInit["body"]>;
  token?: string | null;
}

async function send({ path = `/ntfy/${channel.handle}`, method = "POST", headers = {}, body, token = key }: Sent) {
  const answer = await fetch(site.url + path, {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: body ?? null,
  });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text), notes: answer.headers.get("belfry-notes") };
}

const newest = async () => {
  const { data } = (await site.world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body;
  return (await site.world.rest("get_alert", { pusher_id: channel.id, alert_id: data[0].id })).body;
};
const countAlerts = async () => Number((await site.world.sql("select count(*) as n from alert"))[0].n);

const FOREIGN = `Basic ${btoa("proxyuser:pw")}`;
const auth = (header: string) => Buffer.from(header).toString("base64url");

// rules#sender-credential
describe("the credential in the program's own place decides", () => {
  const JSON_BODY = { headers: { "content-type": "application/json" }, body: '{"message":"x"}' };
  const rows: [name: string, sent: () => Sent, status: number][] = [
    [
      "X-Gotify-Key with a proxy's Basic",
      () => ({
        path: "/gotify/message",
        ...JSON_BODY,
        headers: { ...JSON_BODY.headers, authorization: FOREIGN, "x-gotify-key": key },
      }),
      200,
    ],
    [
      "Gotify's ?token= with a proxy's Bearer",
      () => ({
        path: `/gotify/message?token=${key}`,
        ...JSON_BODY,
        headers: { ...JSON_BODY.headers, authorization: "Bearer proxy" },
      }),
      200,
    ],
    [
      "ntfy's ?auth= with a proxy's Basic",
      () => ({
        path: `/ntfy/${channel.handle}?auth=${auth(`Bearer ${key}`)}`,
        headers: { authorization: FOREIGN },
        body: "x",
      }),
      200,
    ],
    [
      "GitLab's header at the ingest address",
      () => ({
        path: `/api/v1/pushers/${channel.handle}/ingest?from=text`,
        headers: { authorization: FOREIGN, "x-gitlab-token": key },
        body: "x",
      }),
      200,
    ],
    [
      "Basic with ours as the user and any password",
      () => ({ headers: { authorization: `Basic ${btoa(`${key}:x`)}` }, body: "x" }),
      200,
    ],
    [
      "ours in Authorization with another server's X-Gotify-Key",
      () => ({
        path: "/gotify/message",
        ...JSON_BODY,
        headers: { ...JSON_BODY.headers, authorization: `Bearer ${key}`, "x-gotify-key": "AbCdEf123456789" },
      }),
      200,
    ],
    [
      "two of ours: the one in the own place, though the other may publish",
      () => ({
        path: "/gotify/message",
        ...JSON_BODY,
        headers: { ...JSON_BODY.headers, authorization: `Bearer ${key}`, "x-gotify-key": reader },
      }),
      403,
    ],
    [
      "a mistyped key of ours is not passed over",
      () => ({
        path: "/gotify/message",
        ...JSON_BODY,
        headers: { ...JSON_BODY.headers, authorization: `Bearer ${key}`, "x-gotify-key": `${key}x` },
      }),
      401,
    ],
    ["a proxy's alone", () => ({ headers: { authorization: FOREIGN }, body: "x" }), 401],
  ];
  test.each(rows)("%s", async (_, sent, status) => {
    const before = await countAlerts();
    expect(await send({ token: null, ...sent() })).toMatchObject({ status });
    expect(await countAlerts()).toBe(before + (status === 200 ? 1 : 0));
  });

  test("public routes stay public with a proxy's credential", async () => {
    const statusOf = async (path: string, authorization: string) => {
      const answer = await fetch(site.url + path, { headers: { authorization } });
      await answer.text();
      return answer.status;
    };
    const hidden = await site.world.pusher({ is_public: false });
    for (const path of [
      `/ntfy/${channel.handle}/json?poll=1`,
      `/ntfy/${channel.handle}/raw?poll=1`,
      `/ntfy/${channel.handle}/auth`,
      `/${channel.handle}`,
      `/${channel.handle}/feed.atom`,
      `/${channel.handle}/inbox.json`,
    ]) {
      const anonymous = await fetch(site.url + path);
      await anonymous.text();
      expect([path, await statusOf(path, FOREIGN)]).toEqual([path, anonymous.status]);
    }
    for (const topic of [hidden.handle, "no-such-channel"]) {
      expect(await statusOf(`/ntfy/${topic}/json?poll=1`, FOREIGN)).toBe(401);
      expect(await statusOf(`/ntfy/${channel.handle}/json?poll=1`, "Bearer bfk_wrong")).toBe(401);
    }
  });
});

describe("header values", () => {
  test.each([
    ["two encoded Q parts that split a letter", "=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=", "café"],
    ["two encoded B parts that split a letter", "=?utf-8?B?Y2Fmww==?= =?utf-8?B?qQ==?=", "café"],
    ["one of each kind", "=?UTF-8?Q?caf=C3?= =?utf-8?B?qQ==?=", "café"],
    [
      "three encoded parts, and a plain part between them",
      "=?utf-8?q?=C3?= =?utf-8?q?=A9?= x =?utf-8?q?=C3=A9?=",
      "é x é",
    ],
    ["a folded pair", "=?utf-8?q?a?=\r\n =?utf-8?q?b?=", "ab"],
    ["a language", "=?utf-8*de?q?=C3=BC?=", "ü"],
    ["two charsets", "=?iso-8859-1?q?=E9?= =?utf-8?q?=C3=A9?=", "éé"],
    ["half a letter", "=?utf-8?q?caf=C3?= x", "=?utf-8?q?caf=C3?= x"],
    ["an unknown charset", "=?nothing?B?w7Y=?= =?utf-8?B?w7Y=?=", "=?nothing?B?w7Y=?=ö"],
  ])("%s", (_, value, text) => expect(decodeHeader(value)).toBe(text));

  test("reach the title whole", async () => {
    await send({ body: "m", headers: { title: "=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=" } });
    expect(await newest()).toMatchObject({ title: "café" });
  });
});

describe("JSON that is broken is refused with its place", () => {
  test.each([
    ['{"topic":"CH",\n"message":"a" "b"}', 2, 15],
    ["{", 1, 2],
    ["", 1, 1],
    ['{"a": x}', 1, 7],
    ['{"a":1,}', 1, 8],
    ["[1,]", 1, 4],
    ["[1 2]", 1, 4],
    ['{"a" 1}', 1, 6],
    ["{a:1}", 1, 2],
    ['{"a":"x\ny"}', 1, 8],
    ['"\\x"', 1, 2],
    ['{"a":1}\n\n}', 3, 1],
    ["[01]", 1, 3],
    ["tru", 1, 1],
    ["[}", 1, 2],
  ])("%j", (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonError(text)).toEqual({ line, column });
  });

  test.each(['{"a":[1,-2.5e+3,true,false,null,"\\u00e9\\n",{}],"b":{"c":[]}}', " [ ] ", '"x"', "0", "-0.1"])(
    "%j is JSON",
    (text) => {
      JSON.parse(text);
      expect(findJsonError(text)).toBeNull();
    },
  );

  test("in the shape of each program", async () => {
    const broken = '{"topic":"CH",\n"message":"a" "b"}';
    const headers = { "content-type": "application/json" };
    expect(await send({ path: "/ntfy", body: broken })).toMatchObject({
      status: 400,
      body: { code: 40024, error: "The body is not valid JSON: see line 2, column 15." },
    });
    expect(await send({ path: "/gotify/message", body: broken, headers })).toMatchObject({
      status: 400,
      body: { errorDescription: expect.stringContaining("line 2, column 15") },
    });
    expect(await send({ path: `/api/v1/pushers/${channel.handle}/ingest?from=json`, body: broken })).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining("line 2, column 15") } },
    });
    expect(
      await send({ path: "/api/v1/pushers", body: '{"name":\n\n oops}', headers, token: site.world.owner }),
    ).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining("line 3, column 2") } } });
  });
});

// rules#sender-formats
describe("JSON at the address of a topic", () => {
  test("that names the topic is read as at the root", async () => {
    const body = JSON.stringify({ topic: channel.handle, title: "x", message: "y", priority: 5, tags: ["tada"] });
    const { status, notes } = await send({ body, headers: { "content-type": "application/json" } });
    expect([status, notes]).toEqual([200, expect.stringMatching(/^The JSON was read as an ntfy message/)]);
    expect(await newest()).toMatchObject({ title: "🎉 x", body: "y", priority: "urgent" });
  });

  test.each([
    ["without a topic", () => '{"title":"x","message":"y"}'],
    ["of another topic", () => '{"topic":"other","message":"y"}'],
    ["of a program", () => '{"status":"down","host":"db1"}'],
  ])("%s is shown with a note", async (_, body) => {
    const { status, notes } = await send({ body: body(), headers: { title: "T" } });
    expect([status, notes]).toEqual([200, expect.stringMatching(/^The JSON is shown unchanged/)]);
    expect(await newest()).toMatchObject({ title: "T", body: body() });
  });

  test.each(["{{name}} is down", "{not json}", "[1,2]"])("%s is a text without a note", async (body) => {
    expect(await send({ body, headers: { title: "T" } })).toMatchObject({ status: 200, notes: null });
    expect(await newest()).toMatchObject({ title: "T", body });
  });
});

describe("times of day in a zone", () => {
  const now = new Date("2026-11-25T12:00:00Z");
  test.each([
    ["tomorrow, 10am", "Asia/Tokyo", "2026-11-26T01:00"],
    ["10am", "America/New_York", "2026-11-25T15:00"],
    ["6am", "America/New_York", "2026-11-26T11:00"],
    ["Thursday, 7am", "Pacific/Auckland", "2026-11-25T18:00"],
    ["30m", "Asia/Tokyo", "2026-11-25T12:30"],
    ["today 11pm", "Asia/Tokyo", "2026-11-25T14:00"],
    ["this evening", "UTC", "2026-11-25T18:00"],
    ["this morning", "UTC", "2026-11-26T08:00"],
    ["tonight", "Asia/Tokyo", "2026-11-25T14:00"],
    ["tonight at 11:10 pm", "UTC", "2026-11-25T23:10"],
    ["tomorrow morning", "Asia/Tokyo", "2026-11-25T23:00"],
    ["friday afternoon", "UTC", "2026-11-27T15:00"],
    ["in half an hour", "UTC", "2026-11-25T12:30"],
    ["within an hour", "UTC", "2026-11-25T13:00"],
    ["constructor", "UTC", undefined],
    ["next __proto__", "UTC", undefined],
  ])("%s in %s", (said, zone, at) => expect(parseNtfyDelay(said, now, zone)?.at.toISOString().slice(0, 16)).toBe(at));

  test("are used, and an invalid zone is noted", async () => {
    const ask = (headers: Record<string, string>, query = "") =>
      send({ path: `/ntfy/${channel.handle}${query}`, body: "m", headers: { at: "tomorrow, 10am", ...headers } });
    expect((await ask({ timezone: "Asia/Tokyo" })).notes).toBeNull();
    expect((await newest()).send_at).toMatch(/T01:00:00/);
    expect((await ask({}, "?tz=America/Bogota")).notes).toBeNull();
    expect((await newest()).send_at).toMatch(/T15:00:00/);
    for (const [headers, query] of [
      [{ timezone: "Nowhere/X" }, ""],
      [{}, "?timezone=Nowhere/X"],
      [{ "x-timezone": "+02:00" }, ""],
    ] as const)
      expect((await ask(headers, query)).notes).toMatch(/^The time zone is unknown.*interpreted in UTC\./);
    expect((await ask({})).notes).toMatch(/delay was interpreted in UTC/);
    expect((await send({ body: "m", headers: { timezone: "Asia/Tokyo" } })).notes).toMatch(
      /^Timezone has no effect without a delay/,
    );
  });
});

describe("a part that cannot be read is left out with a note", () => {
  test.each([
    [{ priority: "9" }, /The priority is not one of/, { priority: "normal" }],
    [{ actions: "view" }, /The actions could not be parsed.*The actions were ignored/, { actions: [] }],
    [{ "poll-id": "abc" }, /^Poll-ID/, {}],
    [{ "content-encoding": "aes128gcm" }, /UnifiedPush/, {}],
    [{ template: "github" }, /Only the named templates/, {}],
    [{ template: "yes", message: "{{range .a}}x{{end}}" }, /^The template was ignored/, {}],
  ])("%j", async (headers, note, alert) => {
    const { status, notes } = await send({ body: '{"a":[1]}', headers: { title: "T", ...headers } as any });
    expect([status, notes]).toEqual([200, expect.stringMatching(note)]);
    expect(await newest()).toMatchObject({ title: "T", ...alert });
  });

  test("fields of JSON that are unknown or unreadable are counted, and their names are not repeated", async () => {
    const ask = (fields: object) => send({ path: "/ntfy", body: JSON.stringify({ topic: channel.handle, ...fields }) });
    const one = await ask({ Message: "m", Title: "T", colour: "red", icon: null });
    expect(one).toMatchObject({ status: 200, notes: "Ignored in the JSON: 1 unknown or unreadable field." });
    expect(await newest()).toMatchObject({ title: "T", body: "m" });
    const { notes } = await ask({ message: "m", click: { url: "https://e.org" }, colour: 1, "sequence-id": "x" });
    expect(notes).toBe("Ignored in the JSON: 3 unknown or unreadable fields.");
    expect((await ask({ message: "m", tags: [], markdown: false, sequence_id: "x" })).notes).toBeNull();
  });

  const FILE = "https://example.org/a.png";
  const VIEW = { action: "view", label: "Open", url: "https://example.org" };
  test.each<[string, object, RegExp | null]>([
    ["a name without a file", { message: "m", filename: "a.png" }, /^Filename is ignored, because/],
    ["a name of an attachment", { message: "m", filename: "a.png", attach: FILE }, /^Filename is not shown/],
    ["a name that is the text", { filename: "a.png", attach: FILE }, null],
    ["clear", { message: "m", actions: [{ ...VIEW, clear: true }] }, /^The field clear is ignored/],
    [
      "clear in the short form",
      { message: "m", actions: "view, Open, https://e.org, clear=yes" },
      /^The field clear is ignored/,
    ],
    ["no clear", { message: "m", actions: [{ ...VIEW, clear: false }] }, null],
  ])("%s, in JSON and in headers", async (_, fields, note) => {
    const json = await send({ path: "/ntfy", body: JSON.stringify({ topic: channel.handle, ...fields }) });
    const values = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const headers = await send({ headers: Object.fromEntries(values) });
    for (const { status, notes } of [json, headers]) {
      expect(status).toBe(200);
      if (note) expect(notes).toMatch(note);
      else expect(notes).toBeNull();
    }
  });

  test("the first of several query parameters counts, as in ntfy and Gotify", async () => {
    const { body: ntfy } = await send({ path: `/ntfy/${channel.handle}?p=5&p=2&t=one&t=two`, body: "m" });
    expect(ntfy).toMatchObject({ title: "one", priority: 5 });
    const path = "/gotify/message?title=one&title=two&priority=9&priority=1";
    const body = new URLSearchParams([
      ["message", "m"],
      ["message", "n"],
    ]);
    expect((await send({ path, body })).body).toMatchObject({ title: "one", message: "m", priority: 9 });
  });

  test("a simple template of ntfy is filled", async () => {
    const sent = {
      body: '{"host":"db1","error":{"level":"severe"}}',
      headers: { template: "yes", title: "{{.host}} failed", message: "{{ .error.level }}!" },
    };
    expect(await send(sent)).toMatchObject({ status: 200, notes: null });
    expect(await newest()).toMatchObject({ title: "db1 failed", body: "severe!" });
  });
});

test.each(["AbCdEf123456", "123456789012", "1795612200000", "-5"])(
  "since=%s of another server is answered",
  async (since) => {
    const answer = await fetch(`${site.url}/ntfy/${channel.handle}/json?poll=1&since=${since}`);
    const lines = (await answer.text()).trim().split("\n").filter(Boolean);
    expect(answer.status).toBe(200);
    expect(lines.length > 0).toBe(since !== "1795612200000");
  },
);

// rules#sender-charsets
describe("a text in another charset is read at every address of a text", () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  test.each<[string, string, Buffer, string]>([
    ["declared", "text/plain; charset=iso-8859-1", latin1("Grüße"), "Grüße"],
    ["not declared", "text/plain", latin1("Grüße"), "Grüße"],
    ["in quotes", 'text/plain; charset="Windows-1251"', Buffer.from([0xcf, 0xf0, 0xe8]), "При"],
    ["in two bytes", "text/plain; charset=utf-16le", Buffer.from("\ufeffGrüße ✓", "utf16le"), "Grüße ✓"],
    ["declared wrongly", "text/plain; charset=iso-8859-1", Buffer.from("Grüße"), "Grüße"],
    ["unknown", "text/plain; charset=nothing", latin1("Grüße"), "Grüße"],
    ["of old Windows", "text/plain", Buffer.from([0x80, 0x35, 0xfc]), "€5ü"],
  ])("%s", async (_, type, body, title) => {
    for (const path of [`/ntfy/${channel.handle}`, `/api/v1/pushers/${channel.handle}/ingest`]) {
      expect(await send({ path, body, headers: { "content-type": type } })).toMatchObject({ status: 200, notes: null });
      expect(await newest()).toMatchObject({ title });
    }
  });

  test("bytes that are not a text are refused, and a compressed body with its encoding", async () => {
    const path = `/api/v1/pushers/${channel.handle}/ingest`;
    const refused = (error: RegExp) => ({ status: 422, body: { error: { message: expect.stringMatching(error) } } });
    for (const type of ["text/plain", "text/plain; charset=iso-8859-1"])
      expect(await send({ path, body: Buffer.from([0xff, 0, 1, 2]), headers: { "content-type": type } })).toMatchObject(
        refused(/^The body is not valid text\./),
      );
    for (const [encoding, named] of Object.entries({ gzip: "gzip", "x-gzip": "gzip", "deflate, BR": "deflate" }))
      for (const body of [gzipSync("text"), "text"])
        expect(await send({ path, body, headers: { "content-encoding": encoding } })).toMatchObject(
          refused(new RegExp(`Content-Encoding: ${named}\\)\\. Send it without compression\\.$`)),
        );
    const gotify = { path: "/gotify/message", body: gzipSync('{"message":"m"}') };
    expect(await send({ ...gotify, headers: { "content-encoding": "gzip" } })).toMatchObject({
      status: 400,
      body: { errorDescription: expect.stringContaining("Content-Encoding: gzip") },
    });
    for (const encoding of ["identity", "utf-8"])
      expect(await send({ path, body: "text", headers: { "content-encoding": encoding } })).toMatchObject({
        status: 200,
      });
  });
});

// rules#sender-files
describe("a file that is sent along", () => {
  const waiting = async () =>
    Number((await site.world.sql("select count(*) as n from asset where reference_count = 0"))[0].n);
  const rows: [name: string, sent: () => Sent, picture: boolean, note: RegExp | null, alert: object][] = [
    [
      "a picture with its name and a text",
      () => ({ method: "PUT", body: PNG, headers: { filename: "snapshot.png", message: "Motion" } }),
      true,
      null,
      { title: "Motion" },
    ],
    [
      "a picture with a title in the query",
      () => ({ path: `/ntfy/${channel.handle}?title=Door&message=Open&f=a.png`, body: PNG }),
      true,
      null,
      { title: "Door", body: "Open" },
    ],
    [
      "a picture alone",
      () => ({ body: PNG, headers: { "content-type": "image/png" } }),
      true,
      null,
      { title: "You received a file: attachment" },
    ],
    [
      "a picture in a form of Gotify",
      () => {
        const body = new FormData();
        body.append("message", "m");
        body.append("file", new Blob([PNG]), "a.png");
        return { path: "/gotify/message", body };
      },
      true,
      null,
      { title: "m" },
    ],
    [
      "bytes that only begin as a picture",
      () => ({
        method: "PUT",
        body: Buffer.concat([PNG.subarray(0, 24), Buffer.alloc(40)]),
        headers: { filename: "snapshot.jpg", message: "Motion" },
      }),
      false,
      /^The file was ignored: only valid PNG/,
      { title: "Motion", image_asset_id: null },
    ],
    [
      "a log with its name",
      () => ({ body: "line\n".repeat(50), headers: { filename: "log.txt", title: "Backup" } }),
      false,
      /^The file was ignored: only valid PNG/,
      { title: "Backup", body: "You received a file: log.txt" },
    ],
    [
      "a page",
      () => ({ body: "<html><script>x</script></html>", headers: { f: "a.html", m: "see" } }),
      false,
      /^The file was ignored/,
      { title: "see", html: null },
    ],
    [
      "a file beyond the limit",
      () => ({ method: "PUT", body: Buffer.alloc(6_000_000, 1), headers: { filename: "a.png", message: "Motion" } }),
      false,
      /^The file is larger than .* and was ignored\.$/,
      { title: "Motion" },
    ],
    [
      "a picture with the address of one",
      () => ({
        path: "/gotify/message",
        body: (() => {
          const form = new FormData();
          form.append("message", "m");
          form.append("file", new Blob([PNG]), "a.png");
          form.append("other", new Blob([PNG]), "b.png");
          return form;
        })(),
      }),
      true,
      /^An alert can have only one picture/,
      {},
    ],
    [
      "a picture behind a log",
      () => {
        const body = new FormData();
        body.append("message", "m");
        body.append("log", new Blob(["line"]), "a.log");
        body.append("picture", new Blob([PNG]), "a.png");
        return { path: "/gotify/message", body };
      },
      true,
      /^An alert can have only one picture/,
      { title: "m" },
    ],
    [
      "a text in the charset of old Windows",
      () => ({ body: Buffer.from("Gr\xfc\xdfe aus K\xf6ln", "latin1") }),
      false,
      null,
      { title: "Grüße aus Köln" },
    ],
  ];
  test.each(rows)("%s", async (_, sent, picture, note, alert) => {
    const before = await waiting();
    const { status, notes } = await send(sent());
    expect(status).toBe(200);
    if (note) expect(notes).toMatch(note);
    else expect(notes).toBeNull();
    const made = await newest();
    expect(made).toMatchObject({ status: "sent", ...alert });
    if (picture) {
      expect(made.image_asset_id).toMatch(/^ast_/);
      const shown = await fetch(made.image_asset_url);
      expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
      await shown.arrayBuffer();
    } else expect(made.image_asset_id).toBeNull();
    expect(await waiting()).toBe(before);
  });

  test("nothing is stored of a file without a key, or with a key that may not write", async () => {
    const files = async () => Number((await site.world.sql("select count(*) as n from asset"))[0].n);
    const before = await files();
    const headers = { filename: "a.png", message: "m" };
    expect(await send({ token: null, body: PNG, headers })).toMatchObject({ status: 401 });
    expect(await send({ token: reader, body: PNG, headers })).toMatchObject({ status: 403 });
    expect(await send({ path: "/ntfy/no-such-channel", body: PNG, headers })).toMatchObject({ status: 404 });
    expect(await files()).toBe(before);
  });

  test("a file above the limit without any text is refused", async () => {
    expect(await send({ body: Buffer.alloc(6_000_000, 1) })).toMatchObject({ status: 413, body: { code: 41301 } });
  });
});

// rules#wrong-addresses
describe("an address that is wrong is refused with the right one", () => {
  const STREAM = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const CALL = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
  const NTFY = { status: 404, body: { code: 40401, http: 404, error: expect.stringContaining("/ntfy/HANDLE") } };
  const GOTIFY = { status: 404, body: { error: "Not Found", errorCode: 404 } };
  const INGEST = {
    status: 404,
    body: { error: { message: expect.stringContaining("/api/v1/pushers/HANDLE/ingest") } },
  };
  const MCP = { status: 404, body: { error: { message: expect.stringMatching(/\/mcp\. It uses Streamable HTTP/) } } };
  const rows: [name: string, sent: () => Sent, answer: object][] = [
    ["POST /HANDLE", () => ({ path: `/${channel.handle}`, body: "x" }), NTFY],
    ["PUT /HANDLE", () => ({ method: "PUT", path: `/${channel.handle}`, body: "x" }), NTFY],
    ["POST /HANDLE of no channel", () => ({ path: "/no-such-channel", body: "x", token: null }), NTFY],
    ["POST to a channel's page", () => ({ path: `/c/${channel.handle}`, body: "x" }), NTFY],
    ["GET /HANDLE/publish", () => ({ method: "GET", path: `/${channel.handle}/publish?message=x` }), NTFY],
    ["GET /HANDLE/json", () => ({ method: "GET", path: `/${channel.handle}/json?poll=1` }), NTFY],
    ["POST / with JSON", () => ({ path: "/", body: '{"topic":"x","message":"y"}' }), NTFY],
    ["POST /message", () => ({ path: "/message", body: "message=x" }), GOTIFY],
    ...["/stream", "/message", "/message/1", "/version", "/client"].map((path): [string, () => Sent, object] => [
      `GET ${path}`,
      () => ({ method: "GET", path }),
      GOTIFY,
    ]),
    ["DELETE /message", () => ({ method: "DELETE", path: "/message" }), GOTIFY],
    ["POST /HANDLE/message", () => ({ path: `/${channel.handle}/message`, body: "message=x" }), GOTIFY],
    ...["HANDLE/ingest", "c/HANDLE/ingest", "ingest/HANDLE", "ingest"].map((path): [string, () => Sent, object] => [
      `POST /${path}`,
      () => ({ path: `/${path.replace("HANDLE", channel.handle)}`, body: "x" }),
      INGEST,
    ]),
    ["GET /gotify/stream", () => ({ method: "GET", path: "/gotify/stream" }), GOTIFY],
    ["GET /gotify/current/user", () => ({ method: "GET", path: "/gotify/current/user" }), GOTIFY],
    ["GET /current/user", () => ({ method: "GET", path: "/current/user" }), GOTIFY],
    ["POST /client", () => ({ path: "/client", body: "{}" }), GOTIFY],
    ["DELETE /application/1", () => ({ method: "DELETE", path: "/application/1" }), GOTIFY],
    ...["/", "/sse", "/MCP", "/Mcp", "/mcp/sse", "/messages"].map((path): [string, () => Sent, object] => [
      `POST ${path} by an MCP client`,
      () => ({ path, body: CALL, headers: STREAM }),
      MCP,
    ]),
    ...["/sse", "/mcp/sse"].map((path): [string, () => Sent, object] => [
      `GET ${path} by an MCP client`,
      () => ({ method: "GET", path, headers: { accept: "text/event-stream" } }),
      MCP,
    ]),
  ];
  test.each(rows)("%s", async (_, sent, answer) => {
    const before = await countAlerts();
    expect(await send(sent())).toMatchObject(answer);
    expect(await countAlerts()).toBe(before);
  });

  test("Gotify's names what is served and how to listen", async () => {
    const { body } = await send({ method: "GET", path: "/gotify/stream" });
    expect(body.errorDescription).toMatch(/supports only \/version, \/health and POST \/message .*belfry listen/);
    const { body: posted } = await send({ path: "/message", body: "x" });
    expect(posted.errorDescription).toContain("/gotify/message");
  });

  test.each(["/message", "/HANDLE/message", "/gotify/other/message"])(
    "a message of Gotify's command line to %s is a 404 in its format",
    async (path) => {
      const sent = { path: path.replace("HANDLE", channel.handle), body: '{"message":"x"}', token: null };
      expect(await send({ ...sent, headers: { "x-gotify-key": key } })).toMatchObject({
        status: 404,
        body: { error: "Not Found", errorCode: 404, errorDescription: expect.stringContaining("/message") },
      });
    },
  );

  test("a browser at such an address gets a page", async () => {
    for (const path of ["/stream", "/message", "/client"]) {
      const page = await fetch(site.url + path, { headers: { accept: "text/html,*/*;q=0.8" } });
      expect([page.status, page.headers.get("content-type")]).toEqual([404, expect.stringContaining("text/html")]);
      await page.text();
    }
  });

  test("/mcp/ is served as /mcp", async () => {
    const answer = await send({ path: "/mcp/", body: CALL, headers: STREAM, token: null });
    expect(answer).toMatchObject({ status: 401 });
  });

  test("a browser at /mcp gets a page, and a program what it got before", async () => {
    const page = await fetch(`${site.url}/mcp`, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
    expect(await page.text()).toMatch(/Streamable HTTP/);
    const program = await fetch(`${site.url}/mcp`, { headers: { accept: "text/event-stream" } });
    expect([program.status, program.headers.get("allow")]).toEqual([405, "POST"]);
    await program.text();
  });

  test("a miss names letter case and the key's channel, alike for each channel", async () => {
    const others = await site.world.pusher({ is_public: false });
    const answers = await Promise.all(
      [channel.handle.toUpperCase(), others.handle, "no-such-channel"].map((topic) =>
        send({ path: `/ntfy/${topic}`, body: "x" }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, body: { error: expect.stringMatching(/lowercase.*key/) } });
  });
});
