// The three transports of one service (REST, MCP, the command line) behind one interface, and an account of each with
// its callers. Results omit differences between accounts: ids, handles, times.

import type { ERROR_TYPE_STATUSES } from "../../src/model/api_error.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { runInProcess } from "./in_process_commands.ts";
import { runBelfry } from "./processes.ts";
import { findOperation, type World } from "./world.ts";

type Args = Record<string, unknown>;

/** The result of a call: null in place of a refusal's type where it succeeded. */
export interface TransportAnswer {
  refused: keyof typeof ERROR_TYPE_STATUSES | null;
  body: any;
}

export type TransportCall = (tool: string, args: Args, key: string) => Promise<TransportAnswer>;

const told = (status: number, body: any, args: Args): TransportAnswer => {
  if (status >= 400) return { refused: body.error.type, body };
  return { refused: null, body: body ?? { deleted: true, id: args.alert_id } };
};

/** Arguments as a person types them; values without a flag are passed as JSON. */
function typed(args: Args): string[] {
  const spoken = Object.entries(args).filter(([, value]) => value !== null);
  const rest = Object.fromEntries(Object.entries(args).filter(([, value]) => value === null));
  return [
    ...spoken.map(([name, value]) => `--${name.replaceAll("_", "-")}=${value}`),
    ...(Object.keys(rest).length > 0 ? [`--json=${JSON.stringify(rest)}`] : []),
  ];
}

const command = (url: string, tool: string, args: Args, key: string) => [
  `--url=${url}`,
  `--key=${key}`,
  tool.replaceAll("_", "-"),
  ...typed(args),
];

/** The fields of a refusal or a note, which the command line names as flags. */
const unflagged = (line: string): string =>
  line.replace(/(?<!\w)--([a-z]+(?:-[a-z]+)*)/g, (_, flag: string) => flag.replaceAll("-", "_"));

const said = ({
  code,
  stdout,
  stderr,
}: {
  code: number | string | null;
  stdout: string;
  stderr: string;
}): TransportAnswer =>
  code === 0
    ? { refused: null, body: JSON.parse(unflagged(stdout)) }
    : told(422, JSON.parse(unflagged(stderr.trim().split("\n").at(-1)!)), {});

/** Opens a socket for the command line; `close` shuts it. */
export async function openTransports(world: World) {
  const port = await findFreePort("127.0.0.1");
  const listener = await listenHttp(world.service.app, { host: "127.0.0.1", port });
  const url = `http://127.0.0.1:${port}`;
  let turn: Promise<unknown> = Promise.resolve();
  const full = (tool: string, args: Args) =>
    "view" in findOperation(tool).input.shape ? { ...args, view: "full" } : args;
  const faces: Record<"rest" | "mcp" | "cli", TransportCall> = {
    async rest(tool, args, key) {
      const { status, body } = await world.rest(tool, args, key);
      return told(status, body, args);
    },
    async mcp(tool, args, key) {
      const { status, body } = await world.mcp(tool, full(tool, args), key);
      return told(status, body, args);
    },
    cli(tool, args, key) {
      const done = turn.then(() => runInProcess(command(url, tool, args, key)));
      turn = done.catch(() => {});
      return done.then(said);
    },
  };
  /** The same by a process of its own, as a person's shell starts it. */
  const byProcess: TransportCall = async (tool, args, key) => said(await runBelfry(command(url, tool, args, key), {}));
  return { faces, byProcess, close: () => listener.close() };
}

/**
 * Replaces an account's values by names that are the same for all: the first alert that appears is alr_1, and so on.
 */
export function createIdNormalizer() {
  const known = new Map<string, string>();
  const named = (of: string) => (id: string) => {
    const count = [...known.values()].filter((name) => name.startsWith(of)).length;
    if (!known.has(id)) known.set(id, `${of}${count + 1}`);
    return known.get(id)!;
  };
  return (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replace(/\b(psh|alr|wsp|mem|inv)_[0-9a-hjkmnp-tv-z]{26}\b/g, (id) => named(`${id.slice(0, 3)}_`)(id))
        .replace(/\bt[0-9a-z]+-[0-9a-z]+\b/g, (handle) => named("handle_")(handle))
        .replace(/"\d{4}-\d\d-\d\dT[^"]*Z"/g, '"(an instant)"')
        .replace(/#[0-9a-f]{6}\b/g, "#(colour)"),
    );
}
