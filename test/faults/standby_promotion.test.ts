// The database dies under load and its synchronous standby is promoted, with both hosts in DATABASE_URL. Acknowledged
// data exists once, waiting clients continue, and a former primary that comes back is not written to.
// rules#several-hosts

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOrm } from "../../src/store/db/orm.ts";
import { type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer, type PostgresServer } from "../support/standbys.ts";
import { StreamHandset } from "../support/stream_handset.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const WRITERS = 4;

describe.skipIf(lacksReplicaPostgres())("a primary and its synchronous standby", () => {
  const folder = temporaryFolder();
  let servers: Awaited<ReturnType<typeof openPrimaryServer>>;
  let standby: PostgresServer;
  let url: string;
  let world: World;
  let service: RunningServer;

  const start = () =>
    startServer(join(folder.path, "service"), {
      settings: {
        ...world.settings,
        DATABASE_URL: url,
        DATABASE_READ_URLS: standby.urlOf("belfry"),
        DATABASE_CONNECT_TIMEOUT_MS: "5000",
        LOG_LEVEL: "error",
      },
    });
  const one = async (server: PostgresServer, sql: string) =>
    (await server.client("psql", "-d", "belfry", "-Atc", sql)).trim();

  beforeAll(async () => {
    servers = await openPrimaryServer();
    const { primary } = servers;
    await primary.client("createdb", "belfry");
    standby = await servers.standby();
    await one(primary, "alter system set synchronous_standby_names = '*'");
    await one(primary, "select pg_reload_conf()");
    await waitUntil(
      async () => (await one(primary, "select count(*) from pg_stat_replication where sync_state = 'sync'")) === "1",
    );
    // The first that is named takes no writes.
    url = `postgresql://belfry@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/belfry`;
    world = await World.open({ settings: { DATABASE_URL: url } });
    service = await start();
  });
  afterAll(async () => {
    await service?.stop("SIGKILL");
    await world?.close();
    await servers?.remove();
    folder.remove();
  });

  const call = async (method: string, path: string, token: string, body?: unknown, headers = {}) => {
    const answer = await fetch(service.url + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
  };

  /** Clients that write until they are stopped, and repeat unanswered requests under their key. */
  function writing(name: string) {
    const acknowledged: string[] = [];
    const refused = new Map<number, number>();
    let going = true;
    let last = performance.now();
    let away = 0;
    const writer = async (n: number) => {
      const channel = await world.pusher();
      for (let i = 0; going; i++) {
        const title = `${name} ${n}.${i}`;
        // As many are sent as may be; the others are drafts.
        const body = { title, send: i < 25 };
        for (let status = 0; status !== 201; ) {
          ({ status } = await call("POST", `/api/v1/pushers/${channel.id}/alerts`, world.owner, body, {
            "idempotency-key": title,
          }));
          if (status !== 201) refused.set(status, (refused.get(status) ?? 0) + 1);
          expect([201, 409, 503]).toContain(status);
        }
        away = Math.max(away, performance.now() - last);
        last = performance.now();
        acknowledged.push(title);
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    return {
      acknowledged,
      refused,
      away: () => Math.round(away),
      /** Resolves once this number more was acknowledged. */
      more: (count: number) => {
        const until = acknowledged.length + count;
        return Promise.race([writers, waitUntil(() => acknowledged.length >= until)]);
      },
      async end() {
        going = false;
        await writers;
      },
    };
  }
  /** The rows that were written under a name. */
  const kept = async (name: string) =>
    (await world.sql<{ title: string }>("select title from alert where title like ?", [`${name} %`])).map(
      ({ title }) => title,
    );

  test("killed under load, nothing acknowledged is lost or doubled, and polls and streams go on", async () => {
    const { primary } = servers;
    // A read uses the standby, though the service has found that it accepts no writes.
    await waitUntil(
      async () =>
        (await one(
          standby,
          "select count(*) > 0 from pg_stat_activity where query like '%replay%' and pid <> pg_backend_pid()",
        )) === "t",
    );
    const channel = await world.pusher();
    const token = await world.device(channel.handle);
    const inbox = (headers: Record<string, string>) => call("GET", "/handset/v1/inbox", token, undefined, headers);
    const follower = new StreamHandset({ token, urls: [service.url], poll: inbox });
    const held: number[] = [];
    let polling = true;
    const poller = (async () => {
      for (let etag = '"none"'; polling; ) {
        const { status, headers } = await inbox({ "if-none-match": etag, prefer: "wait=2" });
        held.push(status);
        etag = headers.get("etag") ?? etag;
      }
    })();
    const load = writing("killed");
    await load.more(100);
    primary.signal("SIGKILL");
    await standby.promote();
    await load.more(100);
    const sent = await call("POST", `/api/v1/pushers/${channel.id}/alerts`, world.owner, {
      title: "after all",
      send: true,
    });
    expect(sent.status).toBe(201);
    await waitUntil(() => follower.rows.has(sent.body.id));
    await load.end();
    polling = false;
    await poller;
    await follower.end();
    expect((await kept("killed")).sort()).toEqual([...load.acknowledged].sort());
    // Requests in the meantime get a response to retry, and nothing else.
    expect(held.filter((status) => ![200, 304, 503].includes(status))).toEqual([]);
    console.log(
      `killed and promoted: ${load.acknowledged.length} acknowledged and there once; ${load.away()} ms without one; ` +
        `repeated after ${JSON.stringify([...load.refused])}`,
    );
  });

  test("a former primary that accepts writes again is not written to by a running or a starting service", async () => {
    const { primary } = servers;
    // A wrong configuration: it waits for no standby, and accepts every write.
    await primary.start("synchronous_standby_names=");
    const there = await one(primary, "select count(*) || ' ' || pg_is_in_recovery() from alert");
    expect(there).toMatch(/^\d+ false$/);
    const load = writing("former");
    await load.more(30);
    // It reopens all of its connections, and tries both hosts.
    for (let i = 0; i < 3; i++) {
      await one(
        standby,
        "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> " +
          "pg_backend_pid()",
      );
      await load.more(30);
    }
    await load.end();
    await service.stop("SIGKILL");
    service = await start();
    const again = writing("fresh");
    await again.more(30);
    await again.end();
    expect(await one(primary, "select count(*) || ' ' || pg_is_in_recovery() from alert")).toBe(there);
    for (const [name, { acknowledged }] of Object.entries({ former: load, fresh: again }))
      expect((await kept(name)).sort()).toEqual([...acknowledged].sort());
    await primary.stop("immediate");
  });

  test("where none takes writes, that is said as of a database that is away", async () => {
    const { primary } = servers;
    await primary.start("default_transaction_read_only=on");
    const alone = `${primary.urlOf("belfry")}?target_session_attrs=read-write`;
    const orm = createOrm({ databaseUrl: alone, databasePoolSize: 1 });
    await expect(orm.em.fork().execute("select 1")).rejects.toMatchObject({ code: "08001" });
    await orm.close(true);
    const reading = createOrm({ databaseUrl: primary.urlOf("belfry"), databasePoolSize: 1 });
    expect(await reading.em.fork().execute("select 1 as there")).toEqual([{ there: 1 }]);
    await reading.close(true);
  });
});
