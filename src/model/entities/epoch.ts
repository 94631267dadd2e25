// One row: what every validator of an inbox begins with, so that none from before the database was restored, or replaced by one
// that may lack what it had, matches again (src/store/queries/epoch.ts).

import { defineEntity, p } from "@mikro-orm/core";

export const Epoch = defineEntity({
  name: "Epoch",
  tableName: "epoch",
  checks: [{ name: "epoch_one_row_check", expression: "one_row" }],
  properties: {
    one_row: p.boolean().primary().default(true),
    /** By chance; another one from each restore on. */
    epoch: p.uuid().defaultRaw("gen_random_uuid()"),
    /** Which server and which files it was made for: in another home the rows are a copy. */
    home: p.text(),
    /** PostgreSQL's, in hex, as a standby cannot say it by itself. */
    timeline: p.text(),
  },
});
