// How guessing a password is slowed down without letting a stranger shut anybody out. Wrong passwords are counted by
// network address, by address and account together, and by account alone. The first two refuse; the last, which
// anybody in the world can fill, only makes the next attempt wait. A browser that signed in before is counted by
// itself. A hash takes a processor for a tenth of a second, so few are made at once and so many wait: first who is
// known, then strangers in the order in which they came. More are told to come back.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError, unavailable } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { createRateLimitHeaders, type RateLimitPolicy, type RateLimits } from "../../store/rate_limits/rate_limits.ts";
import { rateLimitAddress } from "../../store/rate_limits/request_client.ts";

/** Half of the threads that files and names need, too. */
const AT_ONCE = 2;
const MOST_IN_TURN = { known: 100, stranger: 16 };
const SECONDS = 3;

/** Known: a browser that signed in before, whoever is signed in, and who holds a link. */
export type ClientTrust = "known" | "stranger";

export function createPasswordHashQueue() {
  const lines: Record<ClientTrust, (() => void)[]> = { known: [], stranger: [] };
  let running = 0;

  /** @throws 503. */
  async function take(standing: ClientTrust): Promise<void> {
    if (running < AT_ONCE) return void running++;
    const line = lines[standing];
    if (line.length >= MOST_IN_TURN[standing])
      throw unavailable("overloaded", "Too many sign-ins at once. Try again in a few seconds.", SECONDS);
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** Runs what makes a hash when it is its turn. @throws 503 when too many wait already. */
  return async <T>(standing: ClientTrust, work: () => Promise<T>): Promise<T> => {
    await take(standing);
    try {
      return await work();
    } finally {
      const next = lines.known.shift() ?? lines.stranger.shift();
      // Whoever goes on takes the place of this one.
      if (next) next();
      else running--;
    }
  };
}

/** rules#password-again */
const WRONG = { max: LIMITS.wrong_passwords, seconds: LIMITS.wrong_passwords_minutes * 60 };
/** How often the people of an office behind one address may mistype. */
const BY_ADDRESS: RateLimitPolicy = {
  name: "sign-ins",
  max: LIMITS.sign_ins,
  seconds: LIMITS.window_seconds,
  countsLocally: true,
};
const BY_ADDRESS_AND_ACCOUNT: RateLimitPolicy = { name: "sign-ins-of-account", ...WRONG, countsLocally: true };
const BY_BROWSER: RateLimitPolicy = { name: "sign-ins-of-browser", ...WRONG, countsLocally: true };
/** This limit only counts and refuses nobody; people never reach it. */
const BY_ACCOUNT: RateLimitPolicy = { name: "sign-ins-by-account", max: 1_000_000, seconds: 900, countsLocally: true };
const RESETS: RateLimitPolicy = { name: "password-resets", max: 5, seconds: 600, countsLocally: true };
const MAILS: RateLimitPolicy = { name: "password-mails", max: 3, seconds: 3600, countsLocally: true };
/** As long as a code of an app is looked at, its own 30 seconds and those beside. */
const CODES: RateLimitPolicy = { name: "second-factor-codes", max: 1, seconds: 120, countsLocally: true };
/** The password asked for once more: so many wrong ones, and so many in all, since each costs a hash. */
const CHANGES: RateLimitPolicy = { name: "password-changes", ...WRONG, countsLocally: true };
const PROOFS: RateLimitPolicy = { name: "password-proofs", max: 100, seconds: 300, countsLocally: true };

/** So many wrong passwords of an account, from wherever, cost nobody anything. */
const FREE = LIMITS.wrong_passwords;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
/**
 * A wait holds a timer and a connection. With so many of them, further attempts go on at once: still nobody is
 * refused.
 */
const MOST_WAITING = 500;

/** How long an attempt waits when it is the `count`th wrong one of its account, in milliseconds. */
export const getThrottleDelay = (count: number): number =>
  count <= FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - FREE - 1, 16));

export interface SignInAttempt {
  email: string;
  /** Null and loopback are one address. */
  address: string | null;
  /** The cookie of a browser that signed in before, if there is one. */
  browser: string | null;
}

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

export function createSignInThrottle(options: {
  limits: RateLimits;
  secret: string;
  /** Lets so many milliseconds pass. */
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

  /** Runs `check`. What is right goes back, and so does what ended in a fault: nobody learnt whether it was wrong. */
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

  const near = (address: string | null) => (address === null ? "local" : rateLimitAddress(address));

  return {
    /**
     * Runs `check`, which answers null or false to a wrong password, after a wait when the account is under attack.
     * Only wrong ones and refusals stay counted. @throws 429 before the password is looked at.
     */
    async attempt<T>(
      { email, address, browser }: SignInAttempt,
      check: (standing: ClientTrust) => Promise<T>,
    ): Promise<T> {
      const known = nameOf(browser, email);
      const counted = [];
      if (known) counted.push(await take(BY_BROWSER, known));
      else {
        counted.push(await take(BY_ADDRESS, near(address)));
        counted.push(await take(BY_ADDRESS_AND_ACCOUNT, `${near(address)} ${email}`));
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

    /** Around whatever makes a hash. @throws 503. */
    inTurn: createPasswordHashQueue(),

    /** The same for a passkey, which is of no account until it was found right. @throws 429. */
    attemptPasskey: async <T>(address: string | null, check: () => Promise<T>): Promise<T> =>
      judge([await take(BY_ADDRESS, near(address))], check),

    /** What a browser keeps once it signed in to this account; it opens nothing. */
    markOf(email: string): string {
      const nonce = randomBytes(18).toString("base64url");
      return `${nonce}.${sign(nonce, email)}`;
    },

    /** Counts what is no attempt at a password, but costs as much. @throws 429. */
    countAddress: (address: string | null) => take(BY_ADDRESS, near(address)),

    /** The password once more. The person is signed in: nobody else can use this up. @throws 429. */
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
    countReset: (address: string | null) => take(RESETS, near(address)),

    /** Whether one more mail may go to an address; nobody is told when not. */
    mayMail: async (email: string) => (await limits.take(MAILS, email)).allowed,
  };
}
