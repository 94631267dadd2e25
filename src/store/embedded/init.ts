// Makes a new cluster with the database of the service in it. It is made in a folder of its own and put in place by one
// rename, so that an interrupted start leaves nothing half.

import { chownSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../secret/private_file.ts";
import { NEW_DATABASE, SUPERUSER } from "./access.ts";
import type { Binaries } from "./binaries.ts";
import { dataDirProblem } from "./hold.ts";
import type { Place } from "./place.ts";
import { type Runner, succeed } from "./runner.ts";

/** Small segments, since they are most of a small cluster; the order of text is that of its code points everywhere. */
function initArguments(cluster: string, { major }: Binaries): string[] {
  return [
    ...["-D", cluster, "-U", SUPERUSER, "-E", "UTF8", "--wal-segsize=4", "--no-sync"],
    ...(major >= 17 ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : ["--locale=C"]),
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
  const refuse = (said: string) => dataDirProblem(place.dataDir, `cannot be used for a new database: ${said}.`);
  await succeed(refuse, runner, binaries.initdb, initArguments(making, binaries));
  // Single-user mode needs no server, and does not wait for the disk.
  await succeed(refuse, runner, binaries.postgres, ["--single", "-F", "-D", making, "template1"], NEW_DATABASE);
  renameSync(making, place.cluster);
  const synced = sync
    ? succeed(refuse, runner, binaries.initdb, ["--sync-only", "-D", place.cluster]).then(() => syncFolder(place.home))
    : Promise.resolve();
  return { place: { ...place, made: true }, synced };
}
