import { z } from "zod";
import { conflict, notFound } from "../src/model/api_error.ts";
import { assertDefined } from "../src/model/assert.ts";
import {
  ALERT_VERB_OUTCOMES_BY_STATUS,
  CHANNEL_NOT_ACTIVE,
  createTransitionError,
} from "../src/model/domain/alert_transitions.ts";
import { mergeCheckErrors } from "../src/model/domain/alert_validation.ts";
import { getConsoleAlertPath } from "../src/model/domain/review_url_and_decision.ts";
import { getSearchWords } from "../src/model/domain/search_terms.ts";
import { newUuid, parseChannelId } from "../src/model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../src/model/fields/alert.ts";
import { createChangeSchemas } from "../src/model/fields/field_table.ts";
import { getNowIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { getChannelScopeSqlParameters, throwIfApprovalRequired } from "../src/operation/access_checks.ts";
import { cancelSeriesOccurrences } from "../src/operation/alerts/alert_series.ts";
import {
  ALERT_SEND_LIMIT,
  countAgainstSendLimit,
  emitAlertEvent,
  loadLockedAlert,
  parseAlertPathIds,
  toAuditSubject,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { attachAlertAssets } from "../src/operation/alerts/attach_assets.ts";
import { composeNewAlert, getCopyContent, isCopiedAlertField } from "../src/operation/alerts/compose_alert.ts";
import { formatAlert } from "../src/operation/alerts/format_alert.ts";
import { findIdenticalPublishedAlert, findRepeatedCopyNote } from "../src/operation/alerts/repeated_sends.ts";
import { createActor } from "../src/operation/audit_lines.ts";
import { defineOperation, MAX_BODY_BYTES } from "../src/operation/define_operation.ts";
import { cancelAlert, insertAlert } from "../src/store/queries/alerts.ts";
import { findChannelVisibleToCaller, lockChannel } from "../src/store/queries/channels.ts";
import {
  alertViewParameter,
  composedAlertBriefAnswer,
  createdOrEditedAlertSchema,
} from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

const CORRECTED =
  "The original is already cancelled, and its correction may have been sent. Check the channel's alerts first, " +
  "or omit cancel_original to copy it anyway.";

export default defineOperation({
  name: "duplicate_alert",
  title: "Duplicate alert",
  description:
    "Copy an alert to a draft, with changes; send publishes the copy, cancel_original withdraws the original. Times " +
    "are not copied.",
  scope: "alerts:write",
  alsoRequires: { "alerts:send": (raw) => raw.send === true || raw.cancel_original === true },
  publishesNothing: ({ send }) => send !== true,
  asDraft: ({ send: _, cancel_original: __, ...draft }) => draft,
  mayNeedApproval: true,
  role: "editor",
  http: {
    method: "POST",
    path: "/api/v1/pushers/{id}/alerts/{alertId}/duplicate",
    status: 201,
    maxBody: MAX_BODY_BYTES.alerts,
  },
  creates: true,
  takesChanges: true,
  limit: ALERT_SEND_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  card: true,
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    to_pusher_id: pathId("Channel for the copy. Default: the same channel.").optional(),
    send: z.boolean().optional().describe("If true, publishes; requires alerts:send."),
    cancel_original: z.boolean().optional().describe("If true, withdraws the original; requires alerts:send."),
    ...createChangeSchemas(ALERT_FIELDS),
    view: alertViewParameter,
  }),
  returnsText: true,
  contentProblem: ({ send, ...sent }, { wrong, ...clock }) =>
    composeNewAlert(sent, {
      ...{ send, now: getNowIsoMicros(clock) },
      isKnown: (field) => Object.hasOwn(sent, field) || !(wrong.has(field) || isCopiedAlertField(field)),
    }).problem,
  output: createdOrEditedAlertSchema,
  brief: composedAlertBriefAnswer,
  async handler(input, ctx) {
    const { pusher_id, alert_id, to_pusher_id = pusher_id, send, cancel_original, view: _, ...sent } = input;
    const { pusherId: from } = parseAlertPathIds({ pusher_id, alert_id });
    const to = parseChannelId(to_pusher_id);
    // A copy in the other direction locks both channels in the same order.
    const channels = from === to ? [] : [from, to].sort();
    for (const channel of channels) await ctx.sql(lockChannel, getChannelScopeSqlParameters(channel, ctx.caller));
    const { alert } = await loadLockedAlert({ pusher_id, alert_id }, ctx);
    const [target] =
      from === to ? [alert] : await ctx.sql(findChannelVisibleToCaller, getChannelScopeSqlParameters(to, ctx.caller));
    if (!target) throw notFound("channel");
    const ending = cancel_original ? ALERT_VERB_OUTCOMES_BY_STATUS[alert.status].cancel : null;
    if (ending?.do === "refuse") throw createTransitionError(ending);
    if (ending?.do === "stay") throw conflict("alert_cancelled", CORRECTED);
    if (send && !target.active) throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
    if (ending && alert.status === "repeating") throwIfApprovalRequired(ctx, getConsoleAlertPath(alert));
    const model = getCopyContent(alert, ctx);
    const attached = await attachAlertAssets(sent, model, ctx);
    const composed = composeNewAlert(attached.sent, { send, model, text: attached.text, now: getNowIsoMicros(ctx) });
    const problem = mergeCheckErrors(attached.problem, composed.problem);
    if (problem) throw problem;
    const { fields, status } = composed;
    const { title, body, send_at } = fields;
    const words = { pusher_id: to, title, body, send_at };
    // A correction is sent once by its original, which is cancelled then.
    const first = send && !cancel_original ? await findIdenticalPublishedAlert("duplicate_alert", words, ctx) : null;
    if (first) return first;
    const note = send && !cancel_original ? await findRepeatedCopyNote(words, ctx) : {};
    if (send) await countAgainstSendLimit(ctx, to);
    const [ended] = ending?.do === "change" ? await ctx.sql(cancelAlert, { id: alert.id }) : [];
    const planned = ended && alert.status === "repeating" ? await cancelSeriesOccurrences(ended, ctx) : [];
    if (ended && alert.status !== "repeating") emitAlertEvent(ctx, "alert.cancelled", ended);
    const [copy] = await ctx.sql(insertAlert, {
      id: newUuid(),
      pusher_id: to,
      status,
      words: getSearchWords(fields.title, fields.body),
      writer: createActor(ctx.caller, "rest").actor_id,
      ...fields,
    });
    const made = assertDefined(copy, "the channel is locked");
    const lines = [made, ...(ended ? [ended] : []), ...planned];
    ctx.audit({ lines: lines.map(toAuditSubject) });
    if (status !== "draft") emitAlertEvent(ctx, `alert.${status}`, made);
    return { ...formatAlert(made, target.requested_perms, ctx), ...note };
  },
});
