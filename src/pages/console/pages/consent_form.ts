// The page on which a person grants an assistant access. Unverified text is in quotes and limited in length. Verified
// facts are next to it: the address of the response, the workspace, the lifetime.

import { isRedirectToLocalProgram } from "../../../identity/auth/consent_grants.ts";
import { type AssistantAccessRequest, getSessionMemberCaller } from "../../../identity/auth/console_sessions.ts";
import { ACCESS_TOKEN_SECONDS, OFFLINE_SCOPE, REFRESH_TOKEN_SECONDS } from "../../../identity/auth/oauth_discovery.ts";
import type { ApiError } from "../../../model/api_error.ts";
import { assertDefined } from "../../../model/assert.ts";
import { isRoleAtLeast } from "../../../model/domain/member_access_rules.ts";
import { formatId } from "../../../model/domain/type_ids.ts";
import { PUBLISH_SCOPE, type Scope } from "../../../model/scopes.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { checkbox, renderErrorSummary, renderSelectField, scopeLine } from "../components.ts";
import { formatChannelSuggestion, renderChannelSelectField } from "../list_search.ts";
import {
  getOperation,
  type OperationResult,
  type OperationResultRow,
  type PersonPageContext,
} from "../page_definitions.ts";
import { findLeastRoleForScope, SCOPE_GROUPS, SELECTABLE_SCOPES } from "../scope_groups.ts";
import { renderApprovalSettingCheckbox } from "./confirmation.ts";
import { describeRedirectTarget } from "./sign_in_flow.ts";

export interface ConsentFormSelection {
  pusher: string;
  ticked: ReadonlySet<string>;
  /** The scopes that were requested or granted when the page was shown. Unticked ones are revoked. */
  onPage: ReadonlySet<string>;
  asksFirst: boolean;
}

export interface ConsentFormState {
  request: AssistantAccessRequest;
  /** Wire id of the member for which it is looked at. */
  memberId: string;
  /** Scopes granted to this member's connection before, which a step-up must not lose. */
  earlier: readonly Scope[];
  /** Every scope that is requested or was granted; boxes for the others are folded. */
  shown: readonly Scope[];
  /** The initial values of the page. */
  start: ConsentFormSelection;
}

/** An assistant's own name within our text. */
export const assistantName = (name: string | null): HtmlContent =>
  name === null ? "An assistant" : html`“<bdi>${name}</bdi>”`;

export async function listWorkspaceChannels(
  context: PersonPageContext,
  workspaceId: string,
): Promise<OperationResultRow<"list_pushers">[]> {
  const tool = getOperation(context.deps, "list_pushers");
  const caller = assertDefined(
    getSessionMemberCaller(context.session, workspaceId),
    "the session has access to the workspace",
  );
  const { body } = await context.deps.dispatcher.run(tool, caller, { args: {}, log: context.log });
  return (body as OperationResult<"list_pushers">).data;
}

const UNTIL_DISCONNECTED = "Until you disconnect the assistant.";

function duration({ asked, redirect }: AssistantAccessRequest): string {
  const local = isRedirectToLocalProgram(redirect.href);
  if (!asked.includes(OFFLINE_SCOPE))
    return local ? `${ACCESS_TOKEN_SECONDS / 60} minutes. Then the assistant must ask again.` : UNTIL_DISCONNECTED;
  return local
    ? `Until you disconnect the assistant, or ${REFRESH_TOKEN_SECONDS / 86_400} days after its last use.`
    : UNTIL_DISCONNECTED;
}

/** Shows where a role prevents what a scope would allow. */
function roleNote(context: PersonPageContext, scope: Scope): HtmlContent {
  const needed = findLeastRoleForScope(context.deps.tools, scope);
  const below = context.session.memberships.filter(({ role }) => !isRoleAtLeast(role, needed));
  if (below.length === 0) return null;
  if (context.session.memberships.length === 1)
    return `This has no effect at present: it requires the role ${needed}, but your role is ${below[0]?.role}.`;
  return (
    `No effect in ${below.map((m) => `${m.workspace_name} (${m.role})`).join(", ")}: this requires the role ` +
    `${needed}.`
  );
}

const COMPOSING = "Writing an alert does not publish it. An alert stays a draft until someone sends it.";
const NOT_UNDONE = html`<span class="badge warn">Cannot be undone</span> “Require my approval before publishing” below
  lets you read each alert before it is sent.`;

function boxes(context: PersonPageContext, scopes: readonly Scope[], ticked: ReadonlySet<string>): HtmlContent {
  return SCOPE_GROUPS.map(({ title, holds }) => {
    const held = scopes.filter(holds);
    if (held.length === 0) return null;
    return html`<fieldset><legend>${title}</legend>${held.map((scope) => {
      const role = roleNote(context, scope);
      const notes = [
        scope === "alerts:write" && COMPOSING,
        scope === PUBLISH_SCOPE && NOT_UNDONE,
        role && html`<span class="role">${role}</span>`,
      ].filter(Boolean);
      return checkbox({
        id: `scope-${scope}`,
        name: "scope",
        value: scope,
        label: scopeLine(scope),
        note: notes.length > 0 && notes.map((note, i) => [i > 0 && html`<br>`, note]),
        checked: ticked.has(scope),
      });
    })}</fieldset>`;
  });
}

const things = ({ length }: readonly Scope[]): string => `${length} ${length === 1 ? "permission" : "permissions"}`;

/**
 * Scopes that change or publish are unfolded. Those that only read are one line the first time. In a step-up, new
 * scopes are first, and earlier grants are one line unless they can publish. The last line has scopes beyond the
 * request.
 */
function permissions(
  context: PersonPageContext,
  asking: ConsentFormState,
  choice: ConsentFormSelection,
  open: boolean,
): HtmlContent {
  const { shown, earlier } = asking;
  const added = shown.filter((scope) => !earlier.includes(scope));
  const reading = earlier.length === 0 ? added.filter(SCOPE_GROUPS[0].holds) : [];
  const others = SELECTABLE_SCOPES.filter((scope) => !shown.includes(scope));
  const folded = (line: HtmlContent, scopes: readonly Scope[], isOpen = open) =>
    scopes.length > 0 &&
    html`<details class="more"${isOpen && html` open`}><summary>${line}</summary>${boxes(
      context,
      scopes,
      choice.ticked,
    )}</details>`;
  return html`${added.length > 0 && earlier.length > 0 && html`<p class="lead">New:</p>`}
    ${boxes(
      context,
      added.filter((scope) => !reading.includes(scope)),
      choice.ticked,
    )}
    ${folded(`Read access: ${things(reading)}`, reading)}
    ${folded(
      html`Allowed before: ${things(earlier)}${placeOf(context, asking)}`,
      earlier,
      open || earlier.includes(PUBLISH_SCOPE),
    )}
    ${folded(
      "Allow more than requested",
      others,
      others.some((scope) => choice.ticked.has(scope)),
    )}`;
}

/** Where, for a person who has more than one workspace. */
function placeOf({ session }: PersonPageContext, { memberId }: ConsentFormState): string {
  if (session.memberships.length === 1) return "";
  const member = session.memberships.find(({ member_id }) => formatId("mem", member_id) === memberId);
  return member ? ` in ${member.workspace_name}` : "";
}

/** Without the name, which appears once, with its origin. */
function title({ earlier, shown }: ConsentFormState): string {
  if (earlier.length === 0) return "Connect an assistant?";
  return shown.some((scope) => !earlier.includes(scope))
    ? "An assistant requests more permissions"
    : "Reconnect an assistant?";
}

export async function renderConsentPage(
  context: PersonPageContext,
  asking: ConsentFormState,
  choice: ConsentFormSelection,
  error?: ApiError,
): Promise<Response> {
  const { session, token } = context;
  const { request, earlier, shown, memberId } = asking;
  const workspaces = session.memberships;
  const only = workspaces.length === 1 ? workspaces[0] : null;
  const channels = await Promise.all(
    workspaces.map(async ({ workspace_id, workspace_name }) => ({
      label: workspace_name,
      channels: await listWorkspaceChannels(context, workspace_id),
    })),
  );
  const field = {
    ...{ name: "pusher", label: "Channel", all: "All my channels", value: choice.pusher, error },
    hint: "If you choose one channel, the assistant cannot access others.",
  };
  const wire = (id: string) => formatId("mem", id);
  return context.page(
    request.clientName === null ? "Connect an assistant" : `Connect “${request.clientName}”`,
    html`<h1>${title(asking)}</h1>
    ${renderErrorSummary(error)}
    <div class="card"><dl class="who">
      <dt>Assistant</dt><dd><strong>${assistantName(request.clientName)}</strong><br><span class="hint">The assistant
        chose this name. Continue only if you started this request.</span></dd>
      <dt>Redirects to</dt><dd><strong>${describeRedirectTarget(request.redirect)}</strong></dd>
      ${only && html`<dt>Workspace</dt><dd><strong>${only.workspace_name}</strong> (your role: ${only.role})</dd>`}
      <dt>Access lasts</dt><dd>${duration(request)}</dd>
      <dt>Signed in as</dt><dd>${session.user.name} (${session.user.email})</dd>
    </dl>
    <form method="post" action="/console/consent">
      ${token}
      <input type="hidden" name="oauth_query" value="${request.oauthQuery}">
      ${memberId && html`<input type="hidden" name="looked_at" value="${memberId}">`}
      ${earlier.length > 0 && html`<input type="hidden" name="had" value="1">`}
      ${shown.map((scope) => html`<input type="hidden" name="shown" value="${scope}">`)}
      ${
        only
          ? html`<input type="hidden" name="member" value="${wire(only.member_id)}">`
          : html`<fieldset><legend>Workspace</legend>${workspaces.map((membership) =>
              checkbox({
                id: `member-${membership.member_id}`,
                name: "member",
                type: "radio",
                value: wire(membership.member_id),
                label: html`${membership.workspace_name} <span class="muted">as ${membership.role}</span>`,
                checked: wire(membership.member_id) === memberId,
              }),
            )}</fieldset>`
      }
      ${permissions(context, asking, choice, error !== undefined)}
      ${renderApprovalSettingCheckbox(choice.asksFirst)}
      <p class="hint">The assistant can always see the workspace name and your name. Untick permissions you do not
        want to grant; it can request them again later.</p>
      ${
        only
          ? renderChannelSelectField(channels[0]?.channels ?? [], field)
          : renderSelectField({
              ...field,
              options: [{ value: "", label: field.all }],
              groups: channels
                .filter((group) => group.channels.length > 0)
                .map(({ label, channels }) => ({
                  label,
                  options: channels.map((channel) => ({ value: channel.id, label: formatChannelSuggestion(channel) })),
                })),
            })
      }
      <div class="actions"><button name="decision" value="allow">Allow</button>
      <button class="plain" name="decision" value="deny" formnovalidate>Do not allow</button></div>
    </form></div>
    <p class="hint">You can disconnect it at any time on the Assistants page.</p>`,
    { error, width: "narrow" },
  );
}
