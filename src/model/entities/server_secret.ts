// One row: a keyed hash that tells whether the server secret is the one that this database was used with, and the key with
// which wake-ups are signed.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAt } from "../fields/columns.ts";

export const ServerSecret = defineEntity({
  name: "ServerSecret",
  tableName: "server_secret",
  checks: [{ name: "server_secret_one_row_check", expression: "one_row" }],
  properties: {
    one_row: p.boolean().primary().default(true),
    check_value: p.blob(),
    /** Sealed; null until wake-ups are first switched on. Another key orphans what browsers were given with this one. */
    push_key: p.blob().nullable(),
    created_at: writtenAt(),
  },
});
