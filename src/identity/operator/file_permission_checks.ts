// Checks of `belfry doctor` on files: modes and owner of DATA_DIR and its secrets, and the modes that --fix sets.

import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { dataPaths } from "../../store/config/data_paths.ts";
import { describeFileOwnerMismatch, describeFileSystemError } from "../../store/config/file_system_error_messages.ts";
import { createFindingBuilder, type HealthFinding } from "./health_finding.ts";

const backupsCheck = createFindingBuilder("backups");

/** Bits that other users must not have: writing in the folder, and all of a secret. */
const FOLDER_BITS = 0o022;
const FILE_BITS = 0o077;

/** The folder and the files that other users can read or change. */
function findOpenFiles(dataDir: string): { path: string; bits: number }[] {
  const { secret, credentials, nextSecret } = dataPaths(dataDir);
  return [
    { path: dataDir, bits: FOLDER_BITS },
    ...[secret, credentials, nextSecret].map((path) => ({ path, bits: FILE_BITS })),
  ].filter(({ path, bits }) => existsSync(path) && (statSync(path).mode & bits) !== 0);
}

/** Findings about the modes and the owner of DATA_DIR; none if it does not exist. */
export function checkFileModes(dataDir: string): HealthFinding[] {
  if (!existsSync(dataDir)) return [];
  const { ok, wrong } = createFindingBuilder("file modes");
  const open = findOpenFiles(dataDir).map(({ path }) =>
    wrong(`${path} can be read or changed by other users`, `chmod go-rwx ${path}, or belfry doctor --fix`),
  );
  const own = process.getuid?.() ?? 0;
  const owner = statSync(dataDir).uid;
  // Root may use the folder of each user.
  if (own !== 0 && owner !== own)
    open.push(
      createFindingBuilder("owner").wrong(
        `${dataDir} ${describeFileOwnerMismatch(dataDir, owner, own)}`,
        "follow the instructions in the message",
      ),
    );
  return open.length > 0 ? open : [ok("secrets are readable only by their owner")];
}

/** Closes what other users can read or change. Returns the paths. @throws errors of files of other users */
export function fixFileModes(dataDir: string): string[] {
  return findOpenFiles(dataDir).map(({ path, bits }) => {
    chmodSync(path, statSync(path).mode & 0o7777 & ~bits);
    return path;
  });
}

/** The finding for a backup folder that cannot be written; null for one that can, and for a bucket. */
export function findBackupFolderProblem(target: string): HealthFinding | null {
  if (/^s3:/i.test(target)) return null;
  let folder = target;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory())
      throw Object.assign(new Error("a file"), { code: "ENOTDIR", syscall: "mkdir", path: folder });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return backupsCheck.wrong(
      describeFileSystemError(error) ?? `${folder} cannot be used`,
      "follow the instructions in the message",
    );
  }
}
