// Reads from standbys, by random calls on three processes. Two of them read from a standby that keeps up and from one
// that lags on purpose. Both are stopped, killed and brought back. Every response contains everything that any client
// had seen before the request.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { type AnyStatement, listStatements } from "../../src/store/db/statement.ts";
import { pause } from "../support/concurrent_calls.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { parseUuid, suspend } from "../support/handsets.ts";
import { lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer, type PostgresServer } from "../support/standbys.ts";
import { waitUntil } from "../support/wait.ts";
import { type Answer, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 2);
/** Alerts of a channel, so that who joins again is shown all (rules#before-joining). One more may be sent. */
const MOST = LIMITS.before_joining - 1;
const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** A client's action: it takes effect between the two, and surely after `told`. */
interface Act {
  began: number;
  told: number;
}
const act = async (work: () => Promise<unknown>, note: (act: Act) => void): Promise<void> => {
  const one = { began: performance.now(), told: Number.POSITIVE_INFINITY };
  note(one);
  await work();
  one.told = performance.now();
};

class Channel {
  readonly id: string;
  readonly handle: string;
  /** The last act of each kind; the acts of a channel follow one another. */
  suspended: Act | null = null;
  restored: Act | null = null;
  readonly alerts = new Map<string, { sent: Act; cancelled: Act | null }>();

  constructor({ id, handle }: { id: string; handle: string }) {
    this.id = id;
    this.handle = handle;
  }

  /** True if all reads in this time must contain the channel, false if none may; null: either. */
  shownIn(from: number, to: number): boolean | null {
    if (!this.suspended || this.suspended.began > to) return true;
    if (this.restored && this.restored.told < from) return true;
    return this.suspended.told < from && !(this.restored && this.restored.began < to) ? false : null;
  }
}

describe.skipIf(lacksReplicaPostgres())("reads from standbys", () => {
  let servers: Awaited<ReturnType<typeof openPrimaryServer>>;
  let prompt: PostgresServer;
  let late: PostgresServer;
  let proxy: DatabaseProxy;
  let plain: World;
  let readers: World[];
  beforeAll(async () => {
    servers = await openPrimaryServer();
    const { primary } = servers;
    await primary.client("createdb", "belfry");
    proxy = await startDatabaseProxy(primary.urlOf("belfry"));
    const settings = { DATABASE_URL: proxy.url };
    plain = await World.open({ settings });
    prompt = await servers.standby();
    late = await servers.standby("recovery_min_apply_delay=1s");
    const DATABASE_READ_URLS = [prompt, late].map((server) => server.urlOf("belfry")).join();
    readers = [];
    for (let i = 0; i < 2; i++)
      readers.push(await plain.replica({ ...settings, DATABASE_READ_URLS, DATABASE_POOL_SIZE: "8" }));
    await answering("answers", "answers");
  });
  afterAll(async () => {
    for (const world of [...(readers ?? []), plain]) await world?.leave();
    await plain?.remove();
    await proxy?.close();
    await servers?.remove();
  });

  const replicasOf = ({ service }: World) => service.replicas!;
  const states = (world: World) => replicasOf(world).each();
  const answering = (...wanted: string[]) =>
    waitUntil(() => readers.every((world) => states(world).every((state, i) => state === wanted[i])));
  const moved = () => readers.reduce((sum, world) => sum + replicasOf(world).counts().moved, 0);

  // rules#replicas
  test("a standby takes every statement that may move, and none of them finds a credential", async () => {
    const moving = listStatements().filter(({ moves }) => moves);
    expect(moving.length).toBeGreaterThan(30);
    expect(moving.map(({ name }) => name)).toContain("find_devices_with_inbox");
    const kept: AnyStatement[] = listStatements().filter(({ path }) => path === "credentials");
    expect(kept.some(({ moves }) => moves)).toBe(false);
    const pool = await plain.service.orm.driver.getConnection().getNativeClient();
    const client = new pool.Client({ connectionString: prompt.urlOf("belfry") });
    await client.connect();
    const refused: string[] = [];
    for (const { name, text, parameters } of moving)
      await client
        .query(
          text,
          parameters.map(() => null),
        )
        .catch((error: { code: string; message: string }) => {
          refused.push(`${name}: ${error.code} ${error.message}`);
        });
    await client.end();
    expect(refused).toEqual([]);
  });

  // rules#replicas rules#inbox-is-state rules#inbox-validator
  test("no handset moves back in time, and each sees all that was returned before its request", async () => {
    const channels = await Promise.all([1, 2, 3].map(async () => new Channel(await plain.pusher())));
    const here = () => any([plain, ...readers]);
    let polls = 0;
    let unchanged = 0;
    /** The number of times that the late standby lacked a fresh send: without these the test could not see a fault. */
    let lacking = 0;
    let ended = false;

    /** Acts of one channel's owner, one after the other. */
    async function own(channel: Channel): Promise<void> {
      for (let i = 0; i < 12 * ROUNDS; i++) {
        const live = [...channel.alerts].filter(([, { cancelled }]) => !cancelled);
        const [alertId, alert] = any(live) ?? [];
        const what = Math.random();
        if (what < 0.15) {
          channel.restored = null;
          await act(
            () => suspend(plain, channel.handle),
            (one) => (channel.suspended = one),
          );
          await pause(Math.random() * 60);
          await act(
            () => suspend(plain, channel.handle, false),
            (one) => (channel.restored = one),
          );
        } else if (alert && (what < 0.4 || live.length > MOST)) {
          await act(
            () => here().rest("cancel_alert", { pusher_id: channel.id, alert_id: alertId }),
            (one) => (alert.cancelled = one),
          );
        } else {
          const sent: Act = { began: performance.now(), told: Number.POSITIVE_INFINITY };
          const args = { pusher_id: channel.id, title: `Alert ${i}`, send: true };
          const { status, body } = await here().rest("create_alert", args);
          if (status === 201) {
            sent.told = performance.now();
            channel.alerts.set(body.id, { sent, cancelled: null });
            const count = `select count(*) from alert where id = '${parseUuid(body.id)}'`;
            const there = await late.client("psql", "-d", "belfry", "-Atc", count).catch(() => "");
            if (there.trim() === "0") lacking++;
          }
        }
        await pause(Math.random() * 120);
      }
    }

    /** A handset: polls, joins, leaves, and is deleted at the end; every response is compared with the actions. */
    async function follow(): Promise<void> {
      const token = await plain.device();
      const joined = new Set<Channel>();
      let etag = '"none"';
      let shown = new Set<string>();
      while (!ended) {
        if (Math.random() < 0.2) {
          const channel = any(channels);
          const leaves = joined.has(channel);
          const { status } = await here().handset(
            leaves ? "DELETE" : "PUT",
            `/subscriptions/${channel.handle}`,
            token,
            leaves ? undefined : {},
          );
          if (status < 300 && leaves) joined.delete(channel);
          else if (status < 300) joined.add(channel);
        }
        const from = performance.now();
        const prefer: Record<string, string> = Math.random() < 0.3 ? { prefer: "wait=1" } : {};
        const answer = await here().handset("GET", "/inbox?limit=100", token, undefined, {
          "if-none-match": etag,
          ...prefer,
        });
        const to = performance.now();
        polls++;
        expect([200, 304]).toContain(answer.status);
        const before = shown;
        if (answer.status === 200) {
          etag = answer.headers.get("etag")!;
          shown = new Set(answer.body.data.map(({ id }: { id: string }) => id));
        } else unchanged++;
        check(joined, before, shown, from, to);
        await pause(Math.random() * 20);
      }
      await here().handset("DELETE", "/devices/me", token);
      expect((await here().handset("GET", "/inbox", token)).status).toBe(401);
    }

    function check(joined: Set<Channel>, before: Set<string>, shown: Set<string>, from: number, to: number) {
      for (const channel of channels) {
        const visible = joined.has(channel) ? channel.shownIn(from, to) : false;
        for (const [id, { sent, cancelled }] of channel.alerts) {
          const there = shown.has(id);
          if (visible === false || (cancelled && cancelled.told < from)) expect([id, there]).toEqual([id, false]);
          else if (visible && !(cancelled && cancelled.began < to) && (sent.told < from || before.has(id)))
            expect([id, there]).toEqual([id, true]);
        }
      }
    }

    /** Standbys fall silent, end and come back in the meantime. */
    async function disturb(): Promise<void> {
      for (let i = 0; i < ROUNDS && !ended; i++) {
        prompt.signal("SIGSTOP");
        await pause(900);
        prompt.signal("SIGCONT");
        await pause(600);
        const server = any([prompt, late]);
        await server.stop("immediate");
        await pause(300);
        await server.start(...(server === late ? ["recovery_min_apply_delay=1s"] : []));
        await pause(600);
      }
    }

    const handsets = Array.from({ length: 6 }, follow);
    await Promise.race([Promise.all([...channels.map(own), disturb()]), Promise.all(handsets)]);
    ended = true;
    await Promise.all(handsets);
    const counts = readers.map((world) => replicasOf(world).counts());
    console.log(`replicas: ${JSON.stringify({ polls, unchanged, lacking, counts })}`);
    expect(lacking).toBeGreaterThan(0);
    for (const { moved, stayed } of counts) expect(Math.min(moved, stayed)).toBeGreaterThan(0);
  });

  // rules#replicas
  test("a standby of other rows answers nothing", async () => {
    const { primary } = servers;
    await primary.client("createdb", "other");
    const rows = `create table channel_state (); create table database_epoch (epoch uuid, timeline text);
      insert into database_epoch values (gen_random_uuid(), '00000001')`;
    await primary.client("psql", "-d", "other", "-qc", rows);
    const DATABASE_READ_URLS = prompt.urlOf("other");
    const reader = await plain.replica({ DATABASE_URL: proxy.url, DATABASE_READ_URLS });
    await waitUntil(() => states(reader)[0] === "behind");
    const token = await plain.device();
    expect((await reader.handset("GET", "/inbox", token)).status).toBe(200);
    expect(replicasOf(reader).counts().moved).toBe(0);
    await reader.leave();
  });

  // rules#replicas
  test("one that falls silent is left out, and one that was promoted is not a standby", async () => {
    await waitUntil(() => states(readers[0]!)[0] === "answers");
    const token = await plain.device();
    const poll = (): Promise<Answer> => readers[0]!.handset("GET", "/inbox", token);
    await late.stop("immediate");
    await waitUntil(() => states(readers[0]!)[1] === "away");
    const already = moved();
    await waitUntil(async () => (await poll()).status === 200 && moved() > already);
    prompt.signal("SIGSTOP");
    // It waits for a silent standby, and gets its response from the primary.
    expect((await poll()).status).toBe(200);
    await answering("away", "away");
    const last = moved();
    expect((await poll()).status).toBe(200);
    expect(moved()).toBe(last);
    prompt.signal("SIGCONT");
    await waitUntil(async () => (await poll()).status === 200 && moved() > last);
    await prompt.promote();
    await answering("away", "away");
    expect((await poll()).status).toBe(200);
  });

  // rules#replicas rules#inbox-epoch
  test("after a failover the standbys of the new primary respond, and no earlier validator is valid", async () => {
    const token = await plain.device((await plain.pusher()).handle);
    const [reader] = readers as [World];
    const poll = (etag: string) => reader.handset("GET", "/inbox", token, undefined, { "if-none-match": etag });
    const etag = (await poll("")).headers.get("etag")!;
    expect((await poll(etag)).status).toBe(304);
    // It follows the server that took over, from where that one left the other.
    await late.start(`primary_conninfo=${prompt.urlOf("postgres")}`);
    proxy.leadTo(prompt.urlOf("belfry"));
    await servers.primary.stop("immediate");
    await answering("away", "answers");
    const before = moved();
    await waitUntil(async () => {
      const { status } = await poll(etag);
      expect(status).not.toBe(304);
      return moved() > before;
    });
  });
});
