#!/usr/bin/env node
// A storm of Alertmanager's groups at the limit of sends. More groups than a channel publishes in a minute fire at
// once, and all of them arrive. Starts a service and an Alertmanager of its own, and prints the progress. Exit 0 only
// when all of them arrived.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "../../src/program/boot/http_server.ts";

const GROUPS = 45;
const DEADLINE_MS = 300_000;
const ROOT = join(import.meta.dirname, "../..");

const folder = mkdtempSync(join(tmpdir(), "belfry-storm-"));
// The database may run as another user.
chmodSync(folder, 0o711);
const children: ChildProcess[] = [];

function start(program: string, args: string[], env: Record<string, string> = {}): void {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(program, args, { ...{ cwd: ROOT, stdio: "ignore", env: { PATH, HOME, ...env } } });
  children.push(child);
}

/** Waits until `attempt` answers something. @throws after five minutes. */
async function until<T>(attempt: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const since = Date.now(); Date.now() - since < DEADLINE_MS; await pause(200)) {
    const result = await Promise.resolve()
      .then(attempt)
      .catch(() => undefined);
    if (result !== undefined) return result;
  }
  throw new Error(`not within ${DEADLINE_MS / 1000} seconds`);
}

async function storm(): Promise<void> {
  const [port, monitorPort] = [await findFreePort("127.0.0.1"), await findFreePort("127.0.0.1")];
  const url = `http://127.0.0.1:${port}`;
  const data = join(folder, "data");
  start(process.execPath, ["src/main.ts"], { DATA_DIR: data, PORT: String(port), LOG_LEVEL: "warn" });
  const key = await until(async () => {
    const answer = await fetch(`${url}/readyz`);
    return answer.ok ? JSON.parse(readFileSync(join(data, "credentials.json"), "utf8")).key : undefined;
  });
  // biome-ignore lint/suspicious/noExplicitAny: each step looks into the answer of another operation
  const call = async (path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const { id } = await call("pushers", {
    ...{ handle: "storm", name: "Storm", category: "community", requested_perms: ["notify"] },
    description: "Groups of alerts that fire at once.",
  });
  const config = join(folder, "alertmanager.yml");
  writeFileSync(
    config,
    `route: {receiver: belfry, group_by: ["..."], group_wait: 1s, group_interval: 5m, repeat_interval: 4h}
receivers:
  - name: belfry
    webhook_configs:
      - url: ${url}/api/v1/pushers/${id}/ingest?from=alertmanager
        http_config: {authorization: {credentials: "${key}"}}
`,
  );
  start("prometheus-alertmanager", [
    ...[`--config.file=${config}`, `--storage.path=${join(folder, "am")}`, "--cluster.listen-address="],
    `--web.listen-address=127.0.0.1:${monitorPort}`,
  ]);
  const alerts = Array.from({ length: GROUPS }, (_, i) => ({
    labels: { alertname: `Storm${i}`, severity: "critical" },
    annotations: { summary: `Group ${i} fires` },
  }));
  const since = await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${monitorPort}/api/v2/alerts`, {
      ...{ method: "POST", body: JSON.stringify(alerts) },
      headers: { "content-type": "application/json" },
    });
    return answer.ok ? Date.now() : undefined;
  });
  let arrived = 0;
  await until(async () => {
    const { data: rows } = await call(`pushers/${id}/alerts?limit=100`);
    const titles = new Set(rows.map(({ title }: { title: string }) => title));
    if (titles.size !== arrived)
      console.log(`${((Date.now() - since) / 1000).toFixed(1)} s: ${titles.size} of ${GROUPS} groups`);
    arrived = titles.size;
    return arrived === GROUPS || undefined;
  });
  const { data: rows } = await call(`pushers/${id}/alerts?limit=100`);
  if (rows.length !== GROUPS) throw new Error(`${rows.length} alerts of ${GROUPS} groups`);
}

try {
  await storm();
} catch (error) {
  console.error(`storm: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  for (const child of children.reverse()) {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill()) await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}
