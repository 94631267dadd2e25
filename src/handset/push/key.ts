// The key that signs this server's wake-ups: made when they are first switched on, and kept, sealed, beside what tells the
// server secret. Every browser's subscription is bound to it.

import { need } from "../../model/need.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { keepPushKey, readPushKey } from "../../store/queries/push.ts";
import { createSeal } from "../../store/secret/seal.ts";
import { newVapidKey } from "./vapid.ts";

/** Of two processes that make one at the same time, both take the one that was written first. */
export async function pushKey(orm: Orm, secret: string): Promise<string> {
  const kysely = databaseOf(orm);
  const seal = createSeal(secret, "push key");
  const kept = async () =>
    need((await run(kysely, readPushKey, {}))[0], "every database has its row").push_key;
  const known = await kept();
  if (known) return seal.open(known);
  await run(kysely, keepPushKey, { push_key: seal.seal(newVapidKey()) });
  return seal.open(need(await kept(), "it was kept above"));
}
