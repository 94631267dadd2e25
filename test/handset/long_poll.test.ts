// Long polls: the changes that end them, their duration, and their number (rules#held-inbox).

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { joinChannel, parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { countHeldPolls, countPollWakeups, startLongPoll } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";
import { WAIT, waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const world = await openWorld();
afterEach(async () => expect(await countHeldPolls(world)).toBe(0));

const validator = async (token: string, on: World = world) =>
  (await on.handset("GET", "/inbox", token)).headers.get("etag")!;

/** A handset on a new channel, with the validator of what it has seen. */
async function handset(on: World = world) {
  const pusher = await on.pusher();
  const { id, token } = await registerHandset(on);
  await joinChannel(on, token, pusher.handle);
  return { pusher, id, token, etag: await validator(token, on) };
}

/** Starts a long poll, makes a change and returns the poll's response. */
async function toldOf(of: { token: string; etag: string }, happens: () => Promise<unknown>) {
  const poll = startLongPoll(world, of.token, of.etag);
  await poll.held();
  await happens();
  const answer = await poll.answer;
  return { ...answer, titles: answer.body?.data?.map(({ title }: any) => title) };
}

describe("what wakes", () => {
  // rules#held-inbox
  test("a send, and the cancelling of what was sent", async () => {
    const one = await handset();
    let alert: any;
    const sent = await toldOf(one, async () => {
      alert = await world.alert(one.pusher.id, { title: "Now", send: true });
    });
    expect([sent.status, sent.titles]).toEqual([200, ["Now"]]);
    expect(sent.headers.get("preference-applied")).toBe("wait=55");
    const cancelled = await toldOf({ ...one, etag: sent.headers.get("etag")! }, () =>
      world.rest("cancel_alert", { pusher_id: one.pusher.id, alert_id: alert.id }),
    );
    expect([cancelled.status, cancelled.titles]).toEqual([200, []]);
    // A look that was already on its way may find a change first.
    let etag = cancelled.headers.get("etag")!;
    for (let i = 0; i < 10 && (await countPollWakeups(world, "local")) === 0; i++) {
      const again = await toldOf({ ...one, etag }, () => world.alert(one.pusher.id, { title: "Again", send: true }));
      etag = again.headers.get("etag")!;
    }
    expect(await countPollWakeups(world, "local")).toBeGreaterThan(0);
  });

  test("a send by an assistant", async () => {
    const one = await handset();
    const { status, titles } = await toldOf(one, () =>
      world.mcp("create_alert", { pusher_id: one.pusher.id, title: "By MCP", send: true }),
    );
    expect([status, titles]).toEqual([200, ["By MCP"]]);
  });

  test("a new subscription, a leave, and an eviction by a revoked invite", async () => {
    const one = await handset();
    const other = await world.pusher({ is_public: false });
    const { body: invite } = await world.rest("create_invite", { pusher_id: other.id });
    await world.alert(other.id, { title: "From the other", send: true });
    const joined = await toldOf(one, () => joinChannel(world, one.token, other.handle, invite.code));
    expect([joined.status, joined.titles]).toEqual([200, ["From the other"]]);
    const left = await toldOf({ ...one, etag: joined.headers.get("etag")! }, () =>
      world.rest("revoke_invite", { pusher_id: other.id, invite_id: invite.id, remove_subscribers: true }),
    );
    expect([left.status, left.titles]).toEqual([200, []]);
    const gone = await toldOf({ ...one, etag: left.headers.get("etag")! }, () =>
      world.handset("DELETE", `/subscriptions/${one.pusher.handle}`, one.token),
    );
    expect([gone.status, gone.titles]).toEqual([200, []]);
  });

  // rules#held-wakes
  test("a removal, reported by the process that commits it and not found a second later", async () => {
    const one = await handset();
    const other = await world.pusher({ is_public: false });
    const owns = await countPollWakeups(world, "local");
    let { etag } = one;
    // A round of looking may come upon one of them first, not upon all.
    for (let i = 0; i < 5 && (await countPollWakeups(world, "local")) === owns; i++) {
      const { body: invite } = await world.rest("create_invite", { pusher_id: other.id });
      await joinChannel(world, one.token, other.handle, invite.code);
      etag = await validator(one.token);
      const { status } = await toldOf({ ...one, etag }, () =>
        world.rest("revoke_invite", { pusher_id: other.id, invite_id: invite.id, remove_subscribers: true }),
      );
      expect(status).toBe(200);
    }
    expect(await countPollWakeups(world, "local")).toBeGreaterThan(owns);
  });

  test("the removal of the handset itself, which is unknown then", async () => {
    const one = await handset();
    const { status, body } = await toldOf(one, () => world.sql("delete from device where id = ?::bigint", [one.id]));
    expect([status, body.error.type]).toEqual([401, "unauthorized"]);
  });

  // rules#held-wakes
  test("changes without a message to this process: an operator's suspension, and an edit of a sent alert", async () => {
    const one = await handset();
    await world.alert(one.pusher.id, { title: "Sent", send: true });
    const etag = await validator(one.token);
    const rounds = await countPollWakeups(world, "scan");
    const suspended = await toldOf({ ...one, etag }, () => suspend(world, one.pusher.handle));
    expect([suspended.status, suspended.titles]).toEqual([200, []]);
    const restored = await toldOf({ ...one, etag: suspended.headers.get("etag")! }, () =>
      suspend(world, one.pusher.handle, false),
    );
    expect([restored.status, restored.titles]).toEqual([200, ["Sent"]]);
    const edited = await toldOf({ ...one, etag: restored.headers.get("etag")! }, () =>
      world.sql("update alert set title = 'Mended' where pusher_id = ?::uuid", [parseUuid(one.pusher.id)]),
    );
    expect([edited.status, edited.titles]).toEqual([200, ["Mended"]]);
    expect(await countPollWakeups(world, "scan")).toBe(rounds + 3);
  });

  // rules#passed-is-sent
  test("the time of a scheduled alert, planned before the poll or during it, and moved", async () => {
    const one = await handset();
    const schedule = (title: string, seconds: number) =>
      world.alert(one.pusher.id, { title, send: true, send_at: timeInSeconds(seconds) });
    await schedule("Planned before", 2);
    // Planning alone changes nothing of what a handset sees.
    const first = await toldOf(one, async () => {});
    expect([first.status, first.titles]).toEqual([200, ["Planned before"]]);
    const second = await toldOf({ ...one, etag: first.headers.get("etag")! }, async () => {
      const { id } = await schedule("Planned meanwhile", 3600);
      await world.rest("update_alert", { pusher_id: one.pusher.id, alert_id: id, send_at: timeInSeconds(2) });
    });
    expect([second.status, second.titles]).toEqual([200, ["Planned meanwhile", "Planned before"]]);
  });
});

// rules#held-inbox
test("drafts, plans, other channels and the reports of others wake no poll", async () => {
  const one = await handset();
  const sent = await world.alert(one.pusher.id, { title: "Sent", send: true });
  const neighbour = await world.device(one.pusher.handle);
  const etag = await validator(one.token);
  const before = await Promise.all(
    ["local", "message", "scan", "reconnect", "timer"].map((of) => countPollWakeups(world, of)),
  );
  const poll = startLongPoll(world, one.token, etag, { prefer: "wait=3" });
  await poll.held();
  const draft = await world.alert(one.pusher.id, { title: "Draft" });
  await world.rest("update_alert", { pusher_id: one.pusher.id, alert_id: draft.id, title: "Draft still" });
  await world.alert(one.pusher.id, { title: "Planned", send: true, send_at: timeInSeconds(3600) });
  await world.alert((await world.pusher()).id, { title: "Elsewhere", send: true });
  await world.handset("POST", "/reports", neighbour, { reports: [{ alert_id: sent.id, kind: "read" }] });
  await world.device(one.pusher.handle);
  const { status, body, headers } = await poll.answer;
  expect([status, body, headers.get("etag")]).toEqual([304, null, etag]);
  expect(headers.get("preference-applied")).toBe("wait=3");
  expect(
    await Promise.all(["local", "message", "scan", "reconnect", "timer"].map((of) => countPollWakeups(world, of))),
  ).toEqual(before);
});

describe("polls that are answered at once", () => {
  // rules#held-preference
  test.each([
    ["no validator", { "if-none-match": "" }, "", 200, null],
    ["an old validator", { "if-none-match": '"of yesterday"' }, "", 200, "wait=55"],
    ["no preference", { prefer: "" }, "", 304, null],
    ["a wait of nothing", { prefer: "wait=0" }, "", 304, null],
    ["another preference", { prefer: "respond-async, return=minimal" }, "", 304, null],
    ["no number", { prefer: "wait=soon" }, "", 304, null],
    ["a number below nothing", { prefer: "wait=-5" }, "", 304, null],
    ["a fraction", { prefer: "wait=5.5" }, "", 304, null],
    ["the first of two", { prefer: "wait=0, wait=5" }, "", 304, null],
    ["a wait inside of quotes", { prefer: 'foo="a, wait=5"' }, "", 304, null],
    ["quotes without an end", { prefer: 'foo="a, wait=5' }, "", 304, null],
    ["a page further back", {}, "&before=2026-11-20T14:25:31Z", 200, null],
  ] as const)("%s", async (_, headers, query, status, applied) => {
    const { token, etag } = await handset();
    const all = { "if-none-match": etag, prefer: "wait=70", ...headers };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const began = await countPollWakeups(world, "time");
    const answer = await world.handset("GET", `/inbox?limit=50${query}`, token, undefined, given);
    // A page with another limit is always requested separately.
    expect([answer.status, answer.headers.get("preference-applied")]).toEqual([status, applied]);
    expect(await countPollWakeups(world, "time")).toBe(began);
  });

  test.each(["wait=1", "WAIT = 1", "respond-async, wait=1", 'wait="1"; strict, wait=0', 'a="\\",", wait=1'])(
    "but %s waits for a second",
    async (prefer) => {
      const { token, etag } = await handset();
      const ended = await countPollWakeups(world, "time");
      const { status, headers } = await startLongPoll(world, token, etag, { prefer }).answer;
      expect([status, headers.get("preference-applied")]).toEqual([304, "wait=1"]);
      expect(await countPollWakeups(world, "time")).toBe(ended + 1);
    },
  );

  test("HEAD, and an unknown handset", async () => {
    const { token, etag } = await handset();
    const headers = { "if-none-match": etag, prefer: "wait=55" };
    expect((await world.handset("HEAD", "/inbox", token, undefined, headers)).status).toBe(304);
    const nobody = await world.handset(
      "GET",
      "/inbox",
      `${token.slice(0, -1)}${token.endsWith("x") ? "y" : "x"}`,
      undefined,
      headers,
    );
    expect(nobody.status).toBe(401);
  });
});

describe("bounds", () => {
  // rules#held-bounds
  test("four polls a handset: a fifth one ends the oldest", async () => {
    const { token, etag, pusher } = await handset();
    const polls = [];
    for (let i = 1; i <= 4; i++) {
      polls.push(startLongPoll(world, token, etag));
      await waitFor(async () => expect(await countHeldPolls(world)).toBe(i));
    }
    polls.push(startLongPoll(world, token, etag));
    const { status, headers } = await polls[0]!.answer;
    expect([status, headers.get("preference-applied")]).toEqual([304, null]);
    await waitFor(async () => expect(await countHeldPolls(world)).toBe(4));
    await world.alert(pusher.id, { send: true });
    for (const poll of polls.slice(1)) expect((await poll.answer).status).toBe(200);
  });

  // rules#held-bounds
  test("a client that leaves frees its slot at once", async () => {
    const { token, etag } = await handset();
    const poll = startLongPoll(world, token, etag);
    await poll.held();
    poll.leave();
    await waitFor(async () => expect(await countHeldPolls(world)).toBe(0));
    expect(await countPollWakeups(world, "gone")).toBeGreaterThan(0);
    await poll.answer;
  });

  // rules#held-bounds
  test("in all, and for one address: what is beyond is answered at once", async () => {
    const small = await World.open({ settings: { LONG_POLL_LIMIT: "4", LONG_POLL_LIMIT_PER_IP: "2" } });
    try {
      const ask = async (peer: string, signal: AbortSignal) => {
        const { token, etag } = await handset(small);
        const request = new Request("http://localhost/handset/v1/inbox", {
          headers: { authorization: `Bearer ${token}`, "if-none-match": etag, prefer: "wait=55" },
          signal,
        });
        return small.service.app.fetch(request, peer);
      };
      const gone = new AbortController();
      const held = (count: number) => waitFor(async () => expect(await countHeldPolls(small)).toBe(count));
      const applied = (answer: Response) => [answer.status, answer.headers.get("preference-applied")];
      void ask("2001:db8:1:2::1", gone.signal);
      void ask("2001:db8:1:2::ffff", gone.signal);
      await held(2);
      // A network of 64 bits is one address.
      expect(applied(await ask("2001:db8:1:2::2", gone.signal))).toEqual([304, null]);
      void ask("203.0.113.5", gone.signal);
      void ask("127.0.0.1", gone.signal);
      await held(4);
      expect(applied(await ask("203.0.113.5", gone.signal))).toEqual([304, null]);
      expect(applied(await ask("127.0.0.1", gone.signal))).toEqual([304, null]);
      gone.abort();
      await held(0);
      void ask("2001:db8:1:2::1", AbortSignal.timeout(WAIT.timeout));
      await held(1);
    } finally {
      await small.close();
    }
  });

  // rules#held-bounds
  test("a waiting poll is not in flight, uses no database connection, and does not count for latency", async () => {
    const small = await World.open({ settings: { MAX_CONCURRENT_REQUESTS: "3", DATABASE_POOL_SIZE: "2" } });
    try {
      const handsets = await callConcurrently(20, () => handset(small), 1);
      const polls: ReturnType<typeof startLongPoll>[] = [];
      for (const { token, etag } of handsets) {
        polls.push(startLongPoll(small, token, etag, { prefer: "wait=30" }));
        await polls.at(-1)!.held(polls.length);
      }
      // A look at what they listen to is over after a moment.
      await waitFor(async () => {
        const [{ busy }] = await small.sql(
          `select count(*)::int as busy from pg_stat_activity where datname = current_database()
             and pid <> pg_backend_pid() and state <> 'idle'`,
        );
        expect(busy).toBe(0);
      });
      // A poll that is woken reads its inbox, and is a request in flight until its answer.
      for (const [i, { pusher }] of handsets.entries()) {
        await small.alert(pusher.id, { send: true });
        expect((await polls[i]!.answer).status).toBe(200);
      }
    } finally {
      await small.close();
    }
  });

  // rules#poll-turns
  test("polls that begin at once after a start are answered in turn, for any limit of requests in flight", async () => {
    const small = await World.open({ settings: { MAX_CONCURRENT_REQUESTS: "3", DATABASE_POOL_SIZE: "2" } });
    try {
      const { pusher, token } = await handset(small);
      const tokens = [token, ...(await callConcurrently(59, () => small.device(pusher.handle), 2))];
      const answers = await Promise.all(tokens.map((one) => small.handset("GET", "/inbox", one)));
      expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
    } finally {
      await small.close();
    }
  });

  // rules#held-bounds
  test("all polls that one send wakes are answered at once, for any limit of requests in flight", async () => {
    const small = await World.open({ settings: { MAX_CONCURRENT_REQUESTS: "3", DATABASE_POOL_SIZE: "2" } });
    try {
      const { pusher, token, etag } = await handset(small);
      const others = await callConcurrently(59, () => small.device(pusher.handle), 2);
      let handsets = [token, ...others].map((token) => ({ token, etag: '"none"' }));
      const poll = () => handsets.map(({ token, etag }) => startLongPoll(small, token, etag));
      const taken = async (polls: ReturnType<typeof poll>) => {
        const answers = await Promise.all(polls.map(({ answer }) => answer));
        expect(answers.map(({ status }) => status)).toEqual(handsets.map(() => 200));
        handsets = handsets.map(({ token }, i) => ({ token, etag: answers[i]!.headers.get("etag")! }));
        return answers.map(({ body }) => body.data[0]?.title);
      };
      await taken(poll());
      expect(handsets[0]!.etag).toBe(etag);
      for (const title of ["First", "Second"]) {
        const polls = poll();
        await polls[0]!.held(polls.length);
        await small.alert(pusher.id, { title, send: true });
        expect(await taken(polls)).toEqual(handsets.map(() => title));
      }
    } finally {
      await small.close();
    }
  });

  test("a service that ends answers its long polls", async () => {
    const brief = await World.open();
    const { token, etag } = await handset(brief);
    const poll = startLongPoll(brief, token, etag);
    await poll.held();
    await brief.close();
    const { status, headers } = await poll.answer;
    expect([status, headers.get("preference-applied")]).toEqual([304, null]);
  });
});

describe("two processes", () => {
  let other: World;
  beforeAll(async () => {
    other = await world.replica();
  });
  afterAll(() => other?.leave());

  const LISTENERS = `select pid from pg_stat_activity where datname = current_database() and query =
    'listen belfry_changed'`;
  const somebodyListens = () => waitFor(async () => expect((await world.sql(LISTENERS)).length).toBeGreaterThan(0));

  // rules#held-wakes
  test("a commit on one is reported to the other, which finds it itself when the message is lost", async () => {
    const one = await handset();
    const hold = async (etag: string) => {
      const poll = startLongPoll(other, one.token, etag);
      await poll.held();
      return poll;
    };
    const told = async () => (await countPollWakeups(other, "message")) + (await countPollWakeups(other, "scan"));
    let { etag } = one;
    // A poll that is still entered when the alert comes finds it by itself, and needs no word.
    await waitFor(async () => {
      const first = await hold(etag);
      await somebodyListens();
      await world.alert(one.pusher.id, { send: true, title: "Told" });
      const { body, headers } = await first.answer;
      expect(body.data[0].title).toBe("Told");
      etag = headers.get("etag")!;
      expect(await told()).toBeGreaterThan(0);
    });
    // Every message is lost from here on: no subscriber lives for long.
    let killing = true;
    const killer = (async () => {
      while (killing) await world.sql(`select pg_terminate_backend(pid) from (${LISTENERS}) listening`);
    })();
    for (let i = 0; i < 5; i++) {
      const poll = await hold(etag);
      await world.alert(one.pusher.id, { send: true, title: `Lost ${i}` });
      const { status, body, headers } = await poll.answer;
      expect([status, body.data[0].title]).toEqual([200, `Lost ${i}`]);
      etag = headers.get("etag")!;
    }
    killing = false;
    await killer;
  });

  test("a join through the one wakes the polls of the other", async () => {
    const one = await handset();
    const more = await world.pusher();
    const poll = startLongPoll(other, one.token, one.etag);
    await poll.held();
    await joinChannel(world, one.token, more.handle);
    expect((await poll.answer).status).toBe(200);
  });

  test("nonsense on the topic is passed over", async () => {
    const one = await handset();
    const poll = startLongPoll(other, one.token, one.etag);
    await poll.held();
    for (const word of ["", "x", "0123abcd", "0123abcd '; drop table device; --", `0123abcd ${"9".repeat(40)}`])
      await world.sql("select pg_notify('belfry_changed', ?)", [word]);
    await world.alert(one.pusher.id, { send: true });
    expect((await poll.answer).status).toBe(200);
  });
});
