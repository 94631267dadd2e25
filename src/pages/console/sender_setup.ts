// The text to paste into a program so that it sends to a channel, by program, each with its place.

import { INGEST_SOURCE_PROGRAMS, type IngestSourceProgramId } from "../../model/fields/sender_programs.ts";
import { capitalize } from "./form_controls.ts";

export const isSenderProgram = (name: string | null): name is IngestSourceProgramId =>
  name !== null && Object.hasOwn(INGEST_SOURCE_PROGRAMS, name);

/** The name as the program writes it; a description begins with a capital letter. */
export const getSenderProgramTitle = (name: string | null): string =>
  isSenderProgram(name) ? INGEST_SOURCE_PROGRAMS[name].replace(/^(any|plain)\b/, capitalize) : "A program";

/** The values that a program needs. */
export interface SenderSetupValues {
  /** Where this service is, without a slash at its end. */
  publicUrl: string;
  /** A host name of the ntfy API at its root. */
  ntfyHost: string | null;
  handle: string;
  key: string;
}

interface SetupSnippet {
  /** The place for the text, as a sentence that ends with a colon. */
  where: string;
  text: string;
}

/** Where programs without an address of their own kind send to. */
const ingestUrl = ({ publicUrl, handle }: SenderSetupValues, from: IngestSourceProgramId) =>
  `${publicUrl}/api/v1/pushers/${handle}/ingest?from=${from}`;

const bearer = ({ key }: SenderSetupValues) => `Authorization: Bearer ${key}`;

const curl = (place: SenderSetupValues, from: IngestSourceProgramId, ...rest: string[]): string =>
  [`curl -s '${ingestUrl(place, from)}' -H '${bearer(place)}'`, ...rest].join(" \\\n  ");

export const SETUP_SNIPPETS: Record<IngestSourceProgramId, (place: SenderSetupValues) => SetupSnippet[]> = {
  ntfy({ publicUrl, ntfyHost, handle, key }) {
    const ownHost = new URL(publicUrl);
    if (ntfyHost !== null) ownHost.hostname = ntfyHost;
    const topic = `${publicUrl}/ntfy/${handle}`;
    const [scheme = "", rest] = topic.split("://");
    return [
      { where: "ntfy server URL:", text: ntfyHost === null ? `${publicUrl}/ntfy` : ownHost.origin },
      { where: "Topic:", text: handle },
      { where: "Access token:", text: key },
      // It knows only a host.
      ...(ntfyHost === null
        ? []
        : [
            {
              where: "Apprise:",
              text: `${scheme.replace("http", "ntfy")}://${key}@${ownHost.host}/${handle}?auth=token`,
            },
          ]),
      { where: "shoutrrr:", text: `ntfy://:${key}@${rest}${scheme === "http" ? "?scheme=http" : ""}` },
      {
        where: "To test the connection in a shell:",
        text: `curl -s '${topic}' -H 'Authorization: Bearer ${key}' -H 'Title: Backup' -d 'The backup is done'`,
      },
    ];
  },
  gotify: (place) => [
    { where: "Gotify server URL:", text: `${place.publicUrl}/gotify` },
    { where: "Application token:", text: place.key },
    { where: "Apprise:", text: `${place.publicUrl.replace(/^http/, "gotify")}/gotify/${place.key}` },
    {
      where: "To test the connection in a shell:",
      text:
        `curl -s '${place.publicUrl}/gotify/message' -H 'X-Gotify-Key: ${place.key}' -F 'title=Backup' -F ` +
        "'message=The backup is done'",
    },
  ],
  alertmanager: (place) => [
    {
      where: "In alertmanager.yml:",
      text: `route:
  receiver: belfry
receivers:
  - name: belfry
    webhook_configs:
      - url: '${ingestUrl(place, "alertmanager")}'
        send_resolved: true
        max_alerts: 50
        http_config:
          authorization:
            credentials: '${place.key}'`,
    },
  ],
  prometheus(place) {
    const { protocol, host, pathname } = new URL(place.publicUrl);
    return [
      {
        where: "In prometheus.yml, without Alertmanager:",
        text: `alerting:
  alertmanagers:
    - scheme: ${protocol.slice(0, -1)}
      path_prefix: ${pathname.replace(/\/$/, "")}/api/v1/pushers/${place.handle}/ingest
      authorization:
        credentials: '${place.key}'
      static_configs:
        - targets: ['${host}']`,
      },
    ];
  },
  grafana: (place) => [
    { where: "In a webhook contact point, set URL to:", text: ingestUrl(place, "grafana") },
    {
      where: "In the optional settings, under Authorization Header, set the scheme to Bearer and the credentials to:",
      text: place.key,
    },
  ],
  github: (place) => [
    {
      where: "In the repository’s settings, open Webhooks, choose Add webhook, and set Payload URL to:",
      text: `${ingestUrl(place, "github")}&token=${place.key}`,
    },
    { where: "Content type:", text: "application/json" },
    { where: "Secret, used by GitHub for signatures:", text: place.key },
  ],
  gitlab: (place) => [
    { where: "In the project’s settings, open Webhooks and set URL to:", text: ingestUrl(place, "gitlab") },
    { where: "Secret token:", text: place.key },
  ],
  uptime_kuma: (place) => [
    { where: "In a webhook notification, set Post URL to:", text: ingestUrl(place, "uptime_kuma") },
    {
      where: "For the request body, choose the preset application/json. Add these headers:",
      text: JSON.stringify({ Authorization: `Bearer ${place.key}` }),
    },
  ],
  healthchecks: (place) => [
    {
      where: "In a webhook integration, use the method POST and this URL for both the down event and the up event:",
      text: ingestUrl(place, "healthchecks"),
    },
    { where: "Request body:", text: "$JSON" },
    { where: "Request headers:", text: `${bearer(place)}\nContent-Type: application/json` },
  ],
  cloudevents: (place) => [
    {
      where: "In a shell, or any program that sends CloudEvents over HTTP:",
      text: curl(
        place,
        "cloudevents",
        "-H 'Content-Type: application/cloudevents+json'",
        `-d '{"specversion":"1.0","id":"1","source":"/backup","type":"backup.done","data":{"title":"The backup ` +
          `is done"}}'`,
      ),
    },
  ],
  json: (place) => [
    {
      where: "JSON with title and body (or message, text, severity, url) works as is:",
      text: curl(
        place,
        "json",
        "-H 'Content-Type: application/json'",
        `-d '{"title":"Backup","message":"The backup is done"}'`,
      ),
    },
    {
      where: "For other field names, give their paths in the URL (percent-encoded):",
      text: `${ingestUrl(place, "json")}&title=${encodeURIComponent("{{job.name}}")}&body=${encodeURIComponent(
        "{{job.result}}",
      )}`,
    },
  ],
  text: (place) => [
    {
      where: "In a shell or script; the first line is the title:",
      text: curl(place, "text", "-d 'The backup is done'"),
    },
  ],
};
