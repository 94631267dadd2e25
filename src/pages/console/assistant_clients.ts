// The setup of each assistant's client for this server: its configuration with a key, and with consent. The overview
// shows them. docs/contributing/assistant-evaluation.md is generated from them, with the results of trying each.
// Wherever the client can read environment variables, the key is named by its variable.

export interface AssistantClient {
  name: string;
  where: string;
  /** For the server at `url`, with a key; null where the client sends none. */
  key: ((url: string) => string) | null;
  /** After it the client requests a person's consent in a browser; null where it cannot. */
  consent: ((url: string) => string) | null;
  /** The result of trying it, with the version and the date. */
  tried: string;
}

const KEY_VARIABLE = "BELFRY_API_KEY";

const json = (value: object) => JSON.stringify(value, null, 2);
/** Sets the key in the shell that starts the client. */
export const SET_API_KEY_COMMAND = `export ${KEY_VARIABLE}='<your key>'`;

const mcp = (url: string) => `${url}/mcp`;
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const FROM_ENVIRONMENT = bearer(`\${env:${KEY_VARIABLE}}`);
const IN_PLACE = bearer("<your key>");
const SHELL = `"Authorization: Bearer $${KEY_VARIABLE}"`;
const UNTRIED = "Not tested: needs a desktop or an account.";

/** Settings that list their servers below `root`, with any other setting that a client with a key needs. */
const settings = (root: string, server: (url: string) => object, headers: object, more: object = {}) => ({
  key: (url: string) => json({ ...more, [root]: { belfry: { ...server(mcp(url)), headers } } }),
  consent: (url: string) => json({ [root]: { belfry: server(mcp(url)) } }),
  tried: UNTRIED,
});

const asUrl = (url: string) => ({ url });

const CONNECTOR = {
  where: "its settings, as a connector; requires HTTPS and a public address",
  key: null,
  consent: mcp,
  tried: UNTRIED,
};

export const ASSISTANT_CLIENTS: readonly AssistantClient[] = [
  {
    name: "Claude Code",
    where: "a shell",
    key: (url) => `claude mcp add --transport http belfry ${mcp(url)} --header ${SHELL}`,
    consent: (url) => `claude mcp add --transport http belfry ${mcp(url)}`,
    tried: "2.1.330, 2026-11-23: connected with a key, and with consent after `claude mcp login belfry` in a terminal.",
  },
  {
    name: "Codex CLI",
    where: "a shell",
    key: (url) => `codex mcp add belfry --url ${mcp(url)} --bearer-token-env-var ${KEY_VARIABLE}`,
    consent: (url) => `codex mcp add belfry --url ${mcp(url)}`,
    tried:
      "0.169.0, 2026-11-23: listed all tools, both with a key and with consent. It requests consent " +
      "automatically or after `codex mcp login belfry`.",
  },
  {
    name: "Gemini CLI",
    where: "a shell, in a trusted folder",
    key: (url) => `gemini mcp add --transport http --header ${SHELL} belfry ${mcp(url)}`,
    consent: (url) => `gemini mcp add --transport http belfry ${mcp(url)}`,
    tried:
      "0.61.0, 2026-11-23: connected with a key, and with consent after `/mcp auth belfry` in the client; it " +
      "requests every permission.",
  },
  { name: "Cursor", where: "~/.cursor/mcp.json", ...settings("mcpServers", asUrl, FROM_ENVIRONMENT) },
  {
    name: "VS Code",
    where: ".vscode/mcp.json",
    ...settings("servers", (url) => ({ type: "http", url }), bearer(`\${input:belfry}`), {
      inputs: [{ type: "promptString", id: "belfry", description: "Belfry API key", password: true }],
    }),
  },
  {
    name: "Windsurf",
    where: "~/.codeium/windsurf/mcp_config.json",
    ...settings("mcpServers", (serverUrl) => ({ serverUrl }), FROM_ENVIRONMENT),
  },
  { name: "Zed", where: "settings.json", ...settings("context_servers", asUrl, IN_PLACE) },
  {
    name: "LM Studio",
    where: "mcp.json (Program, Install)",
    ...settings("mcpServers", asUrl, IN_PLACE),
    consent: null,
  },
  {
    name: "Goose",
    where: "a shell; to use a key, you must install the package",
    key: (url) => `goose session --with-extension "belfry mcp --url ${url}"`,
    consent: (url) => `goose session --with-streamable-http-extension "${mcp(url)}"`,
    tried: "1.37.0, 2026-11-24: called a tool through `belfry mcp` with a key, and with consent.",
  },
  {
    name: "Claude Desktop",
    where: "claude_desktop_config.json, with the package installed",
    key: (url) =>
      json({
        mcpServers: {
          belfry: { command: "belfry", args: ["mcp", "--url", url], env: { [KEY_VARIABLE]: "<your key>" } },
        },
      }),
    consent: null,
    tried: "Not tested; `belfry mcp` itself is tested with the SDKs of both protocols.",
  },
  { name: "claude.ai", ...CONNECTOR },
  { name: "ChatGPT", ...CONNECTOR },
];
