// Reports of many handsets in few statements: each request is answered after the batch that it went with has committed.

import { REPORT_KINDS } from "../model/entities/handset.ts";
import type { ReportBatch } from "../store/context.ts";
import { batched, ONE_AFTER_ANOTHER } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, runAgain, type Statement } from "../store/db/statement.ts";
import { takeAnyReports, takeReports } from "../store/queries/reports.ts";

/** PostgreSQL's code when the channel of a day's row is gone. */
const CHANNEL_GONE = "23503";

/** For so long others who count on a channel are taken to count on it again and again. */
const OTHERS_MS = 1_000;

/** `replied`: told which alerts may have been answered, after the commit. */
export function createReportTaker(
  orm: Orm,
  replied: (alertIds: readonly string[]) => void,
): (batch: ReportBatch) => Promise<number> {
  const kysely = databaseOf(orm);
  let othersUntil = 0;
  // One channel that was deleted meanwhile must not fail the reports of all the others, so the batch is tried again: the
  // channel is then left out, and a repeat counts nothing.
  const take = <Row>(
    statement: Statement<ReturnType<typeof columnsOf>, Row>,
    batch: readonly [number, ReportBatch][],
  ) => runAgain(kysely, statement, columnsOf(batch), [CHANNEL_GONE]);

  return batched(async (requests) => {
    const accepted = requests.map(() => 0);
    const batch = [...requests.entries()];
    const answered = requests.flatMap(({ rows }) => rows.filter(isReply).map(({ alertId }) => alertId));
    let rest = batch;
    if (answered.length === 0 && performance.now() >= othersUntil) {
      const held = new Set<number>();
      for (const { request, accepted: n, left } of await take(takeReports, batch)) {
        accepted[request] = n;
        if (left) held.add(request);
      }
      rest = batch.filter(([i]) => held.has(i));
      if (rest.length > 0) othersUntil = performance.now() + OTHERS_MS;
    }
    if (rest.length > 0)
      for (const { request, accepted: n } of await take(takeAnyReports, rest)) accepted[request] = n;
    if (answered.length > 0) replied(answered);
    return accepted;
  }, ONE_AFTER_ANOTHER);
}

const isReply = ({ kind }: { kind: number }) => kind === REPORT_KINDS.reply;

/** One element a report, which says the place of its request. */
function columnsOf(batch: readonly [number, ReportBatch][]) {
  const rows = batch.flatMap(([i, { deviceId, rows }]) => rows.map((row) => ({ ...row, i, deviceId })));
  return {
    requests: rows.map(({ i }) => i),
    alerts: rows.map(({ alertId }) => alertId),
    devices: rows.map(({ deviceId }) => deviceId),
    kinds: rows.map(({ kind }) => kind),
    choices: rows.map(({ choice }) => choice),
  };
}
