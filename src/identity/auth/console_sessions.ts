// Sessions of the console: the members of a signed-in person, and the access requests of assistants. sign_in.ts signs
// people in, link_redemption.ts creates accounts, and src/identity/session/ has the operations of signed-in people.

import { invalidRequest } from "../../model/api_error.ts";
import { ALL_SCOPES } from "../../model/scopes.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Log, MemberCaller, SignedInPerson } from "../../store/handler_context.ts";
import {
  listMembershipsOfUser,
  type MemberRecord,
  noteSessionUse,
} from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAudit } from "./account_audit.ts";
import { createCaller, createLastUseRecorder } from "./bearer_authentication.ts";
import { parseClientName } from "./client_metadata_fields.ts";
import type { Grants } from "./consent_grants.ts";
import { AUTH_PAGES } from "./oauth_discovery.ts";
import { createOidcSignIn } from "./oidc_sign_in.ts";
import { createMemberLink } from "./one_time_links.ts";
import { createPasswordAndPasskeySignIn, createSignInLibraryClient } from "./sign_in.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInThrottle } from "./sign_in_throttle.ts";

export interface ConsoleSession {
  id: string;
  user: { id: string; email: string; name: string };
  memberships: MemberRecord[];
}

/** The parameters that the authorization server adds when it signs a request. */
const SIGNATURE = ["sig", "exp", "ba_iat", "ba_pl", "ba_param"];

/** Nothing that a browser would run or read from the disk is an address to go to. */
const UNSAFE_REDIRECT = /^(javascript|data|vbscript|file|blob|about):$/;

const expiredRequest = () =>
  invalidRequest("invalid_value", "This access request has expired. Start again from the assistant.");

export const toSignedInPerson = (session: ConsoleSession): SignedInPerson => ({
  id: session.user.id,
  sessionId: session.id,
});

/** Returns the caller of a session: the member with every scope. */
export function getSessionMemberCaller(session: ConsoleSession, workspaceId: string): MemberCaller | null {
  const member = session.memberships.find((membership) => membership.workspace_id === workspaceId);
  if (!member) return null;
  const caller = createCaller(member, {
    type: "session",
    id: `session:${session.user.id}`,
    name: session.user.name,
    scopes: ALL_SCOPES,
    pusherId: null,
    expiresAt: null,
    asksFirst: false,
  });
  return { ...caller, person: toSignedInPerson(session) };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
/** The access request of an assistant. */
export type AssistantAccessRequest = Awaited<ReturnType<ConsoleSessions["accessRequest"]>>;

export function createConsoleSessions(options: {
  orm: Orm;
  library: SignInLibrary;
  grants: Grants;
  throttle: SignInThrottle;
  accountLog: AccountAudit;
  publicUrl: string;
  /** True while nothing may be written. */
  isLow: () => boolean;
  /** Null without OIDC_ISSUER. */
  oidc: { name: string; only: boolean } | null;
  now: () => Date;
  log: Log;
}) {
  const { orm, library, grants, throttle, accountLog, publicUrl, isLow, oidc, now, log } = options;
  const kysely = getKysely(orm);
  const ask = createSignInLibraryClient(library, publicUrl);
  const used = createLastUseRecorder({ now, isLow, log }, (id) => runStatement(kysely, noteSessionUse, { id }));

  /** Signs the same access request again for other scopes. */
  async function askAnew(from: Request, oauthQuery: string, scopes: string[]): Promise<string> {
    const query = new URLSearchParams(oauthQuery);
    for (const name of SIGNATURE) query.delete(name);
    query.set("scope", scopes.join(" "));
    query.set("prompt", "consent");
    const answer = await ask(`/oauth2/authorize?${query}`, { method: "GET", headers: from.headers });
    const page = URL.parse(answer.headers.get("location") ?? "", publicUrl);
    if (page?.pathname !== AUTH_PAGES.consent) throw expiredRequest();
    return page.search.slice(1);
  }

  return {
    ...createPasswordAndPasskeySignIn({ library, throttle, ask, accountLog, database: kysely, now }),

    oidc: oidc && createOidcSignIn({ ...oidc, library, throttle, ask, accountLog, log }),

    /** A one-time link for a member, as the operator hands it out. An earlier link of the member ends. */
    newLink: (memberId: string): Promise<string> => createMemberLink(orm.em.fork(), publicUrl, memberId, "operator"),

    /** Returns the signed-in person; null without a valid session. */
    async session(headers: Headers): Promise<ConsoleSession | null> {
      if (!headers.get("cookie")?.includes("better-auth.session_token")) return null;
      const found = await library.findSession(headers, { refresh: !isLow() });
      if (!found || found.session.expiresAt.getTime() <= now().getTime()) return null;
      used(found.session.id);
      const { id, email, name } = found.user;
      return {
        id: found.session.id,
        user: { id, email, name },
        memberships: await runStatement(kysely, listMembershipsOfUser, { user_id: id }),
      };
    },

    /**
     * Reads an assistant's access request from the signed query.
     * @throws 422 if the query was changed or has expired, or its client was deleted
     */
    async accessRequest(search: string) {
      const oauthQuery = search.replace(/^\?/, "");
      const query = new URLSearchParams(oauthQuery);
      const clientId = query.get("client_id") ?? "";
      const redirect = URL.parse(query.get("redirect_uri") ?? "");
      const client = await library.findClient({ client_id: clientId, oauth_query: oauthQuery });
      if (!client || !redirect || UNSAFE_REDIRECT.test(redirect.protocol)) throw expiredRequest();
      const asked = [...new Set((query.get("scope") ?? "").split(" ").filter(Boolean))];
      return {
        /** The signed query, to be handed back with the decision. */
        oauthQuery,
        clientId,
        /** The unverified name of the assistant, for display. */
        clientName: parseClientName(client.client_name),
        /** The redirect URI. */
        redirect,
        /** The scopes that it named, `offline_access` among them. */
        asked,
      };
    },

    /**
     * Continues an authorization after the person's decision, under the named grant. A step-up keeps earlier
     * permissions. A client gets all that the person ticked, even if it requested a part.
     * @returns the next URL of the browser
     */
    async decide(
      from: Request,
      decision: { accept: boolean; scopes: string[]; oauthQuery: string; grantId: string },
    ): Promise<string> {
      const { accept, scopes, oauthQuery, grantId } = decision;
      const asked = new URLSearchParams(oauthQuery).get("scope")?.split(" ") ?? [];
      const query =
        accept && scopes.some((scope) => !asked.includes(scope)) ? await askAnew(from, oauthQuery, scopes) : oauthQuery;
      const body = { accept, ...(accept ? { scope: scopes.join(" ") } : {}), oauth_query: query };
      const answer = await grants.deciding(grantId, () => ask("/oauth2/consent", { headers: from.headers, body }));
      const next = (await answer.json().catch(() => ({}))) as { url?: string };
      if (!answer.ok || !next.url) throw expiredRequest();
      return next.url;
    },
  };
}
