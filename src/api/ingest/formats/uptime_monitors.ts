// Programs that monitor others. The body of Healthchecks' webhook is written by its owner. It contains `$JSON` (the
// check as its API shows it) by itself or as `check`, or single placeholders. Uptime Kuma's is JSON, or JSON in the
// field `data` of a form.

import { z } from "zod";
import { ApiError, invalidRequest } from "../../../model/api_error.ts";
import type { IngestRequest, SenderAdapter } from "../adapter.ts";
import { parseBoundedJson } from "../read_ingest_request.ts";
import { buildAlert, createCollapseKey, parseBodyObjectOrEmpty, textOrNumberSchema } from "./format_helpers.ts";
import { parseUndocumentedMessage } from "./generic_json.ts";

const checkSchema = z.object({
  name: textOrNumberSchema,
  slug: textOrNumberSchema,
  tags: textOrNumberSchema,
  desc: textOrNumberSchema,
  status: textOrNumberSchema,
  last_ping: textOrNumberSchema,
  uuid: textOrNumberSchema,
  unique_key: textOrNumberSchema,
});

/** Fields that the owner of a webhook may add to a program's own. */
const ownTextsSchema = z.object({ title: textOrNumberSchema, message: textOrNumberSchema, text: textOrNumberSchema });

const parseCheck = (body: Record<string, unknown>) =>
  typeof body.check === "object" && body.check !== null && !Array.isArray(body.check)
    ? (body.check as Record<string, unknown>)
    : body;

/** @throws ApiError with the way to valid JSON: a name with quotation marks breaks a body of single placeholders */
function parseCustomBody(request: IngestRequest): Record<string, unknown> {
  try {
    return request.object();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalidRequest("malformed_body", `${error.message} Write $JSON as the request body of the webhook.`);
  }
}

const isKnownStatus = (status: unknown) =>
  /^(up|down|grace|new|paused|started)$/.test(textOrNumberSchema.parse(status));

export const healthchecksAdapter: SenderAdapter = {
  name: "healthchecks",
  delivery: "once",
  matches(request) {
    const found = parseCheck(parseBodyObjectOrEmpty(request));
    return isKnownStatus(found.status) && ("n_pings" in found || "ping_url" in found || "unique_key" in found);
  },
  read(request) {
    const body = parseCustomBody(request);
    const { name, slug, tags, desc, status, last_ping, uuid, unique_key } = checkSchema.parse(parseCheck(body));
    const { title, message, text } = ownTextsSchema.parse(body);
    if (status === "" || (name === "" && slug === "" && title === ""))
      return parseUndocumentedMessage(body, "healthchecks");
    const called = name || slug;
    const id = uuid || unique_key || called;
    const state = status === "down" ? "Down" : status === "up" ? "Up" : status;
    const fields = buildAlert({
      title: title || `${state}: ${called}`,
      // The check's own addresses are left out: a person who has its ping address can keep the check quiet.
      body: [message || text, desc, tags && `Tags: ${tags}`, last_ping && `Last ping: ${last_ping}`]
        .filter(Boolean)
        .join("\n"),
      priority: status === "down" ? "important" : "normal",
      key: id === "" ? undefined : createCollapseKey("hc", id),
    });
    return { alerts: [{ fields }], notes: [] };
  },
};

const payloadSchema = z.object({
  title: textOrNumberSchema,
  msg: textOrNumberSchema,
  heartbeat: z
    .object({ status: z.number().optional().catch(undefined), msg: textOrNumberSchema })
    .nullable()
    .catch(null),
  monitor: z
    .object({
      id: textOrNumberSchema,
      name: textOrNumberSchema,
      url: textOrNumberSchema,
      hostname: textOrNumberSchema,
      description: textOrNumberSchema,
    })
    .nullable()
    .catch(null),
});

const STATES = ["Down", "Up", "Pending", "Maintenance"];

async function readBody(request: IngestRequest): Promise<Record<string, unknown>> {
  if (request.contentType !== "multipart/form-data") return request.object();
  const data = (await request.form()).get("data");
  const body = data === null ? null : parseBoundedJson(data);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidRequest("malformed_body", "The form must have a field named “data”, containing a JSON object.");
  return body as Record<string, unknown>;
}

/**
 * A notice without a monitor, such as one of an expiring certificate. The same notice has the same key on each day of
 * its countdown.
 */
const createNoticeCollapseKey = (monitor: string, msg: string) =>
  createCollapseKey("kuma-notice", monitor, msg.replace(/\d{1,6} days?\b/g, ""));

const NOTICE_ADDRESS = /^\[[^\]]*\]\s?\[(https?:\/\/[^\]\s]+)\]/;

export const uptimeKumaAdapter: SenderAdapter = {
  name: "uptime_kuma",
  delivery: "once",
  matches(request) {
    const body = parseBodyObjectOrEmpty(request);
    return typeof body.msg === "string" && "heartbeat" in body && "monitor" in body;
  },
  async read(request) {
    const body = await readBody(request);
    const { title, msg, heartbeat, monitor } = payloadSchema.parse(body);
    const state = STATES[heartbeat?.status ?? -1];
    if (!monitor || !heartbeat || !state) {
      if (msg === "") return parseUndocumentedMessage(body, "uptime_kuma");
      const [first = ""] = msg.split("\n", 1);
      const fields = buildAlert({
        title: title || first,
        body: title || msg.trim() !== first.trim() ? msg : "",
        url: NOTICE_ADDRESS.exec(msg)?.[1] ?? "",
        key: createNoticeCollapseKey(monitor?.id ?? "", msg),
      });
      return { alerts: [{ fields }], notes: [] };
    }
    // Uptime Kuma by default puts the name and the state of the monitor before the heartbeat's message.
    const own = msg.startsWith(`[${monitor.name}]`) ? "" : msg;
    const texts = [...new Set([heartbeat.msg || msg, own, monitor.description])];
    const fields = buildAlert({
      title: title || `${state}: ${monitor.name}`,
      body: texts.filter(Boolean).join("\n"),
      // A monitor that looks at no page has the bare beginning of an address.
      url: /^https?:\/\/.+/.test(monitor.url) ? monitor.url : "",
      priority: state === "Down" ? "important" : "normal",
      key: createCollapseKey("kuma", monitor.id, monitor.name),
    });
    return { alerts: [{ fields }], notes: [] };
  },
};
