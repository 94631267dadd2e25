// A database of a size with a server in front of it, made for one run and gone after it.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledQuery } from "kysely";
import { lazy } from "../src/store/db/lazy.ts";
import { migrate } from "../src/store/db/migrate.ts";
import { openOrm } from "../src/store/db/orm.ts";
import { databaseOf } from "../src/store/db/statement.ts";
import type { World } from "./case.ts";
import type { Target } from "./load.ts";
import { cpuOf, type Memory } from "./processes.ts";
import { type Size, seed, type Tokens } from "./seed.ts";
import { type Server, startServer } from "./served.ts";

export interface OpenWorld extends World {
  size: Size;
  databaseUrl: string;
  /** Microseconds that PostgreSQL's side of the connections to this database, or another, has used; null where it cannot be read from here. */
  databaseCpu(of?: string): Promise<number | null>;
  memory(): Memory | null;
  profile: Server["profile"];
  close(): Promise<void>;
}

export interface Making {
  size: Size;
  tokens: Tokens;
  seconds: number;
  everything(): Promise<Target | null>;
}

const open = (databaseUrl: string) => openOrm({ databaseUrl });

async function execute(databaseUrl: string, text: string): Promise<void> {
  const orm = open(databaseUrl);
  await databaseOf(orm)
    .executeQuery(CompiledQuery.raw(text))
    .finally(() => orm.close(true));
}

export async function openWorld(adminUrl: string, making: Making): Promise<OpenWorld> {
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
    await migrate(orm);
    await seed(databaseOf(orm), making.size, making.tokens);
    const secret = randomBytes(32).toString("hex");
    const server = await startServer({ databaseUrl, secret });
    closers.push(server.stop);
    const logged = lazy(async () => {
      const folder = mkdtempSync(join(tmpdir(), "belfry-bench-"));
      closers.push(async () => rmSync(folder, { recursive: true }));
      const second = await startServer({ databaseUrl, secret, logTo: join(folder, "log") });
      closers.push(second.stop);
      return second.service;
    });
    const sql = async (text: string) => void (await databaseOf(orm).executeQuery(CompiledQuery.raw(text)));
    const databaseCpu = async (of = name) => {
      const { rows } = await databaseOf(orm).executeQuery<{ pid: number }>(
        CompiledQuery.raw("select pid from pg_stat_activity where datname = $1", [of]),
      );
      return cpuOf(rows.map(({ pid }) => pid));
    };
    return { ...server, ...making, logged, databaseCpu, databaseUrl, sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}
