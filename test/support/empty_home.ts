// The home folder of programs that tests start. It is empty, so no program reads or changes files of the user.

import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Gives this process, and all that it starts, an empty HOME. npm keeps its cache. */
export function useEmptyHome(): void {
  process.env.npm_config_cache ??= join(homedir(), ".npm");
  const folder = mkdtempSync(join(tmpdir(), "belfry-home-"));
  process.env.HOME = folder;
  // They name folders of the user, wherever HOME is.
  for (const name of ["CONFIG", "DATA", "STATE", "CACHE"]) delete process.env[`XDG_${name}_HOME`];
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
