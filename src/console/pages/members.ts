// Members of a workspace: who they are, adding one by a one-time link, roles, channels, removal. Shows only what the
// rules in auth/members.ts let the signed-in member do, and leaves the deciding to them.

import { grantableRoles } from "../../auth/members.ts";
import { showId } from "../../domain/ids.ts";
import type { Role } from "../../entities/member.ts";
import { ApiError } from "../../errors.ts";
import { linkMail } from "../../mail.ts";
import { type Content, html } from "../html.ts";
import { copyable, field, problem, select, table, tick } from "../parts.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const ROLE_WORDS: Record<Role, string> = {
  owner: "Owner: everything",
  admin: "Admin: everything but owners",
  editor: "Editor: writes and sends alerts",
  viewer: "Viewer: looks only",
};

interface Channel {
  id: string;
  name: string;
  handle: string;
}

const roleOptions = (mine: Role) =>
  grantableRoles(mine)
    .toReversed()
    .map((role) => ({ value: role, label: ROLE_WORDS[role] }));

/** Which channels: all, or those that are ticked. `of` tells the forms of one page apart. */
function channelChoice(of: string, channels: Channel[], chosen: string[] | null, mayAll: boolean): Content {
  return html`<fieldset><legend>Channels</legend>
    ${mayAll && tick({ id: `${of}-all`, name: "sees", value: "all", type: "radio", label: "Every channel, later ones included", checked: chosen === null })}
    ${tick({ id: `${of}-some`, name: "sees", value: "some", type: "radio", label: "Only these:", checked: chosen !== null || !mayAll })}
    <div class="columns">${
      channels.length === 0
        ? html`<p class="hint">There is no channel yet.</p>`
        : channels.map((channel) =>
            tick({
              id: `${of}-${channel.id}`,
              name: "pusher",
              value: channel.id,
              label: html`${channel.name} <span class="muted">${channel.handle}</span>`,
              checked: chosen?.includes(channel.id) ?? false,
            }),
          )
    }</div></fieldset>`;
}

const readChannels = (sent: URLSearchParams) => (sent.get("sees") === "all" ? null : sent.getAll("pusher"));

async function list(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { deps, caller, base, token, form: sent } = visit;
  const [rows, channels] = await Promise.all([deps.members.list(caller), visit.call("list_pushers")]);
  const mayAll = caller.pusherIds === null;
  const form = html`<section class="card" aria-labelledby="add"><h2 id="add">Add a member</h2>
    ${problem(error)}
    <form method="post" action="${base}members">${token}
      <div class="columns">
        ${field({ name: "email", label: "E-mail address", type: "email", value: sent.get("email") ?? "", maxlength: 254, autocomplete: "off", hint: deps.mail ? "The link is mailed there, and shown to you." : "No mail is sent: you get a link to hand out." })}
        ${select({ name: "role", label: "Role", options: roleOptions(caller.member.role), value: sent.get("role") ?? "editor", hint: "Nobody can grant more than they have." })}
      </div>
      ${channelChoice("new", channels.data, sent.has("sees") ? readChannels(sent) : null, mayAll)}
      <button>Add and show the link</button>
    </form></section>`;
  return visit.page(
    "Members",
    html`<h1>Members</h1>
    <p class="lede">Who works in ${caller.workspace.name}, in which role, and on which channels.</p>
    ${error && form}
    ${table(
      "Members",
      ["Member", "Role", "Channels", "State", ""],
      rows.map((row) => [
        html`<strong>${row.name ?? row.email}${row.self && " (you)"}</strong>${row.name && html`<span class="muted">${row.email}</span>`}`,
        row.role,
        row.pusher_ids === null ? "all" : (row.handles ?? []).join(", ") || "none",
        row.joined
          ? html`<span class="badge good">joined</span>`
          : html`<span class="badge">${row.invited ? "has a link" : "not joined"}</span>`,
        row.manageable &&
          html`<a href="${base}members/${row.id}">Change<span class="unseen"> ${row.name ?? row.email}</span></a>`,
      ]),
    )}
    ${!error && form}`,
    { section: "members", status: error?.status ?? 200 },
  );
}

/** One member whom the visitor may manage; another one's id is nobody's. */
async function one(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { deps, caller, base, token, form: sent, params } = visit;
  const [rows, channels] = await Promise.all([deps.members.list(caller), visit.call("list_pushers")]);
  const row = rows.find(({ id, manageable }) => id === params.id && manageable);
  if (!row) throw new ApiError("not_found", "No such member, or you may not change it.");
  const shown = row.name ?? row.email;
  const at = `${base}members/${row.id}`;
  const chosen = sent.has("sees")
    ? readChannels(sent)
    : (row.pusher_ids?.map((id) => showId("psh", id)) ?? null);
  return visit.page(
    shown,
    html`<p><a href="${base}members">All members</a></p><h1>${shown}${row.self && " (you)"}</h1>
    <p class="lede">${row.name && `${row.email} · `}${row.joined ? "Has joined." : "Has not joined yet."}</p>
    ${problem(error)}
    <section class="card" aria-labelledby="change"><h2 id="change">Role and channels</h2>
      <form method="post" action="${at}">${token}
        ${select({ name: "role", label: "Role", options: roleOptions(caller.member.role), value: sent.get("role") ?? row.role })}
        ${channelChoice("member", channels.data, chosen, caller.pusherIds === null)}
        <button>Save</button>
      </form></section>
    <section class="card" aria-labelledby="link"><h2 id="link">${row.joined ? "A new way in" : "One-time link"}</h2>
      <p class="hint">${
        row.joined
          ? "For somebody who lost the password: the link lets them join again, with another address if they must. Hand it to nobody else."
          : "An earlier link stops working when a new one is made."
      }</p>
      <form method="post" action="${at}/link">${token}<button class="plain">Make a new link</button></form></section>
    <section class="card" aria-labelledby="remove"><h2 id="remove">Remove from the workspace</h2>
      <p class="hint">Its keys, connected assistants and webhook endpoints end at once. Channels and alerts stay.</p>
      <form method="post" action="${at}/remove">${token}<button class="danger">Remove ${shown}</button></form></section>`,
    { section: "members", status: error?.status ?? 200 },
  );
}

function linkPage(visit: MemberVisit, email: string, link: string): Response {
  const { mail } = visit.deps;
  mail?.(linkMail(email, visit.caller.workspace.name, link));
  return visit.page(
    "A link to hand out",
    html`<h1>A link to hand out</h1>
    <p class="lede">Give it to <strong>${email}</strong> over a channel that you trust. Whoever follows it becomes this member.</p>
    <p class="flash careful">It works once, within 7 days, and is shown only now.</p>
    ${copyable(link)}
    ${mail && html`<p>It is on its way by mail, too.</p>`}
    <p><a class="button" href="${visit.base}members">Back to the members</a></p>`,
    { section: "members" },
  );
}

/** What a person can mend is shown with the form; the rest is a page of its own. */
async function orForm(
  visit: MemberVisit,
  form: typeof list,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !["invalid_request", "conflict", "forbidden"].includes(error.type))
      throw error;
    return form(visit, error);
  }
}

const wish = ({ form: sent }: MemberVisit) => ({ role: sent.get("role") ?? "", pushers: readChannels(sent) });

export const MEMBER_PAGES: readonly Page[] = [
  memberPage("GET", "/members", "admin", (visit) => list(visit)),

  memberPage("POST", "/members", "admin", (visit) =>
    orForm(visit, list, async () => {
      const email = visit.form.get("email") ?? "";
      const added = await visit.deps.members.add(visit.caller, { email, ...wish(visit) });
      return linkPage(visit, added.email, added.link);
    }),
  ),

  memberPage("GET", "/members/:id", "admin", (visit) => one(visit)),

  memberPage("POST", "/members/:id", "admin", (visit) =>
    orForm(visit, one, async () => {
      await visit.deps.members.change(visit.caller, visit.params.id ?? "", wish(visit));
      return visit.goTo(`${visit.base}members`, "member-changed");
    }),
  ),

  memberPage("POST", "/members/:id/link", "admin", async (visit) => {
    const { email, link } = await visit.deps.members.link(visit.caller, visit.params.id ?? "");
    return linkPage(visit, email, link);
  }),

  memberPage("POST", "/members/:id/remove", "admin", (visit) =>
    orForm(visit, one, async () => {
      await visit.deps.members.remove(visit.caller, visit.params.id ?? "");
      return visit.goTo(`${visit.base}members`, "member-removed");
    }),
  ),
];
