// A unix socket's address is limited to about a hundred bytes, a data directory's path is not. Decides under which short
// name the folder of a cluster's socket is reached; knows nothing of what is said over it.

import { closeSync, existsSync, openSync } from "node:fs";
import { dataDirProblem } from "./problem.ts";

/** The least that the supported systems allow (macOS), less the closing zero. */
const LONGEST = 103;
const SOCKET = "/.s.PGSQL.5432";

/** Of this process by its number, so that a program that it starts gets there as well. */
const DESCRIPTORS = `/proc/${process.pid}/fd`;

/** A name of the folder that leaves room for the socket in it, and the release of what holds that name open. */
export function socketFolder(folder: string): { path: string; release(): void } {
  if (Buffer.byteLength(folder + SOCKET) <= LONGEST) return { path: folder, release: () => {} };
  if (!existsSync(DESCRIPTORS))
    throw dataDirProblem(folder, "is a path too long for a unix socket; set a shorter one.");
  const descriptor = openSync(folder, "r");
  return { path: `${DESCRIPTORS}/${descriptor}`, release: () => closeSync(descriptor) };
}
