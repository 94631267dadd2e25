// Errors of files and folders as messages: the path, the cause and the solution, without a stack trace.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";

type FileError = NodeJS.ErrnoException;

/** Calls of the system that are not about files. */
const OTHER_CALLS = /^(connect|listen|bind|getaddrinfo|spawn|kill|uv_)/;

/**
 * The message for an error of the file system; null for all other errors. `path`: the file or folder that the command
 * worked on, for errors that have no path, such as those of a full disk.
 */
export function describeFileSystemError(error: unknown, path: string | null = null): string | null {
  const { code = "", syscall, path: failed } = error as FileError;
  if (syscall === undefined || OTHER_CALLS.test(syscall)) return null;
  const at = failed ?? path ?? "a file";
  switch (code) {
    case "ENOSPC":
      return `The disk that contains ${path ?? at} is full. Free disk space, or choose another folder.`;
    case "EDQUOT":
      return `This user's disk quota at ${path ?? at} has been reached. Delete files, or choose another folder.`;
    case "EROFS":
      return `${at} is on a read-only file system. Mount it as writable, or choose another folder.`;
    case "EACCES":
    case "EPERM":
      return describeDenied(at);
    case "ENOTDIR":
    case "EEXIST":
      return `A file exists where the folder ${at} is needed. Remove the file, or choose another folder.`;
    case "EISDIR":
      return `${at} is a folder, but a file is needed. Specify another path.`;
    case "ENOENT":
      return `${at} does not exist. Create it, or specify another path.`;
    default:
      return /^E[A-Z0-9]+$/.test(code) ? `${at} cannot be used (${code}). Check the path and its disk.` : null;
  }
}

/** The folder that denies access is the nearest one that exists. */
function describeDenied(path: string): string {
  const own = process.getuid?.();
  const [folder, owner] = findExisting(path);
  if (own === undefined || owner === null)
    return `This user is not allowed to access ${path}. Change the permissions of that path.`;
  if (owner === own)
    return `The mode of ${folder} denies access to its owner (uid ${own}). Run "chmod u+rwX ${folder}".`;
  return `${folder} ${describeFileOwnerMismatch(folder, owner, own)}`;
}

/** The names of two users, and the two ways out (rules#foreign-folder). */
export function describeFileOwnerMismatch(path: string, owner: number, own: number): string {
  const names = `belongs to ${formatUser(owner)}, and this process runs as ${formatUser(own)}`;
  return `${names}. Run it as uid ${owner}, or stop Belfry and run "chown -R ${own}:${own} ${path}" as root.`;
}

/** The name of a user with its number, or the number alone if the system has no name for it. */
function formatUser(uid: number): string {
  const { stdout } = spawnSync("id", ["-nu", String(uid)], { encoding: "utf8" });
  const name = stdout?.trim();
  return name ? `${name} (uid ${uid})` : `uid ${uid}`;
}

/** The path or the nearest folder above it that exists, and its owner. */
function findExisting(path: string): [string, number | null] {
  for (let at = path; ; at = dirname(at)) {
    try {
      return [at, statSync(at).uid];
    } catch {
      if (at === dirname(at)) return [path, null];
    }
  }
}
