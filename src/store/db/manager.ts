// The entity manager of one call.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { Visibility } from "../../model/entities/visibility.ts";
import type { Orm } from "./orm.ts";

/**
 * A manager that sees what `visible` allows; null: reading what is filtered by it throws. `transaction`: it works inside of
 * that one.
 */
export function managerFor(
  orm: Orm,
  visible: Visibility | null,
  transaction: Kysely<unknown> | null,
): SqlEntityManager {
  const em: SqlEntityManager = orm.em.fork();
  if (transaction) em.setTransactionContext(transaction);
  if (visible) em.setFilterParams("visible", { ...visible });
  return em;
}
