// Reports of many handsets in few statements: each request is answered after the batch that it went with has committed.

import { REPORT_KINDS } from "../model/entities/handset.ts";
import type { ReportBatch } from "../store/context.ts";
import { batched, ONE_AFTER_ANOTHER } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, runAgain } from "../store/db/statement.ts";
import { takeReports } from "../store/queries/reports.ts";

/** PostgreSQL's code when the channel of a day's row is gone. */
const CHANNEL_GONE = "23503";

/** `replied`: told which alerts may have been answered, after the commit. */
export function createReportTaker(
  orm: Orm,
  replied: (alertIds: readonly string[]) => void,
): (batch: ReportBatch) => Promise<number> {
  const kysely = databaseOf(orm);
  return batched(async (requests) => {
    const rows = requests.flatMap((request, i) =>
      request.rows.map((row) => ({ ...row, i, deviceId: request.deviceId })),
    );
    const columns = {
      requests: rows.map(({ i }) => i),
      alerts: rows.map(({ alertId }) => alertId),
      devices: rows.map(({ deviceId }) => deviceId),
      kinds: rows.map(({ kind }) => kind),
      choices: rows.map(({ choice }) => choice),
    };
    // One channel that was deleted meanwhile must not fail the reports of all the others, so the batch is tried again: the
    // channel is then left out, and a repeat counts nothing.
    const accepted = await runAgain(kysely, takeReports, columns, [CHANNEL_GONE]);
    const answered = rows.filter(({ kind }) => kind === REPORT_KINDS.reply).map(({ alertId }) => alertId);
    if (answered.length > 0) replied(answered);
    const byRequest = new Map(accepted.map((row) => [row.request, row.accepted]));
    return requests.map((_, i) => byRequest.get(i) ?? 0);
  }, ONE_AFTER_ANOTHER);
}
