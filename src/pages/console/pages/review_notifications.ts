// Notifications about drafts that await a review: the section of the list of drafts, and its two forms.

import { mail_drafts, open_reviews } from "../../../identity/session/decline_and_review_aids.ts";
import { list_own_workspaces } from "../../../identity/session/workspaces.ts";
import { isRoleAtLeast } from "../../../model/domain/member_access_rules.ts";
import { formatId } from "../../../model/domain/type_ids.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { getChannelPath } from "../channel_header.ts";
import { type ConsolePage, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";

/**
 * Notifications about drafts that await a review: on a phone for members who may open the reviews channel, and by mail
 * where mail is sent.
 */
export async function renderReviewNotificationSettings(context: MemberPageContext): Promise<HtmlContent> {
  const { caller, base, token, deps } = context;
  const opens = isRoleAtLeast(caller.member.role, open_reviews.role) && caller.pusherIds === null;
  const mails = deps.mail !== null && isRoleAtLeast(caller.member.role, mail_drafts.role);
  if (!opens && !mails) return null;
  const { data } = await context.asPerson(list_own_workspaces, {});
  const mailed = data.find(({ id }) => id === formatId("wsp", caller.workspace.id))?.wants_draft_emails === true;
  return html`<details class="more"><summary>Get notified about drafts awaiting review</summary>
    <p>A private channel, “Reviews”, alerts devices when an assistant or key submits a draft for review. These
      alerts link to the draft and show its channel and author, but not its text. They expire once the draft is
        approved, declined,
      cancelled or deleted.</p>
    ${opens && html`<form method="post" action="${base}reviews">${token}<button>Subscribe a device</button></form>`}
    ${
      mails &&
      html`<p>${
        mailed
          ? "You also get these notifications by e-mail."
          : "You can also get them by e-mail once that channel exists."
      }</p>
    <form method="post" action="${base}reviews/mail">${token}<input type="hidden"
      name="mails" value="${mailed ? "" : "on"}"><button>${mailed ? "Stop e-mails" : "E-mail me"}</button></form>`
    }</details>`;
}

export const REVIEW_NOTIFICATION_PAGES: readonly ConsolePage[] = [
  defineMemberPage("POST", "/reviews", async (context) => {
    const { id } = await context.asMember(open_reviews, {});
    return context.goTo(`${getChannelPath(context, id)}/invites`);
  }),

  defineMemberPage("POST", "/reviews/mail", async (context) => {
    await context.asMember(mail_drafts, { wants_draft_emails: context.form.get("mails") === "on" });
    return context.goTo(`${context.base}drafts`);
  }),
];
