// Consent: an assistant sends a person's browser here. The page shows the client, the address of the response, and the
// scopes. The person's choice is stored with the connection, and every request of the assistant is checked against it.
// The authorization server receives the requested part of it.

import { type ConsoleSession, getSessionMemberCaller } from "../../../identity/auth/console_sessions.ts";
import { grant_connection, list_grants } from "../../../identity/session/client_connections.ts";
import { ApiError, invalidRequest } from "../../../model/api_error.ts";
import { assertDefined } from "../../../model/assert.ts";
import { formatId, newUuid } from "../../../model/domain/type_ids.ts";
import { IMPLICIT_SCOPE, isScope, PUBLISH_SCOPE } from "../../../model/scopes.ts";
import { html } from "../../../ui/html.ts";
import { findTypedChannelId } from "../list_search.ts";
import {
  type ConsolePage,
  defineAnonymousPage,
  defineSignedInForm,
  type PersonPageContext,
} from "../page_definitions.ts";
import { SELECTABLE_SCOPES } from "../scope_groups.ts";
import { parseRequiresApproval } from "./confirmation.ts";
import {
  assistantName,
  type ConsentFormSelection,
  type ConsentFormState,
  listWorkspaceChannels,
  renderConsentPage,
} from "./consent_form.ts";
import { redirectOrShowContinuePage } from "./sign_in_flow.ts";

const memberIds = ({ memberships }: ConsoleSession): string[] =>
  memberships.map(({ member_id }) => formatId("mem", member_id));

/** The request, seen from one member of the person: the named one, or the one of the last connection. */
async function askingOf(context: PersonPageContext, oauthQuery: string, memberId?: string): Promise<ConsentFormState> {
  const { deps, session } = context;
  const request = await deps.people.accessRequest(oauthQuery);
  const { data: granted } = await context.asPerson(list_grants, { client_id: request.clientId });
  const before = memberId === undefined ? granted[0] : granted.find((earlier) => earlier.member_id === memberId);
  const earlier = SELECTABLE_SCOPES.filter((scope) => before?.scopes.includes(scope));
  const shown = SELECTABLE_SCOPES.filter((scope) => request.asked.includes(scope) || earlier.includes(scope));
  // A client that requests all scopes has copied a list, and made no specific choice.
  const copied = SELECTABLE_SCOPES.every((scope) => request.asked.includes(scope));
  return {
    request,
    memberId: memberId ?? before?.member_id ?? memberIds(session)[0] ?? "",
    earlier,
    shown,
    start: {
      pusher: before?.pusher_id ?? "",
      ticked: new Set(shown.filter((scope) => scope !== PUBLISH_SCOPE || !copied || earlier.includes(scope))),
      onPage: new Set(shown),
      asksFirst: before?.requires_approval ?? true,
    },
  };
}

function choiceOf(sent: URLSearchParams): ConsentFormSelection {
  const boxes = sent.getAll("scope");
  const ticked = new Set(SELECTABLE_SCOPES.filter((scope) => boxes.includes(scope)));
  return {
    pusher: (sent.get("pusher") ?? "").trim(),
    ticked,
    onPage: new Set(sent.getAll("shown")),
    asksFirst: parseRequiresApproval(sent),
  };
}

async function consentAgain(context: PersonPageContext, error: ApiError): Promise<Response> {
  const { form: sent } = context;
  const asking = await askingOf(context, sent.get("oauth_query") ?? "", sent.get("member") ?? "");
  return renderConsentPage(context, asking, choiceOf(sent), error);
}

/**
 * Validates the choice, sends it to the authorization server, and stores the connection before the assistant gets a
 * response.
 */
async function allow(
  context: PersonPageContext,
  asking: ConsentFormState,
  choice: ConsentFormSelection,
): Promise<Response> {
  const { deps, session, request } = context;
  const { asked, oauthQuery, clientId, clientName } = asking.request;
  const member = session.memberships[memberIds(session).indexOf(asking.memberId)];
  if (!member) throw invalidRequest("field_required", "Choose a workspace.", "member");
  if (asking.shown.length > 0 && choice.ticked.size === 0)
    throw invalidRequest("field_required", "Tick at least one permission, or choose “Do not allow”.", "scope");
  const channels = choice.pusher === "" ? [] : await listWorkspaceChannels(context, member.workspace_id);
  const unknown = "This channel is not in the chosen workspace. Choose another channel.";
  const pusher_id = choice.pusher === "" ? null : findTypedChannelId(channels, choice.pusher, unknown);
  if (![...choice.ticked].some((scope) => asked.includes(scope)) && asking.shown.some((scope) => asked.includes(scope)))
    throw invalidRequest(
      "field_required",
      "Tick at least one of the requested permissions, or choose “Do not allow”.",
      "scope",
    );
  const plain = asked.filter((scope) => !isScope(scope) || scope === IMPLICIT_SCOPE);
  const ticked = SELECTABLE_SCOPES.filter((scope) => choice.ticked.has(scope));
  const grantId = newUuid();
  const next = await deps.people.decide(request, { accept: true, scopes: [...plain, ...ticked], oauthQuery, grantId });
  // Scopes that another page granted this member in the meantime, and that this page did not show, stay granted.
  const unseen = asking.earlier.filter((scope) => !choice.onPage.has(scope));
  // Only a response with a code lets the assistant in. With any other response the server requires another step, or
  // refuses.
  if (URL.parse(next)?.searchParams.has("code")) {
    const caller = assertDefined(
      getSessionMemberCaller(session, member.workspace_id),
      "the membership belongs to the session",
    );
    await deps.dispatcher.runSession(grant_connection, caller, {
      args: {
        grant_id: grantId,
        client_id: clientId,
        pusher_id,
        scopes: [...ticked, ...unseen],
        requires_approval: choice.asksFirst,
      },
      log: context.log,
    });
  }
  return redirectOrShowContinuePage(context, next, [], {
    title: "Connected",
    text: html`${assistantName(clientName)} now has the permissions you ticked. You can close this page once the
      assistant reports that it is connected.`,
  });
}

export const CONSENT_PAGES: readonly ConsolePage[] = [
  defineAnonymousPage("GET", "/console/consent", async (context) => {
    if (!context.session) return context.goTo(`/console/sign-in${context.url.search}`);
    const person = { ...context, token: context.deps.forms.sessionField(context.session) } as PersonPageContext;
    if (person.session.memberships.length === 0) return context.goTo("/console");
    const asking = await askingOf(person, context.url.search);
    return renderConsentPage(person, asking, asking.start);
  }),

  defineSignedInForm("/console/consent", consentAgain, async (context) => {
    const { form: sent, deps, request } = context;
    const oauthQuery = sent.get("oauth_query") ?? "";
    if (sent.get("decision") !== "allow") {
      const decision = { accept: false, scopes: [], oauthQuery, grantId: newUuid() };
      const next = await deps.people.decide(request, decision);
      return redirectOrShowContinuePage(context, next, [], { title: "Not allowed", text: "Nothing was connected." });
    }
    const asking = await askingOf(context, oauthQuery, sent.get("member") ?? "");
    const choice = choiceOf(sent);
    try {
      // The page shows, folded, what the assistant may already do in the workspace that was chosen before.
      const looked = sent.get("looked_at");
      if (looked !== sent.get("member") && sent.has("had"))
        throw invalidRequest("invalid_value", "You chose another workspace. Check the permissions again.", "member");
      return await allow(context, asking, choice);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type !== "invalid_request") throw error;
      const again = error.param === "member" ? asking.start : choice;
      return renderConsentPage(context, asking, again, error);
    }
  }),
  // The target of a request that the authorization server cannot answer to the assistant.
  defineAnonymousPage("GET", "/api/auth/error", async () => {
    throw invalidRequest(
      "invalid_value",
      "The assistant’s request is not valid. Start again from the assistant; if that fails, remove Belfry " +
        "there and add it again.",
    );
  }),

  {
    ...defineAnonymousPage("GET", "/api/auth/oauth2/authorize", async (context) => {
      const { deps, request, session, address } = context;
      const { goTo, cookies } = await deps.authorize(request, session?.user.id ?? null, address);
      return context.goTo(goTo, undefined, cookies);
    }),
    // The assistant's description, and a code.
    writes: true,
  },
];
