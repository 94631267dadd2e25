// How far the occurrences of a repeating alert are written down, and when the next are due to be. It goes with the alert.

import { defineEntity, p } from "@mikro-orm/core";
import { instant } from "../fields/columns.ts";
import { Alert } from "./alert.ts";

export const AlertSeries = defineEntity({
  name: "AlertSeries",
  tableName: "alert_series",
  indexes: [{ name: "alert_series_due", properties: ["fill_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** Up to here its rule was read: what it names until then is written, was left out, or was deleted by somebody. */
    filled_to: instant(),
    /** From then on more of it is to be written, or it is found to be over. */
    fill_at: instant(),
  },
});
