// The location of the embedded cluster, and the checks before it is used. A folder that was used before is never
// initialised again. Missing or foreign parts and other versions are refused by name.

import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { dataPaths } from "../config/data_paths.ts";
import { describeFileOwnerMismatch } from "../config/file_system_error_messages.ts";
import { writePrivateFile } from "../secret/private_file.ts";
import { createDataDirError, createEmbeddedPostgresError, USE_DATABASE_URL } from "./data_dir_lock_and_errors.ts";
import { canExecute, type ProcessUser } from "./process_user.ts";

export interface ClusterFolderState {
  dataDir: string;
  /** The folder around the cluster: DATA_DIR, or one that the lent user can reach. */
  clusterParent: string;
  cluster: string;
  /** False until an initialised cluster is in place. */
  isInitialised: boolean;
  /** The uid that a service of root lent when it was last started. */
  lent: number | null;
}

/** The record of its cluster in DATA_DIR. */
interface ClusterRecord {
  home: string;
  lent: number | null;
}

/** The place for a lent user's clusters when that user cannot reach DATA_DIR. */
const ELSEWHERE = "/var/lib/belfry";

const CLUSTER = "postgres";

/** Files and folders that initdb makes and PostgreSQL needs; copies that lose empty folders lose some of them. */
const PARTS = [
  "PG_VERSION",
  "global/pg_control",
  "base/1",
  "pg_wal",
  "pg_wal/archive_status",
  "pg_xact/0000",
  "pg_multixact/members",
  "pg_multixact/offsets",
  "pg_commit_ts",
  "pg_dynshmem",
  "pg_logical/mappings",
  "pg_logical/snapshots",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_tblspc",
  "pg_twophase",
  "postgresql.conf",
  "pg_hba.conf",
];

const placeIn = (dataDir: string, { home: clusterParent, lent }: ClusterRecord): ClusterFolderState => {
  const cluster = join(clusterParent, CLUSTER);
  return { dataDir, clusterParent, cluster, isInitialised: existsSync(cluster), lent };
};

/**
 * Finds the cluster of a data directory, and refuses one that must not be used. Writes nothing. A first start that was
 * interrupted leaves no cluster behind, or a complete one. @throws ConfigError naming DATA_DIR.
 */
export function inspectDataDirectory(dataDir: string): ClusterFolderState {
  const { earlier, database, credentials, assets } = dataPaths(dataDir);
  for (const path of [dataDir, database]) refuseOthers(dataDir, path);
  if (existsSync(join(dataDir, "PG_VERSION")))
    throw createDataDirError(dataDir, "is itself a PostgreSQL cluster. Use a different folder.");
  if (existsSync(earlier))
    throw createDataDirError(
      dataDir,
      "contains an earlier Belfry version's database in pg/, which this version cannot read. Use a different folder, " +
        "or run the earlier version.",
    );
  const remembered = existsSync(database);
  const place = placeIn(dataDir, remembered ? readMemory(dataDir) : { home: dataDir, lent: null });
  if (!place.isInitialised) {
    const used = remembered ? database : [credentials, assets].find((path) => existsSync(path) && !isEmptyFolder(path));
    if (used)
      throw createDataDirError(
        dataDir,
        `was used before (it contains ${used}), but its database ${place.cluster} is missing. Restore it from a ` +
          "copy, use a different folder, or set DATABASE_URL if the database was external.",
      );
    return place;
  }
  refuseClosed(place);
  const missing = PARTS.find((part) => !existsSync(join(place.cluster, part)));
  if (missing)
    throw createDataDirError(
      dataDir,
      `is incomplete: ${join(place.cluster, missing)} is missing or cannot be read. Restore the folder from a copy.`,
    );
  return place;
}

const isEmptyFolder = (path: string) => statSync(path).isDirectory() && readdirSync(path).length === 0;

function readMemory(dataDir: string): ClusterRecord {
  const path = dataPaths(dataDir).database;
  try {
    const { home, lent = null } = JSON.parse(readFileSync(path, "utf8")) as Partial<ClusterRecord>;
    if (typeof home === "string") return { home: home === "." ? dataDir : home, lent };
  } catch {}
  throw createDataDirError(dataDir, `is damaged: ${path} cannot be read. Restore it from a copy.`);
}

/** Written once the cluster is in place: from here on the folder counts as used. */
export function recordClusterFolder(
  { dataDir, clusterParent, lent: before }: ClusterFolderState,
  runner: ProcessUser,
): void {
  const path = dataPaths(dataDir).database;
  const lent = runner.lent ? runner.uid : before;
  if (existsSync(path) && lent === before) return;
  // Relative where it can be, so that the folder may be moved.
  const memory: ClusterRecord = { home: clusterParent === dataDir ? "." : clusterParent, lent };
  writePrivateFile(path, `${JSON.stringify(memory)}\n`);
}

/** Files that this user may not read look missing or damaged. */
function refuseOthers(dataDir: string, path: string, mode = constants.R_OK): void {
  const own = process.getuid?.();
  try {
    accessSync(path, mode);
  } catch (error) {
    const uid = (error as NodeJS.ErrnoException).code === "EACCES" ? ownerOfPath(path) : null;
    if (uid === null || own === 0 || own === uid) return;
    throw createDataDirError(dataDir, describeFileOwnerMismatch(dataDir, uid, own ?? uid));
  }
}

function ownerOfPath(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

/** A folder that this user may not enter looks like one in which everything is missing. */
function refuseClosed({ dataDir, cluster }: ClusterFolderState): void {
  refuseOthers(dataDir, cluster, constants.W_OK);
  const found = statSync(cluster);
  if (!found.isDirectory())
    throw createDataDirError(
      dataDir,
      `contains a file instead of the database folder: ${cluster}. Restore that folder from a copy.`,
    );
  try {
    accessSync(cluster, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw createDataDirError(
      dataDir,
      process.getuid?.() === 0
        ? `contains a database that belongs to the user ${found.uid}, and root here lacks the ` +
            "CAP_DAC_OVERRIDE capability needed to access it. Give the container that capability, or run " +
            "the service as that user."
        : `contains a database folder ${cluster} that cannot be read (${(error as NodeJS.ErrnoException).code}). ` +
            "Set its mode to 0700.",
    );
  }
}

/** The uid that an existing cluster belongs to; null before there is one, and of a copy that root made. */
export function readClusterOwner({ cluster, isInitialised }: ClusterFolderState): number | null {
  return isInitialised ? statSync(cluster).uid || null : null;
}

/** The version file of a cluster against the programs'. @throws ConfigError naming both. */
export function assertPostgresVersion({ dataDir, cluster, isInitialised }: ClusterFolderState, major: number): void {
  if (!isInitialised) return;
  const its = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (its === String(major)) return;
  throw createDataDirError(
    dataDir,
    /^\d+$/.test(its)
      ? `contains a PostgreSQL ${its} database, but this version of Belfry includes PostgreSQL ` +
          `${major}. Set POSTGRES_BIN to a folder with postgres and initdb of version ${its}, or migrate: ` +
          "run POSTGRES_BIN=… belfry migrate and POSTGRES_BIN=… belfry backup FOLDER; then, with another " +
          "DATA_DIR and without POSTGRES_BIN, run belfry restore FOLDER/belfry-…."
      : `contains a database from an unknown PostgreSQL version, but this version of Belfry includes ` +
          `${major}. Restore the folder from a copy.`,
  );
}

/**
 * The place for a new cluster, accessible to the runner. It is DATA_DIR when its parents let the runner through.
 * Otherwise it is a separate folder, which DATA_DIR records once it is used.
 */
export function chooseAccessibleClusterFolder(place: ClusterFolderState, runner: ProcessUser): ClusterFolderState {
  if (runner.uid === null) return place;
  letThrough(place.clusterParent, runner);
  if (canExecute(runner, place.clusterParent)) return place;
  if (place.isInitialised)
    throw createDataDirError(
      place.dataDir,
      `is not accessible to the user ${runner.user}, which runs PostgreSQL. Allow that user to traverse the parent ` +
        "folders.",
    );
  let why = "";
  try {
    mkdirSync(ELSEWHERE, { recursive: true, mode: 0o755 });
    forgetUnfinished(place.dataDir);
    const home = join(ELSEWHERE, randomBytes(6).toString("hex"));
    mkdirSync(home, { mode: 0o700 });
    letThrough(home, runner);
    writePrivateFile(join(home, OWNER), `${realpathSync(place.dataDir)}\n`);
    if (canExecute(runner, home)) return placeIn(place.dataDir, { ...place, home });
  } catch (error) {
    why = ` (${(error as NodeJS.ErrnoException).code})`;
  }
  throw createEmbeddedPostgresError(
    `the user ${runner.user} can access neither DATA_DIR (${place.dataDir}) nor ${ELSEWHERE}${why}. Set a different ` +
      `DATA_DIR, or ${USE_DATABASE_URL}`,
  );
}

/** In a folder elsewhere, whose it is. */
const OWNER = "data_dir";

/** A first start that was ended before its cluster was remembered left a folder elsewhere behind; nothing is in it. */
function forgetUnfinished(dataDir: string): void {
  const own = realpathSync(dataDir);
  for (const name of readdirSync(ELSEWHERE)) {
    const home = join(ELSEWHERE, name);
    try {
      if (readFileSync(join(home, OWNER), "utf8").trim() !== own) continue;
    } catch {
      continue;
    }
    if (!existsSync(join(home, CLUSTER))) rmSync(home, { recursive: true, force: true });
  }
}

/** The folder stays the service's own; the runner's group may only pass through it. */
function letThrough(folder: string, { gid }: ProcessUser): void {
  const { uid, mode } = statSync(folder);
  if (gid === null || uid !== process.getuid?.() || (mode & 0o001) !== 0) return;
  chownSync(folder, uid, gid);
  chmodSync(folder, (mode & 0o777) | 0o010);
}
