// Tables of one row. What every validator of an inbox begins with, so that none from before a restore matches again
// (store/queries/database_epoch.ts); a keyed hash that tells whether the server secret is the one that this database
// was used with; the key that signs wake-ups.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAtColumn } from "../fields/timestamp_columns.ts";

export const DatabaseEpoch = defineEntity({
  name: "DatabaseEpoch",
  checks: [{ name: "database_epoch_one_row_check", expression: "one_row" }],
  properties: {
    one_row: p.boolean().primary().default(true),
    /** By chance; another one from each restore on. */
    epoch: p.uuid().defaultRaw("gen_random_uuid()"),
    /** Which server and which files it was made for: in another home the rows are a copy. */
    origin: p.text(),
    /** PostgreSQL's, in hex, as a standby cannot say it by itself. */
    timeline: p.text(),
  },
});

export const ServerSecret = defineEntity({
  name: "ServerSecret",
  checks: [{ name: "server_secret_one_row_check", expression: "one_row" }],
  properties: {
    one_row: p.boolean().primary().default(true),
    check_value: p.blob(),
    /**
     * Sealed; null until wake-ups are first switched on. Another key orphans what browsers were given with this one.
     */
    push_key: p.blob().nullable(),
    created_at: writtenAtColumn(),
  },
});
