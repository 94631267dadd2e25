#!/usr/bin/env node
// Prints the files of ours that one call runs through, by V8's precise coverage: npm run path -- send_alert. With
// --write it fills the table of docs/contributing/architecture.md; with --check it exits 1 where the table is not
// current or a path is too long. Its server is its own.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { OPERATIONS } from "../operations/index.ts";
import { assertDefined } from "../src/model/assert.ts";
import { buildRestRequest } from "../src/operation/build_rest_request.ts";
import { findFreePort, listenHttp } from "../src/program/boot/http_server.ts";
import { openServiceWithoutListening } from "../src/program/boot/service.ts";
import { loadConfig } from "../src/store/config/load_settings.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PAGE = join(ROOT, "docs/contributing/architecture.md");
const TABLE = /(<!-- path -->\n)[\s\S]*?(<!-- \/path -->)/;

/** The most files of ours that a call may run through. */
const MOST: Record<string, number> = { send_alert: 35, create_alert: 47, get_pusher: 28, get_inbox: 26 };

/** Folders in the order in which a send meets them, from the socket to the row and the push notifications. */
const STOPS = [
  ...["src/program", "src/api", "src/identity", "src/operation", "operations", "src/model", "src/store"],
  ...["src/effects", "src/handset"],
];

/** The number of watched calls. Work on a timer is not in each of them. */
const TIMES = 4;

// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
type Answer = any;

const dataDir = mkdtempSync(join(tmpdir(), "belfry-path-"));
const host = "127.0.0.1";
const own = { HOST: host, PORT: String(await findFreePort(host)), DATA_DIR: dataDir, LOG_LEVEL: "error" };
const config = loadConfig(own, {});
const service = await openServiceWithoutListening(config, { limitMax: { "alert-sends": 1e6 } });
const listening = await listenHttp(service.app, config);
const session = new Session();
session.connect();

async function ask(method: string, path: string, token: string, body?: string, more = {}): Promise<Answer> {
  const headers = { ...(body ? { "content-type": "application/json" } : {}), ...more };
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  const init = { method, headers: { ...headers, ...authorization }, ...(body ? { body } : {}) };
  const answer = await fetch(config.publicUrl + path, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return text && JSON.parse(text);
}

/** A request of the owner. It is written before the call is watched. */
function request(name: string, args: Record<string, unknown>): () => Promise<Answer> {
  const tool = assertDefined(
    OPERATIONS.find((candidate) => candidate.name === name),
    `no operation is named ${name}`,
  );
  const { method, path, headers, body } = buildRestRequest(tool, args);
  const { key } = assertDefined(service.made, "the folder is new");
  return () => ask(method, path, key, body, headers);
}

/** Functions with a name that ran during a call, by file. */
async function ranDuring(call: () => Promise<unknown>): Promise<Map<string, number>> {
  // Each take begins the counts again.
  await session.post("Profiler.takePreciseCoverage");
  await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : "";
    if (!/^(src|operations)\//.test(file)) continue;
    const count = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length;
    if (count > 0) ran.set(file, count);
  }
  return ran;
}

/** The files that each of several calls ran through, with the number of functions, in the order of a send. */
async function pathOf(prepare: () => Promise<() => Promise<unknown>>): Promise<[file: string, n: number][]> {
  // The first call reads code that is read once.
  await (await prepare())();
  const runs: Map<string, number>[] = [];
  for (let i = 0; i < TIMES; i++) runs.push(await ranDuring(await prepare()));
  const stop = (file: string) => STOPS.findIndex((folder) => file.startsWith(`${folder}/`));
  return [...assertDefined(runs[0], "a call is watched")]
    .filter(([file]) => runs.every((run) => run.has(file)))
    .sort(([a], [b]) => stop(a) - stop(b) || (a < b ? -1 : 1));
}

/** The first sentence of a file's header; of an operation's description, since its record has no header. */
function headOf(file: string): string {
  const head = /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(readFileSync(join(ROOT, file), "utf8"))?.[1];
  const record = OPERATIONS.find(({ name }) => file === `operations/${name}.ts`);
  const [sentence = ""] = (head ?? record?.description ?? "")
    .replace(/^\/\/ |\n$/gm, "")
    .replaceAll("\n", " ")
    .split(/(?<=\.) (?=[A-Z])/);
  return sentence.replace(/\.$/, "").replaceAll("|", "\\|");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: "boolean" }, check: { type: "boolean" } },
  });
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const { id: pusher_id, handle } = await request("create_pusher", {
    ...{ name: "Path", handle: "path", description: "One call", category: "community", is_public: true },
  })();
  const device = { platform: "cli", app_version: "1.0.0", locale: "en", timezone: "UTC" };
  const { token } = await ask("POST", "/handset/v1/devices", "", JSON.stringify(device));
  await ask("PUT", `/handset/v1/subscriptions/${handle}`, token, "{}");
  // An inbox with an alert is read from its cache.
  await request("create_alert", { pusher_id, title: "Bread", body: "It is baked.", send: true })();
  const draft = request("create_alert", { pusher_id, title: "Kettle", body: "It boils." });
  const calls: Record<string, () => Promise<() => Promise<unknown>>> = {
    send_alert: async () => {
      const { id: alert_id } = await draft();
      return request("send_alert", { pusher_id, alert_id });
    },
    create_alert: async () => draft,
    get_pusher: async () => request("get_pusher", { pusher_id }),
    get_inbox: async () => () => ask("GET", "/handset/v1/inbox", token),
  };
  for (const name of positionals.length > 0 ? positionals : Object.keys(calls)) {
    const prepare = assertDefined(calls[name], `name one of ${Object.keys(calls).join(", ")}`);
    const ran = await pathOf(prepare);
    const functions = ran.reduce((sum, [, n]) => sum + n, 0);
    console.log(`${name}: ${ran.length} files, ${functions} functions`);
    if (!values.check) for (const [file, n] of ran) console.log(`  ${file} (${n})`);
    if (values.check && ran.length > (MOST[name] ?? Number.POSITIVE_INFINITY)) {
      console.error(`${name} runs through more than ${MOST[name]} files.`);
      process.exitCode = 1;
    }
    if (name !== "send_alert" || !(values.write || values.check)) continue;
    const rows = ran.map(([file]) => `| \`${file}\` | ${headOf(file)} |\n`);
    const page = readFileSync(PAGE, "utf8");
    const current = page.replace(TABLE, `$1\n| File | Holds |\n| --- | --- |\n${rows.join("")}\n$2`);
    if (values.write) writeFileSync(PAGE, current);
    else if (current !== page) {
      console.error("The table of docs/contributing/architecture.md is not current: npm run path -- --write");
      process.exitCode = 1;
    }
  }
}

try {
  await main();
} finally {
  session.disconnect();
  await listening.close();
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
