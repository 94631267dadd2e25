// A database of a given size with a server for it, created for one run and removed after it.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledQuery } from "kysely";
import { lazy } from "../src/store/db/lazy.ts";
import { applyPendingMigrations } from "../src/store/db/migrate.ts";
import { createOrm } from "../src/store/db/orm.ts";
import { getKysely } from "../src/store/db/statement.ts";
import type { BenchWorld } from "./case_types.ts";
import type { LoadTarget } from "./load_generators.ts";
import { type ProcessMemory, readCpuTime } from "./process_usage.ts";
import { seedDatabase, type Tokens, type WorldSize } from "./seed_database.ts";
import { type BenchServer, startServer } from "./start_servers.ts";

export interface OpenWorld extends BenchWorld {
  size: WorldSize;
  databaseUrl: string;
  /** Connections of its service, and of other programs on the same database. */
  secret: string;
  /**
   * Microseconds that PostgreSQL's side of the connections to this database, or another, has used; null where it
   * cannot be read from here.
   */
  databaseCpu(of?: string): Promise<number | null>;
  /** The service as `npm start` runs it: with its log, and without other processes to notify of changes. */
  delivered(): Promise<LoadTarget>;
  memory(): ProcessMemory | null;
  profile: BenchServer["profile"];
  close(): Promise<void>;
}

export interface WorldOptions {
  size: WorldSize;
  tokens: Tokens;
  seconds: number;
  everything(): Promise<LoadTarget | null>;
}

const open = (databaseUrl: string) => createOrm({ databaseUrl });

async function execute(databaseUrl: string, text: string): Promise<void> {
  const orm = open(databaseUrl);
  await getKysely(orm)
    .executeQuery(CompiledQuery.raw(text))
    .finally(() => orm.close(true));
}

export async function openWorld(adminUrl: string, making: WorldOptions): Promise<OpenWorld> {
  const name = `bench_${making.size.name.toLowerCase()}_${process.pid}`;
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const databaseUrl = url.href;
  await execute(adminUrl, `create database ${name}`);
  const closers = [() => execute(adminUrl, `drop database ${name} with (force)`)];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const orm = open(databaseUrl);
    closers.push(() => orm.close(true));
    await applyPendingMigrations(orm);
    await seedDatabase(getKysely(orm), making.size, making.tokens);
    const secret = randomBytes(32).toString("hex");
    const server = await startServer({ databaseUrl, secret });
    closers.push(server.stop);
    const withLog = (settings?: Record<string, string>) =>
      lazy(async () => {
        const folder = mkdtempSync(join(tmpdir(), "belfry-bench-"));
        closers.push(async () => rmSync(folder, { recursive: true }));
        const second = await startServer({ databaseUrl, secret, logTo: join(folder, "log"), settings });
        closers.push(second.stop);
        return second.service;
      });
    const [logged, delivered] = [withLog(), withLog({ BENCH_ALONE: "1" })];
    const sql = async (text: string) => void (await getKysely(orm).executeQuery(CompiledQuery.raw(text)));
    // The usage of ended connections stays counted.
    const used = new Map<string, Map<number, number>>();
    const databaseCpu = async (of = name) => {
      const { rows } = await getKysely(orm).executeQuery<{ pid: number }>(
        CompiledQuery.raw("select pid from pg_stat_activity where datname = $1", [of]),
      );
      const each = used.get(of) ?? new Map<number, number>();
      used.set(of, each);
      for (const { pid } of rows) each.set(pid, readCpuTime([pid]) ?? each.get(pid) ?? Number.NaN);
      const all = [...each.values()].reduce((sum, us) => sum + us, 0);
      return Number.isNaN(all) ? null : all;
    };
    return { ...server, ...making, logged, delivered, databaseCpu, databaseUrl, secret, sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}
