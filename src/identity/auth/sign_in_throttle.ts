// The throttle against password guessing, which cannot lock users out. Wrong passwords are counted by network address,
// by address and account, and by account. The first two refuse attempts. The last, which any stranger can fill, only
// delays the next attempt. A browser that signed in before is counted separately. A hash takes a processor for a tenth
// of a second, so few run at once. A limited number waits: known clients first, then strangers in order. Others must
// retry.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError, unavailable } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { createRateLimitHeaders, type RateLimiter, type RateLimitPolicy } from "../../store/rate_limits/rate_limits.ts";
import { rateLimitAddress } from "../../store/rate_limits/request_client.ts";

/** Half of the threads, which file access and DNS also need. */
const AT_ONCE = 2;
const MOST_IN_TURN = { known: 100, stranger: 16 };
const SECONDS = 3;

/** Known: a browser that signed in before, a signed-in person, and the holder of a link. */
export type SignInBrowserFamiliarity = "known" | "stranger";

export function createPasswordHashQueue() {
  const lines: Record<SignInBrowserFamiliarity, (() => void)[]> = { known: [], stranger: [] };
  let running = 0;

  /** @throws 503. */
  async function take(standing: SignInBrowserFamiliarity): Promise<void> {
    if (running < AT_ONCE) return void running++;
    const line = lines[standing];
    if (line.length >= MOST_IN_TURN[standing])
      throw unavailable("overloaded", "Too many people are signing in. Try again in a few seconds.", SECONDS);
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** Runs what makes a hash when it is its turn. @throws 503 when too many wait already. */
  return async <T>(standing: SignInBrowserFamiliarity, work: () => Promise<T>): Promise<T> => {
    await take(standing);
    try {
      return await work();
    } finally {
      const next = lines.known.shift() ?? lines.stranger.shift();
      // The next one takes this slot.
      if (next) next();
      else running--;
    }
  };
}

/** rules#password-again */
const WRONG = { max: LIMITS.wrong_passwords, seconds: LIMITS.wrong_passwords_minutes * 60 };
/** The number of wrong passwords of an office behind one address. */
const BY_ADDRESS: RateLimitPolicy = {
  name: "sign-ins",
  max: LIMITS.sign_ins,
  seconds: LIMITS.window_seconds,
  countsLocally: true,
};
const BY_ADDRESS_AND_ACCOUNT: RateLimitPolicy = { name: "sign-ins-of-account", ...WRONG, countsLocally: true };
const BY_BROWSER: RateLimitPolicy = { name: "sign-ins-of-browser", ...WRONG, countsLocally: true };
/** This limit only counts, and people never reach it. */
const BY_ACCOUNT: RateLimitPolicy = { name: "sign-ins-by-account", max: 1_000_000, seconds: 900, countsLocally: true };
const RESETS: RateLimitPolicy = { name: "password-resets", max: 5, seconds: 600, countsLocally: true };
const MAILS: RateLimitPolicy = { name: "password-mails", max: 3, seconds: 3600, countsLocally: true };
/** The time in which an app code is accepted: its own 30 seconds and the adjacent ones. */
const CODES: RateLimitPolicy = { name: "second-factor-codes", max: 1, seconds: 120, countsLocally: true };
/** The repeated password: limits on wrong ones and on all, because each costs a hash. */
const CHANGES: RateLimitPolicy = { name: "password-changes", ...WRONG, countsLocally: true };
const PROOFS: RateLimitPolicy = { name: "password-proofs", max: 100, seconds: 300, countsLocally: true };

/** The number of wrong passwords of an account, from any address, without a delay. */
const FREE = LIMITS.wrong_passwords;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
/** A delay needs a timer and a connection. Above this number, further attempts run at once, so that none is refused. */
const MOST_WAITING = 500;

/** Returns the delay of the `count`th wrong attempt of an account, in milliseconds. */
export const getThrottleDelay = (count: number): number =>
  count <= FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - FREE - 1, 16));

interface SignInAttempt {
  email: string;
  /** Null and loopback are one address. */
  address: string | null;
  /** The cookie of a browser that signed in before, if there is one. */
  browser: string | null;
}

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

export function createSignInThrottle(options: {
  limits: RateLimiter;
  secret: string;
  /** Pauses for this many milliseconds. */
  pause?: (ms: number) => Promise<unknown>;
}) {
  const { limits, secret, pause = setTimeout } = options;
  const key = Buffer.from(hkdfSync("sha256", secret, "belfry", "known browsers", 32));
  const sign = (nonce: string, email: string) =>
    createHmac("sha256", key).update(`${nonce} ${email}`).digest("base64url");
  let waiting = 0;

  /** @throws 429. */
  async function take(policy: RateLimitPolicy, subject: string) {
    const taken = await limits.take(policy, subject);
    if (!taken.allowed)
      throw new ApiError("rate_limited", `Too many attempts. Try again in ${taken.resetSeconds} seconds.`, {
        headers: createRateLimitHeaders(policy, taken),
      });
    return { count: taken.limit - taken.remaining, back: () => limits.refund(policy, subject, taken) };
  }

  /** Runs `check` and refunds a right attempt, and one that ended in an error, which reveals nothing. */
  async function judge<T>(counted: readonly Awaited<ReturnType<typeof take>>[], check: () => Promise<T>) {
    const giveBack = () => Promise.all(counted.map(({ back }) => back()));
    try {
      const right = await check();
      if (right) await giveBack();
      return right;
    } catch (error) {
      if (!(error instanceof ApiError) || error.type === "server_error") await giveBack();
      throw error;
    }
  }

  /** The name of the browser in the cookie, when it is of this account and ours. */
  function nameOf(cookie: string | null, email: string): string | null {
    const [nonce = "", signature = ""] = (cookie ?? "").split(".");
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(nonce, email))];
    return given.length === right.length && timingSafeEqual(given, right) ? nonce : null;
  }

  const networkOf = (address: string | null) => (address === null ? "local" : rateLimitAddress(address));

  return {
    /**
     * Runs `check`, which returns null or false for a wrong password, after a wait when the account is under attack.
     * Only wrong ones and refusals stay counted. @throws 429 before the password is checked.
     */
    async attempt<T>(
      { email, address, browser }: SignInAttempt,
      check: (standing: SignInBrowserFamiliarity) => Promise<T>,
    ): Promise<T> {
      const known = nameOf(browser, email);
      const counted = [];
      if (known) counted.push(await take(BY_BROWSER, known));
      else {
        counted.push(await take(BY_ADDRESS, networkOf(address)));
        counted.push(await take(BY_ADDRESS_AND_ACCOUNT, `${networkOf(address)} ${email}`));
        const byAccount = await take(BY_ACCOUNT, email);
        counted.push(byAccount);
        const ms = getThrottleDelay(byAccount.count);
        if (ms > 0 && waiting < MOST_WAITING) {
          waiting += 1;
          await pause(ms).finally(() => (waiting -= 1));
        }
      }
      return judge(counted, () => check(known ? "known" : "stranger"));
    },

    /**
     * Limits the hashes that run at once.
     * @throws 503
     */
    inTurn: createPasswordHashQueue(),

    /** The same for a passkey, which is of no account until it was found right. @throws 429. */
    attemptPasskey: async <T>(address: string | null, check: () => Promise<T>): Promise<T> =>
      judge([await take(BY_ADDRESS, networkOf(address))], check),

    /** Returns the mark of a browser that signed in to this account; it grants nothing. */
    markOf(email: string): string {
      const nonce = randomBytes(18).toString("base64url");
      return `${nonce}.${sign(nonce, email)}`;
    },

    /**
     * Counts other work that costs as much as a password attempt.
     * @throws 429
     */
    countAddress: (address: string | null) => take(BY_ADDRESS, networkOf(address)),

    /**
     * Checks the password again. The person is signed in, so others cannot use up the limit.
     * @throws 429
     */
    async proof(userId: string, check: () => Promise<boolean>): Promise<boolean> {
      await take(PROOFS, userId);
      return judge([await take(CHANGES, userId)], check);
    },

    /** Takes a code for used. Null when it was used before; else what gives it back, should it turn out wrong. */
    async useOnce(userId: string, code: string): Promise<(() => Promise<unknown>) | null> {
      const subject = `${userId} ${createHmac("sha256", key).update(code).digest("base64url")}`;
      const taken = await limits.take(CODES, subject);
      return taken.allowed ? () => limits.refund(CODES, subject, taken) : null;
    },

    /** Asking for links to new passwords. @throws 429. */
    countReset: (address: string | null) => take(RESETS, networkOf(address)),

    /** Checks that another mail may be sent to an address; a refusal is not shown. */
    mayMail: async (email: string) => (await limits.take(MAILS, email)).allowed,
  };
}
