// The job that creates search terms for alerts of an earlier version of the service, also during a rolling upgrade.

import { getSearchWords } from "../../model/domain/search_terms.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import type { Orm } from "../../store/db/orm.ts";
import { runStatement } from "../../store/db/statement.ts";
import { indexAlerts, lockUnindexedAlerts } from "../../store/queries/alert_search_index.ts";

/** Creates the terms of up to `max` alerts and returns their number. */
export async function indexMissingAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  // There is nearly always none, and then no transaction begins.
  if ((await runStatement(em, lockUnindexedAlerts, { max: 1 })).length === 0) return 0;
  return em.transactional(async (inner) => {
    const alerts = await runStatement(inner, lockUnindexedAlerts, { max });
    const items = alerts.map(({ id, title, body }) => ({
      id,
      subject: formatId("alr", id),
      words: getSearchWords(title, body),
    }));
    await runStatement(inner, indexAlerts, { items });
    return items.length;
  });
}
