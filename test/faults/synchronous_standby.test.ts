// A synchronous standby that is away: sends fail, readiness and the operator's checks name it, and everything
// continues when the primary no longer waits. Also the checks of read replicas.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HealthFinding } from "../../src/identity/operator/health_finding.ts";
import { runBelfryShared } from "../support/processes.ts";
import { lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer, type PostgresServer } from "../support/standbys.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

describe.skipIf(lacksReplicaPostgres())("a primary with a standby", () => {
  let servers: Awaited<ReturnType<typeof openPrimaryServer>>;
  let standby: PostgresServer;
  let world: World;

  beforeAll(async () => {
    servers = await openPrimaryServer();
    await servers.primary.client("createdb", "belfry");
    await servers.primary.client("createdb", "other");
    standby = await servers.standby();
    world = await World.open({
      settings: { DATABASE_URL: servers.primary.urlOf("belfry"), DATABASE_STATEMENT_TIMEOUT_MS: "8000" },
    });
  });
  afterAll(async () => {
    await world?.close();
    await servers?.remove();
  });

  const doctor = async (settings: Record<string, string>, check: string) => {
    const { json } = await runBelfryShared(["doctor"], {
      ...world.settings,
      DATABASE_URL: servers.primary.urlOf("belfry"),
      ...settings,
    });
    return (json.findings as HealthFinding[]).filter((one) => one.check === check);
  };
  const replica = async (...urls: string[]) => await doctor({ DATABASE_READ_URLS: urls.join(",") }, "replicas");

  // rules#doctor
  test("doctor reports each read replica", async () => {
    expect(await doctor({}, "replicas")).toEqual([]);
    const { primary } = servers;
    const url = standby.urlOf("belfry");
    const name = `127.0.0.1:${standby.port}`;
    await waitFor(async () =>
      expect(await replica(url, primary.urlOf("belfry"), standby.urlOf("other"))).toMatchObject([
        { state: "ok", says: `${name} is up to date with the primary` },
        { state: "warning", says: `127.0.0.1:${primary.port} is not a standby` },
        {
          state: "warning",
          says: `${name} is a copy of a different database`,
          way_out: "copy the primary to it again",
        },
      ]),
    );
    await standby.client("psql", "-d", "belfry", "-qc", "select pg_wal_replay_pause()");
    await world.sql("create table written as select generate_series(1, 100)");
    await waitFor(async () =>
      expect(await replica(url)).toMatchObject([{ state: "warning", says: expect.stringMatching(/ bytes behind /) }]),
    );
    await standby.stop("immediate");
    expect(await replica(url)).toMatchObject([
      { state: "warning", says: expect.stringMatching(new RegExp(`^${name} is not responding, .*ECONNREFUSED`)) },
    ]);
  });

  // rules#health
  test("readiness names a synchronous standby that is away, until the primary no longer waits", async () => {
    const { primary } = servers;
    const set = async (names: string) => {
      await primary.client("psql", "-d", "belfry", "-qc", `alter system set synchronous_standby_names = '${names}'`);
      await primary.client("psql", "-d", "belfry", "-qc", "select pg_reload_conf()");
    };
    const ready = async () => (await world.request("GET", "/readyz")).body;
    const channel = await world.pusher();
    expect(await ready()).toEqual({ status: "ready" });
    await set("away");
    const send = await world.rest("create_alert", { pusher_id: channel.id, title: "Flood", send: true });
    expect(send.status).toBe(503);
    await waitUntil(async () => (await ready()).degraded?.includes("synchronous_standby"));
    const [found] = await doctor({}, "database");
    expect(found).toMatchObject({ state: "wrong", says: expect.stringContaining("synchronous standby") });
    await set("");
    await waitUntil(async () => (await ready()).degraded === undefined);
    expect(await ready()).toEqual({ status: "ready" });
    await world.alert(channel.id, { title: "Later" });
  });
});
