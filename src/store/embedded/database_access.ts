// Access to the embedded database. The service is not a superuser. Access is defined in files that the user who runs
// PostgreSQL cannot change. A socket's address is limited to about a hundred bytes, but a data directory's path is not.
// Its folder is therefore reached under a short name.

import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../secret/private_file.ts";
import { createDataDirError } from "./data_dir_lock_and_errors.ts";
import type { ClusterFolderState } from "./data_directory.ts";
import { getCurrentOsUserName, type ProcessUser } from "./process_user.ts";

/** The role of the service, which owns the database and all in it and can do nothing outside of it. */
export const SERVICE_ROLE = "belfry";
export const DATABASE_NAME = "belfry";
/** The role of initdb. Logins as this role are disabled. */
export const SUPERUSER = "belfry_superuser";

/** The statements of single-user mode, which is the superuser, for a new cluster. */
export const CREATE_DATABASE_SQL =
  `create role ${SERVICE_ROLE} login;\n` + `create database ${DATABASE_NAME} owner ${SERVICE_ROLE};\n`;

const HEADER = "# Belfry writes this file at each start.";

/**
 * Access rules: over the socket, by the operating system's identity of the caller. Only the service's user and root are
 * the role; another program of the user that runs the server is not. They are written at each start, since the
 * service's user may have changed. The files are next to the cluster and belong to the service. Nothing is ever written
 * into the folder of a lent user, who could plant a link there. Returns the server's settings that name them.
 */
export function writePostgresAccessFiles(
  { clusterParent }: ClusterFolderState,
  { gid }: ProcessUser,
): Record<string, string> {
  const own = getCurrentOsUserName();
  const callers = own === "root" ? [own] : [own, "root"];
  const files = {
    hba: ["local all all peer map=belfry"],
    ident: callers.map((name) => `belfry "${name}" ${SERVICE_ROLE}`),
  };
  const settings: Record<string, string> = {};
  for (const [name, lines] of Object.entries(files)) {
    const path = join(clusterParent, `pg_${name}.conf`);
    writePrivateFile(path, `${HEADER}\n${lines.join("\n")}\n`, gid);
    settings[`${name}_file`] = path;
  }
  return settings;
}

/**
 * A cluster of a build from before 0.1.0. It let its service in as the superuser and wrote the access file inside of
 * the cluster. 0.1.0 migrates it and its tables, this version does not
 * (docs/decisions/0052-one-migration-per-release.md). @throws ConfigError
 */
export function refusePreReleaseCluster({ dataDir, cluster }: ClusterFolderState): void {
  if (!readFileSync(join(cluster, "pg_hba.conf"), "utf8").startsWith(HEADER)) return;
  throw createDataDirError(
    dataDir,
    "contains a database from a build older than 0.1.0. Run version 0.1.0 on it once, then start this version.",
  );
}

/** The least that the supported systems allow (macOS), less the closing zero. */
const LONGEST = 103;
const SOCKET = "/.s.PGSQL.5432";

/** The path by the number of this process, so that a program that it starts also reaches it. */
const DESCRIPTORS = `/proc/${process.pid}/fd`;

/** A name of the folder that is short enough for the socket's path, and a function that releases it. */
export function openShortSocketPath(folder: string): { path: string; release(): void } {
  if (Buffer.byteLength(folder + SOCKET) <= LONGEST) return { path: folder, release: () => {} };
  if (!existsSync(DESCRIPTORS)) throw createDataDirError(folder, "is too long for a unix socket. Set a shorter path.");
  const descriptor = openSync(folder, "r");
  return { path: `${DESCRIPTORS}/${descriptor}`, release: () => closeSync(descriptor) };
}
