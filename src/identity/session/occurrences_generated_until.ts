// The time up to which occurrences of repeating alerts exist. The console's calendar needs it, because a rule only adds
// later ones.

import { z } from "zod";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { visibilityParameters } from "../../operation/access_checks.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { listSeriesFilledUntil } from "../../store/queries/alert_series.ts";
import { unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";

export const list_occurrences_generated_until = defineMemberOperation({
  name: "list_occurrences_generated_until",
  title: "Get generated occurrences",
  description:
    "For each repeating alert, the time up to which occurrences have been created, including cancelled and moved " +
    "ones. IDs that the member cannot see are omitted.",
  role: "viewer",
  writes: "nothing",
  input: z.strictObject({ alert_ids: z.array(z.string()).max(LIMITS.page) }),
  output: unpagedListSchema({ alert_id: z.string(), filled_until: z.string() }),
  async handler({ alert_ids }, ctx) {
    const ids = alert_ids.flatMap((id) => parseIdOrNull("alr", id) ?? []);
    const rows = await ctx.sql(listSeriesFilledUntil, { ids, ...visibilityParameters(ctx.caller) });
    const data = rows.map(({ alert_id, filled_until }) => ({
      alert_id: formatId("alr", alert_id),
      filled_until: toIsoMicros(filled_until),
    }));
    return { data };
  },
});
