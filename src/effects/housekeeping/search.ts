// By what alerts are found: words where their writer knew of none (an earlier version, before or while this one is rolled out), blocks of
// alerts that are in none, and blocks of which an alert was removed.

import { randomUUID } from "node:crypto";
import { showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import { need } from "../../model/need.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { lockLoose, lockWanted, makeBlock, makeWanted, mendBlock } from "../../store/queries/alert_words.ts";

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

/** Makes one block; answers of how many alerts. What it reads of them is read when they are locked, in a statement of its own. */
const makeOne = (orm: Orm): Promise<number> =>
  orm.em.fork().transactional(async (inner) => {
    const ids = (await run(inner, lockLoose, {})).map(({ id }) => id);
    if (ids.length === 0) return 0;
    const [made] = await run(inner, makeBlock, { id: randomUUID(), ids });
    return need(made, "it counts").alerts;
  });

/** Makes blocks of about `max` alerts; answers of how many. */
export async function makeBlocks(orm: Orm, max: number): Promise<number> {
  for (let done = 0; ; ) {
    const more = await makeOne(orm);
    done += more;
    if (more === 0 || done >= max) return done;
  }
}

/** Mends up to `max` blocks; answers how many. */
export async function mendBlocks(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  for (let done = 0; done < max; done++) {
    const [mended] = await run(em, mendBlock, {});
    if (need(mended, "it counts").mended === 0) return done;
  }
  return max;
}
