// Grafana's webhook of its unified alerting: a group as Alertmanager's, with a title of Grafana's own.

import { PROGRAMS } from "../../../model/fields/programs.ts";
import { plainAnswer, plainRefusal, type Tongue } from "../tongue.ts";
import { alertOfGroup, group } from "./groups.ts";
import { glance, readAs } from "./parts.ts";

export const grafana: Tongue = {
  name: "grafana",
  title: PROGRAMS.grafana,
  recognises(request) {
    const { orgId, alerts, status } = glance(request);
    return orgId !== undefined && status !== undefined && Array.isArray(alerts);
  },
  read(request) {
    const read = readAs(
      group,
      request.object(),
      "This is not what Grafana's webhook of unified alerting sends.",
    );
    // Grafana's own title begins with the state and how many there are; ours says the first, and the lines the second.
    const title = read.title.replace(/^\[(FIRING|RESOLVED|OK)[^\]]*\]\s*/, "");
    return { alerts: [{ fields: alertOfGroup("gf", read, title) }], notes: [] };
  },
  answer: plainAnswer,
  refuse: plainRefusal,
};
