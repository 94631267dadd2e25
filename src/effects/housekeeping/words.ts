// Makes the words by which alerts are found where their writer knew of none: an earlier version, before or while this one is rolled out.

import { showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { lockWanted, makeWanted } from "../../store/queries/alert_words.ts";

/** Makes the words of up to `max` alerts; answers of how many. */
export async function makeWantedWords(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  // Nearly always none is wanted, and then nothing is begun.
  if ((await run(em, lockWanted, { max: 1 })).length === 0) return 0;
  return em.transactional(async (inner) => {
    const alerts = await run(inner, lockWanted, { max });
    const items = alerts.map(({ id, title, body }) => ({
      id,
      subject: showId("alr", id),
      words: wordsOf(title, body),
    }));
    await run(inner, makeWanted, { items });
    return items.length;
  });
}
