// The CPU time of single requests whose inputs are at their limits, for every operation, page and adapter.
// `npm run fuzz:cpu` prints the ten most expensive ones. Each is compared with other work on this machine, never with
// a clock (rules#cpu-of-a-request).

import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { SUCCESS_ARGUMENTS } from "../cases/fixtures.ts";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let owner: HttpVisitor;
let pusher: any;
let device: string;
beforeAll(async () => {
  world = await World.open();
  owner = await signInOwner(world);
  pusher = await world.pusher({ is_public: true, name: "Harbour" });
  device = await world.device(pusher.handle);
});
afterAll(() => world?.close());

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i).join();

/** Units of texts that parsers, patterns and normalisation may take long for. */
const UNITS = {
  letters: "x",
  words: "ab cd ",
  zalgo: "a\u0301\u0316\u0327\u0489",
  ligatures: "\ufdfa",
  emoji: "👩‍👩‍👧‍👦",
  brackets: "<",
  elements: "<b><i>",
  attributes: '<p onclick="a()" style="color:red">b</p>',
  quotes: "\"'",
  parentheses: "((a+)+",
  links: "[a](",
  stars: "*a_ ",
  ticks: "`",
  quoted: "> ",
  table: "|a|b|\n|-|-|\n",
  lists: "- a\n  ",
  entities: "&amp;&lt;&#x1F600;",
  blanks: " \t",
  lines: "\n",
  templates: "{{#a}}{{b}}{{/a}}",
  addresses: "https://a.example/ ",
  mails: "a@b.cd ",
  direction: "\u202e\u200b",
  encoded: "=?UTF-8?B?w6k=?= ",
} as const;

/** Those that every run tries; `npm run fuzz:cpu` tries all. */
const USUAL = new Set(["ligatures", "brackets", "direction"]);

interface Tried {
  name: string;
  path: string;
  init: RequestInit;
  visitor?: boolean;
}
/** `ratio`: the cost compared with the reference; 0 if it was too low to compare. */
const found: { name: string; ms: number; ratio: number; status: number }[] = [];
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function once({ path, init, visitor }: Tried): Promise<{ ms: number; status: number }> {
  const headers = new Headers(init.headers);
  headers.set("host", "localhost");
  const body = init.body as string | undefined;
  const before = cpu();
  let status: number;
  if (visitor) {
    const answer = body === undefined ? await owner.get(path) : await owner.send(path, JSON.parse(body));
    status = answer.status;
  } else {
    const answer = await world.service.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    await answer.text();
    status = answer.status;
  }
  return { ms: cpu() - before, status };
}

/**
 * The CPU time of work that takes about 100 ms on a machine at rest. It computes numbers, and it splits, sorts and
 * writes texts, because requests mostly read memory.
 */
function measureReference(): number {
  const before = cpu();
  let sum = 0;
  for (let n = 0; n < 1e7; n++) sum = (sum * 31 + n) | 0;
  for (let round = 0; round < 16; round++) {
    const parts = MARKUP.split("<").map((text, i) => ({ text, i, length: text.length }));
    sum += JSON.stringify(parts.sort((one, other) => one.length - other.length || other.i - one.i)).length;
  }
  if (sum === 1) throw new Error("unlikely");
  return cpu() - before;
}
const MARKUP = fill(UNITS.attributes, 120_000);

/**
 * The lowest cost of several tries, because a compiler and a garbage collector run during the first. Each try is
 * compared with the reference right after it: a busy machine makes both slower. Only a costly request is repeated.
 */
async function measure(request: Tried): Promise<void> {
  let { ms, status } = await once(request);
  let ratio = 0;
  if (ms > LEAST) {
    ratio = ms / measureReference();
    for (let i = 0; i < 8 && ratio > 1; i++) {
      const again = await once(request);
      ms = Math.min(ms, again.ms);
      ratio = Math.min(ratio, again.ms / measureReference());
      status = again.status;
    }
  }
  found.push({ name: request.name, ms, ratio, status });
}
const LEAST = process.env.FUZZ_CPU ? 30 : 100;

const json = (body: unknown, token: string | null = world.owner): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
  body: JSON.stringify(body),
});

test("no request costs much more than a hundred milliseconds", async () => {
  const sizes: Record<string, number> = { html: 60_000, body: 16_384 };
  const units = Object.entries(UNITS).filter(([kind]) => process.env.FUZZ_CPU || USUAL.has(kind));
  for (const tool of OPERATIONS) {
    if (/^wait_|^delete_|_webhook|redeliver|^create_pusher|^revoke/.test(tool.name)) continue;
    const ready = await SUCCESS_ARGUMENTS[tool.name]?.(world);
    if (!ready) continue;
    for (const [field, schema] of Object.entries(tool.input.shape as Record<string, any>)) {
      if (["pusher_id", "alert_id"].includes(field)) continue;
      const limit = sizes[field] ?? schema.meta?.()?.maxLength ?? 4_000;
      for (const [kind, unit] of units) {
        if (limit < 1_000 && !["zalgo", "ligatures", "letters", "parentheses"].includes(kind)) continue;
        const value = fill(unit, limit);
        const args = { ...ready, [field]: field === "tags" || field === "actions" ? Array(20).fill(value) : value };
        const { method, path, headers, body } = buildRestRequest(tool, args);
        const init = {
          method,
          headers: { ...headers, "content-type": "application/json", authorization: `Bearer ${world.owner}` },
          body,
        };
        if (path.length < 9_000)
          await measure({ name: `${tool.name} ${field} ${kind}`, path, init: init as RequestInit });
        if (kind === "letters" || kind === "zalgo" || kind === "ligatures") {
          const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool.name, arguments: args } };
          const mcp = json(message);
          await measure({
            name: `mcp ${tool.name} ${field} ${kind}`,
            path: "/mcp",
            init: { ...mcp, headers: { ...mcp.headers, accept: "application/json, text/event-stream" } },
          });
        }
      }
    }
  }
  const bound = await world.key({ pusher: pusher.id });
  const create = `/api/v1/pushers/${pusher.id}/alerts`;
  for (const [kind, unit] of units) {
    await measure({
      name: `document ${kind}`,
      path: create,
      init: json({ title: "x", layout: "document", html: fill(unit, 500_000) }),
    });
    await measure({
      name: `preview document ${kind}`,
      path: "/api/v1/core/preview",
      init: json({ layout: "document", html: fill(unit, 500_000) }),
    });
    await measure({
      name: `preview html ${kind}`,
      path: "/api/v1/core/preview",
      init: json({ layout: "html", html: fill(unit, 60_000) }),
    });
    const text = fill(unit, 60_000);
    const bearer = { authorization: `Bearer ${world.owner}` };
    for (const [name, path, headers] of [
      ["ingest text", `/api/v1/pushers/${pusher.handle}/ingest?from=text`, { "content-type": "text/plain" }],
      ["ntfy", `/ntfy/${pusher.handle}`, {}],
      ["ntfy markdown", `/ntfy/${pusher.handle}`, { markdown: "yes" }],
      ["ntfy template", `/ntfy/${pusher.handle}?tpl=1&m=${encodeURIComponent("{{a}}")}`, {}],
      [
        "ntfy header",
        `/ntfy/${pusher.handle}`,
        { title: encodeURIComponent(fill(unit, 2_000)), actions: encodeURIComponent(fill(unit, 2_000)) },
      ],
    ] as const)
      await measure({
        name: `${name} ${kind}`,
        path,
        init: { method: "POST", headers: { ...bearer, ...headers }, body: text },
      });
    await measure({
      name: `gotify ${kind}`,
      path: `/gotify/message?token=${bound}`,
      init: json(
        { title: "x", message: fill(unit, 60_000), extras: { "client::display": { contentType: "text/markdown" } } },
        null,
      ),
    });
    await measure({
      name: `ingest json template ${kind}`,
      path: `/api/v1/pushers/${pusher.handle}/ingest?from=json&title=${encodeURIComponent(
        fill(unit, 900),
      )}&message=${encodeURIComponent("{{a}}")}`,
      init: json({ a: fill(unit, 60_000) }),
    });
    for (const path of [`/${pusher.handle}?q=`, "/?q=", "/docs?q=", `/api/v1/pushers/${pusher.id}/alerts?query=`])
      await measure({
        name: `${path.slice(0, 8)} ${kind}`,
        path: path + encodeURIComponent(fill(unit, 500)),
        init: { headers: bearer },
      });
  }
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const groups = {
    version: "4",
    status: "firing",
    alerts: Array.from({ length: 900 }, (_, i) => ({
      status: "firing",
      labels: { alertname: `a${i}`, severity: "critical" },
      annotations: { summary: fill("ab ", 200) },
    })),
  };
  for (const [name, from, body] of [
    ["deep", "json", deep(29)],
    ["alertmanager", "prometheus", groups],
    ["grafana", "grafana", groups],
    [
      "github",
      "github",
      {
        action: "opened",
        issue: { title: fill("<", 60_000), body: fill("*a_ ", 60_000) },
        repository: { full_name: "a/b" },
      },
    ],
    ["one long text", "json", { message: fill("ab ", 4_000_000) }],
    ["one text of line ends", "json", { title: "a", message: fill("a\r\n", 1_300_000) }],
    ["one text of control characters", "json", { message: fill("a\u0001", 1_100_000) }],
    ["one text of empty lines", "json", { message: fill("\u200b\n", 1_000_000) }],
    [
      "group of 3,000 alerts",
      "alertmanager",
      {
        version: "4",
        status: "firing",
        groupKey: "a",
        alerts: Array.from({ length: 3_000 }, (_, i) => ({
          ...{ status: "firing", labels: { alertname: "a", instance: `${i}` }, fingerprint: `${i}` },
          annotations: { summary: fill("ab ", 1_000) },
        })),
      },
    ],
    [
      "batch of 1,000 events",
      "cloudevents",
      Array.from({ length: 1_000 }, (_, i) => ({ id: `${i}`, source: "a", type: "b", data: fill("<", 3_900) })),
    ],
    ["wide", "json", Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, i]))],
  ] as const)
    await measure({
      name: `ingest ${name}`,
      path: `/api/v1/pushers/${pusher.handle}/ingest?from=${from}`,
      init: json(body),
    });

  for (const [name, body] of [
    ["behind many lines", `${fill("\n", 4_000_000)}{"a":,}`],
    ["behind many escapes", `{"a":"${fill('\\"', 4_000_000)}",}`],
  ] as const)
    await measure({
      name: `ingest wrong JSON ${name}`,
      path: `/api/v1/pushers/${pusher.handle}/ingest?from=json`,
      init: { ...json({}), body },
    });

  // Pages of people, with what costs most to draw.
  const base = `/console/${world.workspace.id}`;
  const dense = await world.pusher({ name: "Dense" });
  for (let i = 0; i < 8; i++) {
    const draft = await world.alert(dense.id, {
      title: `D${i}`,
      send_at: timeInSeconds(3600),
      recurrence: `FREQ=DAILY;BYHOUR=${range(0, 23)};BYMINUTE=${i},10,20,30,40,50 Europe/Lisbon`,
    });
    await world.rest("schedule_alert", { pusher_id: dense.id, alert_id: draft.id });
  }
  const next = new Date(Date.now() + 32 * 86_400_000).toISOString().slice(0, 7);
  await measure({
    name: "month of 8 dense series",
    path: `${base}/month?channel=${dense.id}&month=${next}`,
    init: {},
    visitor: true,
  });
  for (const [name, before, after] of [
    ["bodies", { body: fill("a b c ", 16_384) }, { body: fill("d e f g ", 16_384) }],
    [
      "mixed bodies",
      { body: Array.from({ length: 2_700 }, (_, i) => `w${(i * 7919) % 2701}`).join(" ") },
      { body: Array.from({ length: 2_700 }, (_, i) => `w${(i * 104729) % 2699}`).join(" ") },
    ],
    [
      "markup",
      { layout: "html", html: fill("<p>a <b>b</b> c</p>", 60_000) },
      { html: fill("<div>d <i>e</i> f</div>", 60_000) },
    ],
  ] as const) {
    const alert = await world.alert(pusher.id, { title: "x", send: true, ...before });
    await world.rest("update_alert", { pusher_id: pusher.id, alert_id: alert.id, ...after });
    await measure({
      name: `changes of ${name}`,
      path: `${base}/channels/${pusher.id}/alerts/${alert.id}`,
      init: {},
      visitor: true,
    });
  }
  for (const path of [
    `/${pusher.handle}`,
    `/${pusher.handle}/feed.atom`,
    `/${pusher.handle}/feed.json`,
    `/${pusher.handle}/inbox.json`,
    "/",
    "/docs",
    "/api/v1/docs",
    "/openapi.json",
    "/llms.txt",
  ])
    await measure({ name: `page ${path.replace(pusher.handle, "…")}`, path, init: {} });
  for (const path of [
    "/",
    "/channels",
    "/month",
    "/stats",
    "/stats.csv",
    "/audit",
    "/audit.csv",
    "/keys",
    "/members",
    "/files",
    "/webhooks",
    `/channels/${pusher.id}/stats`,
    `/channels/${pusher.id}/subscribers`,
    `/channels/${pusher.id}`,
    `/channels/${pusher.id}/edit`,
    `/channels/${pusher.id}/alerts/new`,
  ])
    await measure({ name: `console ${path.replace(pusher.id, "…")}`, path: base + path, init: {}, visitor: true });

  // Handsets.
  const list = { headers: { authorization: `Bearer ${device}` } };
  await measure({ name: "handset inbox", path: "/handset/v1/inbox", init: list });
  const id = (await world.alert(pusher.id, { send: true })).id;
  const reports = Array.from({ length: 100 }, () => ({ alert_id: id, kind: "read" }));
  await measure({ name: "handset reports", path: "/handset/v1/reports", init: json({ reports }, device) });
  for (const [kind, unit] of units)
    await measure({
      name: `handset register ${kind}`,
      path: "/handset/v1/devices",
      init: json(
        { platform: "android", app_version: fill(unit, 4_000), locale: fill(unit, 4_000), timezone: fill(unit, 4_000) },
        null,
      ),
    });

  found.sort((one, other) => other.ratio - one.ratio || other.ms - one.ms);
  if (process.env.FUZZ_CPU) {
    console.log(`${found.length} requests; the reference took ${measureReference().toFixed(0)} ms`);
    for (const { name, ms, ratio, status } of found.slice(0, Number(process.env.FUZZ_CPU)))
      console.log(ms.toFixed(0).padStart(6), ratio.toFixed(2).padStart(6), status, name);
    const statuses = new Map<string, string[]>();
    for (const { status, name } of found)
      if (![200, 201, 422].includes(status)) statuses.set(`${status}`, [...(statuses.get(`${status}`) ?? []), name]);
    for (const [k, v] of statuses) console.log(k, v.length, v.slice(0, 8).join(", "));
  }
  expect(found.filter(({ status }) => status >= 500)).toEqual([]);
  expect(found.filter(({ ratio }) => ratio > 3)).toEqual([]);
});
