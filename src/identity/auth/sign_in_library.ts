// The interface of the sign-in library, which has accounts and sessions and is the authorization server. It is loaded
// on first use, by a sign-in or an assistant's token; handsets and keys never need it.

import { lazy } from "../../store/db/lazy.ts";
import type { BetterAuth, CreateBetterAuthOptions } from "./better_auth.ts";

export interface SignInLibrary extends Omit<BetterAuth, "library"> {
  /** Makes the rows that the library needs for itself, among them the resource that clients get tokens for. */
  prepare(): Promise<void>;
}

export function createLazySignInLibrary(options: CreateBetterAuthOptions): SignInLibrary {
  /** A failure is not kept: after the database was away, the next caller tries again. */
  const load = lazy(async () => {
    const { createBetterAuth } = await import("./better_auth.ts");
    const opened = createBetterAuth(options);
    await opened.library.$context;
    return opened;
  });
  return {
    prepare: async () => void (await load()),
    readAccessToken: async (token) => (await load()).readAccessToken(token),
    handler: async (request) => (await load()).handler(request),
    findSession: async (headers, how) => (await load()).findSession(headers, how),
    findChallenged: async (headers) => (await load()).findChallenged(headers),
    findOidcTarget: async (state) => (await load()).findOidcTarget(state),
    findClient: async (body) => (await load()).findClient(body),
    hashPassword: async (password) => (await load()).hashPassword(password),
    provesPassword: async (userId, given) => (await load()).provesPassword(userId, given),
    isFreshWithoutPassword: async (person, since) => (await load()).isFreshWithoutPassword(person, since),
    inTransaction: async (em, work) => (await load()).inTransaction(em, work),
  };
}
