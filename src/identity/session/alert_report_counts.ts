// The reads and acknowledgements of a page of alerts, for lists in the console.

import { z } from "zod";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { visibilityParameters } from "../../operation/access_checks.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { listAlertReportCounts } from "../../store/queries/alert_report_counts.ts";

export const count_alert_reports = defineMemberOperation({
  name: "count_alert_reports",
  title: "Count reads and acknowledgements",
  description:
    "The read counts and acknowledgement counts of several alerts. Alerts that do not exist or are in other " +
    "workspaces are omitted.",
  role: "viewer",
  writes: "nothing",
  input: z.strictObject({ alert_ids: z.array(z.string()).max(LIMITS.page) }),
  output: z.object({ data: z.array(z.object({ id: z.string(), reads: z.int(), acks: z.int() })) }),
  async handler({ alert_ids }, { sql, caller }) {
    const ids = alert_ids.flatMap((id) => parseIdOrNull("alr", id) ?? []);
    const rows = ids.length === 0 ? [] : await sql(listAlertReportCounts, { ...visibilityParameters(caller), ids });
    return { data: rows.map(({ id, ...row }) => ({ id: formatId("alr", id), ...row })) };
  },
});
