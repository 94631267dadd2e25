// The words of alerts that an earlier version of the service wrote, before or while this one is rolled out.

import { showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { indexAlerts, lockUnindexed } from "../../store/queries/alert_words.ts";

/** Makes the words of up to `max` alerts; answers of how many. */
export async function indexMissing(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  // Nearly always there is none, and then no transaction begins.
  if ((await run(em, lockUnindexed, { max: 1 })).length === 0) return 0;
  return em.transactional(async (inner) => {
    const alerts = await run(inner, lockUnindexed, { max });
    const items = alerts.map(({ id, title, body }) => ({
      id,
      subject: showId("alr", id),
      words: wordsOf(title, body),
    }));
    await run(inner, indexAlerts, { items });
    return items.length;
  });
}
