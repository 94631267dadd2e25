// Consent: who asks, where the answer goes, what it may do. The person's choice is written to the connection, which every
// request of the assistant is measured by; the authorization server is told the part of it that was asked for.

import type { AccessRequest } from "../../auth/people.ts";
import { callerOf } from "../../auth/people.ts";
import { newUuid, parseId, showId } from "../../domain/ids.ts";
import { roleReaches } from "../../domain/visibility.ts";
import { ApiError, invalidRequest } from "../../errors.ts";
import { IMPLICIT_SCOPE, isScope, type Scope } from "../../scopes.ts";
import { type Content, html } from "../html.ts";
import { problem, scopeLine, select, tick } from "../parts.ts";
import { CHOOSABLE, leastRoleOf, SCOPE_GROUPS } from "../scope_groups.ts";
import { openPage, type Page, type PersonVisit, personPage } from "../visit.ts";
import { carryOn, destination } from "./carry_on.ts";

interface Choice {
  memberId: string;
  pusher: string;
  ticked: ReadonlySet<string>;
  /** The scopes that the person saw a box for. */
  onPage: ReadonlySet<string>;
}

interface Asking {
  request: AccessRequest;
  /** What this client was granted before, for each member that the person is, the last one first. */
  connected: { memberId: string; scopes: string[] }[];
  /** Scopes granted before, which a step-up must not lose. */
  earlier: readonly string[];
  /** Every scope that the page shows a box for. */
  shown: Scope[];
  /** What the boxes say before the person changed anything. */
  start: Choice;
}

async function askingOf(visit: PersonVisit, oauthQuery: string): Promise<Asking> {
  const { deps, session } = visit;
  const request = await deps.people.accessRequest(oauthQuery);
  const connected = await deps.connections.granted(session.user.id, request.clientId);
  const before = connected[0];
  const earlier = before?.scopes ?? [];
  const shown = CHOOSABLE.filter((scope) => request.asked.includes(scope) || earlier.includes(scope));
  return {
    request,
    connected,
    earlier,
    shown,
    start: {
      memberId: before?.memberId ?? session.memberships[0]?.member_id ?? "",
      pusher: before?.pusherId ? showId("psh", before.pusherId) : "",
      // Everything shown was asked for by name, here or before: see the authorization route for requests that name none.
      ticked: new Set(shown),
      onPage: new Set(shown),
    },
  };
}

async function channelsOf(visit: PersonVisit, workspaceId: string): Promise<{ id: string; label: string }[]> {
  const tool = visit.deps.tools.find(({ name }) => name === "list_pushers")!;
  const caller = callerOf(visit.session, workspaceId)!;
  const { body } = await visit.deps.dispatcher.tool(tool, caller, { args: {}, log: visit.log });
  return (body as { data: any[] }).data.map(({ id, name, handle }) => ({ id, label: `${name} (${handle})` }));
}

/** Says where a role stops what a scope would allow. */
function roleNote(visit: PersonVisit, scope: Scope): Content {
  const needed = leastRoleOf(visit.deps.tools, scope);
  const below = visit.session.memberships.filter(({ role }) => !roleReaches(role, needed));
  if (below.length === 0) return null;
  if (visit.session.memberships.length === 1)
    return `No effect for now: your role is ${below[0]!.role}, and this needs ${needed}.`;
  return `No effect in ${below.map((m) => `${m.workspace_name} (${m.role})`).join(", ")}: this needs the role ${needed}.`;
}

function scopeBoxes(visit: PersonVisit, { shown, earlier }: Asking, ticked: ReadonlySet<string>): Content {
  return SCOPE_GROUPS.map(({ title, holds }) => {
    const scopes = shown.filter(holds);
    if (scopes.length === 0) return null;
    return html`<fieldset><legend>${title}</legend>${scopes.map((scope) => {
      const had = earlier.includes(scope);
      const role = roleNote(visit, scope);
      return tick({
        id: `scope-${scope}`,
        name: "scope",
        value: scope,
        label: scopeLine(scope),
        note:
          (earlier.length > 0 || role) &&
          html`${earlier.length > 0 && (had ? html`<span class="badge">granted before</span> ` : html`<span class="badge warn">new</span> `)}${role}`,
        checked: ticked.has(scope),
      });
    })}</fieldset>`;
  });
}

async function form(visit: PersonVisit, asking: Asking, choice: Choice, error?: ApiError): Promise<Response> {
  const { session, token } = visit;
  const { request, earlier, shown } = asking;
  const name = request.clientName ?? "An assistant";
  const workspaces = session.memberships;
  const channels = await Promise.all(
    workspaces.map(async ({ workspace_id, workspace_name }) => ({
      label: workspace_name,
      options: (await channelsOf(visit, workspace_id)).map(({ id, label }) => ({ value: id, label })),
    })),
  );
  const every = [{ value: "", label: "Every channel that I see" }];
  return visit.page(
    `Connect ${name}`,
    html`<h1>${earlier.length > 0 ? html`${name} asks for more` : html`Let ${name} in?`}</h1>
    <dl class="who">
      <dt>Who asks</dt><dd><strong>${name}</strong><br><span class="hint">The name that it gave itself. Go on only if you started this.</span></dd>
      <dt>Answer goes to</dt><dd><strong>${destination(request.redirect)}</strong></dd>
      <dt>Signed in as</dt><dd>${session.user.name} (${session.user.email})</dd>
    </dl>
    ${problem(error)}
    <div class="card"><form method="post" action="/console/consent">
      ${token}
      <input type="hidden" name="oauth_query" value="${request.oauthQuery}">
      ${shown.map((scope) => html`<input type="hidden" name="shown" value="${scope}">`)}
      ${
        workspaces.length === 1
          ? html`<input type="hidden" name="member" value="${showId("mem", workspaces[0]!.member_id)}">`
          : html`<fieldset><legend>In which workspace</legend>${workspaces.map((membership) =>
              tick({
                id: `member-${membership.member_id}`,
                name: "member",
                type: "radio",
                value: showId("mem", membership.member_id),
                label: html`${membership.workspace_name} <span class="muted">as ${membership.role}</span>`,
                checked: membership.member_id === choice.memberId,
              }),
            )}</fieldset>`
      }
      ${scopeBoxes(visit, asking, choice.ticked)}
      <p class="hint">It always learns which workspace and member this is. Untick what you do not want; it can ask again.</p>
      ${select({
        name: "pusher",
        label: "On which channel",
        hint: "Bound to one channel, it sees no other.",
        options: workspaces.length === 1 ? [...every, ...channels[0]!.options] : every,
        groups: workspaces.length === 1 ? [] : channels.filter(({ options }) => options.length > 0),
        value: choice.pusher,
      })}
      <div class="actions"><button name="decision" value="allow">Allow</button>
      <button class="plain" name="decision" value="deny" formnovalidate>Do not allow</button></div>
    </form></div>
    <p class="hint">You can disconnect it at any time under Assistants.</p>`,
    { status: error?.status ?? 200, narrow: true },
  );
}

const uuidOfMember = (sent: URLSearchParams) => parseId("mem", sent.get("member") ?? "");

/** Checks the choice, tells the authorization server, and writes the connection before the assistant hears of it. */
async function allow(visit: PersonVisit, asking: Asking, choice: Choice): Promise<Response> {
  const { deps, session, request } = visit;
  const { asked, oauthQuery, clientId, clientName } = asking.request;
  const member = session.memberships.find(({ member_id }) => member_id === choice.memberId);
  if (!member) throw invalidRequest("Choose the workspace that it is for.", "member");
  if (asking.shown.length > 0 && choice.ticked.size === 0)
    throw invalidRequest("Tick at least one thing that it may do, or do not allow it at all.", "scope");
  if (choice.pusher !== "") {
    const channels = await channelsOf(visit, member.workspace_id);
    if (!channels.some(({ id }) => id === choice.pusher))
      throw invalidRequest("This channel is not one of the chosen workspace; choose another one.", "pusher");
  }
  if (
    ![...choice.ticked].some((scope) => asked.includes(scope)) &&
    asking.shown.some((scope) => asked.includes(scope))
  )
    throw invalidRequest(
      "Tick at least one of the things that it asks for now, or do not allow it.",
      "scope",
    );
  const plain = asked.filter((scope) => !isScope(scope) || scope === IMPLICIT_SCOPE);
  const ticked = CHOOSABLE.filter((scope) => choice.ticked.has(scope));
  const grantId = newUuid();
  const next = await deps.people.decide(request, {
    accept: true,
    scopes: [...plain, ...ticked],
    oauthQuery,
    grantId,
  });
  // What another page granted this member meanwhile, and this one did not show, stays.
  const unseen = (
    asking.connected.find(({ memberId }) => memberId === member.member_id)?.scopes ?? []
  ).filter((scope) => isScope(scope) && CHOOSABLE.includes(scope) && !choice.onPage.has(scope));
  // Only a code lets the assistant in; anything else is the server asking for something more, or refusing.
  if (URL.parse(next)?.searchParams.has("code"))
    await deps.connections.grant({
      grantId,
      userId: session.user.id,
      clientId,
      memberId: member.member_id,
      pusherId: choice.pusher === "" ? null : parseId("psh", choice.pusher),
      scopes: [IMPLICIT_SCOPE, ...ticked, ...unseen],
    });
  return carryOn(visit, next, [], {
    title: "Connected",
    text: `${clientName ?? "The assistant"} may now do what you ticked. You can close this page once it says so itself.`,
  });
}

export const CONSENT_PAGES: readonly Page[] = [
  openPage("GET", "/console/consent", async (visit) => {
    if (!visit.session) return visit.goTo(`/console/sign-in${visit.url.search}`);
    const person = { ...visit, token: visit.deps.forms.sessionField(visit.session) } as PersonVisit;
    if (person.session.memberships.length === 0) return visit.goTo("/console");
    const asking = await askingOf(person, visit.url.search);
    return form(person, asking, asking.start);
  }),

  personPage("POST", "/console/consent", async (visit) => {
    const { form: sent, deps, request } = visit;
    const oauthQuery = sent.get("oauth_query") ?? "";
    const asking = await askingOf(visit, oauthQuery);
    if (sent.get("decision") !== "allow") {
      const decision = { accept: false, scopes: [], oauthQuery, grantId: newUuid() };
      const next = await deps.people.decide(request, decision);
      return carryOn(visit, next, [], { title: "Not allowed", text: "Nothing was connected." });
    }
    const onPage = new Set(sent.getAll("shown"));
    const boxes = sent.getAll("scope");
    const choice = {
      memberId: uuidOfMember(sent) ?? "",
      pusher: sent.get("pusher") ?? "",
      ticked: new Set<string>(asking.shown.filter((scope) => onPage.has(scope) && boxes.includes(scope))),
      onPage,
    };
    try {
      return await allow(visit, asking, choice);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type !== "invalid_request") throw error;
      return form(visit, asking, choice, error);
    }
  }),
  // Where the authorization server sends a request that it cannot answer to the assistant.
  openPage("GET", "/api/auth/error", async () => {
    throw invalidRequest(
      "The assistant sent a request that cannot be carried on. Start again from the assistant; if it stays so, remove it there and add it anew.",
    );
  }),
];
