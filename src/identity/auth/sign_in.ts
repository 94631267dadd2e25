// Signing in and out: a password with the second factor if it is enabled, or a passkey in place of both. The sign-in
// library verifies each. This module counts every attempt, and checks every result before a browser gets it.

import type { Kysely } from "kysely";
import type { z } from "zod";
import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { SignedInPerson } from "../../store/handler_context.ts";
import { recordPasskeyUse } from "../../store/queries/members_and_one_time_links.ts";
import type { AccountAudit } from "./account_audit.ts";
import type { presentedPasskeySchema } from "./passkeys.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { SignInBrowserFamiliarity, SignInThrottle } from "./sign_in_throttle.ts";

/** Whence an attempt to sign in comes, as the brake counts it. */
interface SignInAttemptOrigin {
  address: string | null;
  browser: string | null;
}

export const createOAuthQueryArgument = (oauthQuery: string | null) => (oauthQuery ? { oauth_query: oauthQuery } : {});

const signInAgain = () =>
  new ApiError("sign_in_failed", "The sign-in has expired, or too many codes were wrong. Sign in again.");

const failed = ({ status }: Response) => new Error(`the sign-in library returned ${status}`);

/**
 * Returns null for a wrong code.
 * @throws the error if no other code would help
 */
async function refusedSecond(answer: Response): Promise<null> {
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
  if (code === "INVALID_CODE" || code === "INVALID_BACKUP_CODE") return null;
  if (answer.status === 429)
    throw new ApiError(
      "rate_limited",
      "Too many wrong codes for this account. Try again in 15 minutes, or sign in with a passkey.",
      { headers: { "retry-after": "900" } },
    );
  if (answer.status >= 500) throw failed(answer);
  throw signInAgain();
}

/** Removes an existing session, because this step is about another account. */
function withoutSession({ headers }: Request): Headers {
  const left = (headers.get("cookie") ?? "").split(";").filter((part) => !/session_(token|data)=/.test(part));
  const own = new Headers(headers);
  own.set("cookie", left.join(";"));
  return own;
}

export type SignInLibraryClient = ReturnType<typeof createSignInLibraryClient>;

/** Speaks to the library as a browser on our own origin would, without a socket. */
export const createSignInLibraryClient =
  (library: SignInLibrary, publicUrl: string) =>
  (
    path: string,
    init: { method?: string; headers?: Headers; body?: unknown; address?: string | null },
  ): Promise<Response> => {
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
  };

/** The cookies and the next page of a browser that signed in. */
export async function readSignInResponse(answer: Response, email: string, throttle: SignInThrottle) {
  const next = (await answer.json()) as { url?: string; redirect?: boolean; twoFactorRedirect?: boolean };
  return {
    cookies: answer.headers.getSetCookie(),
    /** The session opens only after the second factor. */
    owesSecond: next.twoFactorRedirect === true,
    /** Where an assistant waits for consent. */
    next: next.redirect && next.url ? next.url : null,
    /** The mark by which this browser is known when it signs in to the account again. */
    mark: throttle.markOf(email),
  };
}

/** The result of a right password, code or passkey. */
export type AcceptedSignIn = Awaited<ReturnType<typeof readSignInResponse>>;

export function createPasswordAndPasskeySignIn(options: {
  library: SignInLibrary;
  throttle: SignInThrottle;
  ask: SignInLibraryClient;
  accountLog: AccountAudit;
  database: Kysely<unknown>;
  now: () => Date;
}) {
  const { library, throttle, ask, accountLog, database, now } = options;

  async function challenged(headers: Headers) {
    const account = await library.findChallenged(headers);
    return account && account.until.getTime() > now().getTime() ? account : null;
  }

  /**
   * Opens a session, or begins to: with a second factor the browser owes it. Null: address or password is not right.
   */
  async function openSession(
    credentials: { email: string; password: string },
    oauthQuery: string | null,
    from: Request,
    address: string | null,
    standing: SignInBrowserFamiliarity = "known",
  ) {
    const body = { ...credentials, ...createOAuthQueryArgument(oauthQuery) };
    const answer = await throttle.inTurn(standing, () =>
      ask("/sign-in/email", { headers: from.headers, body, address }),
    );
    if (answer.ok) return readSignInResponse(answer, credentials.email, throttle);
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    if (code === "INVALID_EMAIL_OR_PASSWORD" || answer.status === 400) return null;
    throw failed(answer);
  }

  return {
    /** Signs in a person who has just proved the password, without counting, so it cannot be refused. */
    openSession,

    /**
     * Signs in, or takes the first of two steps.
     * @throws 401 with one sentence for an unknown address and a wrong password alike, 429.
     */
    async signIn(
      credentials: { email: string; password: string },
      oauthQuery: string | null,
      from: Request,
      at: SignInAttemptOrigin,
    ) {
      const email = credentials.email.trim().toLowerCase();
      const opened = await throttle.attempt({ email, ...at }, (standing) =>
        openSession({ ...credentials, email }, oauthQuery, from, at.address, standing),
      );
      if (!opened) {
        accountLog.failed("sign_in", { email });
        throw new ApiError("sign_in_failed", "The e-mail address or password is incorrect.");
      }
      if (!opened.owesSecond) await accountLog.doneBy("sign_in", { email });
      return opened;
    },

    /** True if this browser passed the password step and needs the second factor. */
    owesSecond: async (headers: Headers): Promise<boolean> => (await challenged(headers)) !== null,

    /**
     * The second step, with a code of the app or a recovery code. Wrong ones count like wrong passwords, and each app
     * code works once.
     * @throws 401 if the password is needed again, 422 for a wrong code, 429
     */
    async showSecond(
      given: { kind: "code" | "recovery"; text: string },
      oauthQuery: string | null,
      from: Request,
      at: SignInAttemptOrigin,
    ) {
      const account = await challenged(from.headers);
      if (!account) throw signInAgain();
      const { kind } = given;
      const code = given.text.replace(/\s/g, "").toLowerCase();
      const opened = await throttle.attempt({ email: account.email, ...at }, async () => {
        const back = kind === "code" ? await throttle.useOnce(account.id, code) : null;
        if (kind === "code" && !back) return null;
        const path = kind === "code" ? "/two-factor/verify-totp" : "/two-factor/verify-backup-code";
        const body = { code, ...createOAuthQueryArgument(oauthQuery) };
        const asked = ask(path, { headers: withoutSession(from), body, address: at.address });
        const answer = await asked.catch(async (error) => {
          await back?.();
          throw error;
        });
        if (answer.ok) return readSignInResponse(answer, account.email, throttle);
        await back?.();
        return refusedSecond(answer);
      });
      if (opened) {
        await accountLog.done("sign_in_second_factor", account.id);
        return opened;
      }
      accountLog.failed("sign_in_second_factor", { email: account.email });
      throw invalidRequest(
        "invalid_value",
        kind === "code"
          ? "This code is incorrect or has already been used. Wait for the next one."
          : "This recovery code is invalid or has already been used. Enter a different one.",
        kind,
      );
    },

    /**
     * Returns the passkey request for a browser, and the cookie of its response.
     * @throws 429
     */
    async beginPasskey(from: Request, address: string | null) {
      await throttle.countAddress(address);
      const path = "/passkey/generate-authenticate-options";
      const answer = await ask(path, { method: "GET", headers: withoutSession(from) });
      if (!answer.ok)
        throw invalidRequest("invalid_value", "Passkeys are not available right now. Sign in with your password.");
      const options = (await answer.json()) as Record<string, unknown>;
      return { options: { ...options, userVerification: "required" }, cookies: answer.headers.getSetCookie() };
    },

    /**
     * Signs in with a passkey, which replaces both factors.
     * @throws 401, 429
     */
    async usePasskey(
      shown: z.output<typeof presentedPasskeySchema> | null,
      oauthQuery: string | null,
      from: Request,
      address: string | null,
    ) {
      const body = { response: shown, ...createOAuthQueryArgument(oauthQuery) };
      const headers = withoutSession(from);
      const answer = await throttle.attemptPasskey(address, async () => {
        const verified = shown && (await ask("/passkey/verify-authentication", { headers, body, address }));
        if (verified && verified.status >= 500) throw failed(verified);
        return verified?.ok ? verified : null;
      });
      if (!shown || !answer) {
        if (shown) accountLog.failed("sign_in_passkey", { credential_id: shown.id });
        throw new ApiError(
          "sign_in_failed",
          "This passkey is not registered, or the sign-in timed out. Try again, or use your password.",
        );
      }
      const [account] = await runStatement(database, recordPasskeyUse, { credential_id: shown.id });
      if (account) await accountLog.done("sign_in_passkey", account.user_id);
      return readSignInResponse(answer, account?.email ?? "", throttle);
    },

    /** Ends the current session and returns the cookies for it. */
    async signOut(from: Request, { id }: SignedInPerson): Promise<string[]> {
      const answer = await ask("/sign-out", { headers: from.headers, body: {} });
      await accountLog.done("sign_out", id);
      return answer.headers.getSetCookie();
    },
  };
}
