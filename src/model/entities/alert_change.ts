// What an edit replaced: of the fields that it changed, what they held before. So the newest edits of an alert can be looked at,
// for a while; it goes with the alert.

import { defineEntity, p } from "@mikro-orm/core";
import { instant } from "../fields/columns.ts";
import { Alert } from "./alert.ts";

export const AlertChange = defineEntity({
  name: "AlertChange",
  tableName: "alert_change",
  indexes: [{ name: "alert_change_age", properties: ["updated_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** The version of the alert that the edit made. */
    updated_at: instant().primary(),
    /** Former values by the name of their field, as the row had them. */
    former: p.json<Record<string, unknown>>(),
  },
});
