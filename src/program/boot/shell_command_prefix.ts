// The way in which the reader of a start's output runs commands next to the service: in a shell, a container or a pod.

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { basename, delimiter, dirname, extname } from "node:path";

export interface ShellCommandPrefix {
  /** The part before a command, with a space at its end; empty on the same machine. */
  exec: string;
  /** The belfry command. */
  belfry: string;
}

interface CommandPrefixInputs {
  /** The value of PATH. */
  path: string;
  /** True if Kubernetes runs the service. */
  inPod: boolean;
  exists?: (path: string) => boolean;
  name?: string;
  /** The file that Node runs. */
  program?: string;
  /** True if the service runs from a source tree. */
  fromSource?: boolean;
  /** True if the service is the main process of its container, or the child of an init process. */
  isMain?: boolean;
}

/** Containers are named by their ID, unless they were given another host name. */
const CONTAINER_ID = /^[0-9a-f]{12}$/;

/** Finds out how commands reach the service (rules#first-start). */
export function detectShellCommandPrefix({
  path,
  inPod,
  exists = existsSync,
  name = hostname(),
  program = process.argv[1] ?? "",
  fromSource = extname(import.meta.filename) === ".ts",
  isMain = process.pid === 1 || process.ppid === 1,
}: CommandPrefixInputs): ShellCommandPrefix {
  // A source tree is worked on from inside of its container.
  if (fromSource) return { exec: "", belfry: "npm run -s belfry --" };
  const container = CONTAINER_ID.test(name) ? name : "CONTAINER";
  const exec = inPod
    ? `kubectl exec ${name} -- `
    : isMain && exists("/run/.containerenv")
      ? `podman exec ${container} `
      : isMain && exists("/.dockerenv")
        ? `docker exec ${container} `
        : "";
  const onPath = basename(program) !== "belfry" || path.split(delimiter).includes(dirname(program));
  return { exec, belfry: onPath ? "belfry" : program };
}
