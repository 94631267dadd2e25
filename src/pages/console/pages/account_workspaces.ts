// A person's workspaces on the account's page: created, left, and handled when the account is closed.

import type { z } from "zod";
import { toSignedInPerson } from "../../../identity/auth/console_sessions.ts";
import { close_account, leave_workspace, list_own_workspaces } from "../../../identity/session/workspaces.ts";
import { ApiError } from "../../../model/api_error.ts";
import { assertDefined } from "../../../model/assert.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import {
  checkbox,
  relativeTime,
  renderErrorSummary,
  renderFieldErrorAndAttributes,
  renderInputField,
} from "../components.ts";
import { capitalize } from "../form_controls.ts";
import {
  type ConsolePage,
  defineMemberForm,
  defineMemberPage,
  defineSignedInForm,
  defineSignedInPage,
  type MemberPageContext,
  type PersonPageContext,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import { renderCurrentPasswordField } from "./password_question.ts";

const ACCOUNT = "/console/account";

type Own = z.output<(typeof list_own_workspaces)["output"]>["data"][number];

const members = (others: number) => (others === 0 ? "only you" : `${others + 1} members`);
const channels = (n: number) => (n === 0 ? "no channel" : n === 1 ? "1 channel" : `${n} channels`);

/** The outcome for the workspace without the person. */
function fate(own: Own): HtmlContent {
  if (own.without_you === "stays")
    return "The workspace stays unchanged, but your keys, webhooks and assistants in it stop working.";
  if (own.without_you === "goes") return "The workspace is empty, so it will be deleted.";
  if (own.without_you === "behind")
    return html`You are its only member, and it has ${channels(own.channels)}. Add another owner under <a
      href="/console/${own.id}/members">Members</a>, delete its channels and files, or leave it without an owner. A
        channel with subscribers cannot be deleted.`;
  return html`You are its only owner, and it is not empty. Make someone else an owner under <a
    href="/console/${own.id}/members">Members</a>, or delete its contents and remove its members.`;
}

const planned = (n: number) =>
  n === 0
    ? "No alerts are scheduled."
    : `${n === 1 ? "One scheduled alert will still be sent" : `${n} scheduled alerts will still be sent`}; ` +
      `cancel ${n === 1 ? "it" : "them"} to stop ${n === 1 ? "it" : "them"}.`;

/** Without a tick nothing of this happens. */
function leftBehind(own: Own, error?: ApiError): HtmlContent {
  if (own.without_you !== "behind") return null;
  const id = `behind-${own.id}`;
  const { line, attributes } = renderFieldErrorAndAttributes(error, id, "said");
  return html`<div class="field">${line}${checkbox({
    id,
    name: "leave_behind",
    value: own.id,
    label: html`Leave ${own.name} without an owner`,
    note: html`<span id="${id}-hint">Its channels are paused immediately and cannot send. Subscribers stay
      subscribed and keep their alerts. ${planned(own.scheduled)} Your keys, webhooks and assistants in it stop
        working. Only the operator of this service can assign a new owner, using the workspace ID:
          <code>${own.id}</code></span>`,
    attributes,
  })}</div>`;
}

/** An empty box has its error next to it, in place of the operation's sentence. */
function unticked(data: readonly Own[], ticked: readonly string[]): ApiError | undefined {
  const fields = data
    .filter(({ id, without_you }) => without_you === "behind" && !ticked.includes(id))
    .map(({ id, name }) => ({
      param: `behind-${id}`,
      message: `Nothing was changed. Tick the box to leave ${name} without an owner.`,
    }));
  return fields.length === 0
    ? undefined
    : new ApiError("field_required", fields[0]?.message ?? "", { status: 422, fields });
}

/** The part of the account's page. */
export async function workspacesSection(context: PersonPageContext, error?: ApiError): Promise<HtmlContent> {
  const { token, now, form: sent } = context;
  const { data } = await context.asPerson(list_own_workspaces, {});
  return settingsSection(
    "workspaces",
    "Workspaces",
    "A workspace has its own channels, members and keys.",
    html`${
      data.length > 0 &&
      html`<ul class="ways">${data.map(
        (own) =>
          html`<li><div class="what"><p><a href="/console/${own.id}/"><strong>${own.name}</strong></a> <span
            class="muted">${capitalize(own.role)}</span></p>
          <p>${members(own.other_members)}, ${channels(own.channels)}, joined ${relativeTime(
            own.joined_at,
            now,
          )}</p></div>
          <div class="actions">${
            own.role === "owner" &&
            html`<a class="button plain" href="/console/${own.id}/settings">Settings<span
              class="unseen"> of ${own.name}</span></a>`
          }
          <a class="button danger" href="/console/${own.id}/settings/leave">Leave<span
            class="unseen"> ${own.name}</span></a></div></li>`,
      )}</ul>`
    }
    <details class="more"${error && html` open`}><summary>Create another workspace</summary>
      ${renderErrorSummary(error)}
      <form method="post" action="${ACCOUNT}/workspaces" novalidate>${token}
        ${renderInputField({
          name: "workspace",
          label: "Name",
          value: sent.get("workspace") ?? "",
          maxlength: LIMITS.name,
          hint: "You will be its owner.",
          autocomplete: "organization",
          error,
        })}
        <button class="plain">Create workspace</button>
      </form></details>`,
  );
}

async function closing(context: PersonPageContext, error?: ApiError): Promise<Response> {
  const { data } = await context.asPerson(list_own_workspaces, {});
  const holds = data.some(({ without_you }) => without_you === "holds");
  return context.page(
    "Close your account",
    html`<h1>Close your account?</h1>
    <p class="lede">Your sessions will end, your passkeys and codes will stop working, and your name and e-mail
      address will be deleted. This cannot be undone.</p>
    ${
      data.length > 0 &&
      html`<h2>Effect on your workspaces</h2><ul class="ways">${data.map(
        (own) => html`<li><div
      class="what"><p><strong>${own.name}</strong></p><p>${fate(own)}</p></div></li>`,
      )}</ul>`
    }
    <p class="hint">Your actions stay in each workspace’s audit log until the entries expire.</p>
    ${renderErrorSummary(error)}
    ${
      holds
        ? html`<p class="flash careful">You can close the account when no workspace depends on you.</p><p><a
          class="button" href="${ACCOUNT}">Back to your account</a></p>`
        : html`<form method="post" action="${ACCOUNT}/close" novalidate>${context.token}
      ${data.map((own) => leftBehind(own, error))}
      ${renderCurrentPasswordField({ error })}
      <div class="actions"><button class="danger">Close account permanently</button><a class="button plain"
        href="${ACCOUNT}">Cancel</a></div>
    </form>`
    }`,
    { width: "narrow", error, styles: ["people"] },
  );
}

const isHere =
  ({ base }: MemberPageContext) =>
  ({ id }: Own) =>
    base === `/console/${id}/`;

async function leaving(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { data } = await context.asPerson(list_own_workspaces, {});
  const own = assertDefined(data.find(isHere(context)), "every visitor to the workspace is a member");
  const title = `Leave ${own.name}?`;
  if (own.without_you === "holds")
    return context.page(
      title,
      html`<h1>${title}</h1><p class="lede">${fate(own)}</p><p><a class="button"
        href="${ACCOUNT}">Back to your account</a></p>`,
      { width: "narrow" },
    );
  return renderConfirmationPage(context, {
    title,
    effect: html`${fate(own)} ${own.without_you === "stays" && "To rejoin, you must be added again."}`,
    condition: leftBehind(own, error),
    act: "Leave workspace",
    back: ACCOUNT,
    keep: "Cancel",
    error,
  });
}

export const WORKSPACE_SETTINGS_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/settings/leave", (context) => leaving(context)),
  defineMemberForm("/settings/leave", leaving, async (context) => {
    const ticked = context.form.getAll("leave_behind");
    const { data } = await context.asPerson(list_own_workspaces, {});
    const error = unticked(data.filter(isHere(context)), ticked);
    if (error) return leaving(context, error);
    await context.asMember(leave_workspace, { leave_behind: ticked.length > 0 });
    return context.goTo(ACCOUNT, "workspace-left");
  }),

  defineSignedInPage("GET", `${ACCOUNT}/close`, (context) => closing(context)),
  defineSignedInForm(`${ACCOUNT}/close`, { again: closing }, async (context) => {
    const leave_behind = context.form.getAll("leave_behind");
    const { data } = await context.asPerson(list_own_workspaces, {});
    const error = unticked(data, leave_behind);
    if (error) throw error;
    await context.asPerson(close_account, { present: context.form.get("present") ?? "", leave_behind });
    const cookies = await context.deps.people.signOut(context.request, toSignedInPerson(context.session));
    return context.goTo("/console/sign-in", "account-closed", cookies);
  }),
];
