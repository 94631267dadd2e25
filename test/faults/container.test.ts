// The service in a container's conditions: root with few of root's capabilities, a user without a line in /etc/passwd,
// and as process 1. It works, or reports in one line what is missing. Imitated by setpriv and unshare, which need root.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  isAlive,
  prepareCluster,
  processesOn,
  ROOT,
  type RunningServer,
  runProgram,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";

const works = (command: string, ...args: string[]) => spawnSync(command, [...args, "true"]).status === 0;
const DROP = "--bounding-set";
/** The reason why these tests cannot run; null without one. */
const lacking =
  process.getuid!() !== 0
    ? "this user is not root"
    : !works("setpriv", DROP, "-all")
      ? "this root may not give up capabilities (setpriv)"
      : null;

const folder = temporaryFolder();
afterAll(() => folder.remove());
const started: ChildProcess[] = [];
const servers: RunningServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

const USER = 54_321;
let folders = 0;
const newFolder = (owner = 0) => {
  const path = join(folder.path, `data-${++folders}`);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner, owner);
  return path;
};

/** Capabilities for the embedded database only, which must be lent a user and whose files are that user's. */
const LEAST = ["chown", "dac_override", "fowner", "setgid", "setuid"];
const only = (capabilities: string[]) => ["setpriv", DROP, ["-all", ...capabilities.map((c) => `+${c}`)].join()];

async function start(dataDir: string, wrapped: string[]): Promise<RunningServer> {
  const server = await startServer(dataDir, { wrapped });
  servers.push(server);
  return server;
}

/**
 * Node and a program of this checkout, by paths that need none of the folders above it. These may be closed to other
 * users, and to a root who may not override that. Only the working directory is used as it is.
 */
const node = (program: string) => [
  ...[process.execPath.replace(ROOT, "."), "--preserve-symlinks", "--preserve-symlinks-main"],
  `/proc/self/cwd/${program}`,
];

const refused = async (dataDir: string, [command, ...args]: string[]) => {
  const all = [...args, ...node("src/main.ts")];
  const { code, stdout, stderr } = await runProgram(command!, all, { DATA_DIR: dataDir, PORT: "0", HOME: "/" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^belfry: [^\n]*\.\n$/);
  return stderr;
};

const serverOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

describe.skipIf(skipForReason(lacking))("root with few capabilities", () => {
  const without = (capability: string) => ["setpriv", DROP, `-${capability},-dac_read_search`];

  test("without one it names it, with instructions", async () => {
    expect(await refused(newFolder(), without("chown"))).toMatch(
      /lacks the capabilities needed to switch users: CAP_CHOWN\. .*ordinary user, or set DATABASE_URL to .* server\./,
    );
  });

  test("on a used folder it says so, too", async () => {
    const used = newFolder();
    await (await startServer(prepareCluster(used))).stop();
    expect(await refused(used, without("setuid"))).toContain("switch users: CAP_SETUID. ");
  });

  test("without any it names them all", async () => {
    expect(await refused(newFolder(), only([]))).toMatch(
      /switch users: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_SETGID, CAP_SETUID\. /,
    );
  });

  test("as the only user of a namespace it reports that it cannot become another user", async ({ skip }) => {
    const rootless = ["unshare", "--user", "--map-root-user"] as const;
    skip(skipForReason(works(...rootless) ? null : "this system allows no namespace of one user"));
    expect(await refused(newFolder(), [...rootless])).toMatch(/cannot switch to the user \w+ \(EINVAL\)\. /);
  });

  test("with those five it works: starts, serves its operator, and ends its and earlier databases", async () => {
    const dataDir = newFolder();
    const first = await start(dataDir, only(LEAST));
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    const [command, ...args] = only(LEAST);
    const keys = await runProgram(command!, [...args, process.execPath, "src/cli.ts", "keys", "list"], {
      DATA_DIR: dataDir,
    });
    expect(keys.json.data).toHaveLength(1);
    const pid = serverOf(dataDir);
    await first.stop();
    // Ended before the service was, although root without CAP_KILL may not signal another user's processes.
    expect(isAlive(pid)).toBe(false);
    expect(await first.exited).toBe(0);

    const second = await start(dataDir, only(LEAST));
    const left = serverOf(dataDir);
    for (const shell of processesOn(dataDir, { watchdogs: true })) process.kill(shell, "SIGKILL");
    await second.stop("SIGKILL");
    expect(isAlive(left)).toBe(true);
    const third = await start(dataDir, only(LEAST));
    expect(isAlive(left)).toBe(false);
    expect((await fetch(`${third.url}/readyz`)).status).toBe(200);
  });

  test("a lock file with another program of the lent user is taken over, without ending the program", async () => {
    const dataDir = newFolder();
    const first = await start(dataDir, only(LEAST));
    const owner = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${serverOf(dataDir)}/status`, "utf8"))![1]);
    await first.stop();
    // Processes whose working directory is hidden from root without CAP_SYS_PTRACE.
    const other = spawn("sleep", ["600"], { uid: owner, gid: owner, cwd: "/", stdio: "ignore" });
    started.push(other);
    const lock = join(dataDir, "postgres/postmaster.pid");
    writeFileSync(lock, `${other.pid}\n${join(dataDir, "postgres")}\n1700000000\n5432\n.\n\n  1 0\nready   \n`);
    chownSync(lock, owner, owner);
    const again = await start(dataDir, only([...LEAST, "kill"]));
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
    expect(isAlive(other.pid!)).toBe(true);
  });
});

const namespace = ["unshare", "--mount"] as const;
const bound = lacking ?? (works(...namespace) ? null : "this root may not make a namespace of mounts");
describe.skipIf(skipForReason(bound))("whom root lends", () => {
  /** A folder in place of /etc, in which no user belfry is but those of `more`. */
  const etc = (more = "") => {
    const path = newFolder();
    chmodSync(path, 0o755);
    spawnSync("cp", ["-a", "/etc/.", path]);
    for (const name of ["passwd", "group", "shadow", "gshadow"]) {
      const lines = readFileSync(join(path, name), "utf8").replace(/^belfry:.*\n/gm, "");
      writeFileSync(join(path, name), lines + (name === "passwd" ? more : ""));
    }
    return path;
  };
  const within = (path: string, readOnly = "") => [
    ...namespace,
    "sh",
    "-c",
    `mount --bind ${path} /etc && ${readOnly || "true"} && exec "$@"`,
    "sh",
  ];
  const belfryOf = (path: string) =>
    Number(/^belfry:[^:]*:(\d+):/m.exec(readFileSync(join(path, "passwd"), "utf8"))?.[1]);

  test(
    "a user of its own that owns the files, on this system and on the next; else an existing system user, with a " +
      "message",
    async () => {
      const dataDir = newFolder();
      const owner = () => statSync(join(dataDir, "postgres")).uid;
      const first = etc();
      const shared = await start(dataDir, within(first, "mount -o remount,ro,bind /etc"));
      expect(shared.log()).toMatch(/runs as the user nobody, .*Other programs that run as that user .*useradd/);
      expect(belfryOf(first)).toBeNaN();
      const nobodys = owner();
      const { key } = shared;
      const stillThere = async ({ url }: RunningServer) =>
        expect((await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
      await stillThere(shared);
      await shared.stop();

      const own = await start(dataDir, within(first));
      expect(own.log()).toMatch(/runs as the user belfry, (?!.*useradd)/);
      expect(owner()).toBe(belfryOf(first));
      expect(owner()).not.toBe(nobodys);
      await stillThere(own);
      await own.stop("SIGKILL");

      // Another container on the same volume, where another user has that number.
      const second = etc(`somebody:x:${owner()}:${owner()}::/nonexistent:/usr/sbin/nologin\n`);
      const again = await start(dataDir, within(second));
      expect(belfryOf(second)).not.toBe(belfryOf(first));
      expect(owner()).toBe(belfryOf(second));
      await stillThere(again);
    },
  );
});

const closed = (statSync(ROOT).mode & 0o005) === 0o005 ? null : "this checkout itself is closed to other users";
describe.skipIf(skipForReason(lacking ?? closed))("another user", () => {
  const as = (uid: number) => ["setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups"];

  test("without a line in /etc/passwd: initdb would refuse it, so it shows instructions", async () => {
    expect(await refused(newFolder(USER), as(USER))).toMatch(
      new RegExp(
        `the user ${USER} has no entry in /etc/passwd\\. Run .*, or set DATABASE_URL to a running PostgreSQL server\\.`,
      ),
    );
  });

  test("a user who may pass through DATA_DIR but not read its database sees its owner", async () => {
    const dataDir = newFolder();
    await (await startServer(prepareCluster(dataDir))).stop();
    // rules#foreign-folder
    const nobodys = new RegExp(
      `belongs to [\\w-]+ \\(uid (\\d+)\\), and this process runs as uid ${USER}\\. Run it as uid \\1, or stop ` +
        `Belfry and run "chown -R ${USER}:${USER} ${dataDir}" as root\\.`,
    );
    for (const name of ["", "database.json"]) {
      expect(await refused(dataDir, as(USER))).toMatch(nobodys);
      chmodSync(join(dataDir, name), 0o755);
    }
    expect(await refused(dataDir, as(USER))).toMatch(nobodys);
    const { stderr } = await runProgram("setpriv", [...as(USER).slice(1), ...node("src/cli.ts"), "status"], {
      DATA_DIR: dataDir,
      HOME: "/",
    });
    expect(stderr).toMatch(nobodys);
    const keys = await runProgram("setpriv", [...as(USER).slice(1), ...node("src/cli.ts"), "keys", "list"], {
      DATA_DIR: dataDir,
      HOME: "/",
    });
    expect(keys.code).toBe(2);
    expect(keys.stderr).toMatch(nobodys);
  });
});

const first = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] as const;
const firstLacks = works(...first) ? null : "no process of number 1: this user may not make a namespace";
const numberOne = (parent: number) => Number(readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim());

test.skipIf(skipForReason(firstLacks)).each([["src/main.ts"], ["src/cli.ts", "serve"]])(
  "the first process of all: a signal ends %s while it starts",
  async (...program) => {
    // A database that takes the connection and answers nothing.
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const child = spawn(first[0], [...first.slice(1), process.execPath, ...program], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: newFolder(),
        PORT: "0",
        DATABASE_URL: `postgresql://belfry@127.0.0.1:${port}/belfry`,
        SECRET: "a secret that is long enough for a test",
      },
    });
    started.push(child);
    const exited = once(child, "exit");
    await once(silent, "connection");
    process.kill(numberOne(child.pid!), "SIGTERM");
    expect(await exited).toEqual([143, null]);
    silent.close();
  },
);

test("as process 1, ended or killed, it ends its database, and the next start has everything", async ({ skip }) => {
  skip(skipForReason(firstLacks));
  const dataDir = newFolder();
  let key = "";
  // The processes of the last two starts have the same numbers, like those of a container that is started again.
  for (const signal of ["SIGTERM", "SIGKILL", "SIGKILL"] as const) {
    const server = await startServer(dataDir, { wrapped: [...first] });
    key ||= server.key;
    process.kill(numberOne(server.pid), signal);
    expect((await server.exited) === 0).toBe(signal === "SIGTERM");
    await waitFor(() => expect(processesOn(dataDir)).toEqual([]));
  }
  // The lock file that is left names a process of the other numbering.
  const { url } = await start(dataDir, []);
  const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
});
