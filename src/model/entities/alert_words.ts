// The words by which an alert is found. Beside it and not in it: what sends, settles or cancels an alert writes its row anew, and with
// it every entry of its indexes, while its words stay as they are.

import { defineEntity, p } from "@mikro-orm/core";

export const AlertWords = defineEntity({
  name: "AlertWords",
  tableName: "alert_words",
  indexes: [
    { name: "alert_words_wanted", properties: ["alert_id"], where: "words is null" },
    {
      name: "alert_words_found",
      // No list of what waits (`fastupdate`): every search would read it, and one send in some hundreds would pay for all of them.
      expression: "create index alert_words_found on alert_words using gin (words) with (fastupdate = off)",
    },
  ],
  properties: {
    /** Refers to an alert without a constraint, as reports do; triggers make it with the alert and remove it with it. */
    alert_id: p.uuid().primary(),
    /**
     * Each word, and `@` and the writer's id, behind six letters of the channel's id: so what a search in one channel reads of the
     * index does not grow with what stands in others. Null: written by who knew of no words, and made soon (effects/housekeeping).
     */
    words: p.string().columnType("tsvector").nullable(),
  },
});
