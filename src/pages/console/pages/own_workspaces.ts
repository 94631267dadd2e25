// A person's workspaces on the account's page: made, left, and what becomes of each when the account is closed. And how long
// alerts are kept in one: what a setting leads to stands there in plain words before it acts.

import type { z } from "zod";
import { personOf } from "../../../identity/auth/people.ts";
import {
  close_account,
  get_retention,
  leave_workspace,
  list_own_workspaces,
  rename_workspace,
  set_retention,
} from "../../../identity/session/workspaces.ts";
import { ApiError } from "../../../model/errors.ts";
import { LIMITS, said } from "../../../model/limits.ts";
import { need } from "../../../model/need.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { argumentOf } from "../controls.ts";
import { oneOf } from "../forms.ts";
import { field, instant, problem, tick, wrongWith } from "../parts.ts";
import {
  type MemberVisit,
  memberForm,
  memberPage,
  type Page,
  type PersonVisit,
  personForm,
  personPage,
} from "../visit.ts";
import { askOnce } from "./confirm.ts";

type Ahead = z.output<(typeof get_retention)["output"]>;

/** What goes, and from when on. */
export function aheadNote({ days, begins_at, alerts, more }: Ahead, now: Date): Html {
  if (days === null) return html`<p class="note">Alerts are kept for ever.</p>`;
  if (begins_at === null)
    return html`<p class="note">Alerts are removed ${days} days after their end. None is that old yet.</p>`;
  const many = more ? `more than ${said("retention_counted")} alerts` : alerts === 1 ? "1 alert" : `${alerts} alerts`;
  return html`<p class="note warn"><span>Alerts are removed ${days} days after their end: <strong>${many}</strong> from ${instant(begins_at, now)} on, for good. Until then you can take it back here.</span></p>`;
}

async function form(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const set = await visit.asMember(get_retention, {});
  const value = visit.form.get("retention_days") ?? String(set.retention_days ?? "");
  return visit.page(
    "How long alerts are kept",
    html`<h1>How long alerts are kept</h1>
    <p class="lede">So many days after its end an alert is removed for good, from phones as well. Its counts stay in the statistics.</p>
    ${problem(error)}${aheadNote(set, visit.now)}
    <form method="post" action="${visit.base}retention" novalidate>${visit.token}
      ${field({ name: "retention_days", label: "Days", value, hint: `${LIMITS.retention_least} to ${LIMITS.retention}. Left empty, alerts are kept for ever. The first goes no earlier than ${LIMITS.retention_notice_hours} hours after this was changed.`, error })}
      <div class="actions"><button>Save</button><a class="button plain" href="/console/account">Back to your account</a></div>
    </form>
    <p class="note">An alert ends when it is sent or withdrawn, or when it expires, if that is later. Drafts and scheduled alerts stay. A channel can say otherwise in its settings. Whoever runs this service can make a copy first, with <code>belfry export</code>.</p>`,
    { width: "narrow", error },
  );
}

const REFUSED = { again: form, when: oneOf("invalid_request"), labels: { retention_days: "Days" } };

const ACCOUNT = "/console/account";

type Own = z.output<(typeof list_own_workspaces)["output"]>["data"][number];

const members = (others: number) => (others === 0 ? "only you" : `${others + 1} members`);
const channels = (n: number) => (n === 0 ? "no channel" : n === 1 ? "1 channel" : `${n} channels`);

/** What becomes of it without the person. */
function fate(own: Own): Content {
  if (own.without_you === "stays") return "It stays as it is. Your keys, webhook endpoints and assistants in it end.";
  if (own.without_you === "goes") return "Nothing is in it, so it is removed.";
  if (own.without_you === "behind")
    return html`You are its only owner and its only member, and it has ${channels(own.channels)}. Add somebody on the page
    <a href="/console/${own.id}/members">Members</a>, or delete its channels and files; a channel with subscribers cannot be deleted. Or leave it behind.`;
  return html`You are its only owner, and it is not empty. Make somebody else an owner on the page
    <a href="/console/${own.id}/members">Members</a>, or delete its channels and files and remove its members.`;
}

const planned = (n: number) =>
  n === 0
    ? "Nothing is scheduled in it."
    : `${n === 1 ? "One scheduled alert still appears" : `${n} scheduled alerts still appear`}; cancel what shall not.`;

/** Without a tick nothing of this happens. */
function leftBehind(own: Own, error?: ApiError): Content {
  if (own.without_you !== "behind") return null;
  const id = `behind-${own.id}`;
  const { line, attributes } = wrongWith(error, id, "said");
  return html`<div class="field">${line}${tick({
    id,
    name: "leave_behind",
    value: own.id,
    label: html`Leave ${own.name} behind without an owner`,
    note: html`<span id="${id}-hint">Its channels are paused at once and nobody can send on them. Subscribers keep them, and what they have. ${planned(own.scheduled)} Your keys, webhook endpoints and assistants in it end. Only the operator of this service can hand it to a new owner, by its id: <code>${own.id}</code></span>`,
    attributes,
  })}</div>`;
}

/** A box that was left empty is said beside it, in place of the operation's sentence. */
function unticked(data: readonly Own[], ticked: readonly string[]): ApiError | undefined {
  const fields = data
    .filter(({ id, without_you }) => without_you === "behind" && !ticked.includes(id))
    .map(({ id, name }) => ({
      param: `behind-${id}`,
      message: `Tick the box if ${name} shall stay without an owner. Nothing was changed.`,
    }));
  return fields.length === 0
    ? undefined
    : new ApiError("invalid_request", fields[0]?.message ?? "", { status: 422, fields });
}

/** The part of the account's page. */
export async function ownWorkspaces(visit: PersonVisit, error?: ApiError): Promise<Content> {
  const { token, now, form: sent } = visit;
  const { data } = await visit.asPerson(list_own_workspaces, {});
  return html`<h2>Workspaces</h2>
    ${
      data.length > 0 &&
      html`<ul class="ways">${data.map(
        (own) =>
          html`<li><div class="what"><p><a href="/console/${own.id}/"><strong>${own.name}</strong></a> <span class="badge">${own.role}</span></p>
          <p>${members(own.other_members)}, ${channels(own.channels)}, joined ${instant(own.joined_at, now)}</p></div>
          <div class="actions">${
            own.role === "owner" &&
            html`<a class="button plain" href="/console/${own.id}/name">Rename<span class="unseen"> ${own.name}</span></a>
          <a class="button plain" href="/console/${own.id}/retention">Keep alerts…<span class="unseen"> of ${own.name}</span></a>`
          }
          <a class="button plain" href="/console/${own.id}/leave">Leave<span class="unseen"> ${own.name}</span></a></div></li>`,
      )}</ul>`
    }
    ${problem(error)}
    <details class="more"${error && html` open`}><summary>Make another workspace</summary>
      <p>It has channels, members and keys of its own. You are its owner.</p>
      <form method="post" action="${ACCOUNT}/workspaces" novalidate>${token}
        ${field({ name: "workspace", label: "Its name", value: sent.get("workspace") ?? "", maxlength: LIMITS.name, autocomplete: "organization", error })}
        <button>Make the workspace</button>
      </form></details>`;
}

function nameForm(visit: MemberVisit, error?: ApiError): Response {
  return visit.page(
    "Rename the workspace",
    html`<h1>Rename the workspace</h1>
    <p class="lede">Its members and their assistants see the name. Addresses and channels stay as they are.</p>
    ${problem(error)}
    <form method="post" action="${visit.base}name" novalidate>${visit.token}
      ${field({ name: "name", label: "Name", value: visit.form.get("name") ?? visit.caller.workspace.name, maxlength: LIMITS.name, autocomplete: "organization", error })}
      <div class="actions"><button>Save the name</button><a class="button plain" href="${ACCOUNT}">Keep it</a></div>
    </form>`,
    { width: "narrow", error },
  );
}

async function closing(visit: PersonVisit, error?: ApiError): Promise<Response> {
  const { data } = await visit.asPerson(list_own_workspaces, {});
  const holds = data.some(({ without_you }) => without_you === "holds");
  return visit.page(
    "Close your account",
    html`<h1>Close your account?</h1>
    <p class="lede">Your sessions end, your passkeys and codes stop working, and your name and address are removed. This cannot be undone.</p>
    ${data.length > 0 && html`<h2>What becomes of your workspaces</h2><ul class="ways">${data.map((own) => html`<li><div class="what"><p><strong>${own.name}</strong></p><p>${fate(own)}</p></div></li>`)}</ul>`}
    <p class="hint">The audit log of a workspace goes on naming what you did there until its time is over.</p>
    ${problem(error)}
    ${
      holds
        ? html`<p class="flash careful">The account can be closed once no workspace depends on you.</p><p><a class="button" href="${ACCOUNT}">Back to your account</a></p>`
        : html`<form method="post" action="${ACCOUNT}/close" novalidate>${visit.token}
      ${data.map((own) => leftBehind(own, error))}
      ${field({ name: "present", label: "Your password", type: "password", autocomplete: "current-password", maxlength: LIMITS.password, error })}
      <div class="actions"><button class="danger">Close the account for good</button><a class="button plain" href="${ACCOUNT}">Keep it</a></div>
    </form>`
    }`,
    { width: "narrow", error, styles: ["people"] },
  );
}

const isHere =
  ({ base }: MemberVisit) =>
  ({ id }: Own) =>
    base === `/console/${id}/`;

async function leaving(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { data } = await visit.asPerson(list_own_workspaces, {});
  const own = need(data.find(isHere(visit)), "whoever visits it is a member of it");
  const title = `Leave ${own.name}?`;
  if (own.without_you === "holds")
    return visit.page(
      title,
      html`<h1>${title}</h1><p class="lede">${fate(own)}</p><p><a class="button" href="${ACCOUNT}">Back to your account</a></p>`,
      { width: "narrow" },
    );
  return askOnce(visit, {
    title,
    effect: html`${fate(own)} ${own.without_you === "stays" && "You come back only when somebody adds you again."}`,
    condition: leftBehind(own, error),
    act: "Leave the workspace",
    back: ACCOUNT,
    keep: "Stay",
    error,
  });
}

export const OWN_WORKSPACE_PAGES: readonly Page[] = [
  memberPage("GET", "/retention", (visit) => form(visit)),
  memberForm("/retention", REFUSED, async (visit) => {
    const retention_days = argumentOf({ look: "number", blank: null }, visit.form.get("retention_days"));
    await visit.asMember(set_retention, { retention_days } as { retention_days: number | null });
    return visit.goTo(visit.url.pathname, "retention-set");
  }),

  memberPage("GET", "/name", async (visit) => nameForm(visit)),
  memberForm("/name", { again: nameForm, when: oneOf("invalid_request") }, async (visit) => {
    await visit.asMember(rename_workspace, { name: visit.form.get("name") ?? "" });
    return visit.goTo(ACCOUNT, "workspace-renamed");
  }),

  memberPage("GET", "/leave", (visit) => leaving(visit)),
  memberForm("/leave", leaving, async (visit) => {
    const ticked = visit.form.getAll("leave_behind");
    const { data } = await visit.asPerson(list_own_workspaces, {});
    const error = unticked(data.filter(isHere(visit)), ticked);
    if (error) return leaving(visit, error);
    await visit.asMember(leave_workspace, { leave_behind: ticked.length > 0 });
    return visit.goTo(ACCOUNT, "workspace-left");
  }),

  personPage("GET", `${ACCOUNT}/close`, (visit) => closing(visit)),
  personForm(`${ACCOUNT}/close`, { again: closing }, async (visit) => {
    const leave_behind = visit.form.getAll("leave_behind");
    const { data } = await visit.asPerson(list_own_workspaces, {});
    const error = unticked(data, leave_behind);
    if (error) throw error;
    await visit.asPerson(close_account, { present: visit.form.get("present") ?? "", leave_behind });
    const cookies = await visit.deps.people.signOut(visit.request, personOf(visit.session));
    return visit.goTo("/console/sign-in", "account-closed", cookies);
  }),
];
