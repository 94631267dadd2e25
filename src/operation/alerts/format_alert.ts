// Formatting of an alert for its owner. It adds notes about silence, removed parts and the review URL. An alert that
// was shown as sent stays sent, as for handsets.

import { getMissingPermissionNotes } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { getIneffectiveFieldNotes, type IneffectiveFieldNote } from "../../model/domain/ineffective_fields.ts";
import { formatAlertReviewUrl } from "../../model/domain/review_url_and_decision.ts";
import { type RemovedMarkupRow, SanitizerReport } from "../../model/sanitizer/sanitizer_report.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { toAlertView } from "../../store/response_schemas/alert_schemas.ts";

/** Nothing of a sent or cancelled alert can be reviewed any more. */
const REVIEWED: ReadonlySet<AlertRecord["status"]> = new Set(["draft", "repeating", "scheduled"]);

/** The address of an alert's review; null when it is frozen (rules#review-url). */
export function getAlertReviewUrl({ id, pusher_id, status }: AlertRecord, ctx: HandlerContext): string | null {
  if (!REVIEWED.has(status)) return null;
  const { publicUrl } = ctx.services;
  return formatAlertReviewUrl({ publicUrl, workspaceId: ctx.caller.workspace.id, pusherId: pusher_id, alertId: id });
}

/** Formats one full alert. `requested` has the permissions that its channel requests. */
export function formatAlert<R extends AlertRecord>(record: R, requested: readonly string[], ctx: HandlerContext) {
  return {
    ...toAlertView(record, ctx.services.assets),
    review_url: getAlertReviewUrl(record, ctx),
    notes: [
      ...getMissingPermissionNotes(record, requested),
      ...getIneffectiveFieldNotes(record, ctx.now().getTime()),
    ] as IneffectiveFieldNote[],
    blocked: blockedOf(record),
  };
}

/** Returns the removed parts of all texts of an alert as one list (rules#blocked-kept). */
function blockedOf({ blocked = {} }: AlertRecord): RemovedMarkupRow[] {
  const texts = Object.values(blocked);
  return texts.length === 0 ? [] : texts.reduce((all, rows) => all.addRows(rows), new SanitizerReport()).rows();
}

/** Publishes the due alerts that these rows show as sent. The rows stay unchanged. */
export async function publishDueAlertsInRows(rows: AlertRecord[], ctx: HandlerContext): Promise<void> {
  const channels = new Set(rows.filter(({ due }) => due).map(({ pusher_id }) => pusher_id));
  if (channels.size > 0) await ctx.services.publishDue([...channels]);
}
