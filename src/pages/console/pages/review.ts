// The page on which a person reviews an alert by another author, most often an assistant. It shows the alert as on a
// phone, its author and reason, and the decision. The operations define the effect and the permission of each decision.
// Each decision carries the version that the page showed, so unseen changes are never sent (rules#expected-version).
// The reads and acks of sent alerts are also served alone, for the script that follows them. A copy of a sent alert is
// its correction.

import { decline_alert } from "../../../identity/session/decline_and_review_aids.ts";
import { test_alert } from "../../../identity/session/test_devices.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { getMissingPermissionNotes } from "../../../model/domain/channel_capabilities_and_defaults.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import { getAlertPathArguments, getChannelPath } from "../channel_header.ts";
import { isPartRequest, renderBlockquote, renderErrorSummary } from "../components.ts";
import { parseUtcMinute } from "../form_controls.ts";
import { canShowErrorInForm, withFormErrors } from "../form_submission.ts";
import {
  type ChannelResult,
  type ConsolePage,
  canUse,
  defineMemberForm,
  defineMemberPage,
  type FlashCode,
  type GetAlertResult,
  type MemberPageContext,
} from "../page_definitions.ts";
import {
  describeReach,
  externalPicturesLink,
  renderAlertPageIframe,
  renderAlertPreviewWithEffects,
  renderMissingPermissionNotes,
  renderRemovedContentReport,
} from "../phone_preview.ts";
import {
  renderReportTimeline,
  renderSentAlertActions,
  renderSentAlertReports,
  renderUsedPermissions,
} from "../sent_alert_results.ts";
import { createDiffBudget } from "../text_diff.ts";
import {
  historyCard,
  isOwnAction,
  readAlertHistory,
  renderChangesSinceSeen,
  renderCreatedByLine,
  renderEditsSinceDecline,
} from "./alert_changes_and_audit.ts";
import { parseAlertForm, toAlertFormValues } from "./compose_form_values.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import { duplicateWarning, renderHiddenConfirmationFields } from "./duplicate_and_many_devices_questions.ts";
import { renderReviewFacts, renderReviewRecurrence } from "./review_alert_properties.ts";
import { assertReadyToPublish, renderReviewDecisionBar, renderReviewDecisionPanels } from "./review_decision_panels.ts";

const PATH = "/channels/:pusher/alerts/:alert";

type Verb = "send_alert" | "schedule_alert" | "cancel_alert" | "update_alert";

/** The actions of a form, and the message on the next page. */
const VERBS: Record<string, { operation: Verb; done: FlashCode }> = {
  send: { operation: "send_alert", done: "alert-sent" },
  following: { operation: "cancel_alert", done: "alert-cancelled" },
  schedule: { operation: "schedule_alert", done: "alert-scheduled" },
  cancel: { operation: "cancel_alert", done: "alert-cancelled" },
  draft: { operation: "update_alert", done: "alert-drafted" },
};

const STATES: Record<string, string> = {
  draft: "Draft, not sent yet.",
  cancelled: "Cancelled.",
  repeating: "Repeating: each occurrence is a separate alert. An edit changes all unsent occurrences.",
};

/**
 * Scripts that a document brings and phones never run, for who may decide about it. Other markup was cleaned when it
 * was written.
 */
async function inertScripts(context: MemberPageContext, { layout, html, asset_html }: GetAlertResult): Promise<number> {
  const document = html ?? asset_html;
  if (layout !== "document" || !document || !canUse(context, "preview_html")) return 0;
  return (await context.call("preview_html", { html: document, layout })).script_count;
}

async function review(context: MemberPageContext, error?: ApiError, asks: Html | null = null): Promise<Response> {
  const path = getAlertPathArguments(context);
  const { now } = context;
  const alert = await context.call("get_alert", path);
  const open = alert.review_url !== null;
  const [channel, past, inert] = await Promise.all([
    context.call("get_pusher", { pusher_id: path.pusher_id }),
    readAlertHistory(context, path),
    inertScripts(context, alert),
  ]);
  const could = open ? await describeReach(context, channel) : "";
  const own = past.story.length > 0 && past.story.every((line) => isOwnAction(context, line));
  const seen = context.form.get("version") ?? "";
  const isOld = error?.type === "conflict" && seen !== "" && seen !== alert.updated_at;
  const effort = createDiffBudget();
  const preview = html`<section class="seen" aria-labelledby="preview"><h2
    id="preview">Preview</h2>${drawn(context, alert, channel)}</section>`;
  const notices = [
    asks,
    isOld && (await renderChangesSinceSeen(past, seen, effort, now)),
    open && !isOld && (await renderEditsSinceDecline(past, effort, now)),
    open && renderRemovedContentReport(alert.blocked, inert),
    await renderSentAlertReports(context, alert),
  ].filter(Boolean);
  return context.page(
    alert.title,
    html`<p class="crumb"><a href="${getChannelPath(context, channel.id)}">${channel.name}</a></p>
    <h1>${alert.title}</h1>
    <p class="lede">${
      STATES[alert.status] ??
      html`${alert.sent_at ? "Sent" : "Scheduled for"} ${timeElement(new Date(alert.sent_at ?? alert.send_at ?? ""))}.`
    }${renderCreatedByLine(past, now)}</p>
    ${!isOld && renderErrorSummary(error)}
    <form class="reviewing" id="review" method="post" action="${context.url.pathname}" novalidate>${context.token}
      <input type="hidden" name="version" value="${alert.updated_at}">${renderHiddenConfirmationFields(context)}
      ${notices.length > 0 && html`<div class="notices">${notices}</div>`}
      <div class="front">${preview}${renderAlertDocument(context, alert)}</div>
      <div class="pane">
        ${
          alert.review_reply &&
          html`<section class="card"><h2>Declined</h2><p
          class="hint">Reviewer’s comment:</p>${renderBlockquote(alert.review_reply)}</section>`
        }
        ${
          alert.review_note &&
          html`<section class="card"><h2>Author’s note</h2><p
          class="hint">Not verified:</p>${renderBlockquote(alert.review_note)}</section>`
        }
        ${
          open &&
          renderMissingPermissionNotes(
            getMissingPermissionNotes(alert, channel.requested_perms),
            `${getChannelPath(context, channel.id)}/edit`,
          )
        }
        ${renderReviewFacts(context, alert)}
        ${!open && renderUsedPermissions(alert)}
        ${renderReviewRecurrence(context, alert)}
        ${await historyCard(past, effort, now)}
        ${
          canUse(context, "send_alert")
            ? renderReviewDecisionPanels(context, { alert, channel, error, own })
            : html`<p class="hint">Only
          members who can send alerts on this channel can decide whether to send it.</p>`
        }
        ${!open && renderSentAlertActions(context, alert)}
      </div>
      ${canUse(context, "send_alert") && renderReviewDecisionBar(context, { alert, channel, could, error, own })}
    </form>`,
    {
      status: error?.status ?? (asks ? 409 : 200),
      width: "wide",
      frames: true,
      styles: ["alert_card", "drawings", "compose", "history"],
      scripts: alert.status === "sent" ? ["live", "charts"] : ["zone", "count"],
    },
  );
}

/** The card as devices show it, and its effects. */
const drawn = ({ now }: MemberPageContext, alert: GetAlertResult, channel: ChannelResult): Html =>
  renderAlertPreviewWithEffects(
    channel,
    {
      ...alert,
      picture: alert.image_asset_url,
      elsewhere: alert.image_url,
      recording: alert.audio_url !== null || alert.audio_asset_id !== null,
      at: new Date(alert.sent_at ?? alert.send_at ?? alert.updated_at),
      expires_at: alert.expires_at === null ? null : new Date(alert.expires_at),
    },
    now,
  );

/** Characters of markup that fill less than a short frame. */
const SHORT_MARKUP = 400;

/** The page or document that an alert opens, in a frame, which is low for a short text. */
function renderAlertDocument(
  { url }: MemberPageContext,
  { layout, html: page, asset_html }: GetAlertResult,
): HtmlContent {
  const markup = asset_html ?? page;
  if (!markup || (layout !== "html" && layout !== "document")) return null;
  const framed = `${url.pathname}/page`;
  const isShort = markup.length < SHORT_MARKUP && !/<(?:img|picture|table|svg|style)\b|style=/i.test(markup);
  return html`<section class="card opened" aria-labelledby="opened"><h2
    id="opened">When opened</h2>${renderAlertPageIframe(framed, isShort)}${externalPicturesLink(
      markup,
      framed,
    )}</section>`;
}

async function decide(context: MemberPageContext): Promise<Response> {
  const { form } = context;
  const path = { ...getAlertPathArguments(context), expected_updated_at: form.get("version") ?? "" };
  const act = form.get("act") ?? "";
  const back = context.url.pathname;
  if (act === "decline") {
    await context.asMember(decline_alert, { ...path, review_reply: form.get("review_reply") ?? "" });
    return context.goTo(back, "alert-declined");
  }
  if (act === "test") {
    await context.asMember(test_alert, path);
    return context.goTo(back, "alert-tested");
  }
  const verb = Object.hasOwn(VERBS, act) ? VERBS[act] : null;
  if (!verb) throw notFound("form");
  const alert = await context.call("get_alert", getAlertPathArguments(context));
  assertReadyToPublish(alert, form, act);
  const asks =
    act === "send" && (await duplicateWarning(context, alert.pusher_id, parseAlertForm(toAlertFormValues(alert))));
  if (asks) return review(context, undefined, asks);
  const at = act === "schedule" ? form.get("send_at") : null;
  const more =
    act === "following"
      ? { following: true }
      : act === "draft"
        ? { send_at: null }
        : at
          ? { send_at: parseUtcMinute(at) }
          : {};
  await context.call(verb.operation, { ...path, ...more });
  return context.goTo(back, verb.done);
}

/** Requires confirmation. For an alert that was sent in the meantime, explains why it stays. */
async function deleting(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { title, status, updated_at } = await context.call("get_alert", getAlertPathArguments(context));
  const back = context.url.pathname.replace(/\/delete$/, "");
  if (status === "sent")
    return context.page(
      "Sent alerts cannot be deleted",
      html`<h1>Sent alerts cannot be deleted</h1>
      <p class="lede">Sent alerts are kept as a record. To keep this one from devices that have not fetched it yet,
        cancel it.</p>
      <p><a class="button" href="${back}">Back to alert</a></p>`,
      { width: "narrow", error },
    );
  return renderConfirmationPage(context, {
    title: "Delete this alert?",
    effect: html`“${title}” will be permanently deleted.${status === "scheduled" && " It will not be sent."}`,
    condition: html`<input type="hidden" name="version" value="${updated_at}">`,
    act: "Delete alert",
    back,
    error,
  });
}

export const REVIEW_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", PATH, (context) => review(context)),

  defineMemberForm(
    PATH,
    {
      ...{ again: review, when: canShowErrorInForm, names: { expected_updated_at: "version" } },
      labels: { review_reply: "The comment", send_at: "The time" },
    },
    decide,
  ),

  defineMemberPage("GET", `${PATH}/delete`, (context) => deleting(context)),

  defineMemberPage(
    "POST",
    `${PATH}/delete`,
    withFormErrors({ again: deleting, when: canShowErrorInForm }, async (context) => {
      const expected_updated_at = context.form.get("version") ?? "";
      await context.call("delete_alert", { ...getAlertPathArguments(context), expected_updated_at });
      return context.goTo(getChannelPath(context, context.params.pusher ?? ""), "alert-deleted");
    }),
  ),
  defineMemberPage("GET", `${PATH}/timeline`, async (context) => {
    const alert = await context.call("get_alert", getAlertPathArguments(context));
    if (isPartRequest(context)) return context.part(await renderReportTimeline(context, alert));
    return context.goTo(`${getChannelPath(context, alert.pusher_id)}/alerts/${alert.id}`);
  }),

  defineMemberPage("POST", `${PATH}/duplicate`, async (context) => {
    const draft = await context.call("duplicate_alert", getAlertPathArguments(context), context.form.get("once"));
    return context.goTo(`${getChannelPath(context, draft.pusher_id)}/alerts/${draft.id}`, "alert-duplicated");
  }),
];
