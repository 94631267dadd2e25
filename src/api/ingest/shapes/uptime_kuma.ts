// Uptime Kuma's webhook, as JSON or as the field `data` of a form: a monitor that went down or up, a certificate, a trial.

import { z } from "zod";
import { invalidRequest } from "../../../model/errors.ts";
import { PROGRAMS } from "../../../model/fields/programs.ts";
import { jsonIn } from "../reading.ts";
import { type IngestRequest, plainAnswer, plainRefusal, type Tongue } from "../tongue.ts";
import { alertOf, glance, keyOf, readAs, word } from "./parts.ts";

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
  title: PROGRAMS.uptime_kuma,
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
  answer: plainAnswer,
  refuse: plainRefusal,
};
