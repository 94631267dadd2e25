// The texts and links of an author are shown, together with the program's additions. They come from a rule, a contact
// point, a commit or a comment.

import { describe, expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import { openSenderChannel } from "../support/sender_channel.ts";

const channel = await openSenderChannel();

const buttons = ({ actions }: { actions: { label: string; url: string }[] }) =>
  Object.fromEntries(actions.map(({ label, url }) => [label, url]));

// rules#senders-author
describe("Grafana", () => {
  /** As Grafana's documentation shows it, with texts of ours. */
  const alert = (zone: string, more: object = {}) => ({
    status: "firing",
    labels: { alertname: "TideGauge", team: "harbour", zone },
    annotations: {
      summary: `The gauge of ${zone} reads too high`,
      description: "The water rises faster than 20 cm an hour.\nClose the gates.",
      runbook_url: "https://wiki.harbour.example/tide",
    },
    startsAt: "2026-10-12T09:51:03.157076+02:00",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "https://grafana.harbour.example/alerting/1afz29v7z/edit",
    fingerprint: "c6eadffa33fcdf37",
    silenceURL: "https://grafana.harbour.example/alerting/silence/new?alertmanager=grafana&matchers=zone%3Deast",
    dashboardURL: "https://grafana.harbour.example/d/tide",
    panelURL: "https://grafana.harbour.example/d/tide?viewPanel=2",
    values: { B: 44.23943737541908, C: 1 },
    ...more,
  });
  const payload = (alerts: object[], more: object = {}) => ({
    receiver: "Harbour webhook",
    status: "firing",
    orgId: 1,
    alerts,
    groupLabels: {},
    commonLabels: { team: "harbour", ...(alerts.length === 1 && { alertname: "TideGauge", zone: "east" }) },
    commonAnnotations: {},
    externalURL: "https://grafana.harbour.example/",
    version: "1",
    groupKey: "{}:{}",
    truncatedAlerts: 0,
    title: "[FIRING:1]  (TideGauge harbour east)",
    state: "alerting",
    message:
      "**Firing**\n\nValue: B=44.2, C=1\nLabels:\n - alertname = TideGauge\nAnnotations:\n - summary = x\nSource: " +
      "https://x\n",
    ...more,
  });

  test("summary, description and values of an alert are the text; its pages are links", async () => {
    const shown = await channel.publish("grafana", payload([alert("east")]));
    expect(shown).toMatchObject({
      title: "TideGauge: The gauge of east reads too high",
      body: [
        "team=harbour, zone=east: The water rises faster than 20 cm an hour.",
        "Close the gates.",
        "Values: B = 44.2394, C = 1",
        "Source: https://grafana.harbour.example/alerting/1afz29v7z/edit",
      ].join("\n"),
      source_url: "https://grafana.harbour.example/d/tide",
    });
    expect(buttons(shown)).toEqual({
      Runbook: "https://wiki.harbour.example/tide",
      Panel: "https://grafana.harbour.example/d/tide?viewPanel=2",
      Silence: "https://grafana.harbour.example/alerting/silence/new?alertmanager=grafana&matchers=zone%3Deast",
    });
  });

  test("the title and the message of the contact point come first, and no text is shown twice", async () => {
    const own = { title: "🌊 East gauge", message: "Call the pilot.\nThe gauge of east reads too high" };
    const shown = await channel.publish("grafana", payload([alert("east")], own));
    expect(shown.title).toBe("🌊 East gauge");
    expect(shown.body).toMatch(
      /^Call the pilot\.\nThe gauge of east reads too high\nteam=harbour, zone=east: The water rises/,
    );
    expect(shown.body.match(/reads too high/g)).toHaveLength(1);
  });

  test("an author's title shows by itself if the group is resolved; another one gets a prefix", async () => {
    for (const [title, expected] of [
      ["East gauge is OK", "East gauge is OK"],
      ["East gauge recovered", "East gauge recovered"],
      ["East gauge", "Resolved: East gauge"],
      ["Abnormal tide", "Resolved: Abnormal tide"],
      ["[RESOLVED] TideGauge", "Resolved: TideGauge"],
    ])
      expect((await channel.publish("grafana", payload([alert("east")], { status: "resolved", title }))).title).toBe(
        expected,
      );
  });

  test("links that are not https are lines of the text", async () => {
    const shown = await channel.publish(
      "grafana",
      payload(
        [
          alert("east", {
            annotations: { summary: "High", runbook_url: "http://wiki.lan/tide", __dashboardUid__: "u" },
            ...{ generatorURL: "http://grafana.lan/edit", dashboardURL: "http://grafana.lan/d", panelURL: "" },
            silenceURL: "http://grafana.lan/silence",
          }),
        ],
        { externalURL: "http://grafana.lan/" },
      ),
    );
    expect(shown).toMatchObject({ source_url: null, actions: [] });
    for (const line of [
      "Runbook: http://wiki.lan/tide",
      "Dashboard: http://grafana.lan/d",
      "Silence: http://grafana.lan/silence",
      "Source: http://grafana.lan/edit",
    ])
      expect(shown.body.split("\n")).toContain(line);
    expect(shown.body).not.toContain("__dashboardUid__");
  });

  test("values as a text, of versions before 9.4", async () => {
    const text = "[ var='B' labels={zone=east} value=44.2 ], [ var='C' labels={zone=east} value=1 ]";
    const shown = await channel.publish("grafana", payload([alert("east", { values: null, valueString: text })]));
    expect(shown.body).toContain("Values: B = 44.2, C = 1");
    const old = "[ metric='' labels={} value=14151.33 ]";
    expect(
      (await channel.publish("grafana", payload([alert("east", { values: undefined, valueString: old })]))).body,
    ).toContain("Values: value = 14151.33");
  });

  test("a group shows each alert with its own text, and once what all of them share", async () => {
    const shown = await channel.publish(
      "grafana",
      payload([alert("east"), alert("west", { values: { B: 3 } })], {
        commonAnnotations: { description: "The water rises faster than 20 cm an hour.\nClose the gates." },
        title: "[FIRING:2]  (harbour)",
      }),
    );
    expect(shown.body.split("\n")).toEqual([
      "The water rises faster than 20 cm an hour.",
      "Close the gates.",
      "TideGauge, zone=east: The gauge of east reads too high (B = 44.2394, C = 1)",
      "TideGauge, zone=west: The gauge of west reads too high (B = 3)",
      "Common labels: team=harbour",
    ]);
    expect(shown.source_url).toBe("https://grafana.harbour.example/d/tide");
    expect(Object.keys(buttons(shown))).toEqual(["Runbook", "Panel"]);
  });

  test("alerts of different rules are named, in the title while they are few", async () => {
    const other = { labels: { alertname: "GateStuck", team: "harbour", zone: "west" } };
    const shown = await channel.publish(
      "grafana",
      payload([alert("east"), alert("west", other)], { title: "[FIRING:2]  (harbour)" }),
    );
    expect(shown.title).toBe("TideGauge, GateStuck: 2 alerts");
    expect(shown.body).toMatch(/^TideGauge, zone=east: .*\nGateStuck, zone=west: /);
  });

  test("a picture of the panel is the picture of the alert", async () => {
    const imageURL = "https://pictures.harbour.example/1.png";
    expect((await channel.publish("grafana", payload([alert("east", { imageURL })]))).image_url).toBe(imageURL);
  });

  test("an alert of legacy alerting", async () => {
    const rule = {
      ...{ orgId: 1, ruleId: 7, ruleName: "Tide", ruleUrl: "https://grafana.harbour.example/d/1", state: "alerting" },
      ...{
        title: "[Alerting] Tide",
        message: "Close the gates.",
        evalMatches: [{ value: 44, metric: "level", tags: null }],
      },
    };
    const first = await channel.publish("grafana", rule);
    expect(first).toMatchObject({
      ...{ title: "[Alerting] Tide", body: "Close the gates.\nValues: level = 44", priority: "important" },
      source_url: "https://grafana.harbour.example/d/1",
    });
    const second = await channel.publish("grafana", { ...rule, state: "ok", title: "[OK] Tide", evalMatches: null });
    expect(second.collapse_key).toBe(first.collapse_key);
  });

  test("the example of the failing inputs: the summary is shown", async () => {
    const annotations = { summary: "CPU of nas above 95 %" };
    const labels = { alertname: "HighCPU" };
    const shown = await channel.publish("grafana", {
      ...{
        status: "firing",
        orgId: 1,
        title: "[FIRING:1] HighCPU",
        commonAnnotations: annotations,
        commonLabels: labels,
      },
      ...{ groupKey: "k", alerts: [{ status: "firing", labels, annotations }] },
    });
    expect(shown).toMatchObject({ title: "HighCPU", body: "CPU of nas above 95 %" });
  });
});

describe("Alertmanager and Prometheus", () => {
  const GROUP = SAMPLE_PAYLOADS.alertmanager.body as Record<string, unknown>;
  const annotations = {
    summary: "The disk on nas is 97% full",
    description: "Two days are left.",
    impact: "Backups stop.",
    runbook_url: "https://wiki.example/disk",
    dashboard: "https://grafana.example/d/disk",
  };
  const alert = {
    status: "firing",
    labels: { alertname: "DiskFull", instance: "nas:9100", mountpoint: "/data", severity: "critical" },
    annotations,
    startsAt: "2026-11-01T08:00:00Z",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "http://prometheus.lan:9090/graph",
  };

  test("every annotation is shown: summary, description, others by name, and links as buttons", async () => {
    const shown = await channel.publish("alertmanager", {
      ...GROUP,
      ...{ commonAnnotations: annotations, commonLabels: alert.labels, alerts: [alert] },
    });
    expect(shown).toMatchObject({
      title: "DiskFull: The disk on nas is 97% full",
      body:
        "nas:9100, mountpoint=/data: Two days are left.\nimpact: Backups stop.\nSource: " +
        "http://prometheus.lan:9090/graph",
    });
    expect(buttons(shown)).toEqual({
      Runbook: "https://wiki.example/disk",
      Dashboard: "https://grafana.example/d/disk",
    });
  });

  test("two alerts of one instance are distinguished by their labels", async () => {
    const labels = { ...alert.labels, mountpoint: "/home" };
    const shown = await channel.publish("alertmanager", {
      ...GROUP,
      ...{ commonAnnotations: {}, commonLabels: { alertname: "DiskFull", instance: "nas:9100" }, groupKey: "two" },
      alerts: [alert, { ...alert, labels, annotations: { summary: "Home is full" } }],
    });
    expect(shown.body).toMatch(/^nas:9100, mountpoint=\/data: .*\nnas:9100, mountpoint=\/home: Home is full\n/);
  });

  test("Prometheus alone", async () => {
    const shown = await channel.publish("prometheus", [
      { ...alert, labels: { ...alert.labels, alertname: "DiskAlone" } },
    ]);
    expect(shown.body).toContain("Two days are left.\nimpact: Backups stop.");
    expect(buttons(shown).Runbook).toBe("https://wiki.example/disk");
  });
});

describe("GitHub and GitLab", () => {
  const repository = { full_name: "octo/harbour", html_url: "https://github.com/octo/harbour" };
  const sender = { login: "octocat" };
  const github = (event: string, body: object) =>
    channel.publish("github", { repository, sender, ...body }, { "x-github-event": event });
  const project = { path_with_namespace: "octo/harbour", web_url: "https://gitlab.example/octo/harbour" };
  const gitlab = (body: object) =>
    channel.publish("gitlab", { project, user: { name: "Jo" }, ...body }, { "x-gitlab-event": "Some Hook" });

  test("the whole message of a single commit", async () => {
    const message = "Close the gates earlier\n\nThe water rose faster than the motor runs.";
    const commits = [{ message, author: { name: "Ada" } }];
    expect((await github("push", { ref: "refs/heads/main", commits })).body).toBe(`${message} (Ada)`);
    expect((await gitlab({ object_kind: "push", ref: "refs/heads/main", total_commits_count: 1, commits })).body).toBe(
      `${message} (Ada)`,
    );
  });

  test("the commit of a run and of a pipeline, and the jobs that failed", async () => {
    const run = {
      name: "CI",
      conclusion: "failure",
      head_branch: "main",
      head_commit: { message: "Try it", author: { name: "Ada" } },
    };
    expect((await github("workflow_run", { action: "completed", workflow_run: run })).body).toBe("Try it (Ada)");
    const pipeline = {
      object_attributes: { id: 1, ref: "main", status: "failed" },
      commit: { message: "Try it\n", title: "Try it", author: { name: "Jo" } },
      builds: [
        { name: "lint", status: "success" },
        { name: "test", status: "failed" },
      ],
    };
    expect((await gitlab({ object_kind: "pipeline", ...pipeline })).body).toBe("Try it (Jo)\nFailed: test");
  });

  test("the text of a comment, a review and a note", async () => {
    const issue = { number: 7, title: "The quay leaks", html_url: "https://github.com/octo/harbour/issues/7" };
    const comment = { body: "Since **Monday**.", html_url: "https://github.com/octo/harbour/issues/7#c1" };
    expect(await github("issue_comment", { action: "created", issue, comment })).toMatchObject({
      title: "octo/harbour issue comment created by octocat: #7 The quay leaks",
      ...{ body: "Since **Monday**.", source_url: comment.html_url, collapse_key: null },
    });
    expect(
      await github("pull_request_review", {
        action: "submitted",
        pull_request: issue,
        review: { body: "Looks good." },
      }),
    ).toMatchObject({ body: "Looks good.", source_url: issue.html_url });
    expect(
      await gitlab({
        ...{ object_kind: "note", issue: { iid: 7, title: "The quay leaks" } },
        object_attributes: { note: "Since Monday.", url: "https://gitlab.example/octo/harbour/-/issues/7#note_1" },
      }),
    ).toMatchObject({ title: "octo/harbour note by Jo: The quay leaks", body: "Since Monday." });
  });
});

describe("Uptime Kuma and Healthchecks", () => {
  const kuma = SAMPLE_PAYLOADS.uptime_kuma.body as { heartbeat: object; monitor: object; msg: string };
  const check = SAMPLE_PAYLOADS.healthchecks.body as object;

  test("the description of a monitor, and a message that its owner wrote", async () => {
    const monitor = { ...kuma.monitor, description: "Call Robin." };
    expect((await channel.publish("uptime_kuma", { ...kuma, monitor })).body).toBe(
      "timeout of 48000ms exceeded\nCall Robin.",
    );
    expect(await channel.publish("uptime_kuma", { ...kuma, title: "Shop!", msg: "Ring the bell" })).toMatchObject({
      ...{ title: "Shop!", body: "timeout of 48000ms exceeded\nRing the bell" },
    });
  });

  test("a title and a message with a check", async () => {
    expect(
      await channel.publish("healthchecks", {
        title: "Backup is late",
        message: "Look at nas.",
        check: { ...check, desc: "Nightly" },
      }),
    ).toMatchObject({ title: "Backup is late", body: expect.stringMatching(/^Look at nas\.\nNightly\nTags: prod\n/) });
  });

  test("the description of a check", async () => {
    expect((await channel.publish("healthchecks", { ...check, desc: "Nightly\nof nas" })).body).toMatch(
      /^Nightly\nof nas\nTags: /,
    );
  });
});
