// Alertmanager's webhook (version 4): a group is one alert; when it is resolved, it replaces the one that was shown.

import { PROGRAMS } from "../../../model/fields/programs.ts";
import { plainAnswer, plainRefusal, type Tongue } from "../tongue.ts";
import { alertOfGroup, group } from "./groups.ts";
import { glance, readAs } from "./parts.ts";

export const alertmanager: Tongue = {
  name: "alertmanager",
  title: PROGRAMS.alertmanager,
  recognises(request) {
    const { version, groupKey, alerts } = glance(request);
    return version === "4" && typeof groupKey === "string" && Array.isArray(alerts);
  },
  read(request) {
    const read = readAs(
      group,
      request.object(),
      "This is not what Alertmanager's webhook sends, in its version 4.",
    );
    return { alerts: [{ fields: alertOfGroup("am", read) }], notes: [] };
  },
  answer: plainAnswer,
  refuse: plainRefusal,
};
