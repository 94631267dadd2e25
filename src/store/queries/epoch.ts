// What a validator begins with beside revisions, which are counted anew in a database that is restored: a number by chance that
// the rows carry along, and the timeline, which PostgreSQL itself counts up wherever it goes on without the server that was
// there before. A restart changes neither (docs/rules.md#inbox-epoch).

import { nullable, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("upkeep");

export const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";

/**
 * Alike on a server and on its standbys, which know of a promotion what was written down of it. A table that was dropped and
 * restored in place has another number.
 */
export const EPOCH = `(select left(md5(concat_ws(' ', e.epoch, 'channel_state'::regclass::oid,
     case when pg_is_in_recovery() then e.timeline else ${TIMELINE} end)), 8) from epoch e)`;

/** From now on no validator from before matches. The last step of a restore, in its transaction or after it. */
export const renewEpoch = defineStatement("renew_epoch", {
  parameters: { epoch: uuid },
  text: "update epoch set epoch = $epoch",
});

/**
 * At each start: a row that was written on another server, in another database or (`place`, of the embedded one) by other
 * files is that of a copy, and has another epoch from now on. Also what standbys are to know of a promotion.
 */
export const keepEpoch = defineStatement("keep_epoch", {
  parameters: { place: nullable(text) },
  text: `insert into epoch as e (home, timeline)
    select concat_ws(' ', s.system_identifier, d.oid, $place::text), ${TIMELINE}
    from pg_control_system() s, pg_database d where d.datname = current_database()
    on conflict (one_row) do update set home = excluded.home, timeline = excluded.timeline,
      epoch = case when e.home = excluded.home then e.epoch else excluded.epoch end
    where (e.home, e.timeline) is distinct from (excluded.home, excluded.timeline)`,
});
