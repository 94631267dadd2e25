// Every counter counted again from its rows: the operators' `belfry check`, as an assertion.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect } from "vitest";
import { checkDatabaseConsistency } from "../../src/identity/operator/consistency_checks.ts";
import type { Orm } from "../../src/store/db/orm.ts";

export async function findWrongCounts(orm: Orm): Promise<Record<string, number>> {
  const { checks } = await checkDatabaseConsistency(orm.em.fork() as SqlEntityManager);
  return Object.fromEntries(checks.filter(({ wrong }) => wrong > 0).map(({ name, wrong }) => [name, wrong]));
}

/** Nothing drifted: published, subscribers, days, reports, the mix with its muted share, invites, whole states. */
export async function expectRecountClean(orm: Orm): Promise<void> {
  expect(await findWrongCounts(orm)).toEqual({});
}
