// Reports of many handsets in few statements: each request is answered after the batch that it went with has committed.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { ReportBatch } from "../context.ts";
import { batched } from "../db/batch.ts";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import { takeReports } from "../queries/reports.ts";

export function createReportTaker(orm: Orm): (batch: ReportBatch) => Promise<number> {
  const kysely = (orm.em.fork() as SqlEntityManager).getKysely() as never;
  return batched(async (requests) => {
    const rows = requests.flatMap((request, i) =>
      request.rows.map((row) => ({ ...row, i, deviceId: request.deviceId })),
    );
    const accepted = await run(kysely, takeReports, [
      rows.map(({ i }) => i),
      rows.map(({ alertId }) => alertId),
      rows.map(({ deviceId }) => deviceId),
      rows.map(({ kind }) => kind),
    ]);
    const byRequest = new Map(accepted.map((row) => [row.request, row.accepted]));
    return requests.map((_, i) => byRequest.get(i) ?? 0);
  });
}
