import { z } from "zod";
import { parseId } from "../model/domain/ids.ts";
import { REPORT_KINDS } from "../model/entities/handset.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation } from "../operation/tool.ts";

const KINDS = Object.keys(REPORT_KINDS) as (keyof typeof REPORT_KINDS)[];

const BATCH = `must hold 1 to ${LIMITS.reports} reports`;

export default defineHandsetOperation({
  name: "post_reports",
  title: "Report reads, acks and replies",
  description:
    "Report what the person chose to report: alerts read and acknowledged, and the reply that was chosen, of which the last counts. Repeats count nothing; rows that the handset cannot see are skipped, and so are replies that the alert does not offer or that come when it is over.",
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
              .describe("Of a reply: one of its choices."),
          })
          .refine(({ kind, choice }) => (kind === "reply") === (choice !== undefined), {
            error: "belongs to a reply, which needs it",
            path: ["choice"],
          }),
      )
      .min(1, BATCH)
      .max(LIMITS.reports, BATCH),
  }),
  output: z.object({ accepted: z.int() }),
  async handler({ reports }, ctx) {
    const rows = reports.flatMap(({ alert_id, kind, choice = "" }) => {
      const alertId = parseId("alr", alert_id);
      return alertId ? [{ alertId, kind: REPORT_KINDS[kind], choice }] : [];
    });
    return {
      accepted: rows.length === 0 ? 0 : await ctx.services.takeReports({ deviceId: ctx.caller.id, rows }),
    };
  },
});
