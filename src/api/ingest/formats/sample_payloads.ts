// Sample messages of each program, after its own documentation, and the resulting alert, parsed like a real request. A
// draft shows it to the person who connects the program.

import { assertDefined } from "../../../model/assert.ts";
import type { IngestSourceProgramId } from "../../../model/fields/sender_programs.ts";
import type { AlertInput } from "../adapter.ts";
import { findAdapterByName } from "../adapters.ts";
import { readIngestRequest } from "../read_ingest_request.ts";

/** Headers with a JSON body, or a plain text. */
interface Sample {
  headers?: Record<string, string>;
  body: unknown;
}

const ALERT = {
  labels: { alertname: "DiskFull", instance: "nas:9100", severity: "critical" },
  annotations: { summary: "The disk on nas is 97% full" },
  startsAt: "2026-11-01T08:00:00Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "https://prometheus.example/graph",
};

const GROUP = {
  receiver: "belfry",
  status: "firing",
  alerts: [{ status: "firing", ...ALERT, fingerprint: "c6eadffa33fcdf37" }],
  groupLabels: { alertname: "DiskFull" },
  commonLabels: ALERT.labels,
  commonAnnotations: ALERT.annotations,
  truncatedAlerts: 0,
};

export const SAMPLE_PAYLOADS: Record<IngestSourceProgramId, Sample> = {
  ntfy: { headers: { title: "Backup", priority: "4" }, body: "The backup is done" },
  gotify: { body: { title: "Backup", message: "The backup is done", priority: 5 } },
  alertmanager: {
    body: {
      ...{ version: "4", groupKey: '{}:{alertname="DiskFull"}', externalURL: "https://alertmanager.example" },
      ...GROUP,
    },
  },
  prometheus: { body: [ALERT] },
  grafana: {
    body: {
      ...{ version: "1", groupKey: '{}:{alertname="DiskFull"}', externalURL: "https://grafana.example/", orgId: 1 },
      ...{ title: "[FIRING:1] DiskFull (nas:9100 critical)", state: "alerting", message: "**Firing**" },
      ...GROUP,
    },
  },
  github: {
    headers: { "x-github-event": "workflow_run" },
    body: {
      action: "completed",
      repository: { full_name: "octo/harbour", html_url: "https://github.com/octo/harbour" },
      sender: { login: "octocat" },
      workflow_run: {
        ...{ name: "CI", conclusion: "failure", head_branch: "main", run_number: 412 },
        html_url: "https://github.com/octo/harbour/actions/runs/1",
      },
    },
  },
  gitlab: {
    headers: { "x-gitlab-event": "Pipeline Hook" },
    body: {
      object_kind: "pipeline",
      object_attributes: { id: 31, iid: 3, ref: "main", status: "failed" },
      user: { name: "Administrator" },
      project: { path_with_namespace: "octo/harbour", web_url: "https://gitlab.example/octo/harbour" },
    },
  },
  uptime_kuma: {
    body: {
      heartbeat: { monitorID: 1, status: 0, time: "2026-11-01 08:00:00", msg: "timeout of 48000ms exceeded" },
      monitor: { id: 1, name: "The shop", url: "https://shop.example" },
      msg: "[The shop] [🔴 Down] timeout of 48000ms exceeded",
    },
  },
  healthchecks: {
    body: {
      ...{ name: "Backup", slug: "backup", tags: "prod", desc: "", grace: 3600, n_pings: 7, status: "down" },
      ...{ last_ping: "2026-11-01T08:00:00+00:00", next_ping: null, unique_key: "a6c7b0a8a66bed0d" },
    },
  },
  cloudevents: {
    headers: { "content-type": "application/cloudevents+json" },
    body: {
      ...{ specversion: "1.0", id: "1", source: "/backup", type: "backup.done" },
      data: { title: "The backup is done" },
    },
  },
  json: { body: { title: "Backup", message: "The backup is done" } },
  text: { body: "The backup is done" },
};

export async function buildAlertFromSamplePayload(program: IngestSourceProgramId, now: Date): Promise<AlertInput> {
  const { body, headers } = SAMPLE_PAYLOADS[program];
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request("http://sample/", { method: "POST", body: sent, ...(headers && { headers }) });
  const read = await readIngestRequest(request, { path: "/", channel: "sample", secret: "", now });
  // It has no signature.
  const { alerts } = await assertDefined(findAdapterByName(program), "every program has an adapter").read({
    ...read,
    isSignature: () => true,
  });
  return assertDefined(alerts[0], "a sample is an alert").fields;
}
