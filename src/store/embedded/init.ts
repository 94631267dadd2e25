// Makes a new cluster with the database of the service in it. It is made in a folder of its own and put in place by one
// rename, so that an interrupted start leaves nothing half.

import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../secret/private_file.ts";
import type { Binaries } from "./binaries.ts";
import type { Place } from "./place.ts";
import { dataDirProblem } from "./problem.ts";
import { ownUser, type Runner, runToEnd } from "./runner.ts";

/** The role that owns everything, and the database. */
export const ROLE = "belfry";
export const DATABASE = "belfry";

/** Small segments, since they are most of a small cluster; the order of text is that of its code points everywhere. */
function initArguments(cluster: string, { major }: Binaries): string[] {
  return [
    ...["-D", cluster, "-U", ROLE, "-E", "UTF8", "--wal-segsize=4", "--no-sync"],
    ...(major >= 17
      ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
      : ["--locale=C"]),
    ...["--auth-host=reject", "--auth-local=peer"],
  ];
}

/**
 * Makes the cluster. Its files are on the disk when `synced` resolves; other work can go on meanwhile.
 * @throws ConfigError with what initdb said.
 */
export async function initialise(
  place: Place,
  binaries: Binaries,
  runner: Runner,
  { sync }: { sync: boolean },
): Promise<{ place: Place; synced: Promise<void> }> {
  const making = `${place.cluster}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  if (runner.uid !== null && runner.gid !== null) chownSync(making, runner.uid, runner.gid);
  await succeed(place, runner, binaries.initdb, initArguments(making, binaries));
  // Single-user mode needs no server, and does not wait for the disk.
  await succeed(
    place,
    runner,
    binaries.postgres,
    ["--single", "-F", "-D", making, "template1"],
    `create database ${DATABASE};\n`,
  );
  renameSync(making, place.cluster);
  const synced = sync
    ? succeed(place, runner, binaries.initdb, ["--sync-only", "-D", place.cluster]).then(() =>
        syncFolder(place.home),
      )
    : Promise.resolve();
  return { place: { ...place, made: true }, synced };
}

async function succeed(
  { dataDir }: Place,
  runner: Runner,
  program: string,
  args: string[],
  input?: string,
): Promise<void> {
  const { code, output } = await runToEnd(runner, program, args, input).catch((error) => ({
    code: null,
    output: String(error.code),
  }));
  if (code === 0) return;
  throw dataDirProblem(dataDir, `takes no new database: ${lastComplaint(output)}.`);
}

/** The line of PostgreSQL's output that says what was wrong. */
export function lastComplaint(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.replace(/^.*?(initdb: error|FATAL|PANIC|ERROR):\s*/, "$1: "));
  const found = lines.findLast((line) => /^(initdb: error|FATAL|PANIC|ERROR): /.test(line));
  return (found ?? lines.findLast((line) => line.trim() !== "") ?? "no word about it").trim();
}

/**
 * Who may connect: over the socket, the operating system's own word for who calls. Only the service's user and root are
 * the role; another program of the user that runs the server is not. Written at each start, since the service's user may
 * have changed.
 */
export function writeAccess({ cluster }: Place, { uid, gid }: Runner): void {
  const own = ownUser();
  const callers = own === "root" ? [own] : [own, "root"];
  const files = {
    "pg_hba.conf": ["database", "replication"].map(
      (what) => `local ${what === "database" ? "all" : what} all peer map=belfry`,
    ),
    "pg_ident.conf": callers.map((name) => `belfry "${name}" ${ROLE}`),
  };
  for (const [name, lines] of Object.entries(files)) {
    const path = join(cluster, name);
    writeFileSync(path, `# Belfry writes this file at each start.\n${lines.join("\n")}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
    if (uid !== null && gid !== null) chownSync(path, uid, gid);
  }
}
