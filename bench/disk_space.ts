// The disk space of drafts by table and index. Sizes are PostgreSQL's own: the pages of a table with its toast, and of
// an index, with their maps. PostgreSQL's log (WAL) is not part of it.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { createOrm } from "../src/store/db/orm.ts";
import { getEmbeddedDatabaseStatus } from "../src/store/embedded/cluster.ts";
import { readCredentials } from "../src/store/secret/first_credentials_file.ts";
import { inFolder, startService } from "./start_times.ts";

export const DRAFTS = 10_000;
const CLIENTS = 8;
/** Autovacuum runs once a minute. It moves new entries into the search index, and adds maps to tables. */
const VACUUM_MS = 75_000;
const LEAST_SHOWN = 0.02;

/** Bytes by the name of a table or an index. */
type RelationSizes = ReadonlyMap<string, number>;

const SIZES = `select c.oid::regclass::text as name, case when c.relkind = 'i' then pg_total_relation_size(c.oid)
    else pg_table_size(c.oid) end::float8 as bytes
  from pg_class c where c.relkind in ('r', 'i') and c.relnamespace <> 'pg_toast'::regnamespace`;

export async function readRelationSizes(dataDir: string): Promise<RelationSizes> {
  const orm = createOrm({ databaseUrl: getEmbeddedDatabaseStatus(dataDir).url, databasePoolSize: 1 });
  try {
    const rows = await (orm.em.fork() as SqlEntityManager).execute<{ name: string; bytes: number }[]>(SIZES);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  } finally {
    await orm.close(true);
  }
}

/** The growth of each table and index in MB, the largest first, and their sum. */
export function compareSizes(before: RelationSizes, after: RelationSizes) {
  const relations = [...after]
    .map(([name, bytes]) => ({ name, mb: (bytes - (before.get(name) ?? 0)) / 1e6 }))
    .sort((a, b) => b.mb - a.mb);
  return { total: relations.reduce((sum, { mb }) => sum + mb, 0), relations };
}

export const formatSizeTable = ({ total, relations }: ReturnType<typeof compareSizes>): string =>
  [
    `| disk for ${DRAFTS} drafts | MB |`,
    "|---|---|",
    ...relations.filter(({ mb }) => mb >= LEAST_SHOWN).map(({ name, mb }) => `| ${name} | ${mb.toFixed(2)} |`),
    `| **all** | ${total.toFixed(2)} |`,
  ].join("\n");

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

/** Measures in about two minutes. */
export const measureDiskSpace = () =>
  inFolder(async (folder) => {
    const running = await startService(folder);
    const data = join(folder, "data");
    const before = await readRelationSizes(data);
    await createDrafts(running.url, readCredentials(data)!.key, 0, DRAFTS);
    await pause(VACUUM_MS);
    const sizes = compareSizes(before, await readRelationSizes(data));
    await running.end();
    return sizes;
  });
