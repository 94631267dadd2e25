// Every counter counted again from its rows. What operators run as `belfry doctor`, as an assertion.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect } from "vitest";
import { doctor } from "../../src/identity/operator/doctor.ts";
import type { Orm } from "../../src/store/db/orm.ts";

export async function wrongCounts(orm: Orm): Promise<Record<string, number>> {
  const { checks } = await doctor(orm.em.fork() as SqlEntityManager);
  return Object.fromEntries(checks.filter(({ wrong }) => wrong > 0).map(({ name, wrong }) => [name, wrong]));
}

/** Nothing drifted: published, subscribers, days, reports, the mix with its muted share, invites, whole states. */
export async function expectRecountClean(orm: Orm): Promise<void> {
  expect(await wrongCounts(orm)).toEqual({});
}
