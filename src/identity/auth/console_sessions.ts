// People as the console knows them: which members a signed-in person is, and what assistants ask of them. How a
// person signs in stands in sign_in.ts, how one comes to an account in link_redemption.ts; what a signed-in person
// does is an operation (src/identity/session/).

import { invalidRequest } from "../../model/api_error.ts";
import { ALL_SCOPES } from "../../model/scopes.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Log, MemberCaller, Person } from "../../store/handler_context.ts";
import { type MemberRecord, membershipsOf, noteSessionUse } from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAudit } from "./account_audit.ts";
import { createCaller, createLastUseRecorder } from "./bearer_authentication.ts";
import { parseClientName } from "./client_metadata.ts";
import type { Grants } from "./consent_grants.ts";
import { AUTH_PAGES } from "./oauth_discovery.ts";
import { createOidcSignIn } from "./oidc_sign_in.ts";
import { createLink } from "./one_time_links.ts";
import { createLibraryRequest, createSignIn } from "./sign_in.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInThrottle } from "./sign_in_throttle.ts";

export interface ConsoleSession {
  id: string;
  user: { id: string; email: string; name: string };
  memberships: MemberRecord[];
}

/** What the authorization server adds to a request when it signs it. */
const SIGNATURE = ["sig", "exp", "ba_iat", "ba_pl", "ba_param"];

/** Nothing that a browser would run or read from the disk is an address to go to. */
const UNSAFE_REDIRECT = /^(javascript|data|vbscript|file|blob|about):$/;

const expiredRequest = () =>
  invalidRequest("invalid_value", "This access request has expired. Start again from the assistant.");

export const getPerson = (session: ConsoleSession): Person => ({ id: session.user.id, sessionId: session.id });

/** What a signed-in person may do is what the member may do: a session is a credential with every scope. */
export function getMemberCaller(session: ConsoleSession, workspaceId: string): MemberCaller | null {
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
  return { ...caller, person: getPerson(session) };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
/** An assistant that asks to be let in. */
export type AccessRequest = Awaited<ReturnType<ConsoleSessions["accessRequest"]>>;

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
  const ask = createLibraryRequest(library, publicUrl);
  const used = createLastUseRecorder({ now, isLow, log }, (id) => runStatement(kysely, noteSessionUse, { id }));

  /** The same request for access, signed anew, for other scopes. */
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
    ...createSignIn({ library, throttle, ask, accountLog, database: kysely, now }),

    oidc: oidc && createOidcSignIn({ ...oidc, library, throttle, ask, accountLog, log }),

    /** A one-time link for a member, as the operator hands it out. An earlier link of the member ends. */
    newLink: (memberId: string): Promise<string> => createLink(orm.em.fork(), publicUrl, memberId, "operator"),

    /** The signed-in person, or null. An expired or ended session is none. */
    async session(headers: Headers): Promise<ConsoleSession | null> {
      if (!headers.get("cookie")?.includes("better-auth.session_token")) return null;
      const found = await library.findSession(headers, { refresh: !isLow() });
      if (!found || found.session.expiresAt.getTime() <= now().getTime()) return null;
      used(found.session.id);
      const { id, email, name } = found.user;
      return {
        id: found.session.id,
        user: { id, email, name },
        memberships: await runStatement(kysely, membershipsOf, { user_id: id }),
      };
    },

    /**
     * What an assistant asks for, read from the query that the authorization server signed.
     * @throws 422 when the query was changed, has expired, or its client is gone.
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
        /** What the assistant calls itself, fit to be shown; nobody has checked it. */
        clientName: parseClientName(client.client_name),
        /** Where the answer goes. */
        redirect,
        /** The scopes that it named, `offline_access` among them. */
        asked,
      };
    },

    /**
     * Carries on an authorization after the person's decision, under the grant that is named. A step-up keeps what was
     * granted before, so a client gets what the person ticked, also where it named a part of it. Returns where the
     * browser goes next.
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
