// A unix socket's address is limited to about a hundred bytes, a data directory's path is not. Decides under which short
// name a long one is reached; knows nothing of what is said over it.

import { closeSync, existsSync, openSync } from "node:fs";
import { basename, dirname } from "node:path";

/** The least that the supported systems allow (macOS), less the closing zero. */
const LONGEST = 103;

const DESCRIPTORS = "/proc/self/fd";

/** A name that fits for the socket at `path`, and the release of what holds that name open. */
export function shortSocketPath(path: string): { path: string; release(): void } {
  if (Buffer.byteLength(path) <= LONGEST) return { path, release: () => {} };
  if (!existsSync(DESCRIPTORS))
    throw Object.assign(new Error("The path of DATA_DIR is too long for a unix socket; set a shorter one."), {
      code: "ENAMETOOLONG",
    });
  const directory = openSync(dirname(path), "r");
  return { path: `${DESCRIPTORS}/${directory}/${basename(path)}`, release: () => closeSync(directory) };
}
