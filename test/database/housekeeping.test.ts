// Ended data is deleted, and nothing else: each step of the list, several replicas at once, the counters, and the end
// of the service.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { describe, expect, test, vi } from "vitest";
import { createHousekeeping } from "../../src/effects/housekeeping/job_scheduler.ts";
import { createJobSearch, findJobsWithWork } from "../../src/effects/housekeeping/jobs_with_work.ts";
import { checkDatabaseConsistency } from "../../src/identity/operator/consistency_checks.ts";
import { createMetrics } from "../../src/program/boot/metrics.ts";
import { runStatement } from "../../src/store/db/statement.ts";
import { parseUuid, waitForSubscriberCount } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { waitFor } from "../support/wait.ts";

/** Rows that a step finds and rows that it must leave, as SQL; `n` of each. */
const ENDED: Record<
  string,
  { table: string; fill: (count: number, age: string) => string; live: string; over: string }
> = {
  one_time_links: {
    table: "member_link",
    fill: (count, age) => `insert into member_link (token_hash, member_id, issued_by, expires_at)
      select sha256(gen_random_uuid()::text::bytea), (select id from member limit 1), 'operator', now() - interval
        '${age}'
      from generate_series(1, ${count})`,
    live: "29 days",
    over: "31 days",
  },
  sessions: {
    table: "auth.session",
    fill: (count, age) => `insert into auth.session (id, "expiresAt", token, "updatedAt", "userId")
      select gen_random_uuid()::text, now() - interval '${age}', gen_random_uuid()::text, now(), 'person'
      from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  verifications: {
    table: "auth.verification",
    fill: (count, age) => `insert into auth.verification (id, identifier, value, "expiresAt")
      select gen_random_uuid()::text, 'x', 'x', now() - interval '${age}' from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  oauth_access_tokens: {
    table: 'auth."oauthAccessToken"',
    fill: (count, age) => `insert into auth."oauthAccessToken" (id, token, "clientId", "expiresAt", "createdAt", scopes)
      select gen_random_uuid()::text, gen_random_uuid()::text, 'client', now() - interval '${age}', now(), '[]'
      from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  oauth_refresh_tokens: {
    table: 'auth."oauthRefreshToken"',
    fill: (
      count,
      age,
    ) => `insert into auth."oauthRefreshToken" (id, token, "clientId", "userId", "expiresAt", "createdAt", scopes)
      select gen_random_uuid()::text, gen_random_uuid()::text, 'client', 'person', now() - interval '${age}', now(),
        '[]'
      from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  connection_grants: {
    table: "connection_grant",
    fill: (count, age) => `with one as (
        insert into connection (id, user_id, client_id, member_id, scopes)
        select gen_random_uuid(), 'person', 'client', id, '{}' from member limit 1
        on conflict (user_id, client_id, member_id) do update set scopes = '{}' returning id)
      insert into connection_grant (id, connection_id, created_at)
      select gen_random_uuid(), one.id, now() - interval '${age}' from one, generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  oauth_client_assertions: {
    table: 'auth."oauthClientAssertion"',
    fill: (count, age) => `insert into auth."oauthClientAssertion" (id, "expiresAt")
      select gen_random_uuid()::text, now() - interval '${age}' from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  oauth_clients: {
    table: 'auth."oauthClient"',
    fill: (count, age) => `insert into auth."oauthClient" (id, "clientId", "redirectUris", "createdAt")
      select gen_random_uuid()::text, gen_random_uuid()::text, '[]', now() - interval '${age}'
      from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  step_ups: {
    table: "step_up",
    fill: (count, age) => `insert into step_up (user_id, client_id, requested_at)
      select 'x', gen_random_uuid()::text, now() - interval '${age}' from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  device_transfers: {
    table: "device_transfer",
    fill: (count, age) => `with made as (
        insert into device (id, token_hash, platform, app_version, locale, timezone)
        select floor(random() * 1e15), decode(md5(random()::text), 'hex'), 'other', '1', 'en', 'UTC'
        from generate_series(1, ${count}) returning id)
      insert into device_transfer (device_id, code_hash, expires_at)
      select id, decode(md5(random()::text), 'hex'), now() - interval '${age}' from made`,
    live: "23 hours",
    over: "25 hours",
  },
  test_device_links: {
    table: "test_device",
    fill: (count, age) => `insert into test_device (id, user_id, code_hash, expires_at)
      select gen_random_uuid(), 'nobody', decode(md5(random()::text), 'hex'), now() - interval '${age}'
      from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
  alert_changes: {
    table: "alert_change",
    fill: (count, age) => `with made as (
        insert into alert (id, pusher_id, title) select gen_random_uuid(), p.id, 'x'
        from (select id from pusher limit 1) p, generate_series(1, ${count}) returning id)
      insert into alert_change (alert_id, updated_at, previous_values) select id, now() - interval '${age}', '{}'
        from made`,
    live: "29 days",
    over: "31 days",
  },
  webhook_deliveries: {
    table: "webhook_delivery",
    fill: (count, age) => `with endpoint as (
        insert into webhook_endpoint (id, workspace_id, member_id, url, events, secret, created_at)
        select gen_random_uuid(), w.id, m.id, 'https://example.org', '{}', '', now()
        from workspace w join member m on m.workspace_id = w.id limit 1 returning id)
      insert into webhook_delivery (id, endpoint_id, event, body, created_at)
      select gen_random_uuid(), endpoint.id, 'alert.sent', '{}', now() - interval '${age}'
      from endpoint, generate_series(1, ${count})`,
    live: "6 days",
    over: "8 days",
  },
  events: {
    table: "workspace_event",
    fill: (count, age) => `insert into workspace_event (id, workspace_id, pusher_id, body, position, created_at)
      select gen_random_uuid(), (select id from workspace limit 1), gen_random_uuid(), '{}', nullif(n % 2, 0),
        now() - interval '${age}'
      from generate_series(1, ${count}) n`,
    live: "6 days",
    over: "8 days",
  },
  idempotency_records: {
    table: "idempotency_record",
    fill: (count, age) => `insert into idempotency_record (credential_id, operation, key, request_hash, created_at)
      select 'x', 'x', gen_random_uuid()::text, '', now() - interval '${age}' from generate_series(1, ${count})`,
    live: "23 hours",
    over: "25 hours",
  },
};

const world = await openWorld();
await world.sql(`insert into auth."user" (id, name, email, "emailVerified", "updatedAt")
  values ('person', 'P', 'p@example.org', true, now())`);
await world.sql(`insert into auth."oauthClient" (id, "clientId", "redirectUris") values ('c', 'client', '[]')`);

describe("housekeeping", () => {
  const count = async (table: string) => (await world.sql(`select count(*)::int as n from ${table}`))[0].n;
  const age = (token: string, days: number) =>
    world.sql(
      `update device set last_seen_at = now() - interval '${days} days' where token_hash = sha256(convert_to(?,
        'UTF8'))`,
      [token],
    );
  const there = async (token: string) => (await world.handset("GET", "/inbox", token)).status === 200;

  // rules#find-earlier
  test("alerts of an earlier version get their terms, and concurrent edits are found by their new text", async () => {
    const { id } = await world.pusher();
    const written = await world.alert(id, { title: "Lighthouse" });
    const edited = await world.alert(id, { title: "Windmill" });
    const { body: me } = await world.rest("get_me");
    await world.sql("update alert set search_vector = null");
    await world.sql("insert into alert (id, pusher_id, title) values (gen_random_uuid(), ?, 'LIGHTHOUSE keeper')", [
      parseUuid(id),
    ]);
    const edit = { pusher_id: id, alert_id: edited.id, title: "Watermill" };
    expect((await world.rest("update_alert", edit)).status).toBe(200);
    const found = async (args: object) =>
      (await world.rest("list_alerts", { pusher_id: id, ...args })).body.data.map((row: any) => row.title).sort();
    expect(await found({ query: "lighthouse" })).toEqual([]);
    expect(await world.service.housekeeping.round("unindexed_alerts")).toBe(3);
    expect(await world.service.housekeeping.round("unindexed_alerts")).toBe(0);
    expect(await found({ query: "lighthouse" })).toEqual(["LIGHTHOUSE keeper", "Lighthouse"]);
    expect(await found({ query: "mill" })).toEqual([]);
    expect(await found({ query: "watermill", writer: me.credential.id })).toEqual(["Watermill"]);
    // Alerts that this version edits from then on keep their author.
    expect((await world.rest("update_alert", { ...edit, title: "Sawmill" })).status).toBe(200);
    expect(await found({ query: "sawmill", writer: me.credential.id })).toEqual(["Sawmill"]);
    expect(await found({ query: "watermill" })).toEqual([]);
    await world.rest("delete_alert", { pusher_id: id, alert_id: written.id });
    expect(await found({ query: "lighthouse" })).toEqual(["LIGHTHOUSE keeper"]);
  });

  // rules#idle-work
  test("a search reports the time until the next alert is due, and counts statements", async () => {
    await world.pusher();
    // Other rounds do not see these rows, which are rolled back.
    const rest = async (dueAt: string, pending = false) => {
      const em = world.service.orm.em.fork() as SqlEntityManager;
      await em.begin();
      await em.execute(
        "update alert_counter set visible_pending = false, acks_pending = false, replies_pending = false",
      );
      await em.execute(`update channel_state set next_due_at = ${dueAt}, subscribers_pending = ${pending}`);
      const [found] = await runStatement(em, findJobsWithWork, {});
      await em.rollback();
      return found!.rest_seconds;
    };
    expect(await rest("null")).toBe(5);
    expect(await rest("now() + interval '1 hour'")).toBe(5);
    expect(await rest("now() + interval '4 seconds'")).toBe(4);
    expect(await rest("now() - interval '1 year'")).toBe(0);
    expect(await rest("null", true)).toBe(0);
    const { findWaiting, countStatements } = createJobSearch(world.service.orm, true);
    const before = countStatements!();
    await findWaiting();
    expect(countStatements!()).toBeGreaterThan(before);
  });

  test("every job is one of the list, with its sentence, its size and its interval", () => {
    const jobs = world.service.housekeeping.jobs;
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
    for (const job of jobs) {
      expect(job.removes).toMatch(/^[A-Z].*\.$/);
      expect(job.batch).toBeGreaterThan(0);
      expect(job.batch).toBeLessThanOrEqual(1000);
      const least =
        { pending_subscriber_events: 1, due_alerts: 1, due_series: 1, pending_alert_events: 1 }[job.name] ?? 60;
      expect(job.every_seconds).toBeGreaterThanOrEqual(least);
    }
    // A new statement needs rows here that it must remove and rows that it must leave.
    expect(jobs.filter((job) => "statement" in job).map(({ name }) => name)).toEqual(Object.keys(ENDED));
  });

  test.each(Object.entries(ENDED))(
    "%s: expired rows are removed, a batch at a time; others stay",
    async (name, row) => {
      await world.pusher();
      const before = await count(row.table);
      const { batch } = world.service.housekeeping.jobs.find((job) => job.name === name)!;
      await world.sql(row.fill(3, row.live));
      await world.sql(row.fill(batch + 7, row.over));
      expect(await world.service.housekeeping.round(name)).toBe(batch);
      expect(await world.service.housekeeping.round(name)).toBe(7);
      expect(await world.service.housekeeping.round(name)).toBe(0);
      expect(await count(row.table)).toBe(before + 3);
    },
  );

  // rules#devices-not-seen
  test("devices not seen for a year go like leaving; what they reported stays counted", async () => {
    const channel = await world.pusher();
    const other = await world.pusher();
    const alert = await world.alert(channel.id, { send: true });
    const old = [await world.device(channel.handle, other.handle), await world.device(channel.handle)];
    const lone = await world.device();
    const kept = await world.device(channel.handle);
    for (const token of old)
      await world.handset("POST", "/reports", token, { reports: [{ alert_id: alert.id, kind: "ack" }] });
    for (const token of [...old, lone]) await age(token, 366);
    await age(kept, 364);
    await waitForSubscriberCount(world, channel.id, 3);
    world.events.length = 0;

    expect(await world.service.housekeeping.round("unseen_devices")).toBe(3);
    for (const token of [...old, lone]) expect(await there(token)).toBe(false);
    expect(await there(kept)).toBe(true);
    const stats = (await world.rest("get_alert_stats", { pusher_id: channel.id, alert_id: alert.id })).body;
    expect(stats).toMatchObject({ reach: 1, totals: { acks: 2 } });
    await waitForSubscriberCount(world, channel.id, 1);
    await waitForSubscriberCount(world, other.id, 0);
    expect(world.events).toHaveLength(2);
    const { checks } = await checkDatabaseConsistency(world.service.orm.em.fork());
    expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
    expect(await world.service.housekeeping.round("unseen_devices")).toBe(0);
  });

  test("a device that comes by is seen, at most once a day", async () => {
    const token = await world.device();
    await age(token, 364);
    const seen = async () =>
      (
        await world.sql(
          `select (now() - last_seen_at < interval '1 minute') as now, xmin::text from device
            where token_hash = sha256(convert_to(?, 'UTF8'))`,
          [token],
        )
      )[0];
    expect(await there(token)).toBe(true);
    await waitFor(async () => expect((await seen()).now).toBe(true));
    const { xmin } = await seen();
    for (let i = 0; i < 20; i++) await there(token);
    expect((await seen()).xmin).toBe(xmin);
  });

  test("removed rows are in /metrics, a failed round too", async () => {
    await world.sql(ENDED.idempotency_records!.fill(2, "25 hours"));
    await world.service.housekeeping.round("idempotency_records");
    const { store } = world.service.assets;
    const { remove } = store;
    store.remove = async () => {
      throw new Error("store away");
    };
    await world.sql(`insert into asset (id, workspace_id, kind, content_type, bytes, sha256, name, expires_at)
      select gen_random_uuid(), id, 'image', 'image/png', 1, '', 'x', now() - interval '1 hour' from workspace limit
        1`);
    await expect(world.service.housekeeping.round("unused_files")).rejects.toThrow("store away");
    store.remove = remove;
    const text = (await world.request("GET", "/metrics")).body as string;
    expect(text).toMatch(/belfry_housekeeping_removed_total\{step="idempotency_records"\} [1-9]/);
    expect(text).toMatch(/belfry_housekeeping_runs_total\{step="unused_files",outcome="failed"\} 1/);
    expect(text).toMatch(/belfry_housekeeping_last_success_timestamp_seconds\{step="idempotency_records"\} \d/);
    expect(text).toMatch(/belfry_housekeeping_last_failure_timestamp_seconds\{step="unused_files"\} \d/);
    expect(text).not.toMatch(/last_failure_timestamp_seconds\{step="idempotency_records"/);
    await world.service.housekeeping.round("unused_files");
  });

  test("two replicas at once remove everything once, during joins and leaves", async () => {
    const replica = await world.replica();
    try {
      const channels = await Promise.all([1, 2, 3].map(() => world.pusher()));
      const handles = channels.map(({ handle }) => handle);
      const old = await Promise.all(Array.from({ length: 60 }, () => world.device(...handles)));
      await world.sql("update device set last_seen_at = now() - interval '400 days'");
      const fresh = await Promise.all(Array.from({ length: 5 }, () => world.device()));
      await world.sql(ENDED.sessions!.fill(700, "25 hours"));
      const rounds = (name: string) =>
        Promise.all([world, replica].flatMap(({ service }) => [1, 2].map(() => service.housekeeping.round(name))));
      const busy = fresh.map(async (token) => {
        for (const handle of handles) {
          await world.handset("PUT", `/subscriptions/${handle}`, token, {});
          await world.handset("DELETE", `/subscriptions/${handle}`, token);
        }
      });
      const [sessions, devices] = await Promise.all([rounds("sessions"), rounds("unseen_devices"), ...busy]);
      expect(sessions!.reduce((sum, n) => sum + n)).toBe(700);
      expect(devices!.reduce((sum, n) => sum + n)).toBeGreaterThanOrEqual(old.length);
      const { checks } = await checkDatabaseConsistency(world.service.orm.em.fork());
      expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
    } finally {
      await replica.leave();
    }
  });
});

describe("the keeper", () => {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const keeper = (
    work: () => Promise<number>,
    findWaiting?: () => Promise<string[]>,
    others: Partial<Parameters<typeof createHousekeeping>[0]> = {},
  ) =>
    createHousekeeping({
      jobs: [{ name: "x", removes: "X.", batch: 10, every_seconds: 3600, waits: findWaiting !== undefined, work }],
      findWaiting: async () => ({ names: (await findWaiting?.()) ?? [], rest_seconds: 5 }),
      fork: () => undefined as never,
      metrics: createMetrics(),
      log: quiet,
      random: () => 0,
      ...others,
    });

  test("repeats soon while batches are full, then rests, and tries a failed job again", async () => {
    vi.useFakeTimers();
    try {
      const found = [10, 10, 3, new Error("away"), 0];
      const work = vi.fn(async () => {
        const next = found.shift()!;
        if (next instanceof Error) throw next;
        return next;
      });
      const own = keeper(work);
      // One of several processes starts the work.
      await vi.advanceTimersByTimeAsync(200_000);
      expect(work).toHaveBeenCalledTimes(0);
      own.begin();
      await vi.advanceTimersByTimeAsync(29_000);
      expect(work).toHaveBeenCalledTimes(0);
      await vi.advanceTimersByTimeAsync(4_000);
      expect(work).toHaveBeenCalledTimes(3);
      await vi.advanceTimersByTimeAsync(3_590_000);
      expect(work).toHaveBeenCalledTimes(3);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(work).toHaveBeenCalledTimes(4);
      await vi.advanceTimersByTimeAsync(61_000);
      expect(work).toHaveBeenCalledTimes(5);
      await own.close();
    } finally {
      vi.useRealTimers();
    }
  });

  // rules#idle-work
  test("a waiting job runs only after a search that found it, and again soon after a whole batch", async () => {
    vi.useFakeTimers();
    try {
      const found = [[], ["x"], new Error("away"), ["x"], []];
      const findWaiting = vi.fn(async () => {
        const next = found.shift() ?? [];
        if (next instanceof Error) throw next;
        return next;
      });
      const sizes = [10, 3, new Error("away"), 2];
      const work = vi.fn(async () => {
        const next = sizes.shift() ?? 0;
        if (next instanceof Error) throw next;
        return next;
      });
      const own = keeper(work, findWaiting);
      own.begin();
      const calls = async (ms: number) => {
        await vi.advanceTimersByTimeAsync(ms);
        return [findWaiting.mock.calls.length, work.mock.calls.length];
      };
      expect(await calls(1_000)).toEqual([1, 0]);
      expect(await calls(1_000)).toEqual([2, 1]);
      // The batch was whole, so another round follows. The third search fails and is repeated after a minute.
      expect(await calls(1_000)).toEqual([3, 2]);
      expect(await calls(59_000)).toEqual([3, 2]);
      // The round fails. Until its next attempt a minute later, searches do not start it.
      expect(await calls(1_000)).toEqual([4, 3]);
      found.unshift(["x"]);
      expect(await calls(1_000)).toEqual([5, 3]);
      expect(await calls(59_000)).toEqual([64, 4]);
      await own.close();
      expect(await calls(10_000)).toEqual([64, 4]);
    } finally {
      vi.useRealTimers();
    }
  });

  // rules#idle-work
  test("searches are left out without other statements, until a job is due", async () => {
    vi.useFakeTimers();
    try {
      let statements = 0;
      let rest_seconds = 5;
      const findWaiting = vi.fn(async () => {
        statements++;
        return { names: [], rest_seconds };
      });
      const own = keeper(
        async () => 0,
        async () => [],
        { findWaiting, countStatements: () => statements },
      );
      own.begin();
      const searches = async (ms: number) => {
        findWaiting.mockClear();
        await vi.advanceTimersByTimeAsync(ms);
        return findWaiting.mock.calls.length;
      };
      expect(await searches(1_000)).toBe(1);
      expect(await searches(4_000)).toBe(0);
      expect(await searches(11_000)).toBe(3);
      // A change is seen within a second, also one that ends during a search.
      statements++;
      findWaiting.mockImplementationOnce(async () => {
        statements += 2;
        return { names: [], rest_seconds };
      });
      expect(await searches(1_000)).toBe(1);
      expect(await searches(1_000)).toBe(1);
      expect(await searches(4_000)).toBe(0);
      // An alert that comes due, and events that wait for their time.
      rest_seconds = 2;
      expect(await searches(1_000)).toBe(1);
      rest_seconds = 0;
      expect(await searches(1_000)).toBe(0);
      expect(await searches(1_000)).toBe(1);
      expect(await searches(3_000)).toBe(3);
      await own.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("a waiting job whose timer fires during a search runs once", async () => {
    vi.useFakeTimers();
    try {
      const work = vi.fn(async () => 10);
      let answer!: (names: string[]) => void;
      const findWaiting = vi
        .fn<() => Promise<string[]>>(() => new Promise((resolve) => (answer = resolve)))
        .mockResolvedValueOnce(["x"]);
      const own = keeper(work, findWaiting);
      own.begin();
      // The whole batch plans another round. The second search begins before that, and lasts longer.
      await vi.advanceTimersByTimeAsync(2_000);
      const before = work.mock.calls.length;
      await vi.advanceTimersByTimeAsync(5_000);
      answer(["x"]);
      await vi.advanceTimersByTimeAsync(0);
      expect([findWaiting.mock.calls.length, work.mock.calls.length - before]).toEqual([2, 1]);
      await own.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("closing waits for the round under way and begins no other", async () => {
    let end!: (removed: number) => void;
    const work = vi.fn(() => new Promise<number>((resolve) => (end = resolve)));
    const own = keeper(work);
    const rounds = [own.round("x"), own.round("x")];
    await waitFor(() => expect(work).toHaveBeenCalledTimes(1));
    let closed = false;
    const closing = own.close().then(() => (closed = true));
    await Promise.resolve();
    expect(closed).toBe(false);
    end(10);
    await closing;
    expect(await Promise.all(rounds)).toEqual([10, 0]);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
