// A database of a size with a server in front of it, made for one run and gone after it.

import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { CompiledQuery } from "kysely";
import { migrate } from "../src/db/migrate.ts";
import { openOrm } from "../src/db/orm.ts";
import { databaseOf } from "../src/db/statement.ts";
import type { World } from "./cases.ts";
import { type Size, seed, type Tokens } from "./seed.ts";

export interface OpenWorld extends World {
  size: Size;
  databaseUrl: string;
  /** Microseconds that the server has used so far. */
  cpu(): Promise<number>;
  /** The same of the database's side of its connections; null where it cannot be read from here. */
  databaseCpu(): Promise<number | null>;
  close(): Promise<void>;
}

const open = (databaseUrl: string) => openOrm({ databaseUrl });

async function execute(databaseUrl: string, text: string): Promise<void> {
  const orm = open(databaseUrl);
  await databaseOf(orm)
    .executeQuery(CompiledQuery.raw(text))
    .finally(() => orm.close(true));
}

export async function openWorld(
  adminUrl: string,
  size: Size,
  tokens: Tokens,
  seconds: number,
): Promise<OpenWorld> {
  const name = `bench_${size.name.toLowerCase()}_${process.pid}`;
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
    await seed(databaseOf(orm), size, tokens);
    const server = await start(databaseUrl);
    closers.push(server.stop);
    const sql = async (text: string) => void (await databaseOf(orm).executeQuery(CompiledQuery.raw(text)));
    const databaseCpu = async () => {
      const { rows } = await databaseOf(orm).executeQuery<{ pid: number }>(
        CompiledQuery.raw("select pid from pg_stat_activity where datname = current_database()"),
      );
      return cpuOf(rows.map(({ pid }) => pid));
    };
    return { ...server, databaseCpu, size, databaseUrl, tokens, seconds, sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Microseconds; the system counts in hundredths of a second. */
function cpuOf(pids: number[]): number | null {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
      const [user, system] = fields.split(" ").slice(11, 13).map(Number);
      ticks += user! + system!;
    } catch {
      return null;
    }
  }
  return ticks * 10_000;
}

async function start(databaseUrl: string) {
  const child = fork(`${import.meta.dirname}/server.ts`, {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SECRET: randomBytes(32).toString("hex"),
      PUBLIC_URL: "",
    },
  });
  const { url, plainUrl } = await answer<{ url: string; plainUrl: string }>(child);
  return {
    url,
    plainUrl,
    async cpu() {
      child.send("cpu");
      const { cpu } = await answer<{ cpu: NodeJS.CpuUsage }>(child);
      return cpu.user + cpu.system;
    },
    async stop() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const gone = once(child, "exit", ended).then(
    () => Promise.reject(new Error("the server ended")),
    () => new Promise<never>(() => {}),
  );
  try {
    const [message] = await Promise.race([once(child, "message"), gone]);
    return message as T;
  } finally {
    ended.abort();
  }
}
