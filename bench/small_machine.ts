// A service with its embedded database on a small machine: starts, memory, processor time and disk space. All its
// processes count.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readCredentials } from "../src/store/secret/first_credentials_file.ts";
import { compareSizes, createDrafts, DRAFTS, formatSizeTable, readRelationSizes } from "./disk_space.ts";
import { type GoalRow, rowsTable } from "./goal_rows.ts";
import { readCpuTime, readProcessMemory } from "./process_usage.ts";
import { inFolder, startService } from "./start_times.ts";

const STARTS = 3;
const WRITES = 4_000;
/** Registrations of one address in a minute are limited, so streams are opened in two parts. */
const STREAMS = 50;
/** Longer than the service waits until it shrinks its heap, and than an idle connection to the database is kept. */
const REST_SECONDS = 60;

/** A process and all that it started, also indirectly. */
function listProcessTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(listProcessTree)];
}

const sumPss = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + (readProcessMemory(pid)?.pss ?? Number.NaN), 0);

/** Opens a stream for each of `STREAMS` new handsets on the first channel. @throws Error for any other answer */
async function openStreams(url: string, key: string, signal: AbortSignal): Promise<void> {
  const call = async (method: string, path: string, token: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return response;
  };
  const { data } = (await (await call("GET", "/api/v1/pushers", key)).json()) as { data: { handle: string }[] };
  for (let i = 0; i < STREAMS; i++) {
    const device = { platform: "web", app_version: "1.0.0", locale: "en", timezone: "UTC" };
    const { token } = (await (await call("POST", "/handset/v1/devices", "", device)).json()) as { token: string };
    await call("PUT", `/handset/v1/subscriptions/${data[0]!.handle}`, token, {});
    const stream = await call("GET", "/handset/v1/inbox/stream", token);
    // It ends with the signal.
    void stream.body!.pipeTo(new WritableStream()).catch(() => {});
  }
}

/** Measures in about eight minutes. Needs /proc, and the rights to read the database's processes. */
export const measureSmallMachine = (): Promise<{ rows: GoalRow[]; table: string }> =>
  inFolder(async (folder) => {
    const first = await startService(folder);
    await first.end();
    const starts: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      const running = await startService(folder);
      starts.push(running.seconds);
      await running.end();
    }
    const data = join(folder, "data");
    let running = await startService(folder);
    const tree = () => listProcessTree(running.pid);
    const rest = () => pause(REST_SECONDS * 1000);
    const memory = () => ({ all: sumPss(tree()), service: sumPss([running.pid]) });
    const { key } = readCredentials(data)!;
    await rest();
    const pids = tree();
    const before = readCpuTime(pids)!;
    await rest();
    const cpu = ((readCpuTime(pids)! - before) / 1e6 / REST_SECONDS) * 100;
    const atRest = memory();
    const empty = await readRelationSizes(data);
    await createDrafts(running.url, key, 0, WRITES);
    const rightAfter = memory();
    await rest();
    const afterWrites = memory();
    await createDrafts(running.url, key, WRITES, DRAFTS);
    await rest();
    await rest();
    const disk = compareSizes(empty, await readRelationSizes(data));
    await running.end();
    running = await startService(folder);
    const streams = new AbortController();
    await openStreams(running.url, key, streams.signal);
    await rest();
    await openStreams(running.url, key, streams.signal);
    await rest();
    const withStreams = memory();
    streams.abort();
    await running.end();
    const row = (work: string, unit: GoalRow["unit"], most: number | null, values: number[], note = ""): GoalRow => ({
      ...{ group: "small machine", work, unit, values, note },
      goal: most === null ? null : { most },
    });
    const shares = ({ all, service }: { all: number; service: number }) =>
      `service ${service.toFixed(0)}, PostgreSQL ${(all - service).toFixed(0)}`;
    const rows = [
      row("first start", " s", null, [first.seconds]),
      row("start", " s", 1.5, starts),
      row("PSS at rest", " MB", 120, [atRest.all], shares(atRest)),
      row("processor time at rest", " %", 0.2, [cpu]),
      row(`PSS right after ${WRITES} writes`, " MB", null, [rightAfter.all], shares(rightAfter)),
      row("PSS a minute later", " MB", 160, [afterWrites.all], shares(afterWrites)),
      row(`PSS with ${2 * STREAMS} streams`, " MB", 160, [withStreams.all], shares(withStreams)),
      row(`disk for ${DRAFTS} drafts`, " MB", 8, [disk.total]),
    ];
    return { rows, table: `${rowsTable(rows)}\n\n${formatSizeTable(disk)}` };
  });
