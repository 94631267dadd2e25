// The two scripts of compose.replicas.yaml, run as its containers run them. The primary lets the replicator in by its
// password alone. The standby copies once, follows, and continues from its position.

import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { findDebianPostgres, lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer, PostgresServer } from "../support/standbys.ts";
import { waitFor, waitUntil } from "../support/wait.ts";

const execute = promisify(execFile);
const read = (name: string) => readFileSync(join(import.meta.dirname, "../../deploy/replication", name), "utf8");

test.skipIf(lacksReplicaPostgres())(
  "a standby is copied whole, follows with a password, and is copied once",
  async () => {
    const { primary, remove } = await openPrimaryServer();
    const root = join(primary.folder, "..");
    const { uid, gid } = statSync(primary.folder);
    // Passed as text: the user that runs PostgreSQL may not read this folder.
    const run = async (text: string, args: string[], env: Record<string, string>) => {
      const PATH = `${findDebianPostgres()}:${process.env.PATH}`;
      const as = statSync(root).uid === process.getuid!() ? {} : { uid, gid };
      const { stdout } = await execute("sh", ["-c", text, "sh", ...args], {
        ...as,
        cwd: "/",
        env: { PATH, LC_ALL: "C", ...env },
      });
      return stdout.trim();
    };
    const ask = (server: PostgresServer, sql: string) =>
      run('psql -XAtc "$1"', [sql], {
        PGHOST: root,
        PGPORT: String(server.port),
        PGUSER: "belfry",
        PGDATABASE: "postgres",
      });
    const follow = (server: PostgresServer, PGPASSWORD: string, args = ["true"]) =>
      run(read("standby.sh"), args, {
        PGDATA: server.folder,
        PRIMARY: `host=127.0.0.1 port=${primary.port} user=replicator application_name=standby`,
        PGPASSWORD,
      });
    try {
      // As the image of PostgreSQL leaves it.
      writeFileSync(join(primary.folder, "pg_hba.conf"), "local all all trust\nhost all all all scram-sha-256\n");
      const REPLICATION_PASSWORD = "it's long";
      await run(read("primary.sh"), [], {
        PGHOST: root,
        PGPORT: String(primary.port),
        PGDATA: primary.folder,
        POSTGRES_USER: "belfry",
        REPLICATION_PASSWORD,
      });
      await ask(primary, "select pg_reload_conf()");
      await ask(primary, "create table seen as select 1 as n");

      const standby = new PostgresServer(join(root, "as_composed"), await findFreePort("127.0.0.1"));
      await expect(follow(standby, "another one")).rejects.toThrow(/password authentication failed/);
      // The remains of a copy that was killed.
      await run('mkdir "$1" && touch "$1/PG_VERSION"', [`${standby.folder}.part`], {});
      expect(await follow(standby, REPLICATION_PASSWORD, ["sh", "-c", 'echo "told: $PGPASSWORD"'])).toBe("told:");
      await standby.start("hot_standby_feedback=on");
      try {
        const has = async (count: string) =>
          (await ask(standby, "select count(*) || ' ' || pg_is_in_recovery() from seen")) === `${count} true`;
        await waitUntil(() => has("1"));
        await waitFor(async () =>
          expect(await ask(primary, "select application_name, state from pg_stat_replication")).toBe(
            "standby|streaming",
          ),
        );
        await standby.stop();
        // Nothing is copied: what it needs for that is wrong.
        await follow(standby, "another one");
        await standby.start();
        await ask(primary, "insert into seen values (2)");
        await waitUntil(() => has("2"));
      } finally {
        await standby.stop("immediate");
      }
    } finally {
      await remove();
    }
  },
);
