// Reports of handsets, and their deletion. Reports of many handsets share statements, and each request is answered
// after the commit of its batch.

import { z } from "zod";
import { createZodRefineParams } from "../model/api_and_ui_error_texts.ts";
import { parseIdOrNull } from "../model/domain/type_ids.ts";
import { timestampSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { DEVICE_REPORT_KINDS } from "../model/tables/devices_and_reports.ts";
import { defineHandsetOperation } from "../operation/define_operation.ts";
import { createBatcher, SERIAL_BATCHES } from "../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatementWithRetries, type Statement } from "../store/db/statement.ts";
import type { ReportBatch } from "../store/handler_context.ts";
import { clearReportTimesOfDevice, recordReports, recordReportsWithReplies } from "../store/queries/reports.ts";

/** PostgreSQL's code for a day's row without its channel. */
const CHANNEL_GONE = "23503";

/** @param replied receives the ids of alerts with possible replies, after the commit */
export function createHandsetReportRecorder(
  orm: Orm,
  replied: (alertIds: readonly string[]) => void,
): (batch: ReportBatch) => Promise<number> {
  const kysely = getKysely(orm);
  // A channel that was just deleted must not fail the other reports. The batch is repeated without it, and repeated
  // reports count nothing.
  const take = <Row>(
    statement: Statement<ReturnType<typeof columnsOf>, Row>,
    batch: readonly [number, ReportBatch][],
  ) => runStatementWithRetries(kysely, statement, columnsOf(batch), [CHANNEL_GONE]);

  return createBatcher(async (requests) => {
    const accepted = requests.map(() => 0);
    const answered = requests.flatMap(({ rows }) => rows.filter(isReply).map(({ alertId }) => alertId));
    const statement = answered.length > 0 ? recordReportsWithReplies : recordReports;
    for (const { request, accepted: n } of await take(statement, [...requests.entries()])) accepted[request] = n;
    if (answered.length > 0) replied(answered);
    return accepted;
  }, SERIAL_BATCHES);
}

const isReply = ({ kind }: { kind: number }) => kind === DEVICE_REPORT_KINDS.reply;

/** Converts reports to columns, each with the position of its request. */
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

const KINDS = Object.keys(DEVICE_REPORT_KINDS) as (keyof typeof DEVICE_REPORT_KINDS)[];

const BATCH = `must contain 1 to ${LIMITS.reports} reports`;

export const post_reports = defineHandsetOperation({
  name: "post_reports",
  title: "Report reads, acknowledgements and replies",
  description:
    "Report reads, acknowledgements and replies that the user chose to share. Only the last reply to an alert " +
    "counts, and repeated reports are ignored. Reports about alerts that the handset cannot see are skipped. Replies " +
    "that the alert does not offer, or that arrive after it has expired, are also skipped.",
  writes: "shared",
  http: { method: "POST", path: "/handset/v1/reports", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({
    reports: z
      .array(
        z
          .strictObject({
            alert_id: z.string(),
            kind: z.enum(KINDS),
            choice: z
              .string()
              .max(LIMITS.alert_action_label * 2)
              .optional()
              .describe("For replies only: one of the alert's choices."),
          })
          .refine(({ kind, choice }) => (kind === "reply") === (choice !== undefined), {
            ...createZodRefineParams(
              "misplaced_field",
              "is required for reports of kind reply and not allowed for others",
            ),
            path: ["choice"],
          }),
      )
      .min(1, BATCH)
      .max(LIMITS.reports, BATCH),
  }),
  output: z.object({ accepted: z.int() }),
  async handler({ reports }, ctx) {
    const rows = reports.flatMap(({ alert_id, kind, choice = "" }) => {
      const alertId = parseIdOrNull("alr", alert_id);
      return alertId ? [{ alertId, kind: DEVICE_REPORT_KINDS[kind], choice }] : [];
    });
    return { accepted: rows.length === 0 ? 0 : await ctx.services.recordReports({ deviceId: ctx.caller.id, rows }) };
  },
});

export const prune_reports = defineHandsetOperation({
  name: "prune_reports",
  title: "Prune reports",
  description:
    "Delete the times of this handset's reports that are older than a timestamp. Totals stay exact, but timelines " +
    "lose detail.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/reports", status: 204 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ before: timestampSchema() }),
  output: z.object({}),
  async handler({ before }, ctx) {
    await ctx.sql(clearReportTimesOfDevice, { device_id: ctx.caller.id, before });
    return {};
  },
});
