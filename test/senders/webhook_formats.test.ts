// The formats of webhooks. The sample message of each program's documentation is detected by its shape and by its name,
// and becomes the alert of the table. The bodies are made from those documents; the programs themselves are in
// prometheus.test.ts. Also invalid signatures and templates; other hostile input is in hostile_requests.test.ts.

import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fillTemplate } from "../../src/api/ingest/formats/generic_json.ts";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openSenderWorld } from "../support/sender_channel.ts";

interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  /** The query of the address. */
  query?: string;
  path?: string;
}

const { world, channel, key } = await openSenderWorld();

const bytesOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

const signed = (body: unknown) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(bytesOf(body)).digest("hex")}`,
});

function send({ body, headers = {}, query = "", path = "" }: Sent, token = key) {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  return world.request("POST", `/api/v1/pushers/${channel.handle}/ingest${path}${query}`, {
    ...{ token, body: bytesOf(body) },
    headers: { "content-type": type, ...headers },
  });
}

/** The alerts that were published after the first `count`, the oldest first. */
async function published() {
  const { body } = await world.rest("list_alerts", { pusher_id: channel.id, limit: 100 });
  return body.data.toReversed();
}
async function becomes(sent: Sent): Promise<any[]> {
  const before = (await published()).length;
  const answer = await send(sent);
  expect(answer).toMatchObject({ status: 200 });
  return (await published()).slice(before);
}

const FIRING = SAMPLE_PAYLOADS.alertmanager.body as any;
const GRAFANA = SAMPLE_PAYLOADS.grafana.body as any;
const KUMA = SAMPLE_PAYLOADS.uptime_kuma.body as any;
const RUN = SAMPLE_PAYLOADS.github.body as any;
const REPOSITORY = { full_name: "octo/harbour", html_url: "https://github.com/octo/harbour" };
const PROJECT = { path_with_namespace: "octo/harbour", web_url: "https://gitlab.example/octo/harbour" };
const github = (event: string, body: object): Sent => ({
  body: { repository: REPOSITORY, sender: { login: "octocat" }, ...body },
  headers: { "x-github-event": event },
});
const gitlab = (body: object): Sent => ({
  body: { project: PROJECT, user_name: "Jo", user: { name: "Jo" }, ...body },
  headers: { "x-gitlab-event": "Hook" },
});
const alert = (name: string, instance: string, more: object = {}) => ({
  ...FIRING.alerts[0],
  labels: { alertname: name, instance, severity: "warning" },
  ...more,
});

/** For each program: its request, and the resulting texts. */
const UNDERSTOOD: [program: IngestSourceProgramId, what: string, Sent, object[]][] = [
  [
    "alertmanager",
    "a group that fires",
    { body: FIRING },
    [
      {
        title: "DiskFull: The disk on nas is 97% full",
        ...{ body: "nas:9100", priority: "urgent", source_url: "https://prometheus.example/graph" },
      },
    ],
  ],
  [
    "alertmanager",
    "the same, resolved",
    { body: { ...FIRING, status: "resolved", alerts: [{ ...FIRING.alerts[0], status: "resolved" }] } },
    [{ title: "Resolved: DiskFull: The disk on nas is 97% full", priority: "normal" }],
  ],
  [
    "alertmanager",
    "a group of many",
    {
      body: {
        ...FIRING,
        ...{ commonLabels: { alertname: "HostDown" }, commonAnnotations: {}, externalURL: "http://am.lan:9093" },
        alerts: Array.from({ length: 500 }, (_, i) => alert("HostDown", `host-${i}`, { annotations: {} })),
      },
    },
    [
      {
        ...{ title: "HostDown: 500 alerts", priority: "important", source_url: null },
        body: expect.stringMatching(/^host-0\n(host-\d+\n){19}And 480 more\.\nhttp:\/\/am\.lan:9093$/),
      },
    ],
  ],
  ["grafana", "a group that fires", { body: GRAFANA }, [{ title: "DiskFull (nas:9100 critical)", priority: "urgent" }]],
  [
    "prometheus",
    "its list for an Alertmanager",
    {
      body: [
        alert("HostDown", "a"),
        alert("HostDown", "b"),
        alert("DiskFull", "c", { endsAt: "2026-01-01T00:00:00Z" }),
      ],
    },
    [
      { title: "HostDown: 2 alerts", body: expect.stringMatching(/^a: .*\nb: /), priority: "important" },
      { title: expect.stringMatching(/^Resolved: DiskFull: /), priority: "normal" },
    ],
  ],
  [
    "prometheus",
    "more names than may be published at once",
    { body: Array.from({ length: 30 }, (_, i) => alert(`Rule${i}`, "a")) },
    [{ title: "Alerts: 30 alerts" }],
  ],
  [
    "github",
    "a workflow that failed",
    { body: RUN, headers: { "x-github-event": "workflow_run" } },
    [{ title: "octo/harbour: CI on main: failure", priority: "important", source_url: RUN.workflow_run.html_url }],
  ],
  [
    "github",
    "a push",
    github("push", {
      ...{ ref: "refs/heads/main", compare: "https://github.com/octo/harbour/compare/a...b" },
      commits: [{ message: "Mend the quay\n\nAt last", author: { name: "Ada" } }],
    }),
    [{ title: "octo/harbour main: 1 commit by octocat", body: "Mend the quay\n\nAt last (Ada)" }],
  ],
  [
    "github",
    "a pull request that is merged",
    github("pull_request", {
      action: "closed",
      pull_request: {
        number: 7,
        title: "Mend the quay",
        merged: true,
        body: "It leaked",
        html_url: "https://github.com/octo/harbour/pull/7",
      },
    }),
    [{ title: "octo/harbour #7 merged: Mend the quay", body: "octocat\nIt leaked" }],
  ],
  [
    "github",
    "a label, which is not reported",
    github("issues", { action: "labeled", issue: { number: 8, title: "Leak" } }),
    [],
  ],
  [
    "github",
    "a release",
    github("release", {
      action: "published",
      release: { tag_name: "v2", name: "Two", body: "All new", html_url: "https://github.com/octo/harbour/releases/2" },
    }),
    [{ title: "octo/harbour released Two", body: "All new" }],
  ],
  [
    "github",
    "an event without a text of its own",
    github("star", { action: "created" }),
    [{ title: "octo/harbour star created by octocat" }],
  ],
  ["github", "a ping", github("ping", { zen: "Keep it logically awesome." }), []],
  [
    "gitlab",
    "a pipeline that failed",
    { body: SAMPLE_PAYLOADS.gitlab.body, headers: { "x-gitlab-event": "Pipeline Hook" } },
    [{ title: "octo/harbour: pipeline on main failed", priority: "important" }],
  ],
  [
    "gitlab",
    "a push",
    gitlab({
      ...{ object_kind: "push", ref: "refs/heads/main", total_commits_count: 2 },
      commits: [
        { message: "One", author: { name: "Jo" } },
        { message: "Two", author: { name: "Jo" } },
      ],
    }),
    [{ title: "octo/harbour main: 2 commits by Jo", body: "One (Jo)\nTwo (Jo)" }],
  ],
  [
    "gitlab",
    "a tag",
    gitlab({ object_kind: "tag_push", ref: "refs/tags/v2" }),
    [{ title: "octo/harbour: tag v2 by Jo" }],
  ],
  [
    "gitlab",
    "a merge request",
    gitlab({
      object_kind: "merge_request",
      object_attributes: { iid: 4, title: "Mend", action: "open", description: "Why", url: "https://gitlab.example/4" },
    }),
    [{ title: "octo/harbour !4 opened: Mend", body: "Jo\nWhy", source_url: "https://gitlab.example/4" }],
  ],
  [
    "gitlab",
    "an issue",
    gitlab({
      object_kind: "issue",
      object_attributes: { iid: 5, title: "Leak", action: "close", description: "", url: "https://gitlab.example/5" },
    }),
    [{ title: "octo/harbour #5 closed: Leak" }],
  ],
  ["gitlab", "a pipeline that runs", gitlab({ object_kind: "pipeline", object_attributes: { status: "running" } }), []],
  [
    "uptime_kuma",
    "a monitor that is down",
    { body: KUMA },
    [
      {
        title: "Down: The shop",
        body: "timeout of 48000ms exceeded",
        priority: "important",
        source_url: "https://shop.example",
      },
    ],
  ],
  [
    "uptime_kuma",
    "a monitor that is up",
    { body: { ...KUMA, heartbeat: { status: 1, msg: "200 - OK" } } },
    [{ title: "Up: The shop", body: "200 - OK", priority: "normal" }],
  ],
  [
    "uptime_kuma",
    "its trial",
    { body: { heartbeat: null, monitor: null, msg: "Belfry Testing" } },
    [{ title: "Belfry Testing" }],
  ],
  [
    "healthchecks",
    "$JSON",
    { body: SAMPLE_PAYLOADS.healthchecks.body },
    [{ title: "Down: Backup", body: "Tags: prod\nLast ping: 2026-11-01T08:00:00+00:00", priority: "important" }],
  ],
  [
    "healthchecks",
    "$JSON inside of more",
    { body: { now: "$NOW", check: { ...(SAMPLE_PAYLOADS.healthchecks.body as object), status: "up" } } },
    [{ title: "Up: Backup", priority: "normal" }],
  ],
  ["cloudevents", "structured", { ...SAMPLE_PAYLOADS.cloudevents }, [{ title: "The backup is done", body: "/backup" }]],
  [
    "cloudevents",
    "binary",
    {
      body: { message: "Tide 4.2 m" },
      headers: {
        "ce-specversion": "1.0",
        "ce-id": "a1",
        "ce-source": "/tide",
        "ce-type": "tide.high",
        "ce-subject": "quay%20one",
      },
    },
    [{ title: "tide.high: quay one", body: "Tide 4.2 m" }],
  ],
  [
    "json",
    "the usual names",
    { body: { subject: "Tide", text: "4.2 m\nand rising", level: "critical", link: "https://tides.example/" } },
    [{ title: "Tide", body: "4.2 m\nand rising", priority: "urgent", source_url: "https://tides.example/" }],
  ],
  [
    "json",
    "templates in the address",
    {
      body: { job: { name: "Backup", parts: [{ name: "a" }, { name: "b" }] } },
      query: `&${new URLSearchParams({ title: "{{job.name}} <b>", body: "{{#job.parts}}{{name}} {{/job.parts}}" })}`,
    },
    [{ title: "Backup <b>", body: "a b" }],
  ],
];

describe("messages of programs", () => {
  test.each(UNDERSTOOD)("%s: %s", async (program, _, sent, alerts) => {
    const { headers, query = "" } = sent;
    // Each transport once: repeats of a program that numbers its messages are ignored.
    for (const [way, from] of [
      ["looks", "?"],
      ["name", `?from=${program}`],
    ] as const) {
      if (way === "looks" && program === "json" && query !== "") continue;
      const named = {
        ...sent,
        headers: { ...headers, ...(program === "github" && signed(sent.body)) },
        query: from + query,
      };
      const fresh = program === "prometheus" || program === "cloudevents";
      if (fresh && way === "name") expect(await becomes(named)).toEqual([]);
      else expect(await becomes(named)).toMatchObject(alerts);
    }
  });

  test("Prometheus finds the path of an Alertmanager below a channel's address", async () => {
    const [shown] = await becomes({ body: [alert("ByPath", "a")], path: "/api/v2/alerts" });
    expect(shown).toMatchObject({ title: expect.stringMatching(/^ByPath/), status: "sent" });
  });

  test("a resolved alert replaces the one that fired", async () => {
    const [first] = await becomes({ body: FIRING });
    const [second] = await becomes({ body: { ...FIRING, status: "resolved" } });
    expect(second.collapse_key).toBe(first.collapse_key);
    expect(first.collapse_key).toMatch(/^am-[0-9a-f]{32}$/);
  });

  // rules#sender-message-ids
  test("a repeat by Prometheus is published once, with any annotations, and again when others fire", async () => {
    const at = (summary: string, ...names: string[]) => ({
      body: names.map((name) => alert("Repeats", name, { annotations: { summary } })),
    });
    expect(await becomes(at("load 5", "a"))).toHaveLength(1);
    expect(await becomes(at("load 6", "a"))).toEqual([]);
    expect(await becomes(at("load 7", "a", "b"))).toHaveLength(1);
  });

  test("a delivery is published once by its number: GitHub's, GitLab's, a CloudEvent's", async () => {
    const body = { ...RUN, action: "completed" };
    const delivery = {
      body,
      headers: { "x-github-event": "workflow_run", "x-github-delivery": "72d3162e", ...signed(body) },
    };
    expect(await becomes(delivery)).toHaveLength(1);
    expect(await becomes(delivery)).toEqual([]);
    const hook = {
      body: SAMPLE_PAYLOADS.gitlab.body,
      headers: { "x-gitlab-event": "Pipeline Hook", "idempotency-key": "f5e5f430" },
    };
    expect(await becomes(hook)).toHaveLength(1);
    expect(await becomes(hook)).toEqual([]);
    expect(
      await becomes({
        ...SAMPLE_PAYLOADS.cloudevents,
        body: { ...(SAMPLE_PAYLOADS.cloudevents.body as object), id: "other" },
      }),
    ).toHaveLength(1);
  });

  test("a form is as good as JSON where the program offers both", async () => {
    const form = new FormData();
    form.append("data", JSON.stringify(KUMA));
    const kuma = new Response(form);
    const body = await kuma.text();
    const type = { "content-type": kuma.headers.get("content-type") ?? "" };
    expect(await becomes({ body, headers: type, query: "?from=uptime_kuma" })).toMatchObject([
      { title: "Down: The shop" },
    ]);
    const hook = `payload=${encodeURIComponent(JSON.stringify(RUN))}`;
    const headers = {
      ...{ "content-type": "application/x-www-form-urlencoded", "x-github-event": "workflow_run" },
      ...signed(hook),
    };
    expect(await becomes({ body: hook, headers })).toMatchObject([{ title: "octo/harbour: CI on main: failure" }]);
  });

  test("GitLab's secret token is the key, and GitHub's is in the address", async () => {
    const none = await send({ body: SAMPLE_PAYLOADS.gitlab.body, headers: { "x-gitlab-event": "Pipeline Hook" } }, "");
    expect(none.status).toBe(401);
    const withToken = { "x-gitlab-event": "Pipeline Hook", "x-gitlab-token": key };
    expect((await send({ body: SAMPLE_PAYLOADS.gitlab.body, headers: withToken }, "")).status).toBe(200);
    const headers = { "x-github-event": "workflow_run", ...signed(RUN) };
    expect((await send({ body: RUN, headers, query: `?token=${key}` }, "")).status).toBe(200);
  });
});

describe("a key that only composes", () => {
  test.each(Object.keys(SAMPLE_PAYLOADS) as IngestSourceProgramId[])(
    "%s leaves a draft and reports it",
    async (program) => {
      const own = await world.pusher();
      const composer = await world.key({ scopes: "alerts:write", pusher: own.id });
      const { body, headers } = SAMPLE_PAYLOADS[program];
      const signature = `sha256=${createHmac("sha256", composer).update(bytesOf(body)).digest("hex")}`;
      const answer = await world.request("POST", `/api/v1/pushers/${own.handle}/ingest?from=${program}`, {
        ...{ token: composer, body: bytesOf(body) },
        headers: { "content-type": "application/json", "x-hub-signature-256": signature, ...headers },
      });
      expect(answer.status).toBeLessThan(300);
      const { data } = (await world.rest("list_alerts", { pusher_id: own.id })).body;
      expect(data).toMatchObject([{ status: "draft" }]);
    },
  );

  test("a repeat by Prometheus is also one draft", async () => {
    const own = await world.pusher();
    const composer = await world.key({ scopes: "alerts:write", pusher: own.id });
    for (let i = 0; i < 3; i++) {
      const path = `/api/v1/pushers/${own.handle}/ingest?from=prometheus`;
      await world.request("POST", path, { token: composer, body: bytesOf([alert("Drafted", "a")]) });
    }
    expect((await world.rest("list_alerts", { pusher_id: own.id })).body.data).toHaveLength(1);
  });
});

describe("messages of no program", () => {
  // rules#sender-signatures
  test("an invalid, foreign or missing signature is refused", async () => {
    for (const signature of ["", "sha256=00", `sha256=${"0".repeat(64)}`, "sha1=abc"]) {
      const headers = { "x-github-event": "push", "x-hub-signature-256": signature };
      const answer = await send({ body: RUN, headers });
      expect([answer.status, answer.body.error.type]).toEqual([401, "unauthorized"]);
    }
  });

  // rules#templates
  test.each([
    ["{{constructor.constructor}}|{{toString}}|{{__proto__}}", "||"],
    ["{{=<% %>=}}<% t %>", null],
    ["{{> t}}", null],
    ["{{{t}}}", null],
    ["{{#t}}{{#t}}x{{/t}}{{/t}}", null],
    ["{{#t}}", null],
    ["{{ oops", null],
    [`{{t}}${" ".repeat(LIMITS.template)}`, null],
    ["{{t}}", "{{t}} {% raw %} <%= 7 %>"],
  ])("the template %s", async (template, title) => {
    const query = `?${new URLSearchParams({ from: "json", title: template })}`;
    const sent = { body: { t: "{{t}} {% raw %} <%= 7 %>", body: "x" }, query };
    if (title !== null) return expect(await becomes(sent)).toMatchObject([{ title }]);
    const answer = await send(sent);
    expect(answer).toMatchObject({ status: 422, body: { error: { type: "invalid_request" } } });
    expect(answer.body.error.message).not.toContain(template);
  });

  // Before anything is cut to what an alert takes.
  test.each([
    ["texts", "y".repeat(9000)],
    ["objects", Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [i, "v"]))],
  ])("a template makes no more of large %s than a request has room for", async (_, value) => {
    const template = `{{#l}}${"{{v}}".repeat(195)}{{/l}}`;
    const made = await fillTemplate(template, { l: Array(1000).fill(1), v: value }, []);
    expect(made).toHaveLength(LIMITS.body_alerts);
  });

  test.each([
    ["{{#a.l}}{{.}} {{/a.l}}", ["The template shows 20 entries of a list. 10 more are left out."]],
    ["{{#few}}{{.}} {{/few}}{{#constructor}}x{{/constructor}}{{b}}", []],
  ])("%s notes what it leaves out of a list", async (template, expected) => {
    const notes: string[] = [];
    await fillTemplate(template, { a: { l: Array(30).fill("i") }, few: Array(20).fill("i"), b: Array(30) }, notes);
    expect(notes).toEqual(expected);
  });

  test("a template over long lists of long texts stays small", async () => {
    const query = `?${new URLSearchParams({ from: "json", title: "x", body: `{{#l}}${"{{.}}".repeat(190)}{{/l}}` })}`;
    const [shown] = await becomes({ body: { l: Array(1000).fill("y".repeat(3000)) }, query });
    expect([...shown.body].length).toBeLessThanOrEqual(LIMITS.alert_body);
    // The list that the test reads carries the beginning.
    expect(shown).toMatchObject({ body: expect.stringMatching(/^y+$/), body_length: expect.any(Number) });
    expect(shown.body_length).toBeLessThanOrEqual(LIMITS.alert_body);
  });

  test("line ends and invisible characters do not reach a title", async () => {
    const body = { title: "One\r\nSet-Cookie: a\u202e=b\u0000", message: "x\u0007y\r\nz" };
    expect(await becomes({ body })).toMatchObject([{ title: "One Set-Cookie: a=b", body: "xy\nz" }]);
  });
});
