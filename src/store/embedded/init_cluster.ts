// Makes a new cluster with the database of the service in it. It is made in a folder of its own and put in place by one
// rename, so that an interrupted start leaves nothing half.

import { chownSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../secret/private_file.ts";
import { createDataDirError } from "./data_dir_lock_and_errors.ts";
import type { ClusterFolderState } from "./data_directory.ts";
import { CREATE_DATABASE_SQL, SUPERUSER } from "./database_access.ts";
import type { PostgresBinaries } from "./postgres_binaries.ts";
import { type ProcessUser, runPostgresProgram } from "./process_user.ts";

/** Small segments, since they are most of a small cluster; the order of text is that of its code points everywhere. */
function initArguments(cluster: string, { major }: PostgresBinaries): string[] {
  return [
    ...["-D", cluster, "-U", SUPERUSER, "-E", "UTF8", "--wal-segsize=4", "--no-sync"],
    ...(major >= 17 ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : ["--locale=C"]),
    ...["--auth-host=reject", "--auth-local=peer"],
  ];
}

/**
 * Makes the cluster. Its files are on the disk when `synced` resolves; other work can continue until then.
 * @throws ConfigError with initdb's message.
 */
export async function initCluster(
  place: ClusterFolderState,
  binaries: PostgresBinaries,
  runner: ProcessUser,
  { sync }: { sync: boolean },
): Promise<{ place: ClusterFolderState; synced: Promise<void> }> {
  const making = `${place.cluster}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  if (runner.uid !== null && runner.gid !== null) chownSync(making, runner.uid, runner.gid);
  const refuse = (said: string) => createDataDirError(place.dataDir, `cannot be used for a new database: ${said}.`);
  await runPostgresProgram(refuse, runner, binaries.initdb, initArguments(making, binaries));
  // Single-user mode needs no server, and does not wait for the disk.
  await runPostgresProgram(
    refuse,
    runner,
    binaries.postgres,
    ["--single", "-F", "-D", making, "template1"],
    CREATE_DATABASE_SQL,
  );
  renameSync(making, place.cluster);
  const synced = sync
    ? runPostgresProgram(refuse, runner, binaries.initdb, ["--sync-only", "-D", place.cluster]).then(() =>
        syncFolder(place.clusterParent),
      )
    : Promise.resolve();
  return { place: { ...place, isInitialised: true }, synced };
}
