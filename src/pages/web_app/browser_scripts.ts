// The scripts that browsers run, as they are served. A package contains them as scripts.json. A source tree builds them
// at the first request, in a process of its own. The bundler's memory is then not the service's, and an edit needs no
// build step.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { lazy } from "../../store/db/lazy.ts";

export interface BrowserScripts {
  /** File name → text of the app's modules. The page loads `main.js`, which loads the others. */
  app: Record<string, string>;
  /** Text of the app's worker, a classic script. */
  "sw.js": string;
  /** Text of the script that finds channels nearby, a classic script. */
  "near.js": string;
  /** Text of the script that translates public pages, a classic script. */
  "page_language.js": string;
  /** Text of the script of the card in chats, a classic script. */
  "card.js": string;
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const BUILT = pathOf("./scripts.json");
/** Bytes. */
const MOST = 16 << 20;

/** @throws where a source tree was installed without the packages for development. */
async function built(): Promise<string> {
  if (existsSync(BUILT)) return readFile(BUILT, "utf8");
  const args = [pathOf("./build_scripts.ts")];
  try {
    return (await promisify(execFile)(process.execPath, args, { maxBuffer: MOST })).stdout;
  } catch (cause) {
    throw new Error(
      "The scripts for browsers could not be built. Run npm ci without --omit=dev, or use the package built with npm " +
        "pack.",
      { cause },
    );
  }
}

export const loadBrowserScripts = lazy(async (): Promise<BrowserScripts> => JSON.parse(await built()));
