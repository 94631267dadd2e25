// Members of a workspace: who they are, adding one by a one-time link, roles, channels, removal. Shows what the
// signed-in member may do, and leaves the deciding to the operations.

import { createMemberLinkMail } from "../../../identity/auth/mail.ts";
import { FIRST_OWNER_PLACEHOLDER_EMAIL } from "../../../identity/auth/one_time_links.ts";
import {
  add_member,
  link_member,
  list_members,
  remove_member,
  update_member,
} from "../../../identity/session/members.ts";
import { ApiError } from "../../../model/api_error.ts";
import { getGrantableRoles } from "../../../model/domain/member_access_rules.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { Role } from "../../../model/tables/member.ts";
import type { MemberAccessInput } from "../../../store/response_schemas/shared_parameters_and_pages.ts";
import { html } from "../../../ui/html.ts";
import {
  copyableText,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderHtmlTable,
  renderInputField,
  renderSelectField,
  rowMenu,
} from "../components.ts";
import { capitalize } from "../form_controls.ts";
import { createErrorTypeMatcher, withFormErrors } from "../form_submission.ts";
import { searchAndPaginateRows } from "../list_search.ts";
import { type ConsolePage, defineMemberForm, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import {
  CHANNEL_SEARCH_BUTTON_NAME,
  describeMemberChannels,
  renderMemberChannelChoice,
} from "./member_channel_choice.ts";
import { renderCurrentPasswordField } from "./password_question.ts";

/** The raw values of the form; the operation interprets them. */
const parseMemberForm = ({ form: sent }: MemberPageContext): MemberAccessInput => ({
  role: sent.get("role") ?? "",
  every_channel: sent.get("sees") === "all",
  pusher_ids: sent.getAll("pusher"),
});

const ROLE_WORDS: Record<Role, string> = {
  owner: "Owner: full access",
  admin: "Admin: full access except managing owners",
  editor: "Editor: can write and send alerts",
  viewer: "Viewer: read only",
};

const roleOptions = (mine: Role) =>
  getGrantableRoles(mine)
    .toReversed()
    .map((role) => ({ value: role, label: ROLE_WORDS[role] }));

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { deps, caller, base, token, now, form: sent } = context;
  const { data: rows } = await context.asMember(list_members, {});
  const channels = await context.call("list_pushers");
  const mayAll = caller.pusherIds === null;
  const wish = { ...parseMemberForm(context), ...(!sent.has("email") && { every_channel: mayAll }) };
  const found = searchAndPaginateRows(context, `${base}members`, rows, {
    ...{ label: "Find a member", hint: "Name or e-mail" },
    wordsOf: ({ name, email }) => [name, email],
  });
  const form = html`${renderErrorSummary(error, { sees: "new-sees" })}
    <form method="post" action="${base}members" novalidate>${token}
      <div class="columns">
        ${renderInputField({
          name: "email",
          label: "E-mail address",
          type: "email",
          value: sent.get("email") ?? "",
          maxlength: LIMITS.email,
          autocomplete: "off",
          hint: deps.mail
            ? "The link will be e-mailed to this address and shown to you."
            : "This server cannot send e-mail, so you will get a link that you must send to the person.",
          error,
        })}
        ${renderSelectField({
          name: "role",
          label: "Role",
          options: roleOptions(caller.member.role),
          value: sent.get("role") ?? "editor",
          hint: "You can assign your own role or a lower one.",
          error,
        })}
      </div>
      ${renderMemberChannelChoice("new", channels.data, wish, { mayAll, form: sent, error })}
      <button>Add and show link</button>
    </form>`;
  return context.page(
    "Members",
    html`<div class="titled"><h1>Members</h1>
    <p class="lede">Members of ${caller.workspace.name}, with their roles and channels.</p>
    ${renderCreateDisclosure("Add member", sent.size > 0 || rows.length === 1, form)}</div>
    ${found.form}
    ${renderHtmlTable(
      "Members",
      found.rows,
      {
        Member: (row) => {
          const name = html`${row.name ?? row.email}${row.self && " (you)"}`;
          return html`<div class="named"><span class="face" aria-hidden="true">${
            [...(row.name ?? row.email)][0]
          }</span><div>
            <strong>${row.manageable ? html`<a href="${base}members/${row.id}">${name}</a>` : name}</strong>${
              row.name && html` <span class="muted">${row.email}</span>`
            }</div></div>`;
        },
        State: (row) =>
          row.joined
            ? html`<span class="badge good">active</span>`
            : html`<span class="badge muted">${row.invited ? "invited" : "not joined"}</span>`,
        Role: (row) => capitalize(row.role),
        Channels: (row) => capitalize(describeMemberChannels(row.handles)),
        Added: (row) => relativeTime(row.created_at, now),
        "Last used": (row) =>
          row.joined || !row.manageable
            ? relativeTime(row.last_used_at, now)
            : html`<a class="button plain" href="${base}members/${row.id}#link">Invite again<span
              class="unseen">: ${row.name ?? row.email}</span></a>`,
        "": (row) =>
          row.manageable &&
          rowMenu(row.name ?? row.email, [
            { href: `${base}members/${row.id}`, label: "Change" },
            !row.joined && { href: `${base}members/${row.id}#link`, label: "Invite again" },
            { href: `${base}members/${row.id}/remove`, label: "Remove", danger: true },
          ]),
      },
      null,
      { texts: ["Channels"], wide: ["Added", "Last used"] },
    )}
    ${found.ways}`,
    { error },
  );
}

/** The member of the path, whom the visitor may manage; undefined for any other id. */
async function rowOf(context: MemberPageContext) {
  const { data: rows } = await context.asMember(list_members, {});
  const row = rows.find(({ id, manageable }) => id === context.params.id && manageable);
  if (!row) throw new ApiError("member_not_found", "Member not found, or you cannot change this member.");
  return row;
}

async function one(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { caller, base, token, form: sent } = context;
  const [row, channels] = await Promise.all([rowOf(context), context.call("list_pushers")]);
  const shown = row.name ?? row.email;
  const at = `${base}members/${row.id}`;
  const wish = sent.has("role")
    ? parseMemberForm(context)
    : { role: row.role, every_channel: row.pusher_ids === null, pusher_ids: row.pusher_ids ?? [] };
  return context.page(
    shown,
    html`<p><a href="${base}members">All members</a></p><h1>${shown}${row.self && " (you)"}</h1>
    <p class="lede">${row.name && `${row.email} · `}${row.joined ? "Has joined." : "Has not joined yet."}</p>
    ${renderErrorSummary(error, { sees: "member-sees" })}
    ${settingsSection(
      "change",
      "Role and channels",
      "The role limits what the member can do on these channels.",
      html`<form method="post" action="${at}" novalidate>${token}
        ${renderSelectField({
          name: "role",
          label: "Role",
          options: roleOptions(caller.member.role),
          value: wish.role,
          error,
        })}
        ${renderMemberChannelChoice("member", channels.data, wish, {
          mayAll: caller.pusherIds === null,
          form: sent,
          error,
        })}
        <div class="save"><button>Save</button></div>
      </form>`,
    )}
    ${settingsSection(
      "link",
      row.joined ? "Reset access" : "One-time link",
      row.self
        ? html`Change your own password on <a href="/console/account">your account page</a>.`
        : row.joined
          ? `If the password was forgotten, ${row.email} can use the link to choose a new password. This also ` +
            "ends all their sessions and removes their passkeys. Do not share the link with anyone else."
          : "The link lets this person join. A new link replaces the earlier one.",
      !row.self &&
        html`<form method="post" action="${at}/link" novalidate>${token}
        ${renderCurrentPasswordField({ label: "Your own password", error })}
        <div class="save"><button class="plain">Create new link</button></div></form>`,
    )}
    ${settingsSection(
      "remove",
      "Remove from the workspace",
      REMOVAL,
      html`<div class="save"><a class="button danger" href="${at}/remove">Remove ${shown}</a></div>`,
      true,
    )}`,
    { error },
  );
}

const REMOVAL = "The member’s keys, assistants and webhooks stop working immediately. Channels and alerts stay.";

/** Shows a link, after the mail server took it, or did not. */
async function linkPage(context: MemberPageContext, made: { email: string; joined: boolean; link: string }) {
  const { mail } = context.deps;
  const { email, joined, link } = made;
  const mailed =
    mail && email !== FIRST_OWNER_PLACEHOLDER_EMAIL
      ? await mail(createMemberLinkMail(email, context.caller.workspace.name, link, joined))
      : null;
  const title = mailed ? "The link was e-mailed" : "A link to send";
  return context.page(
    title,
    html`<h1>${title}</h1>
    ${
      mailed === false &&
      html`<p class="flash problem"
      role="alert">The e-mail to ${email} could not be sent. Send the link yourself.</p>`
    }
    <p class="lede">${
      mailed
        ? html`It was sent to <strong>${email}</strong>. You can also send it yourself.`
        : html`Send it to <strong>${email}</strong> in a secure way.`
    } The first person to open it ${joined ? "sets this member’s password" : "becomes this member"}, and everything
      done with the account is attributed to this member. Do not open it yourself.</p>
    <p class="flash careful">The link works once and expires in ${LIMITS.link_days} days. It will not be shown
      again.</p>
    ${copyableText(link, "the link")}
    <p><a class="button" href="${context.base}members">Back to members</a></p>`,
    { scripts: ["copy"] },
  );
}

/** Errors that a person can fix are shown with the form; the rest is a page of its own. */
const refused = (again: typeof list) => ({
  again,
  when: createErrorTypeMatcher("invalid_request", "conflict", "forbidden"),
  names: { pusher_ids: "sees" },
});

const acting = (what: string, act: (context: MemberPageContext, which: { member_id: string }) => Promise<Response>) =>
  defineMemberPage(
    "POST",
    `/members/:id/${what}`,
    withFormErrors(refused(one), (context) => act(context, { member_id: context.params.id ?? "" })),
  );

export const MEMBER_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/members", (context) => list(context)),

  defineMemberForm("/members", refused(list), async (context) => {
    if (context.form.has(CHANNEL_SEARCH_BUTTON_NAME)) return list(context);
    const email = context.form.get("email") ?? "";
    const added = await context.asMember(add_member, { email, ...parseMemberForm(context) });
    return linkPage(context, { ...added, joined: false });
  }),

  defineMemberPage("GET", "/members/:id", (context) => one(context)),

  defineMemberForm("/members/:id", refused(one), async (context) => {
    if (context.form.has(CHANNEL_SEARCH_BUTTON_NAME)) return one(context);
    await context.asMember(update_member, { member_id: context.params.id ?? "", ...parseMemberForm(context) });
    return context.goTo(`${context.base}members`, "member-changed");
  }),

  acting("link", async (context, which) => {
    const present = context.form.get("present") ?? "";
    return linkPage(context, await context.asMember(link_member, { ...which, present }));
  }),

  defineMemberPage("GET", "/members/:id/remove", async (context) => {
    const row = await rowOf(context);
    const at = `${context.base}members/${row.id}`;
    return renderConfirmationPage(context, {
      title: `Remove ${row.name ?? row.email} from ${context.caller.workspace.name}?`,
      effect: `${REMOVAL} To rejoin, this person needs a new link.`,
      act: `Remove ${row.name ?? row.email}`,
      back: at,
      keep: "Cancel",
    });
  }),

  acting("remove", async (context, which) => {
    await context.asMember(remove_member, which);
    return context.goTo(`${context.base}members`, "member-removed");
  }),
];
