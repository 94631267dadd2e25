// Removes what the audit log kept long enough. The log is only added to: its trigger lets go of what is older than the
// instant that this statement names, and of nothing else.

import { int } from "../../model/fields/sql.ts";
import { need } from "../../model/need.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run, statementsOf } from "../../store/db/statement.ts";

const defineStatement = statementsOf("upkeep");

const removeAudit = defineStatement("remove_audit", {
  parameters: { days: int, batch: int },
  columns: { removed: int },
  text: `with before as materialized (
      select set_config('belfry.audit_removed_before', (now() - $days::int * interval '1 day')::text, true)::timestamptz as at),
    gone as (
      delete from audit_event where ctid = any (array(
        select a.ctid from before join audit_event a on a.created_at < before.at
        order by a.created_at limit $batch::int for update of a skip locked)) returning 1)
    select count(*)::int as removed from gone`,
});

/** Removes up to `max` lines that are older than so many days, the oldest first; answers how many. */
export async function removeOldAudit(orm: Orm, days: number, max: number): Promise<number> {
  const [row] = await run(databaseOf(orm), removeAudit, { days, batch: max });
  return need(row, "a count has a row").removed;
}
