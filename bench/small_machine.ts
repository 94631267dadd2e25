// A service with its embedded database on a small machine: starts, memory, processor time and disk space. All its
// processes count.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getEmbeddedDatabaseStatus } from "../src/store/embedded/cluster.ts";
import { readCredentials } from "../src/store/secret/first_credentials_file.ts";
import type { GoalRow } from "./goal_rows.ts";
import { readCpuTime, readProcessMemory } from "./process_usage.ts";
import { inFolder, startService } from "./start_times.ts";

const STARTS = 3;
const WRITES = 4_000;
const DRAFTS = 10_000;
const CLIENTS = 8;
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

/** Bytes of the database's tables and indexes on the disk, without its log. */
function readDatabaseSize(dataDir: string): number {
  const base = join(getEmbeddedDatabaseStatus(dataDir).folder, "base");
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .map((file) => statSync(join(base, file), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? found.blocks * 512 : 0), 0);
}

/** Creates drafts with texts of 200 characters, some at a time. @throws Error for any other answer than 201 */
export async function createDrafts(url: string, key: string, from: number, to: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const { data } = (await (await fetch(`${url}/api/v1/pushers`, { headers })).json()) as { data: { id: string }[] };
  let next = from;
  const client = async () => {
    while (next < to) {
      const n = next++;
      const body = `Disk ${n} of rack ${n % 97} is ${n % 13} percent full. `.repeat(10).slice(0, 200);
      const request = { method: "POST", headers, body: JSON.stringify({ title: `Alert ${n}`, body }) };
      const response = await fetch(`${url}/api/v1/pushers/${data[0]!.id}/alerts`, request);
      if (response.status !== 201) throw new Error(`a draft was answered with ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Measures in about five minutes. Needs /proc, and the rights to read the database's processes. */
export const measureSmallMachine = (): Promise<GoalRow[]> =>
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
    const running = await startService(folder);
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
    const empty = readDatabaseSize(data);
    await createDrafts(running.url, key, 0, WRITES);
    const rightAfter = memory();
    await rest();
    const afterWrites = memory();
    await createDrafts(running.url, key, WRITES, DRAFTS);
    await rest();
    const disk = (readDatabaseSize(data) - empty) / 1e6;
    await running.end();
    const row = (work: string, unit: GoalRow["unit"], most: number | null, values: number[], note = ""): GoalRow => ({
      ...{ group: "small machine", work, unit, values, note },
      goal: most === null ? null : { most },
    });
    const shares = ({ all, service }: { all: number; service: number }) =>
      `service ${service.toFixed(0)}, PostgreSQL ${(all - service).toFixed(0)}`;
    return [
      row("first start", " s", null, [first.seconds]),
      row("start", " s", 1.5, starts),
      row("PSS at rest", " MB", 120, [atRest.all], shares(atRest)),
      row("processor time at rest", " %", 0.2, [cpu]),
      row(`PSS right after ${WRITES} writes`, " MB", null, [rightAfter.all], shares(rightAfter)),
      row("PSS a minute later", " MB", 160, [afterWrites.all], shares(afterWrites)),
      row(`disk for ${DRAFTS} drafts`, " MB", 8, [disk]),
    ];
  });
