// Events that a known program sends in a form without a table of its own, events without data, and which alerts
// replace each other.

import { describe, expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import type { IngestSourceProgramId } from "../../src/model/fields/sender_programs.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openSenderChannel } from "../support/sender_channel.ts";

const channel = await openSenderChannel();

const sample = (program: IngestSourceProgramId) => SAMPLE_PAYLOADS[program].body as Record<string, unknown>;

// rules#senders-unknown
describe("an unknown event of a known program", () => {
  const github = (event: string, body: object) => channel.publish("github", body, { "x-github-event": event });
  const gitlab = (event: string, body: object) => channel.publish("gitlab", body, { "x-gitlab-event": event });
  const repository = { full_name: "octo/harbour", html_url: "https://github.com/octo/harbour" };
  const project = { path_with_namespace: "octo/harbour", web_url: "https://gitlab.example/octo/harbour" };

  test(
    "GitHub: events of a repository, of an organization, without a known field, and without an object that is " +
      "expected",
    async () => {
      const sender = { login: "octocat" };
      expect((await github("watch", { repository, sender, action: "started" })).title).toBe(
        "octo/harbour watch started by octocat",
      );
      expect(
        await github("dependabot_alert", { repository, action: "created", alert: { number: 3, summary: "A hole" } }),
      ).toMatchObject({ title: "octo/harbour dependabot alert created: #3", body: "A hole" });
      expect(
        await github("dependabot_alert", {
          ...{ repository, action: "created" },
          alert: { number: 4, security_advisory: { summary: "A leak" } },
        }),
      ).toMatchObject({ title: "octo/harbour dependabot alert created: #4", body: "A leak" });
      expect(
        (await github("deployment_status", { repository, action: "created", deployment_status: { state: "failure" } }))
          .title,
      ).toBe("octo/harbour deployment status failure");
      expect((await github("member_invited", { organization: { login: "octo" }, action: "added" })).title).toBe(
        "octo member invited added",
      );
      expect((await github("an_event_of_2031", { unheard: [1] })).title).toBe("GitHub: an event of 2031");
      expect((await github("issues", { repository, action: "opened", issue: null })).title).toBe(
        "octo/harbour issue opened",
      );
      expect((await github("release", { repository, action: "published" })).title).toBe(
        "octo/harbour release published",
      );
    },
  );

  test("GitLab: hooks of deployments, releases and jobs, system hooks, and a kind without a name", async () => {
    const deployment = {
      object_kind: "deployment",
      project,
      status: "failed",
      environment: "production",
      deployable_url: "https://gitlab.example/job/1",
    };
    expect(await gitlab("Deployment Hook", deployment)).toMatchObject({
      ...{ title: "octo/harbour deployment failed: production", source_url: "https://gitlab.example/job/1" },
    });
    const release = {
      object_kind: "release",
      project,
      action: "create",
      name: "Two",
      tag: "v2",
      description: "All new",
    };
    expect(await gitlab("Release Hook", release)).toMatchObject({
      title: "octo/harbour release create: Two",
      body: "All new",
    });
    const system = { event_name: "project_create", path_with_namespace: "octo/quay", name: "quay" };
    expect((await gitlab("System Hook", system)).title).toBe("octo/quay project create: quay");
    expect((await gitlab("Resource Access Token Hook", { project })).title).toBe("octo/harbour resource access token");
    expect((await gitlab("Pipeline Hook", { object_kind: "pipeline", project })).title).toBe("octo/harbour pipeline");
  });

  // rules#senders-collapse
  test("GitLab: an access token that expires has its name and its day, and repeats are one card", async () => {
    const token = { id: 5, name: "bot", expires_at: "2026-12-01" };
    const hook = { object_kind: "access_token", event_name: "expiring_access_token", object_attributes: token };
    const first = await gitlab("Resource Access Token Hook", { ...hook, project });
    expect(first).toMatchObject({
      ...{ title: "octo/harbour: access token bot expires on 2026-12-01", priority: "important" },
      collapse_key: expect.any(String),
    });
    const group = { group_path: "octo" };
    expect((await gitlab("Resource Access Token Hook", { ...hook, group })).title).toBe(
      "octo: access token bot expires on 2026-12-01",
    );
    expect((await gitlab("Resource Access Token Hook", { ...hook, project })).collapse_key).toBe(first.collapse_key);
  });

  test("monitors and alert managers: a body that its owner wrote, and a state of a later version", async () => {
    for (const program of ["alertmanager", "grafana", "uptime_kuma", "healthchecks"] as const) {
      const { alerts, notes, status } = await channel.send(program, {
        title: "The quay floods",
        message: "Close the gates",
        level: "critical",
      });
      expect([status, alerts]).toMatchObject([
        200,
        [{ title: "The quay floods", body: "Close the gates", priority: "urgent" }],
      ]);
      expect(notes).toContain("does not match any documented");
      expect((await channel.publish(program, { deep: { er: { text: "Close the gates\nnow" } } })).title).toBe(
        "Close the gates",
      );
      expect((await channel.publish(program, { n: 1 })).title).toContain("unknown form");
      expect((await channel.send(program, {})).status).toBe(422);
    }
    expect((await channel.publish("healthchecks", { ...sample("healthchecks"), status: "degraded" })).title).toBe(
      "degraded: Backup",
    );
    expect((await channel.publish("healthchecks", { name: "Backup", status: "down" })).title).toBe("Down: Backup");
  });

  test("any JSON: a title that is deeper, as Sentry sends it", async () => {
    const event = { title: "TypeError: quay is null", web_url: "https://sentry.example/1", level: "error" };
    const { alerts, notes } = await channel.send("json", {
      action: "triggered",
      data: { event, triggered_rule: "All" },
      actor: { name: "Sentry" },
    });
    expect(alerts).toMatchObject([{ title: event.title, source_url: event.web_url, priority: "important" }]);
    expect(notes).toContain("in a nested field");
    expect(
      (await channel.publish("json", { event: "gate.stuck", payload: { message: "Gate 3 is stuck" } })).title,
    ).toBe("gate.stuck: Gate 3 is stuck");
    expect((await channel.publish("json", [{ title: "x" }].at(0))).title).toBe("x");
    expect((await channel.send("json", { a: { b: { c: { d: { title: "too deep" } } } } })).status).toBe(422);
    expect((await channel.send("json", { a: 1 })).alerts).toMatchObject([{ title: "a: 1", body: null }]);
  });
});

// rules#senders-events
describe("CloudEvents", () => {
  const structured = { "content-type": "application/cloudevents+json" };
  let n = 0;
  const event = (more: object = {}) => ({
    specversion: "1.0",
    id: `e${++n}`,
    source: "/gates",
    type: "gate.closed",
    ...more,
  });

  test.each([
    ["without data", {}, { title: "gate.closed", body: "/gates" }],
    ["without data, with a subject", { subject: "gate 3" }, { title: "gate.closed: gate 3", body: "/gates" }],
    ["with data that is null", { data: null }, { title: "gate.closed", body: "/gates" }],
    ["with an empty object", { data: {} }, { title: "gate.closed", body: "/gates" }],
    ["with a text", { data: "By hand" }, { title: "gate.closed", body: "By hand" }],
    ["with a number", { data: 42 }, { title: "gate.closed", body: "42" }],
    ["with false", { data: false }, { title: "gate.closed", body: "false" }],
    ["with a list", { data: [1, "b"] }, { title: "gate.closed", body: '[1,"b"]' }],
    [
      "with JSON in base64",
      { datacontenttype: "application/json", data_base64: Buffer.from('{"message":"By hand"}').toString("base64") },
      { title: "gate.closed", body: "By hand" },
    ],
    [
      "with JSON as a text",
      { datacontenttype: "application/json", data: '{"title":"By hand"}' },
      { title: "By hand", body: "/gates" },
    ],
    [
      "with bytes",
      { data_base64: Buffer.from([0xff, 0xfe]).toString("base64") },
      { title: "gate.closed", body: "/gates" },
    ],
    [
      "of a later version, without an id",
      { specversion: "2.0", id: undefined },
      { title: "gate.closed", body: "/gates" },
    ],
    [
      "with attributes of other types",
      { subject: 3, time: 5, extension: {} },
      { title: "gate.closed: 3", body: "/gates" },
    ],
  ])("structured, %s", async (_, more, expected) => {
    expect(await channel.publish("cloudevents", event(more), structured)).toMatchObject(expected);
  });

  test("binary, without a body and without a subject", async () => {
    const headers = { "ce-specversion": "1.0", "ce-source": "/gates", "ce-type": "gate.opened" };
    expect(await channel.publish("cloudevents", "", { ...headers, "ce-id": "b1" })).toMatchObject({
      title: "gate.opened",
      body: "/gates",
    });
    const shown = await channel.publish("cloudevents", "", {
      ...headers,
      "ce-id": "b2",
      "ce-subject": "gate%203",
      "content-type": "text/plain",
    });
    expect(shown.title).toBe("gate.opened: gate 3");
  });

  test("a batch, each event once by its id, with a note of what is not an event", async () => {
    const batch = { "content-type": "application/cloudevents-batch+json" };
    const events = [event({ data: { title: "One" } }), event({ subject: "gate 4" }), { no: "event" }];
    const { alerts, notes } = await channel.send("cloudevents", events, batch);
    expect(alerts).toMatchObject([{ title: "One" }, { title: "gate.closed: gate 4" }]);
    expect(notes).toContain("were ignored");
    const again = await channel.send("cloudevents", events, batch);
    expect(again.alerts.map(({ id }) => id)).toEqual(alerts.map(({ id }) => id));
    expect((await channel.send("cloudevents", [], batch)).status).toBe(422);
  });

  test("a batch of more events than one request publishes is one alert", async () => {
    const events = Array.from({ length: LIMITS.ingest_alerts + 5 }, (_, i) => event({ subject: `gate ${i}` }));
    const shown = await channel.publish("cloudevents", events, {
      "content-type": "application/cloudevents-batch+json",
    });
    expect(shown).toMatchObject({
      title: "25 events",
      body: expect.stringMatching(/^gate\.closed: gate 0\n[\s\S]*And 5 more\.$/),
    });
  });

  test("a body that is not an event is refused", async () => {
    for (const body of [{}, { a: 1 }, [1], 7, null])
      expect((await channel.send("cloudevents", body, structured)).status).toBe(422);
  });
});

// rules#senders-collapse
describe("alerts that replace each other", () => {
  const certificate = (name: string, days: string) => ({
    heartbeat: null,
    monitor: null,
    msg: `[${name}][https://shop.example] certificate will expire in ${days}`,
  });
  const kuma = sample("uptime_kuma");
  const check = sample("healthchecks");
  const alertmanager = sample("alertmanager");
  const grafana = sample("grafana");
  const trial = (n: number) => ({
    ...{ ...grafana, receiver: "phone", groupKey: `phone-57c6d9296de2ad39-${n}` },
    ...{ commonLabels: { alertname: "TestAlert", instance: "Grafana" }, groupLabels: {} },
  });
  const run = (more: object) => ({
    repository: { full_name: "octo/harbour" },
    action: "completed",
    workflow_run: { name: "CI", workflow_id: 5, conclusion: "failure", head_branch: "main", run_number: 1, ...more },
  });
  let n = 0;
  const event = (more: object) => ({
    specversion: "1.0",
    id: `k${++n}`,
    source: "/gates",
    type: "gate.state",
    ...more,
  });

  /** For each program: two messages of the same card, and one of another. */
  const CARDS: [program: IngestSourceProgramId, what: string, first: unknown, same: unknown, other: unknown][] = [
    [
      "uptime_kuma",
      "a certificate on two days",
      certificate("The shop", "7 days"),
      certificate("The shop", "1 day"),
      certificate("The quay", "7 days"),
    ],
    [
      "uptime_kuma",
      "the same trial twice",
      { heartbeat: null, monitor: null, msg: "Testing" },
      { heartbeat: null, monitor: null, msg: "Testing" },
      { heartbeat: null, monitor: null, msg: "Maintenance begins" },
    ],
    [
      "uptime_kuma",
      "down and up",
      kuma,
      { ...kuma, heartbeat: { status: 1, msg: "OK" } },
      { ...kuma, monitor: { id: 2, name: "The shop" } },
    ],
    ["healthchecks", "down and up", check, { ...check, status: "up", last_ping: null }, { ...check, unique_key: "b" }],
    [
      "healthchecks",
      "placeholders",
      { name: "Backup", status: "down" },
      { name: "Backup", status: "up" },
      { name: "Restore", status: "down" },
    ],
    [
      "alertmanager",
      "firing and resolved",
      alertmanager,
      { ...alertmanager, status: "resolved" },
      { ...alertmanager, groupKey: "other" },
    ],
    [
      "alertmanager",
      "without a group key",
      { ...alertmanager, groupKey: "" },
      { ...alertmanager, groupKey: "", status: "resolved" },
      { ...alertmanager, groupKey: "", groupLabels: { alertname: "HostDown" } },
    ],
    ["grafana", "the trial of a contact point", trial(1), trial(2), { ...trial(1), receiver: "watch" }],
    [
      "github",
      "a run that is repeated",
      run({}),
      run({ run_number: 2, conclusion: "success" }),
      run({ workflow_id: 6 }),
    ],
    [
      "gitlab",
      "a pipeline that is repeated",
      sample("gitlab"),
      sample("gitlab"),
      { ...sample("gitlab"), object_attributes: { id: 32, ref: "next", status: "failed" } },
    ],
    [
      "cloudevents",
      "the same type and subject",
      event({ subject: "gate 3" }),
      event({ subject: "gate 3" }),
      event({ subject: "gate 4" }),
    ],
  ];

  test.each(CARDS)("%s: %s", async (program, _, first, same, other) => {
    const headers = { ...SAMPLE_PAYLOADS[program].headers };
    const key = async (body: unknown) => (await channel.publish(program, body, headers)).collapse_key;
    const one = await key(first);
    expect(one).toMatch(/^[a-z-]+-[0-9a-f]{32}$/);
    expect(await key(same)).toBe(one);
    expect(await key(other)).not.toBe(one);
  });

  // The time of a search that tries each digit as a beginning grows with the square of their number.
  test("a notice of a million digits is published", async () => {
    const msg = "1".repeat(1_000_000);
    expect((await channel.publish("uptime_kuma", { heartbeat: null, monitor: null, msg })).title).toMatch(/^1+…$/);
  });

  test("indistinguishable messages have no key", async () => {
    const nameless = { ...alertmanager, ...{ groupKey: "", groupLabels: {}, commonLabels: {} } };
    expect((await channel.publish("alertmanager", nameless)).collapse_key).toBeNull();
    expect(
      (await channel.publish("cloudevents", event({}), { "content-type": "application/cloudevents+json" }))
        .collapse_key,
    ).toBeNull();
    expect((await channel.publish("healthchecks", { title: "Late", status: "down" })).collapse_key).toBeNull();
  });
});
