import { z } from "zod";
import { instant } from "../model/fields/accepts.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { pruneReports } from "../store/queries/reports.ts";

export default defineHandsetOperation({
  name: "prune_reports",
  title: "Prune own reports",
  description: "Forget when this handset reported what, before an instant. Totals stay; timelines thin out.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/reports", status: 204 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ before: instant() }),
  output: z.object({}),
  async handler({ before }, ctx) {
    await ctx.sql(pruneReports, { device_id: ctx.caller.id, before });
    return {};
  },
});
