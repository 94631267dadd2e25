// People as the console knows them: the one-time link that makes an account, signing in and out, sessions, and which
// members a person is. Everything works without a mail server: links are shown to whoever hands them out.

import type { Caller } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { ownStatements, run } from "../db/statement.ts";
import { ApiError, conflict, invalidRequest, notFound, refuseFields } from "../errors.ts";
import { attachUser, findLink, type MemberRecord, membershipsOf, useLink } from "../queries/people.ts";
import { type RateLimits, rateLimitHeaders } from "../rate_limits.ts";
import { ALL_SCOPES } from "../scopes.ts";
import { callerWith } from "./caller.ts";
import type { Grants } from "./grants.ts";
import { newLink } from "./links.ts";
import { MIN_PASSWORD, PAGES, type SignInLibrary } from "./sign_in_library.ts";
import { hashToken } from "./tokens.ts";

/** Guessing is slow from one address and for one account. */
const BY_ADDRESS = { name: "sign-ins", max: 20, seconds: 60 };
const BY_EMAIL = { name: "sign-ins-by-account", max: 8, seconds: 300 };

export interface Session {
  id: string;
  user: { id: string; email: string; name: string };
  memberships: MemberRecord[];
}

/** An assistant that asks to be let in, and where the answer goes. */
export interface AccessRequest {
  /** The signed query, to be handed back with the decision. */
  oauthQuery: string;
  clientId: string;
  /** What the assistant calls itself; nobody has checked it. */
  clientName: string | null;
  redirect: URL;
  /** The scopes that it named, `offline_access` among them. */
  asked: string[];
}

/** What the authorization server adds to a request when it signs it. */
const SIGNATURE = ["sig", "exp", "ba_iat", "ba_pl", "ba_param"];

/** Nothing that a browser would run or read from the disk is an address to go to. */
const UNSAFE_REDIRECT = /^(javascript|data|vbscript|file|blob|about):$/;

const expiredRequest = () =>
  invalidRequest("This request for access has expired; start again from the assistant.");

/** What is wrong with a new password, in the words that its form shows. */
const passwordProblem = (password: string): string | null =>
  password.length < MIN_PASSWORD || password.length > 128
    ? `A password has ${MIN_PASSWORD} to 128 characters.`
    : null;

export interface OwnSession {
  id: string;
  current: boolean;
  userAgent: string | null;
  address: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** What a signed-in person may do is what the member may do: a session is a credential with every scope. */
export function callerOf(session: Session, workspaceId: string): Caller | null {
  const member = session.memberships.find((membership) => membership.workspace_id === workspaceId);
  if (!member) return null;
  return callerWith(member, {
    type: "session",
    id: `session:${session.user.id}`,
    name: session.user.name,
    scopes: ALL_SCOPES,
    pusherId: null,
    expiresAt: null,
  });
}

export type People = ReturnType<typeof createPeople>;

export function createPeople(options: {
  orm: Orm;
  library: SignInLibrary;
  grants: Grants;
  limits: RateLimits;
  publicUrl: string;
  now: () => Date;
}) {
  const { orm, library, grants, limits, publicUrl, now } = options;
  const kysely = ownStatements(orm);

  /** Speaks to the library as a browser on our own origin would, without a socket. */
  function ask(
    path: string,
    init: { method?: string; headers?: Headers; body?: unknown; address?: string | null },
  ): Promise<Response> {
    const headers = new Headers({ origin: publicUrl, "content-type": "application/json" });
    for (const name of ["cookie", "user-agent"]) {
      const value = init.headers?.get(name);
      if (value) headers.set(name, value);
    }
    // The list of sessions shows where each came from: the network's word, not the request's.
    if (init.address) headers.set("x-forwarded-for", init.address);
    const body = init.body === undefined ? undefined : JSON.stringify(init.body);
    return library.handler(
      new Request(`${publicUrl}/api/auth${path}`, { method: init.method ?? "POST", headers, body }),
    );
  }

  /** The same request for access, signed anew, for other scopes. */
  async function askAnew(from: Request, oauthQuery: string, scopes: string[]): Promise<string> {
    const query = new URLSearchParams(oauthQuery);
    for (const name of SIGNATURE) query.delete(name);
    query.set("scope", scopes.join(" "));
    query.set("prompt", "consent");
    const answer = await ask(`/oauth2/authorize?${query}`, { method: "GET", headers: from.headers });
    const page = URL.parse(answer.headers.get("location") ?? "", publicUrl);
    if (page?.pathname !== PAGES.consent) throw expiredRequest();
    return page.search.slice(1);
  }

  async function count(policy: typeof BY_ADDRESS, subject: string): Promise<void> {
    const taken = await limits.take(policy, subject);
    if (!taken.allowed)
      throw new ApiError("rate_limited", `Too many attempts; try again in ${taken.resetSeconds} seconds.`, {
        headers: rateLimitHeaders(policy, taken),
      });
  }

  return {
    /** A one-time link that makes whoever follows it this member. An earlier link of the member ends. */
    newLink: (memberId: string): Promise<string> => newLink(orm.em.fork(), publicUrl, memberId),

    /** Who a live link stands for. @throws 404 when it was used, has expired or never was. */
    async linkOf(token: string) {
      const [link] = await run(kysely, findLink, [hashToken(token)]);
      if (!link) throw notFound("link");
      return link;
    },

    /**
     * Follows a link: makes the account, or joins an existing one whose password is given, and uses the link up.
     * @throws 404 for a dead link, 422 naming the field, 401 for a wrong password of an existing account.
     */
    async claim(
      token: string,
      person: { name: string; email: string; password: string },
      address: string | null,
    ) {
      await count(BY_ADDRESS, address ?? "local");
      const link = await this.linkOf(token);
      const email = person.email.trim().toLowerCase();
      if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email))
        throw invalidRequest("Give a valid e-mail address.", "email");
      if (person.name.trim() === "" || person.name.length > 80)
        throw invalidRequest("Give a name of at most 80 characters.", "name");
      refuseFields({ password: passwordProblem(person.password) });
      const { internalAdapter, password } = await library.$context;
      const known = await internalAdapter.findUserByEmail(email, { includeAccounts: true });
      let userId: string;
      if (known) {
        await count(BY_EMAIL, email);
        const hash = known.accounts.find(({ providerId }) => providerId === "credential")?.password;
        if (!hash || !(await password.verify({ hash, password: person.password })))
          throw invalidRequest(
            "This e-mail address has an account already; give that account's password.",
            "password",
          );
        userId = known.user.id;
      } else {
        // Hashing takes its time, so it is done before the link is used up.
        const hash = await password.hash(person.password);
        const user = await internalAdapter.createUser(
          { email, name: person.name.trim(), emailVerified: true },
          { method: "email-password" },
        );
        await internalAdapter.linkAccount({
          userId: user.id,
          accountId: user.id,
          providerId: "credential",
          password: hash,
        });
        userId = user.id;
      }
      await orm.em.fork().transactional(async (inside) => {
        const [used] = await run(inside, useLink, [hashToken(token)]);
        if (!used) throw notFound("link");
        const mine = await run(inside, membershipsOf, [userId]);
        if (
          mine.some(
            (membership) =>
              membership.workspace_id === link.workspace_id && membership.member_id !== used.member_id,
          )
        )
          throw conflict("This account is a member of the workspace already; sign in with it.");
        await run(inside, attachUser, [used.member_id, userId, person.name.trim(), email]);
      });
      return link;
    },

    /**
     * Signs in and returns the library's answer: cookies to set, and where to go on when an assistant waits for consent.
     * @throws 401 with one sentence for an unknown address and a wrong password alike, 429.
     */
    async signIn(
      credentials: { email: string; password: string },
      oauthQuery: string | null,
      from: Request,
      address: string | null,
    ) {
      const email = credentials.email.trim().toLowerCase();
      await count(BY_ADDRESS, address ?? "local");
      await count(BY_EMAIL, email);
      const { password } = credentials;
      const body = { email, password, ...(oauthQuery ? { oauth_query: oauthQuery } : {}) };
      const answer = await ask("/sign-in/email", { headers: from.headers, body, address });
      if (!answer.ok) throw new ApiError("unauthorized", "The e-mail address or the password is not right.");
      const next = (await answer.json()) as { url?: string; redirect?: boolean };
      return { cookies: answer.headers.getSetCookie(), next: next.redirect && next.url ? next.url : null };
    },

    async signOut(from: Request): Promise<string[]> {
      const answer = await ask("/sign-out", { headers: from.headers, body: {} });
      return answer.headers.getSetCookie();
    },

    /** The signed-in person, or null. An expired or ended session is none. */
    async session(headers: Headers): Promise<Session | null> {
      if (!headers.get("cookie")?.includes("better-auth.session_token")) return null;
      const found = await library.api.getSession({ headers });
      if (!found || found.session.expiresAt.getTime() <= now().getTime()) return null;
      const { id, email, name } = found.user;
      return {
        id: found.session.id,
        user: { id, email, name },
        memberships: await run(kysely, membershipsOf, [id]),
      };
    },

    async sessionsOf(session: Session): Promise<OwnSession[]> {
      const { internalAdapter } = await library.$context;
      const all = await internalAdapter.listSessions(session.user.id);
      return all.map((row) => ({
        id: row.id,
        current: row.id === session.id,
        userAgent: row.userAgent ?? null,
        address: row.ipAddress ?? null,
        createdAt: row.createdAt,
        expiresAt: row.expiresAt,
      }));
    },

    /** Ends one session of the person's own; another's answers as none. @throws 404. */
    async endSession(session: Session, id: string): Promise<void> {
      const { internalAdapter } = await library.$context;
      const row = (await internalAdapter.listSessions(session.user.id)).find((own) => own.id === id);
      if (!row) throw notFound("session");
      await internalAdapter.deleteSession(row.token);
    },

    /**
     * Changes the password, which needs the current one, and ends every other session of the person.
     * @throws 422 naming the field, 429.
     */
    async changePassword(session: Session, passwords: { present: string; next: string }): Promise<void> {
      await count(BY_EMAIL, session.user.email);
      const { internalAdapter, password } = await library.$context;
      const known = await internalAdapter.findUserByEmail(session.user.email, { includeAccounts: true });
      const hash = known?.accounts.find(({ providerId }) => providerId === "credential")?.password;
      const right = hash && (await password.verify({ hash, password: passwords.present }));
      refuseFields({
        present: !right && "The current password is not right.",
        next: passwordProblem(passwords.next),
      });
      await internalAdapter.updatePassword(session.user.id, await password.hash(passwords.next));
      for (const row of await internalAdapter.listSessions(session.user.id))
        if (row.id !== session.id) await internalAdapter.deleteSession(row.token);
    },

    /**
     * What an assistant asks for, read from the query that the authorization server signed.
     * @throws 422 when the query was changed, has expired, or its client is gone.
     */
    async accessRequest(search: string): Promise<AccessRequest> {
      const oauthQuery = search.replace(/^\?/, "");
      const query = new URLSearchParams(oauthQuery);
      const clientId = query.get("client_id") ?? "";
      const redirect = URL.parse(query.get("redirect_uri") ?? "");
      const client = await library.api
        .getOAuthClientPublicPrelogin({ body: { client_id: clientId, oauth_query: oauthQuery } })
        .catch(() => null);
      if (!client || !redirect || UNSAFE_REDIRECT.test(redirect.protocol)) throw expiredRequest();
      const asked = [...new Set((query.get("scope") ?? "").split(" ").filter(Boolean))];
      return {
        oauthQuery,
        clientId,
        clientName: String(client.client_name ?? "").trim() || null,
        redirect,
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
        accept && scopes.some((scope) => !asked.includes(scope))
          ? await askAnew(from, oauthQuery, scopes)
          : oauthQuery;
      const body = { accept, ...(accept ? { scope: scopes.join(" ") } : {}), oauth_query: query };
      const answer = await grants.deciding(grantId, () =>
        ask("/oauth2/consent", { headers: from.headers, body }),
      );
      const next = (await answer.json().catch(() => ({}))) as { url?: string };
      if (!answer.ok || !next.url) throw expiredRequest();
      return next.url;
    },
  };
}
