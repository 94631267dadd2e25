#!/usr/bin/env node
// `npm run eval`: runs all tasks on a server of its own and prints the cost of each. Exit 1 when an end state is wrong
// or a limit is exceeded. `--write` updates the limits. For any assistant, with `--url` and `--key`: `--world` creates
// the data there. `--task ID` then reports if the end state is right, and with `--said "…"` if its reply to the person
// is right (docs/contributing/assistant-evaluation.md).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createKey } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { openServiceWithoutListening } from "../../src/program/boot/service.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import {
  type EvalTask,
  findUnmetExpectation,
  hazards,
  injections,
  runTask,
  TASK_FILES,
  type TaskResult,
  tasks,
} from "./play_tasks.ts";
import { seedServer } from "./seed_server.ts";

/** All tasks in the order in which they are played. */
const ALL_TASKS = [...tasks, ...injections, ...hazards];

/** A client of the protocol of 2026. */
async function connectClient(url: string, key: string): Promise<Client> {
  const client = new Client({ name: "eval", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const authProvider = { token: async () => key };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider }));
  return client;
}

/** All tasks in their order; `keyFor` makes a key with these scopes. */
export async function runAllTasks(
  url: string,
  key: string,
  keyFor: (scopes: string) => Promise<string>,
): Promise<[EvalTask, TaskResult][]> {
  const owner = await connectClient(url, key);
  await seedServer(owner, url);
  const played: [EvalTask, TaskResult][] = [];
  for (const task of ALL_TASKS) {
    const client = task.scopes ? await connectClient(url, await keyFor(task.scopes)) : owner;
    played.push([task, await runTask(task, client, owner)]);
    if (client !== owner) await client.close();
  }
  await owner.close();
  return played;
}

/** The limits that a task exceeded, or the missing results. */
export const findInvalidTasks = ([task, { tokens, wrong }]: [EvalTask, TaskResult]): string[] => [
  ...wrong,
  ...(task.tokens !== undefined && tokens > task.tokens ? [`${tokens} tokens are more than ${task.tokens}`] : []),
];

/** A little more than measured: times, counts and random codes differ in length. */
const ceiling = (tokens: number) => Math.ceil((1.05 * tokens) / 10 + 1) * 10;

function write(played: [EvalTask, TaskResult][]): void {
  for (const file of TASK_FILES) {
    let text = readFileSync(file, "utf8");
    for (const [{ id, tokens: limit }, { tokens }] of played)
      if (limit !== undefined)
        text = text.replace(
          new RegExp(`("id": "${id}"[\\s\\S]*?"tokens": )\\d+`),
          (_, before) => before + ceiling(tokens),
        );
    writeFileSync(file, text);
  }
}

async function own(): Promise<[EvalTask, TaskResult][]> {
  const dataDir = mkdtempSync(join(tmpdir(), "belfry-eval-"));
  const HOST = "127.0.0.1";
  const PORT = String(await findFreePort(HOST));
  const config = loadConfig({ HOST, PORT, DATA_DIR: dataDir, LOG_LEVEL: "error" }, {});
  const service = await openServiceWithoutListening(config);
  const listening = await listenHttp(service.app, config);
  try {
    const em = service.orm.em.fork() as SqlEntityManager;
    const keyFor = async (scopes: string) => (await createKey(em, { scopes }, new Date())).key;
    return await runAllTasks(config.publicUrl, service.made?.key ?? "", keyFor);
  } finally {
    await listening.close();
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** On an existing server: creates the data, or checks a task's end state. */
async function elsewhere(url: string, key: string, task: EvalTask | null, said: string | null): Promise<number> {
  const client = await connectClient(url, key);
  if (!task) await seedServer(client, url);
  const wrong = task ? await findUnmetExpectation(task, client, Date.now(), said) : [];
  console.log(task ? wrong.join("\n") || "It holds." : "The world is made.");
  await client.close();
  return wrong.length > 0 ? 1 : 0;
}

async function here(writes: boolean): Promise<number> {
  const played = await own();
  for (const one of played) {
    const [{ id }, { calls, tokens, wrong }] = one;
    const bad = writes ? wrong : findInvalidTasks(one);
    console.log([`${bad.length ? "✗" : "✓"} ${id}: ${calls} calls, ${tokens} tokens`, ...bad].join("\n    "));
  }
  const total = (of: readonly EvalTask[]) => {
    const results = played.flatMap(([task, result]) => (of.includes(task) ? [result] : []));
    const sum = (name: "calls" | "tokens") => results.reduce((all, result) => all + result[name], 0);
    return `${results.length} in ${sum("calls")} calls and ${sum("tokens")} tokens`;
  };
  console.log(`Tasks: ${total(tasks)}. Injections: ${total(injections)}. Hazards: ${total(hazards)}.`);
  if (writes) write(played);
  return played.some((one) => (writes ? one[1].wrong : findInvalidTasks(one)).length > 0) ? 1 : 0;
}

async function main(): Promise<number> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { url: text, key: text, task: text, said: text, world: flag, write: flag };
  const { url, key, task: id, said = null, world, write: writes = false } = parseArgs({ options }).values;
  if (!url && !key) return here(writes);
  const task = ALL_TASKS.find((one) => one.id === id);
  if (url && key && (world ? !id : task)) return elsewhere(url, key, task ?? null, said);
  console.error("Give --url and --key, and --world or --task with an id of scripts/eval/tasks.json.");
  return 2;
}

if (import.meta.main) process.exitCode = await main();
