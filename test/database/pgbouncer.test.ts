// The service behind a real pgbouncer, in both of its modes, next to one without it. It covers its queries, the state
// of its connections, and the notifications between the two. rules#database-pooler

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { type ExternalServer, startPgbouncer } from "../support/external_servers.ts";
import { countPollWakeups, startLongPoll } from "../support/long_polls.ts";
import { runBelfryShared, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const BOUNDS = {
  DATABASE_STATEMENT_TIMEOUT_MS: "61000",
  DATABASE_LOCK_TIMEOUT_MS: "62000",
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: "63000",
};
const CONNECT_QUERY =
  "set statement_timeout = 61000; set lock_timeout = 62000; set idle_in_transaction_session_timeout = 63000";

describe.skipIf(isMissing("pgbouncer"))("behind pgbouncer", () => {
  const folder = temporaryFolder();
  let direct: World;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    direct = await World.open();
    proxy = await startDatabaseProxy(direct.settings.DATABASE_URL!);
  });
  afterAll(async () => {
    await proxy?.close();
    await direct?.close();
    folder.remove();
  });

  const pooler = (name: string, mode: string, connectQuery?: string) => {
    const user = new URL(direct.settings.DATABASE_URL!).username;
    return startPgbouncer(join(folder.path, name), { mode, to: proxy.port, user, connectQuery });
  };
  const through = ({ port }: ExternalServer) => Object.assign(new URL(proxy.url), { port: String(port) }).href;

  test("a start without the setting names it", async () => {
    const server = await pooler("untold", "session");
    const refused = direct.replica({ DATABASE_URL: through(server) });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/^DATABASE_URL .*DATABASE_POOLER_MODE/);
    await server.kill();
  });

  describe.each(["session", "transaction"])("%s mode", (mode) => {
    let server: ExternalServer;
    let world: World;
    beforeAll(async () => {
      server = await pooler(mode, mode, mode === "transaction" ? CONNECT_QUERY : undefined);
      world = await direct.replica({
        DATABASE_URL: through(server),
        DATABASE_POOLER_MODE: mode,
        DATABASE_POOL_SIZE: "8",
        DATABASE_LISTEN_URL: direct.settings.DATABASE_URL!,
        ...BOUNDS,
      });
    });
    afterAll(async () => {
      await world?.leave();
      await server?.kill();
    });

    test("connections have the limits of the settings, and days begin as everywhere", async () => {
      const rows = await world.sql(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle, current_setting('TimeZone') as zone`,
      );
      expect(rows).toEqual([{ statement: "61s", lock: "62s", idle: "63s", zone: "UTC" }]);
    });

    test("calls at once write each alert once, in statements and transactions, and handsets see them", async () => {
      const { id, handle } = await world.pusher();
      const device = await world.device(handle);
      const call = (method: string, path: string, body: unknown, key: string) =>
        world.request(method, `/api/v1/pushers/${id}/alerts${path}`, {
          token: world.owner,
          headers: { "idempotency-key": key },
          body: JSON.stringify(body),
        });
      const made = await callConcurrently(
        40,
        async (i) => {
          const { body } = await call("POST", "", { title: `alert ${i}` }, `make ${mode} ${i}`);
          const send = () => call("PATCH", `/${body.id}`, { action: "send" }, `send ${mode} ${i}`);
          const [sent, again] = [await send(), await send()];
          return [sent.status, again.status, sent.body.status];
        },
        20,
      );
      expect(new Set(made.map(String))).toEqual(new Set(["200,200,sent"]));
      const [rows] = await direct.sql(
        "select count(*)::int as all, count(distinct title)::int as titles from alert a join pusher p on p.id = " +
          "a.pusher_id where p.handle = ?",
        [handle],
      );
      expect(rows).toEqual({ all: 40, titles: 40 });
      const { body } = await world.handset("GET", "/inbox?limit=50", device);
      expect(body.data).toHaveLength(40);
      const reports = body.data.map((card: any) => ({ alert_id: card.id, kind: "ack" }));
      expect((await world.handset("POST", "/reports", device, { reports })).status).toBeLessThan(300);
      const stats = await world.rest("get_alert_stats", { pusher_id: id, alert_id: body.data[0].id });
      expect(stats.status).toBe(200);
      for (const tool of ["list_alerts", "get_pusher"])
        expect((await world.rest(tool, { pusher_id: id })).status).toBe(200);
    });

    // rules#held-wakes
    test("a long poll receives at once a send that bypasses the pooler, and vice versa", async () => {
      const { id, handle } = await world.pusher();
      for (const [here, there] of [
        [world, direct],
        [direct, world],
      ] as const) {
        const before = await countPollWakeups(here, "message");
        // The first poll begins to listen: what was sent before that is found by the look of a second.
        await waitUntil(async () => {
          const device = await here.device(handle);
          const first = await here.handset("GET", "/inbox", device);
          const poll = startLongPoll(here, device, first.headers.get("etag")!);
          await poll.held();
          const sent = await there.alert(id, { send: true });
          const { status, body } = await poll.answer;
          expect([status, body.data[0].id]).toEqual([200, sent.id]);
          return (await countPollWakeups(here, "message")) > before;
        });
      }
    });

    test("listeners and commands bypass it", async () => {
      const listening = await direct.sql(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and query = 'listen " +
          "belfry_changed'",
      );
      expect(listening).toEqual([{ n: 2 }]);
      const { DATA_DIR, SECRET } = direct.settings;
      const settings = { DATA_DIR: DATA_DIR!, SECRET: SECRET!, DATABASE_POOLER_MODE: mode };
      for (const more of [{ DATABASE_LISTEN_URL: direct.settings.DATABASE_URL! }, {}] as Record<string, string>[]) {
        const { code, json } = await runBelfryShared(["workspaces", "list"], {
          ...settings,
          DATABASE_URL: through(server),
          ...more,
        });
        expect([code, json]).toEqual([0, expect.anything()]);
      }
    });
  });

  test("in transaction mode the log has the line that its connections lack", async () => {
    const server = await pooler("unbounded", "transaction");
    const lines: string[] = [];
    const settings = {
      DATABASE_URL: through(server),
      DATABASE_POOLER_MODE: "transaction",
      DATABASE_LISTEN_URL: direct.settings.DATABASE_URL!,
      ...BOUNDS,
    };
    const world = await direct.replica(
      { ...settings, LOG_LEVEL: "warn" },
      { logTo: { write: (line) => lines.push(line) } },
    );
    await waitFor(() => expect(lines.join("")).toContain(`"connect_query":"${CONNECT_QUERY}"`));
    await world.leave();
    await server.kill();
  });
});
