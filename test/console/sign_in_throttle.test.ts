// Guessing is slowed down, and strangers cannot lock out a person. Tests the counting alone with a controlled clock,
// and through the sign-in page, with and without the cache that replicas share.

import { scryptSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createPasswordHashQueue,
  createSignInThrottle,
  getThrottleDelay,
  type SignInBrowserFamiliarity,
} from "../../src/identity/auth/sign_in_throttle.ts";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { ApiError, unavailable } from "../../src/model/api_error.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { createRateLimits, type RateLimitPolicy } from "../../src/store/rate_limits/rate_limits.ts";
import { createRedisWindows } from "../../src/store/rate_limits/redis_windows.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { useFullPasswordCost } from "../support/password_cost.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const log = { warn() {} };
const EMAIL = "somebody@example.org";

/** A throttle that records its delays, which end at once unless they are paused. */
function throttle(held: Promise<unknown> | null = null) {
  const waits: number[] = [];
  const made = createSignInThrottle({
    limits: createRateLimits(),
    secret: "a secret of the tests that is long enough",
    pause: async (ms) => {
      waits.push(ms);
      await held;
    },
  });
  let checked = 0;
  /** The outcome of an attempt: right, wrong or refused. */
  const attempt = async (right: boolean, address: string | null, email = EMAIL, browser: string | null = null) => {
    const check = async () => {
      checked += 1;
      return right;
    };
    return made.attempt({ email, address, browser }, check).then(
      (ok) => (ok ? "right" : "wrong"),
      ({ type }) => type as string,
    );
  };
  return { made, attempt, waits, checked: () => checked };
}

// rules#password-turns
test("two hashes at once; then who is known, then strangers as they came, sixteen of them at most", async () => {
  const inTurn = createPasswordHashQueue();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (standing: SignInBrowserFamiliarity, name: string) =>
    inTurn(standing, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const names = Array.from({ length: 18 }, (_, i) => `stranger ${i}`);
  const all = names.map((name) => begin("stranger", name));
  await expect(begin("stranger", "one more")).rejects.toMatchObject({ status: 503 });
  all.push(begin("known", "known"), begin("known", "known, too"));
  const order = ["stranger 0", "stranger 1", "known", "known, too", ...names.slice(2)];
  for (let i = 0; i < order.length; i++) {
    await waitFor(() => expect(began).toEqual(order.slice(0, i + 2)));
    ends.get(order[i]!)!();
  }
  await Promise.all(all);
  // A failing attempt also passes its place on.
  for (let i = 0; i < 3; i++)
    await expect(inTurn("stranger", async () => Promise.reject(new Error("away")))).rejects.toThrow("away");
});

describe("the throttle", () => {
  // rules#guessing
  test("any number of guesses by strangers never makes the right password refused", async () => {
    const { attempt, waits } = throttle();
    for (let i = 0; i < 400; i++) expect(await attempt(false, `192.0.2.${i % 100}`)).toBe("wrong");
    expect(await attempt(true, "198.51.100.1")).toBe("right");
    // It waits for a time that is bounded, and so do the strangers.
    expect(waits.at(-1)).toBe(3000);
    expect(Math.max(...waits)).toBe(3000);
  });

  test("waiting begins late, grows and ends at three seconds", () => {
    expect([1, 8, 9, 10, 11, 12, 13, 14, 1000, 1_000_000].map(getThrottleDelay)).toEqual([
      0, 0, 250, 500, 1000, 2000, 3000, 3000, 3000, 3000,
    ]);
  });

  test("a guesser is refused, for this account and before the password is checked", async () => {
    const { attempt, checked } = throttle();
    for (let i = 0; i < 8; i++) expect(await attempt(false, "192.0.2.1")).toBe("wrong");
    const before = checked();
    expect(await attempt(true, "192.0.2.1")).toBe("rate_limited");
    expect(checked()).toBe(before);
    expect(await attempt(true, "192.0.2.1", "other@example.org")).toBe("right");
    expect(await attempt(true, "192.0.2.2")).toBe("right");
  });

  test("an address is refused after twenty wrong ones over all accounts", async () => {
    const { attempt } = throttle();
    for (let i = 0; i < 20; i++) expect(await attempt(false, "192.0.2.1", `a${i}@example.org`)).toBe("wrong");
    expect(await attempt(true, "192.0.2.1", "b@example.org")).toBe("rate_limited");
    // Without an address all clients are one.
    for (let i = 0; i < 20; i++) await attempt(false, null, `c${i}@example.org`);
    expect(await attempt(true, null, "d@example.org")).toBe("rate_limited");
  });

  test("right passwords are not counted", async () => {
    const { attempt, waits } = throttle();
    for (let i = 0; i < 50; i++) expect(await attempt(true, "192.0.2.1")).toBe("right");
    expect(waits).toEqual([]);
  });

  // rules#guessing
  test("a server error is not a wrong password; a refusal is", async () => {
    const { made, attempt } = throttle();
    const at = { email: EMAIL, address: "192.0.2.1", browser: null };
    const fails = (error: Error) => async () => {
      throw error;
    };
    for (let i = 0; i < 30; i++) {
      await expect(made.attempt(at, fails(new Error("Connection terminated")))).rejects.toThrow("terminated");
      await expect(made.proof("person", fails(unavailable("overloaded", "Away.")))).rejects.toThrow("Away.");
    }
    expect(await attempt(true, "192.0.2.1")).toBe("right");
    expect(await made.proof("person", async () => true)).toBe(true);
    const tooLate = new ApiError("sign_in_failed", "Sign in again.");
    for (let i = 0; i < 8; i++) await expect(made.attempt(at, fails(tooLate))).rejects.toThrow("again");
    expect(await attempt(true, "192.0.2.1")).toBe("rate_limited");
  });

  test("attempts at the same moment count before their answers are there", async () => {
    const { attempt, checked } = throttle();
    const all = await Promise.all(Array.from({ length: 30 }, () => attempt(false, "192.0.2.1")));
    expect(all.filter((one) => one === "wrong")).toHaveLength(8);
    expect(checked()).toBe(8);
  });

  test("a browser that signed in before is not touched by what strangers do at its address", async () => {
    const { made, attempt, waits } = throttle();
    const mark = made.markOf(EMAIL);
    for (let i = 0; i < 30; i++) await attempt(false, "192.0.2.1");
    expect(await attempt(true, "192.0.2.1")).toBe("rate_limited");
    const before = waits.length;
    expect(await attempt(true, "192.0.2.1", EMAIL, mark)).toBe("right");
    expect(waits).toHaveLength(before);
    // Another account's mark, or a changed one, is ignored; and a browser guesses no more often than an address.
    const [nonce, signature] = mark.split(".");
    for (const other of [made.markOf("other@example.org"), `x${nonce}.${signature}`, `${nonce}.`, "", "."])
      expect(await attempt(true, "192.0.2.1", EMAIL, other)).toBe("rate_limited");
    for (let i = 0; i < 8; i++) expect(await attempt(false, "192.0.2.1", EMAIL, mark)).toBe("wrong");
    expect(await attempt(true, "192.0.2.9", EMAIL, mark)).toBe("rate_limited");
  });

  test("only this number of delays is open at once; a later attempt is not refused either", async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const { attempt, waits, checked } = throttle(held);
    for (let i = 0; i < 8; i++) await attempt(false, `192.0.2.${i}`);
    const all = Array.from({ length: 600 }, (_, i) => attempt(false, `2001:db8:${i}::1`));
    await expect.poll(() => checked()).toBe(8 + 100);
    expect(waits).toHaveLength(500);
    resolve();
    expect(new Set(await Promise.all(all))).toEqual(new Set(["wrong"]));
    // Those that waited gave their places back.
    await attempt(false, "198.51.100.1");
    expect(waits).toHaveLength(501);
  });
});

const PASSWORD = "correct horse battery";

async function person(world: World): Promise<{ email: string; browser: HttpVisitor }> {
  const email = "slow@example.org";
  const em = world.service.orm.em.fork() as never;
  const member = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "viewer" });
  const browser = new HttpVisitor(world);
  const link = await world.service.people.newLink(parseIdOrNull("mem", member.id)!);
  expect((await browser.join(link, { name: "Slow", email, password: PASSWORD })).status).toBe(303);
  return { email, browser };
}

/** Tries a password from an address, in a browser of its own unless one is given. */
function tries(world: World, email: string, password: string, address: string, browser = new HttpVisitor(world)) {
  return browser.post("/console/sign-in", { email, password }, { address });
}

describe("signing in", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world?.close());

  test("a stranger's guesses do not refuse the right password, and the response reveals no account", async () => {
    const { email } = await person(world);
    const [unknown, known] = [
      await tries(world, "nobody@example.org", "wrong", "192.0.2.1"),
      await tries(world, email, "wrong", "192.0.2.1"),
    ];
    expect([unknown.status, known.status]).toEqual([401, 401]);
    const blank = ({ text }: typeof known) => text.replace(/nobody|slow|name="form_token" value="[^"]+"/g, "");
    expect(blank(unknown)).toBe(blank(known));
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await tries(world, email, "wrong", "192.0.2.1")).status);
    expect(statuses).toEqual([...Array(7).fill(401), 429]);
    const refused = await tries(world, email, PASSWORD, "192.0.2.1");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused.text).toContain("Too many requests. Try again in");
    const owner = new HttpVisitor(world);
    expect((await tries(world, email, PASSWORD, "198.51.100.7", owner)).status).toBe(303);
    // From then on this browser is known, even where the stranger used up everything.
    await owner.post("/console/sign-out", {}, { from: "/console/account" });
    expect((await tries(world, email, PASSWORD, "192.0.2.1", owner)).status).toBe(303);
  });

  // rules#guessing
  test("while no session can be written the right password is neither wrong nor counted", async () => {
    await world.sql(
      "create function auth.refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$",
    );
    await world.sql("create trigger refuse before insert on auth.session for each row execute function auth.refuse()");
    const statuses: number[] = [];
    const from = "198.51.100.9";
    for (let i = 0; i < 9; i++) statuses.push((await tries(world, "slow@example.org", PASSWORD, from)).status);
    await world.sql("drop function auth.refuse cascade");
    expect(statuses).toEqual(Array(9).fill(500));
    expect((await tries(world, "slow@example.org", PASSWORD, from)).status).toBe(303);
  });

  test("a password change is counted by the person, whom no stranger can use up", async () => {
    const { text } = await new HttpVisitor(world).get("/console/sign-in");
    expect(text).toContain("Use the e-mail address and password you chose when you joined.");
    const browser = new HttpVisitor(world);
    expect((await tries(world, "slow@example.org", PASSWORD, "198.51.100.8", browser)).status).toBe(303);
    const change = () =>
      browser.post(
        "/console/account/password",
        { present: "wrong", next: "a new long password" },
        { from: "/console/account" },
      );
    const statuses: number[] = [];
    for (let i = 0; i < 9; i++) statuses.push((await change()).status);
    expect(statuses).toEqual([...Array(8).fill(422), 429]);
  });
});

describe("with passwords that cost what they do in service", () => {
  useFullPasswordCost();
  let world: World;
  let email: string;
  beforeAll(async () => {
    world = await World.open();
    ({ email } = await person(world));
  });
  afterAll(() => world?.close());

  test("a password is kept as 32 MiB of work have made it", async () => {
    const [{ kept }] = await world.sql("select password kept from auth.account where password is not null");
    const [salt, key] = kept.split(":");
    const made = scryptSync(PASSWORD, salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 });
    expect(made.toString("hex")).toBe(key);
  });

  // rules#password-turns
  test("strangers who guess in a crowd are told to come back, and who is known goes ahead of them", async () => {
    const owner = new HttpVisitor(world);
    expect((await tries(world, email, PASSWORD, "198.51.100.20", owner)).status).toBe(303);
    await owner.post("/console/sign-out", {}, { from: "/console/account" });
    const came: string[] = [];
    const crowd = Array.from({ length: 60 }, async (_, i) => {
      const answer = await tries(world, `nobody${i}@example.org`, "wrong", `203.0.113.${i}`);
      came.push(String(answer.status));
      return answer;
    });
    const known = tries(world, email, PASSWORD, "198.51.100.21", owner).then(({ status }) => {
      came.push("known");
      return status;
    });
    const refused = (await Promise.all(crowd)).filter(({ status }) => status === 503);
    expect(await known).toBe(303);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, text } of refused) {
      expect(headers.get("retry-after")).toBe("3");
      expect(text).toContain("Too many people are signing in");
    }
    expect(came.filter((one) => one === "401").length).toBe(60 - refused.length);
    expect(came.indexOf("known")).toBeLessThan(came.lastIndexOf("401"));
    // Unchecked attempts were not counted.
    expect((await tries(world, "nobody1@example.org", "wrong", "203.0.113.1")).status).toBe(401);
  });
});

test("with the shared cache away a process counts by itself", async () => {
  const world = await World.open({ settings: { REDIS_URL: `redis://127.0.0.1:${await findFreePort("127.0.0.1")}` } });
  try {
    const { email } = await person(world);
    const statuses: number[] = [];
    for (let i = 0; i < 9; i++) statuses.push((await tries(world, email, "wrong", "192.0.2.1")).status);
    expect(statuses).toEqual([...Array(8).fill(401), 429]);
    expect((await tries(world, email, PASSWORD, "198.51.100.7")).status).toBe(303);
  } finally {
    await world.close();
  }
});

test("without the shared cache, marked policies alone are counted, and refunded at the same place", async () => {
  const url = `redis://127.0.0.1:${await findFreePort("127.0.0.1")}`;
  const limits = createRateLimits({ shared: createRedisWindows({ url, log }) });
  const kept = { name: "kept", max: 1, seconds: 60, countsLocally: true } satisfies RateLimitPolicy;
  const open = { name: "open", max: 1, seconds: 60 };
  const first = await limits.take(kept, "a");
  expect(first).toMatchObject({ allowed: true, limited: true, remaining: 0 });
  expect((await limits.take(kept, "a")).allowed).toBe(false);
  await limits.refund(kept, "a", first);
  expect((await limits.take(kept, "a")).allowed).toBe(true);
  for (let i = 0; i < 3; i++) expect(await limits.take(open, "a")).toMatchObject({ allowed: true, limited: false });
  await limits.close();
});
