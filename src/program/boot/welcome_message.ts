// What a person reads on the first start. Apart from what makes it, which takes the whole service to be read.

import { extname, resolve } from "node:path";
import { supportsOAuth } from "../../identity/auth/redirect_uris.ts";
import { LIMITS } from "../../model/limits.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import type { FirstCredentials } from "../../store/secret/first_credentials.ts";
import type { ExampleChannel } from "./first_start.ts";

/** How a person calls the command: in the tree, or where the package is installed. */
const COMMAND = extname(import.meta.filename) === ".ts" ? "npm run -s belfry --" : "belfry";

interface WelcomeOptions {
  example: ExampleChannel | null;
  dataDir: string;
  /** The key and the link stand in it: a person reads it, and no log keeps it. */
  inTerminal: boolean;
}

/**
 * What a person reads on the first start: where to go next, with lines that work as they stand, in the folder of the
 * start.
 */
export function formatWelcome(made: FirstCredentials, { example, dataDir, inTerminal }: WelcomeOptions): string {
  const { url } = made;
  const file = dataPaths(dataDir).credentials;
  const key = inTerminal ? made.key : "$KEY";
  const [link, ownKey, keptIn] = inTerminal
    ? [made.console, key, "shown only now; also in DATA_DIR/credentials.json for the belfry command"]
    : [
        `the link is "console" in ${file}`,
        `KEY=$(sed -n 's/.*"key": "\\(.*\\)".*/\\1/p' ${quoted(file)})`,
        "only in that file, readable only by its owner",
      ];
  const rule = "─".repeat(72);
  return `${rule}
Belfry is ready. This is its first start.

${example ? ringing(example, url, key, dataDir) : ""}  Console     ${link}
              creates your account; works once, within ${LIMITS.link_days} days
  MCP         ${url}/mcp
  Your key    ${ownKey}
              ${keptIn}

${supportsOAuth(url) ? `Connect an assistant with your consent in the console:\n  claude mcp add --transport http belfry ${url}/mcp\n\nOr without a browser, with the key:` : "Connect an assistant with the key:"}
  claude mcp add --transport http belfry ${url}/mcp --header "Authorization: Bearer ${key}"
${rule}`;
}

/** The page, and beside it the lines that ring whoever subscribed there. */
function ringing({ id, page }: ExampleChannel, url: string, key: string, dataDir: string): string {
  const where = dataDir === resolve(".data") ? "" : `DATA_DIR=${quoted(dataDir)} `;
  return `  Channel     ${page}
              open it, subscribe and allow sounds; then send an alert:
  ${where}${COMMAND} create-alert --pusher-id ${id} --title "Hello" --send
              or, from anywhere:
  curl -s ${url}/api/v1/pushers/${id}/alerts -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"title":"Hello","send":true}'

`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
