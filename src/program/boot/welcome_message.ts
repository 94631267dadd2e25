// The message of a first start: addresses, credentials, and commands that work as they are printed. In a file of its
// own, because the code of a first start loads the whole service.

import { resolve } from "node:path";
import { supportsOAuth } from "../../identity/auth/redirect_uris.ts";
import { LIMITS } from "../../model/limits.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import type { FirstCredentials } from "../../store/secret/first_credentials_file.ts";
import type { CreatedExampleChannel } from "./first_start.ts";
import type { ShellCommandPrefix } from "./shell_command_prefix.ts";

interface WelcomeOptions {
  example: CreatedExampleChannel | null;
  dataDir: string;
  /** True if it has the key and the link. A log has neither. */
  inTerminal: boolean;
  shell: ShellCommandPrefix;
}

/** Formats the message as lines of text, with commands for the folder in which the service was started. */
export function formatWelcome(made: FirstCredentials, options: WelcomeOptions): string {
  const { url } = made;
  const { example, dataDir, inTerminal, shell } = options;
  const file = dataPaths(dataDir).credentials;
  const key = inTerminal ? made.key : "$KEY";
  const show = shell.exec && `: ${shell.exec}cat ${file}`;
  const [link, ownKey, keptIn] = inTerminal
    ? [made.console, key, "not shown again; also in DATA_DIR/credentials.json for the belfry command"]
    : [
        `the link is the value of "console" in ${file}${show}`,
        `KEY=$(${shell.exec}sed -n 's/.*"key": "\\(.*\\)".*/\\1/p' ${quoted(file)})`,
        "stored only in that file, which only its owner can read",
      ];
  const rule = "─".repeat(72);
  return `${rule}
Belfry is ready. This is its first start.

${example ? formatExample(example, { ...options, url, key }) : ""}  Console     ${link}
              creates your account; works once, within ${LIMITS.link_days} days
  MCP         ${url}/mcp
  Your key    ${ownKey}
              ${keptIn}

${
  supportsOAuth(url)
    ? `To connect an assistant, run this command and approve the request in the console:
  claude mcp add --transport http belfry ${url}/mcp

To connect without a browser, use the key:`
    : "Connect an assistant with the key:"
}
  claude mcp add --transport http belfry ${url}/mcp --header "Authorization: Bearer ${key}"
${rule}`;
}

/** The page of the example channel, and the commands that send an alert there. */
function formatExample(
  { id, page }: CreatedExampleChannel,
  { dataDir, shell, url, key }: Pick<WelcomeOptions, "dataDir" | "shell"> & { url: string; key: string },
): string {
  // The environment of a container has its DATA_DIR.
  const where = shell.exec || dataDir === resolve(".data") ? "" : `DATA_DIR=${quoted(dataDir)} `;
  const headers = `-H "Authorization: Bearer ${key}" -H "Content-Type: application/json"`;
  return `  Channel     ${page}
              open it, subscribe and allow sounds; then send an alert:
  ${where}${shell.exec}${shell.belfry} create-alert --pusher-id ${id} --title "Hello" --send
              or, with curl:
  curl -s ${url}/api/v1/pushers/${id}/alerts ${headers} -d '{"title":"Hello","send":true}'

`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
