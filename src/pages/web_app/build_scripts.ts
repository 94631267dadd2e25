// The build of the scripts that browsers run, as one JSON object on standard output. It has the web app with its lazy
// parts, its worker, the search for channels nearby, and the card in chats. A source tree runs it when a script is
// first requested; `npm pack` runs it once.

import { fileURLToPath } from "node:url";
import { build, type OutputOptions } from "rolldown";
import type { BrowserScripts } from "./browser_scripts.ts";

/**
 * @returns file name → text, of the module at `path` and of what it imports; each module that is imported later is a
 * file.
 */
async function bundle(path: string, format: OutputOptions["format"]): Promise<Record<string, string>> {
  const { output } = await build({
    input: fileURLToPath(new URL(path, import.meta.url)),
    platform: "browser",
    write: false,
    logLevel: "silent",
    output: { format, minify: true, entryFileNames: "[name].js", chunkFileNames: "[name].js" },
  });
  return Object.fromEntries(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.code]] : [])));
}

const scripts = {
  app: await bundle("./browser/main.ts", "esm"),
  ...(await bundle("./worker/sw.ts", "iife")),
  ...(await bundle("../public_pages/near.js", "iife")),
  ...(await bundle("../public_pages/page_language.js", "iife")),
  ...(await bundle("./mcp_card/card.ts", "iife")),
} as BrowserScripts;
process.stdout.write(JSON.stringify(scripts));
