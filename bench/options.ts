// The options of the command, and their limits.

import { parseArgs } from "node:util";

const HELP = `npm run bench -- [options]
  --goals                    every goal beside what was seen, in about ten minutes
  --million                  with it: also a million alerts, which take minutes to seed
  --peers                    the same work by ntfy and Gotify, whose programs NTFY_BIN and GOTIFY_BIN name
  --hot                      reports on one alert and sends on one channel, by 1, 8 and 64 clients
  --processes N              with it: how many processes share the clients (1)
  --memory                   memory of the largest modules, and of a whole service on a small machine
  --disk                     disk space of 10,000 drafts by table and index, in two minutes
  --heap                     settings of Node's heap: memory after load next to rates
  --plot FILE.json           draw what --goals --json FILE.json wrote, as --out (docs/bench.svg)
  --profile CASE             where the service's time goes in one case; "start" and "held polls" are two more
  --clients N                with it: how many load the service at once (32)
  --everything               install the MCP SDK's everything-server for the bench alone
  --scale small|large|both   databases to measure (both)
  --large N                  alerts in the large one (1000000)
  --seconds N                seconds of one measurement (2)
  --rounds N                 measurements of every case, at most 5 (2; with --goals, --peers, --hot and --heap 3)
  --embedded                 the small one on the embedded database as well, as ratios to the one by URL
  --only TEXT                cases whose name holds the text
  --out FILE                 write the table there, too
  --json FILE                write every figure there`;

/** Ends the process with what is wrong with its options. */
export function exitWithUsage(message: string): never {
  console.error(message);
  process.exit(2);
}

function parsed() {
  try {
    return parseArgs({
      options: {
        goals: { type: "boolean", default: false },
        million: { type: "boolean", default: false },
        peers: { type: "boolean", default: false },
        hot: { type: "boolean", default: false },
        processes: { type: "string", default: "1" },
        memory: { type: "boolean", default: false },
        disk: { type: "boolean", default: false },
        heap: { type: "boolean", default: false },
        plot: { type: "string" },
        profile: { type: "string" },
        clients: { type: "string", default: "32" },
        everything: { type: "boolean", default: false },
        scale: { type: "string", default: "both" },
        large: { type: "string", default: "1000000" },
        seconds: { type: "string", default: "2" },
        rounds: { type: "string" },
        embedded: { type: "boolean", default: false },
        only: { type: "string", default: "" },
        out: { type: "string" },
        json: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return exitWithUsage(`${(error as Error).message}\n\n${HELP}`);
  }
}

const values = parsed();
if (values.help) exitWithUsage(HELP);

function number(name: string, value: string, min: number, max: number): number {
  const n = Number(value);
  if (!Number.isInteger(n) || n < min || n > max)
    exitWithUsage(`--${name} must be a whole number from ${min} to ${max}.`);
  return n;
}

if (!["small", "large", "both"].includes(values.scale)) exitWithUsage("--scale must be small, large or both.");
if (values.embedded && values.scale === "large") exitWithUsage("--embedded needs the small database beside it.");
if (values.million && !values.goals) exitWithUsage("--million goes with --goals.");

export const options = {
  ...values,
  large: number("large", values.large, 1000, 10_000_000),
  clients: number("clients", values.clients, 1, 1_000),
  processes: number("processes", values.processes, 1, 16),
  seconds: number("seconds", values.seconds, 1, 30),
  rounds: number(
    "rounds",
    values.rounds ?? (values.goals || values.peers || values.heap || values.hot ? "3" : "2"),
    1,
    5,
  ),
};
