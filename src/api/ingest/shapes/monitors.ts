// Programs that watch others. Healthchecks' webhook has a body that its owner writes: `$JSON`, the check as its API shows it, by itself
// or as `check`, or single placeholders. Uptime Kuma's is JSON or the field `data` of a form.

import { z } from "zod";
import { invalidRequest } from "../../../model/errors.ts";
import { jsonIn } from "../reading.ts";
import type { IngestRequest, Tongue } from "../tongue.ts";
import { alertOf, glance, keyOf, readAs, word } from "./parts.ts";

const check = z.object({
  name: word,
  slug: word,
  tags: word,
  desc: word,
  status: z.enum(["up", "down", "grace", "new", "paused", "started"]),
  last_ping: word.nullish(),
  uuid: word,
  unique_key: word,
});

const checkOf = (body: Record<string, unknown>) =>
  typeof body.check === "object" && body.check !== null ? body.check : body;

export const healthchecks: Tongue = {
  name: "healthchecks",
  delivery: "once",
  recognises(request) {
    const found = checkOf(glance(request));
    return (
      check.safeParse(found).success && ("n_pings" in found || "ping_url" in found || "unique_key" in found)
    );
  },
  read(request) {
    const { name, slug, tags, desc, status, last_ping, uuid, unique_key } = readAs(
      check,
      checkOf(request.object()),
      "This is no check of Healthchecks: let the body of its webhook be $JSON.",
    );
    const called = name || slug || "a check";
    const fields = alertOf({
      title: `${status === "down" ? "Down" : status === "up" ? "Up" : status}: ${called}`,
      // Its addresses are left out: whoever knows the one for pings can keep the check quiet.
      body: [desc, tags && `Tags: ${tags}`, last_ping && `Last ping: ${last_ping}`]
        .filter(Boolean)
        .join("\n"),
      priority: status === "down" ? "important" : "normal",
      key: keyOf("hc", uuid || unique_key || called),
    });
    return { alerts: [{ fields }], notes: [] };
  },
};

const payload = z.object({
  msg: z.string(),
  heartbeat: z
    .object({ status: z.number().optional().catch(undefined), msg: word })
    .nullable()
    .catch(null),
  monitor: z.object({ id: word, name: word, url: word, hostname: word }).nullable().catch(null),
});

const STATES = ["Down", "Up", "Pending", "Maintenance"];

async function bodyOf(request: IngestRequest): Promise<unknown> {
  if (request.contentType !== "multipart/form-data") return request.object();
  const data = (await request.form()).get("data");
  if (data === null) throw invalidRequest("The form has no field data with JSON in it.");
  return jsonIn(data);
}

export const uptimeKuma: Tongue = {
  name: "uptime_kuma",
  delivery: "once",
  recognises(request) {
    const body = glance(request);
    return typeof body.msg === "string" && "heartbeat" in body && "monitor" in body;
  },
  async read(request) {
    const { msg, heartbeat, monitor } = readAs(
      payload,
      await bodyOf(request),
      "This is not what Uptime Kuma's webhook sends.",
    );
    const state = STATES[heartbeat?.status ?? -1];
    if (!monitor || !heartbeat || !state)
      return { alerts: [{ fields: alertOf({ title: msg, body: msg }) }], notes: [] };
    const fields = alertOf({
      title: `${state}: ${monitor.name}`,
      body: heartbeat.msg || msg,
      // A monitor that looks at no page has the bare beginning of an address.
      url: /^https?:\/\/.+/.test(monitor.url) ? monitor.url : "",
      priority: state === "Down" ? "important" : "normal",
      key: keyOf("kuma", monitor.id, monitor.name),
    });
    return { alerts: [{ fields }], notes: [] };
  },
};
