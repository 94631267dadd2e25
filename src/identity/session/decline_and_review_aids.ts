// Operations for reviewing alerts that wait.

import { randomBytes } from "node:crypto";
import { LockMode } from "@mikro-orm/core";
import { z } from "zod";
import { forbidden, notFound } from "../../model/api_error.ts";
import { alreadySent } from "../../model/domain/alert_transitions.ts";
import { formatId, newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { CHANNEL_INVITE_FIELDS } from "../../model/fields/channel.ts";
import { createInsertArgumentSchemas, getBlankValues } from "../../model/fields/field_table.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { textSchema } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import { Channel, ChannelInvite } from "../../model/tables/channel.ts";
import { Member, Workspace } from "../../model/tables/member.ts";
import { getChannelScopeSqlParameters } from "../../operation/access_checks.ts";
import { syncOccurrencesWithSeries } from "../../operation/alerts/alert_series.ts";
import {
  emitAlertEvent,
  formatAlertEdits,
  lockAlertForVerb,
  parseAlertPathIds,
} from "../../operation/alerts/alert_verb_helpers.ts";
import { attachAlertAssets } from "../../operation/alerts/attach_assets.ts";
import { mergeAndSanitizeAlert } from "../../operation/alerts/compose_alert.ts";
import { formatAlert } from "../../operation/alerts/format_alert.ts";
import { createChannelRow } from "../../operation/channels/find_channel.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { declineAlert, findEqualSend, listChangesOfAlert, readAlert } from "../../store/queries/alerts.ts";
import { alertWithReviewUrlSchema, toAlertView } from "../../store/response_schemas/alert_schemas.ts";
import { expectedVersion, unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";

export const open_reviews = defineMemberOperation({
  name: "open_reviews",
  title: "Open the review channel",
  description:
    "Create the workspace's private channel for drafts awaiting review, with an invite for devices. An " +
    "existing channel is returned.",
  role: "admin",
  output: z.object({ id: z.string() }),
  async handler(_input, { em, caller }) {
    if (caller.pusherIds !== null)
      throw forbidden(
        "channel_restricted",
        "Your access is restricted to certain channels, so you cannot create channels. Ask an owner of the workspace.",
      );
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const workspace = await em.findOneOrFail(Workspace, { id: caller.workspace.id }, lock);
    const { review_channel_id } = workspace;
    if (review_channel_id && (await em.findOne(Channel, { id: review_channel_id })))
      return { id: formatId("psh", review_channel_id) };
    const handle = `reviews-${randomBytes(5).toString("hex")}`;
    const channel = createChannelRow(em, workspace.id, {
      name: "Reviews",
      handle,
      category: "ai",
      description: `Drafts in ${workspace.name} that await review.`,
      requested_perms: ["notify", "sound", "vibrate"],
      is_public: false,
    });
    em.create(ChannelInvite, {
      id: newUuid(),
      pusher: channel.id,
      ...getBlankValues(CHANNEL_INVITE_FIELDS),
      code: randomBytes(24).toString("base64url"),
      label: "Devices of reviewers",
    });
    workspace.review_channel_id = channel.id;
    await em.flush();
    return { id: formatId("psh", channel.id) };
  },
});

export const mail_drafts = defineMemberOperation({
  name: "mail_drafts",
  title: "Turn review e-mails on or off",
  description: "Set whether this member also gets an e-mail for each draft that awaits review.",
  role: "editor",
  input: z.strictObject({ wants_draft_emails: z.boolean() }),
  output: z.object({ wants_draft_emails: z.boolean() }),
  async handler({ wants_draft_emails }, { em, caller, audit }) {
    const member = await em.findOneOrFail(Member, { id: caller.member.id });
    if (member.wants_draft_emails !== wants_draft_emails) audit({ changed: ["wants_draft_emails"] });
    member.wants_draft_emails = wants_draft_emails;
    return { wants_draft_emails };
  },
});

export const decline_alert = defineMemberOperation({
  name: "decline_alert",
  title: "Decline alert",
  description:
    "Decline an alert with a comment, which its author can read in review_reply. A scheduled alert becomes a draft " +
    "again.",
  role: "editor",
  errors: ["not_found", "conflict"],
  input: z.strictObject({
    pusher_id: z.string(),
    alert_id: z.string(),
    review_reply: textSchema(1, LIMITS.alert_review_reply, { lines: true }),
    expected_updated_at: expectedVersion(),
  }),
  output: alertWithReviewUrlSchema,
  async handler({ review_reply, ...path }, ctx) {
    if (!parseIdOrNull("psh", path.pusher_id)) throw notFound("alert");
    const { alert } = await lockAlertForVerb("edit", path, ctx);
    const previousValues = alert.status !== "draft" ? { send_at: toIsoMicrosOrNull(alert.send_at) } : null;
    const [after] = await ctx.sql(declineAlert, { id: alert.id, review_reply, previous_values: previousValues });
    // It became visible while we looked at it.
    if (!after) throw alreadySent("edit");
    if (alert.status === "repeating") await syncOccurrencesWithSeries(alert, after, ctx);
    else if (alert.status === "scheduled") emitAlertEvent(ctx, "alert.cancelled", after);
    return formatAlert(after, alert.requested_perms, ctx);
  },
});

export const list_alert_changes = defineMemberOperation({
  name: "list_alert_changes",
  title: "List alert changes",
  description:
    "An alert's most recent edits, newest first, with the old and new values of each changed field. Available to " +
    "everyone who can read the alert.",
  role: "viewer",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ pusher_id: z.string(), alert_id: z.string() }),
  output: unpagedListSchema({
    updated_at: z.string().describe("The version after the edit."),
    fields: z.array(z.object({ name: z.string(), before: z.unknown(), after: z.unknown() })),
    replied_to: z.string().nullable().describe("The comment given when the alert was declined earlier."),
  }),
  async handler(input, ctx) {
    if (!parseIdOrNull("psh", input.pusher_id)) throw notFound("alert");
    const { pusherId, alertId } = parseAlertPathIds(input);
    const [alert] = await ctx.sql(readAlert, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
    if (!alert) throw notFound("alert");
    const changes = await ctx.sql(listChangesOfAlert, { alert_id: alertId });
    return { data: formatAlertEdits(toAlertView(alert, ctx.services.assets), changes) };
  },
});

export const find_equal_send = defineMemberOperation({
  name: "find_equal_send",
  title: "Find an identical alert",
  description:
    "The newest alert that the channel sent with the same fields in the last few minutes. Used to prevent duplicates.",
  role: "editor",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({
    pusher_id: z.string(),
    once: z
      .string()
      .nullable()
      .describe("The form's key. An alert that was created with this form is not counted as a duplicate."),
    fields: z.strictObject(createInsertArgumentSchemas(ALERT_FIELDS)),
  }),
  output: z.object({ alert: z.object({ id: z.string(), sent_at: z.string() }).nullable() }),
  async handler({ pusher_id, once, fields: given }, ctx) {
    const pusherId = parseIdOrNull("psh", pusher_id);
    if (!pusherId) throw notFound("channel");
    const { sent, text } = await attachAlertAssets(given, null, ctx);
    const { fields } = mergeAndSanitizeAlert(sent, null, text);
    const credential_id = ctx.caller.credential.id;
    const [found] = await ctx.sql(findEqualSend, {
      ...getChannelScopeSqlParameters(pusherId, ctx.caller),
      credential_id,
      once,
      ...fields,
    });
    if (!found) throw notFound("channel");
    const { id, sent_at } = found;
    return { alert: id && sent_at ? { id: formatId("alr", id), sent_at: toIsoMicros(sent_at) } : null };
  },
});
