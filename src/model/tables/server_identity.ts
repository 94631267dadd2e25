// Tables with one row. One has the epoch of inbox validators, so that none from before a restore matches again
// (store/queries/database_epoch.ts). One has a keyed hash that verifies the server secret. One has the key that signs
// push notifications.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAtColumn } from "../fields/sql_statement_types.ts";

export const DatabaseEpoch = defineEntity({
  name: "DatabaseEpoch",
  checks: [{ name: "database_epoch_one_row_check", expression: "one_row" }],
  properties: {
    one_row: p.boolean().primary().default(true),
    /** A random value, which each restore changes. */
    epoch: p.uuid().defaultRaw("gen_random_uuid()"),
    /** The identity of the server and its files. With another identity, the rows are a copy. */
    origin: p.text(),
    /** PostgreSQL's timeline in hex, because a standby cannot report it. */
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
     * Encrypted; null until push notifications are first enabled. A new key would invalidate all subscriptions of
     * browsers.
     */
    push_key: p.blob().nullable(),
    created_at: writtenAtColumn(),
  },
});
