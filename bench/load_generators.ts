// The two ways of loading: requests over HTTP by autocannon, and the same SQL by pgbench. Both report how often per
// second; requests also how long and at what processor time.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon, { type Client, type Request } from "autocannon";
import type { Statement } from "../src/store/db/statement.ts";

export const CONNECTIONS = 32;

/** A server process under load. */
export interface LoadTarget {
  url: string;
  /** Microseconds of processor time that it has used so far; null where they cannot be read. */
  cpu(): Promise<number | null>;
}

export interface HttpLoad {
  kind: "http";
  target: LoadTarget;
  /** The requests of one connection, in turn. */
  requests(connection: number): Request[];
  status: number;
  /**
   * Another's program, which refuses some of many calls at once: these do not count into its rate, and fail nothing.
   */
  mayRefuse?: boolean;
  /** Each request is sent once: running out of them fails the run. */
  once?: boolean;
  /** Returns true for every right response. */
  verify?(body: string): boolean;
}

export interface PgLoad {
  kind: "pgbench";
  /** pgbench picks one of them for every transaction. */
  scripts: string[];
  variables?: Record<string, string | number>;
}

/** A side that is not there to be loaded. */
export interface MissingSide {
  kind: "missing";
  why: string;
}

export type SideLoad = HttpLoad | PgLoad | MissingSide;

export interface LoadFigure {
  perSecond: number;
  /** The number of refusals, for requests that may be refused. */
  refused?: number;
  /** Milliseconds; only of requests. */
  p50?: number;
  /** Microseconds of the server a request; only of requests. */
  cpu?: number;
}

export async function loadHttp(load: HttpLoad, seconds: number, connections = CONNECTIONS): Promise<LoadFigure> {
  const { url, cpu } = load.target;
  const times: number[] = [];
  const asked = new Map<Client, number>();
  let wrong = 0;
  let i = 0;
  const before = await cpu();
  let pool = Number.POSITIVE_INFINITY;
  const instance = autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(client) {
      const requests = load.requests(i++);
      if (load.once) pool = Math.min(pool, requests.length);
      client.setRequests(requests);
    },
    verifyBody: load.verify,
  });
  instance.on("response", (client: Client, status: number, _bytes: number, ms: number) => {
    times.push(ms);
    asked.set(client, (asked.get(client) ?? 0) + 1);
    if (status !== load.status) wrong++;
  });
  const result = await instance;
  const after = await cpu();
  const allowed = load.mayRefuse ? times.length / 10 : 0;
  if (wrong > allowed || result.errors > 0 || result.mismatches > Math.min(wrong, allowed))
    throw new Error(
      `${url}: of ${times.length} answers ${wrong} without status ${load.status}, ${result.mismatches} with ` +
        `another body; ${result.errors} errors`,
    );
  if (Math.max(...asked.values()) >= pool) throw new Error("the bench ran out of prepared requests");
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length - wrong) / result.duration,
    ...(wrong > 0 ? { refused: wrong } : {}),
    p50: times[times.length >> 1]!,
    ...(before === null || after === null ? {} : { cpu: (after - before) / times.length }),
  };
}

/** A statement of the service as a line of a pgbench script, with SQL in place of its parameters. */
export function toPgbenchScript<In>(
  { text: numbered, parameters }: Statement<In, unknown>,
  values: { [Name in keyof In]: string | number },
): string {
  const byName: Record<string, string | number> = values;
  const text = numbered.replace(/\$(\d+)/g, (_, n) => `${byName[parameters[Number(n) - 1]![0]]}`);
  // In one line a comment would reach to its end, and pgbench takes what follows a colon for a variable, in texts as
  // well.
  const line = text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  return `${line.replace(/\bHH24:MI:SS\b/g, "HH24'||chr(58)||'MI'||chr(58)||'SS")};`;
}

export async function loadPg(
  load: PgLoad,
  seconds: number,
  { pgbench, databaseUrl }: { pgbench: string; databaseUrl: string },
  connections = CONNECTIONS,
): Promise<LoadFigure> {
  const folder = await mkdtemp(join(tmpdir(), "belfry-bench-"));
  try {
    const files = load.scripts.map((_, i) => join(folder, `${i}.sql`));
    for (const [i, script] of load.scripts.entries()) await writeFile(files[i]!, `${script}\n`);
    const output = await collect(pgbench, [
      ...[
        "-n",
        "-M",
        "prepared",
        "-c",
        String(connections),
        "-j",
        String(Math.min(2, connections)),
        "-T",
        String(seconds),
      ],
      ...Object.entries(load.variables ?? {}).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
      ...files.flatMap((file) => ["-f", file]),
      databaseUrl,
    ]);
    const tps = /tps = ([\d.]+)/.exec(output)?.[1];
    if (!tps || !/failed transactions: 0 /.test(output)) throw new Error(`pgbench: ${output}`);
    return { perSecond: Number(tps) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function collect(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, PGOPTIONS: "-c TimeZone=UTC" } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}: ${output}`)),
    );
  });
}
