// A cell of its own for a test, on the Citus coordinator that TEST_CITUS_URL names (scripts/citus.sh starts one).

import { randomBytes } from "node:crypto";
import { createCitusDatabaseSchema } from "../../src/identity/operator/create_citus_cell.ts";
import { createOrm } from "../../src/store/db/orm.ts";

/** URL of the coordinator, as a superuser. */
export const citusUrl = () => process.env.TEST_CITUS_URL ?? "";

/** Runs a statement as the coordinator's superuser. */
export async function onCoordinator(text: string): Promise<any[]> {
  const orm = createOrm({ databaseUrl: citusUrl(), databasePoolSize: 1 });
  try {
    return await orm.em.fork().execute(text);
  } finally {
    await orm.close(true);
  }
}

export async function freshCell(): Promise<
  Awaited<ReturnType<typeof createCitusDatabaseSchema>> & { url: string; remove(): Promise<void> }
> {
  const cell = await createCitusDatabaseSchema(citusUrl(), `t${randomBytes(6).toString("hex")}`);
  const remove = async () => {
    for (const text of [`drop schema ${cell.cell} cascade`, `drop role ${cell.cell}`]) await onCoordinator(text);
  };
  return { ...cell, url: cell.database_url, remove };
}
