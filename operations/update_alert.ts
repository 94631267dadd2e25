import { z } from "zod";
import { alreadySent } from "../src/model/domain/alert_transitions.ts";
import {
  catchApiError,
  checkAlertContent,
  checkRecurrenceChange,
  mergeCheckErrors,
} from "../src/model/domain/alert_validation.ts";
import { getSearchWords } from "../src/model/domain/search_terms.ts";
import { ALERT_FIELDS } from "../src/model/fields/alert.ts";
import { createChangeSchemas } from "../src/model/fields/field_table.ts";
import { getNowIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { syncOccurrencesWithSeries } from "../src/operation/alerts/alert_series.ts";
import {
  emitAlertEvent,
  getReplacedValues,
  loadLockedAlert,
  lockAlertForVerb,
  requireScopeToEditScheduled,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { attachAlertAssets } from "../src/operation/alerts/attach_assets.ts";
import { getEditStartContent, mergeAndSanitizeAlert } from "../src/operation/alerts/compose_alert.ts";
import { formatAlert } from "../src/operation/alerts/format_alert.ts";
import { defineOperation, MAX_BODY_BYTES } from "../src/operation/define_operation.ts";
import { updateUnsentAlert } from "../src/store/queries/alerts.ts";
import {
  alertViewParameter,
  composedAlertBriefAnswer,
  createdOrEditedAlertSchema,
} from "../src/store/response_schemas/alert_schemas.ts";
import {
  channelIdParameter,
  expectedVersion,
  pathId,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "update_alert",
  title: "Edit alert",
  description:
    "Change a draft, a scheduled alert, or all future occurrences of a repeating one. Omitted fields are unchanged. " +
    "Scheduled alerts require alerts:send; clearing send_at returns one to draft.",
  scope: "alerts:write",
  mayRequire: { "alerts:send": "the alert is scheduled and send_at is not null in the request" },
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200, maxBody: MAX_BODY_BYTES.alerts },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  card: true,
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    ...createChangeSchemas(ALERT_FIELDS),
    expected_updated_at: expectedVersion(),
    view: alertViewParameter,
  }),
  returnsText: true,
  // The alert may repeat, and then its expiry can be in the past.
  contentProblem(sent, clock) {
    const { fields, htmlLength } = mergeAndSanitizeAlert(sent, null, null);
    const changed = { send_at: true, expires_at: false, scheduled: false };
    return catchApiError(() =>
      checkAlertContent(fields, htmlLength, changed, getNowIsoMicros(clock), (field) => Object.hasOwn(sent, field)),
    );
  },
  output: createdOrEditedAlertSchema,
  brief: composedAlertBriefAnswer,
  async handler(input, ctx) {
    const { pusher_id: _, alert_id: __, expected_updated_at: ___, ...sent } = input;
    if (Object.values(sent).every((value) => value === undefined)) {
      // Nothing is edited, so a frozen alert has nothing to refuse.
      const { alert } = await loadLockedAlert(input, ctx);
      return formatAlert(alert, alert.requested_perms, ctx);
    }
    const { alert } = await lockAlertForVerb("edit", input, ctx);
    requireScopeToEditScheduled(alert, sent, ctx);
    const stored = getEditStartContent(alert, ctx);
    const attached = await attachAlertAssets(sent, stored, ctx);
    const { fields, htmlLength } = mergeAndSanitizeAlert(attached.sent, stored, attached.text);
    // A scheduled alert without send_at is a draft again (rules#edit-to-draft).
    const status = alert.status !== "draft" && fields.send_at === null ? "draft" : alert.status;
    // A repeating alert began at its send_at, perhaps long ago; only its end is checked against that.
    const repeats = status === "repeating";
    const moved = repeats ? fields.send_at !== stored.send_at : sent.send_at !== undefined;
    const changed = {
      send_at: moved || repeats,
      expires_at: sent.expires_at !== undefined && !repeats,
      scheduled: moved && status !== "draft",
    };
    const problem = mergeCheckErrors(
      attached.problem,
      () => checkRecurrenceChange(status, fields.recurrence),
      () => checkAlertContent(fields, htmlLength, changed, getNowIsoMicros(ctx)),
    );
    if (problem) throw problem;
    const previousValues = getReplacedValues(stored, fields);
    ctx.audit({ changed: Object.keys(previousValues) });
    const says = fields.title !== stored.title || fields.body !== stored.body;
    const words = says ? getSearchWords(fields.title, fields.body) : null;
    const detached = alert.series_id !== null && Object.keys(previousValues).some((name) => name !== "send_at");
    const [after] = await ctx.sql(updateUnsentAlert, {
      id: alert.id,
      status,
      previous_values: previousValues,
      words,
      detached,
      ...fields,
    });
    // It became visible while we looked at it.
    if (!after) throw alreadySent("edit");
    if (alert.status === "repeating") await syncOccurrencesWithSeries(alert, after, ctx);
    else if (alert.status === "scheduled" && status === "draft") emitAlertEvent(ctx, "alert.cancelled", after);
    else if (status === "scheduled" && after.send_at !== alert.send_at) emitAlertEvent(ctx, "alert.scheduled", after);
    return formatAlert(after, alert.requested_perms, ctx);
  },
});
