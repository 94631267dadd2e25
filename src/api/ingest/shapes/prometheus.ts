// What Prometheus sends to an Alertmanager: all that fires, again each minute, and what ended for a quarter of an hour more. The
// alerts of one name are one alert here, published once as long as the same ones fire.

import { z } from "zod";
import { PROGRAMS } from "../../../model/fields/programs.ts";
import { LIMITS } from "../../../model/limits.ts";
import { plainAnswer, plainRefusal, type ReadAlert, type Tongue } from "../tongue.ts";
import { alertOfGroup, type Labelled, labelled } from "./groups.ts";
import { keyOf, readAs } from "./parts.ts";

const posted = z.array(labelled.extend({ labels: z.record(z.string(), z.string()) }));

function readGroup(name: string, alerts: readonly Labelled[], now: Date): ReadAlert {
  const hasEnded = ({ endsAt }: Labelled) =>
    !endsAt.startsWith("0001-") && Date.parse(endsAt) <= now.getTime();
  const stated = alerts.map((alert) => ({
    ...alert,
    status: hasEnded(alert) ? "resolved" : "firing",
  }));
  const firing = stated.filter(({ status }) => status === "firing");
  const identities = firing.map(({ labels, startsAt }) =>
    JSON.stringify([Object.entries(labels).sort(), startsAt]),
  );
  // What ended is left out one by one, so the last end tells one time from another.
  const state =
    firing.length > 0
      ? identities.sort()
      : [
          alerts
            .map(({ endsAt }) => endsAt)
            .sort()
            .at(-1) ?? "",
        ];
  const fields = alertOfGroup("prom", {
    ...{ groupKey: name, groupLabels: {}, commonAnnotations: {}, externalURL: "", title: "", message: "" },
    status: firing.length > 0 ? "firing" : "resolved",
    commonLabels: name === "" ? {} : { alertname: name },
    truncatedAlerts: 0,
    alerts: stated,
  });
  return { fields, firstStands: true, idempotencyKey: keyOf("prom", name, ...state) };
}

export const prometheus: Tongue = {
  name: "prometheus",
  title: PROGRAMS.prometheus,
  recognises(request) {
    if (request.path.endsWith("/api/v2/alerts")) return true;
    try {
      const body = request.json();
      return Array.isArray(body) && typeof body[0]?.labels === "object";
    } catch {
      return false;
    }
  },
  read(request) {
    const alerts = readAs(
      posted,
      request.json(),
      "This is not the list of alerts that Prometheus sends to an Alertmanager.",
    );
    const byName = Map.groupBy(alerts, ({ labels }) => labels.alertname ?? "");
    // More names at once than may be published: they are told together.
    const groups = byName.size > LIMITS.ingest_alerts ? new Map([["", alerts]]) : byName;
    return { alerts: [...groups].map(([name, group]) => readGroup(name, group, request.now)), notes: [] };
  },
  answer: plainAnswer,
  refuse: plainRefusal,
};
