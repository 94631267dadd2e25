// The programs whose requests are understood (src/api/ingest), by the value of `?from=`: what a key can be made for.

export const INGEST_SOURCE_PROGRAMS = {
  ntfy: "ntfy",
  gotify: "Gotify",
  alertmanager: "Alertmanager",
  prometheus: "Prometheus",
  grafana: "Grafana",
  github: "GitHub",
  gitlab: "GitLab",
  uptime_kuma: "Uptime Kuma",
  healthchecks: "Healthchecks",
  cloudevents: "CloudEvents",
  json: "any program that sends JSON",
  text: "plain text",
} as const;

export type IngestSourceProgramId = keyof typeof INGEST_SOURCE_PROGRAMS;

/** For schemas, which want a list with a first one. */
export const INGEST_SOURCE_PROGRAM_IDS = Object.keys(INGEST_SOURCE_PROGRAMS) as [
  IngestSourceProgramId,
  ...IngestSourceProgramId[],
];
