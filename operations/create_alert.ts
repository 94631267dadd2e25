import { z } from "zod";
import { conflict, notFound } from "../src/model/api_error.ts";
import { assertDefined } from "../src/model/assert.ts";
import { CHANNEL_NOT_ACTIVE } from "../src/model/domain/alert_transitions.ts";
import { mergeCheckErrors } from "../src/model/domain/alert_validation.ts";
import { newUuid, parseChannelId } from "../src/model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../src/model/fields/alert.ts";
import { createInsertArgumentSchemas } from "../src/model/fields/field_table.ts";
import { getNowIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import { ALERT_SEND_LIMIT, countAgainstSendLimit } from "../src/operation/alerts/alert_verb_helpers.ts";
import { attachAlertAssets } from "../src/operation/alerts/attach_assets.ts";
import { composeNewAlert } from "../src/operation/alerts/compose_alert.ts";
import { completeAnswerFromInsertedRow, writeNewAlert } from "../src/operation/alerts/insert_alert.ts";
import { findIdenticalPublishedAlert } from "../src/operation/alerts/repeated_sends.ts";
import { defineOperation, MAX_BODY_BYTES } from "../src/operation/define_operation.ts";
import { findChannelVisibleToCaller, lockChannel } from "../src/store/queries/channels.ts";
import {
  alertViewParameter,
  composedAlertBriefAnswer,
  createdOrEditedAlertSchema,
} from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "create_alert",
  title: "Compose alert",
  description:
    "Create an alert: a draft with a review_url or, with send, one published now or at send_at. Publishing cannot be " +
    "undone.",
  scope: "alerts:write",
  alsoRequires: { "alerts:send": (raw) => raw.send === true },
  asDraft: ({ send: _, ...draft }) => draft,
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/alerts", status: 201, maxBody: MAX_BODY_BYTES.alerts },
  // With `send` true it cannot be undone, and clients require confirmation first.
  creates: true,
  // Files are locked until then. The channel is also locked where repeats wait for one another.
  isOneStatement: (input, onRepeat) =>
    !(input.image_asset_id || input.audio_asset_id || input.html_asset_id) && !(input.send && onRepeat === "answer"),
  answerAgain: completeAnswerFromInsertedRow,
  limit: ALERT_SEND_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  card: true,
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    send: z.boolean().optional().describe("If true, publishes; requires alerts:send."),
    ...createInsertArgumentSchemas(ALERT_FIELDS),
    view: alertViewParameter,
  }),
  contentProblem: ({ send, ...sent }, { wrong, ...clock }) =>
    composeNewAlert(sent, { send, now: getNowIsoMicros(clock), isKnown: (field) => !wrong.has(field) }).problem,
  output: createdOrEditedAlertSchema,
  brief: composedAlertBriefAnswer,
  async handler(input, ctx) {
    const pusherId = parseChannelId(input.pusher_id);
    const attached = await attachAlertAssets(input, null, ctx);
    const { send } = input;
    const composed = composeNewAlert(attached.sent, { send, text: attached.text, now: getNowIsoMicros(ctx) });
    const { fields, status } = composed;
    const problem = mergeCheckErrors(attached.problem, composed.problem);
    const channel = getChannelScopeSqlParameters(pusherId, ctx.caller);
    if (input.send && !problem && ctx.onRepeat === "answer") {
      if (!(await ctx.sql(lockChannel, channel))[0]) throw notFound("channel");
      const { title, body, send_at } = fields;
      const first = await findIdenticalPublishedAlert(
        "create_alert",
        { pusher_id: pusherId, title, body, send_at },
        ctx,
      );
      if (first) return first;
    }
    const counted =
      status === "draft" || problem
        ? null
        : await countAgainstSendLimit(ctx, pusherId).then(
            () => null,
            (limit) => limit,
          );
    // A refused call is not attempted; a missing or paused channel is reported before errors of the alert.
    const refusal = problem ?? counted;
    const row = refusal
      ? (await ctx.sql(findChannelVisibleToCaller, channel)).map((found) => ({ ...found, answer: null }))[0]
      : await writeNewAlert({ ...channel, id: newUuid(), status, ...fields }, ctx);
    if (!row) throw notFound("channel");
    if (!row.active && status !== "draft") throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
    if (refusal) throw refusal;
    return assertDefined(row.answer, "an active channel accepts an alert");
  },
});
