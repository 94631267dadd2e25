// Prometheus and Alertmanager themselves, as Debian has them. Their target breaks and recovers, and a handset shows
// both. One channel gets Alertmanager's webhook, and another one gets Prometheus directly.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { ConsoleSite } from "../support/console_site.ts";
import { freePort } from "../support/free_port.ts";
import { temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";

const missing = [isMissing("prometheus"), isMissing("prometheus-alertmanager")].includes(true);

describe.skipIf(missing)("monitors", () => {
  const folder = temporaryFolder();
  const programs: ChildProcess[] = [];
  let site: ConsoleSite;
  let watched: Server;
  let trouble = 1;
  const channels: Record<"alertmanager" | "prometheus", { handle: string; id: string; device: string }> = {} as never;

  const start = (program: string, ...args: string[]) =>
    programs.push(spawn(program, args, { cwd: folder.path, stdio: "ignore" }));

  /** Titles that a handset shows; of one collapse key the newest. */
  async function shown(of: keyof typeof channels): Promise<string[]> {
    const { body } = await site.world.handset("GET", "/inbox", channels[of].device);
    return body.data.map(({ title }: { title: string }) => title);
  }

  beforeAll(async () => {
    site = await ConsoleSite.open();
    const { world } = site;
    const keys: Record<string, string> = {};
    for (const of of ["alertmanager", "prometheus"] as const) {
      const { id, handle } = await world.pusher();
      channels[of] = { id, handle, device: await world.device(handle) };
      keys[of] = await world.key({ scopes: "alerts:write,alerts:send", pusher: id });
    }
    watched = createServer((_, answer) => answer.end(`trouble ${trouble}\n`)).listen(0, "127.0.0.1");
    await once(watched, "listening");
    const [metrics, alertmanager] = [(watched.address() as AddressInfo).port, await freePort()];
    writeFileSync(
      join(folder.path, "alertmanager.yml"),
      `route: {receiver: belfry, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
receivers:
  - name: belfry
    webhook_configs:
      - url: ${site.url}/api/v1/pushers/${channels.alertmanager.handle}/ingest?from=alertmanager
        send_resolved: true
        http_config: {authorization: {credentials: "${keys.alertmanager}"}}
`,
    );
    writeFileSync(
      join(folder.path, "rules.yml"),
      `groups:
  - name: harbour
    rules:
      - alert: QuayFloods
        expr: trouble == 1
        labels: {severity: critical}
        annotations: {summary: "The quay floods"}
`,
    );
    writeFileSync(
      join(folder.path, "prometheus.yml"),
      `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: harbour
    static_configs: [{targets: ["127.0.0.1:${metrics}"]}]
alerting:
  alertmanagers:
    - static_configs: [{targets: ["127.0.0.1:${alertmanager}"]}]
    - path_prefix: /api/v1/pushers/${channels.prometheus.handle}/ingest
      authorization: {credentials: "${keys.prometheus}"}
      static_configs: [{targets: ["${new URL(site.url).host}"]}]
`,
    );
    start(
      "prometheus-alertmanager",
      ...["--config.file=alertmanager.yml", "--storage.path=am", "--cluster.listen-address="],
      `--web.listen-address=127.0.0.1:${alertmanager}`,
    );
    start(
      "prometheus",
      ...["--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--rules.alert.resend-delay=1s"],
      `--web.listen-address=127.0.0.1:${await freePort()}`,
    );
  });

  afterAll(async () => {
    const ends = programs.map((program) => program.exitCode ?? once(program, "exit"));
    for (const program of programs) program.kill("SIGKILL");
    await Promise.all(ends);
    watched?.close();
    await site?.close();
    rmSync(folder.path, { recursive: true, force: true });
  });

  test("a firing alert is shown once for any number of repeats, and replaced when it is resolved", async () => {
    for (const of of ["alertmanager", "prometheus"] as const)
      await waitUntil(async () => (await shown(of)).includes("QuayFloods: The quay floods"));
    trouble = 0;
    for (const of of ["alertmanager", "prometheus"] as const)
      await waitUntil(async () => (await shown(of)).includes("Resolved: QuayFloods: The quay floods"));
    for (const of of ["alertmanager", "prometheus"] as const) {
      const { body } = await site.world.rest("list_alerts", { pusher_id: channels[of].id });
      const seen = body.data.map(({ priority, collapse_key }: any) => ({ priority, collapse_key }));
      const { collapse_key } = seen[0];
      expect(seen).toEqual([
        { priority: "normal", collapse_key },
        { priority: "urgent", collapse_key },
      ]);
    }
  });
});

// rules#senders-limit
describe.skipIf(isMissing("prometheus-alertmanager"))("a storm of Alertmanager's groups", () => {
  const GROUPS = 45;
  const folder = temporaryFolder();
  let site: ConsoleSite;
  let program: ChildProcess;

  afterAll(async () => {
    const ended = program?.exitCode ?? (program && once(program, "exit"));
    program?.kill("SIGKILL");
    await ended;
    await site?.close();
    rmSync(folder.path, { recursive: true, force: true });
  });

  test("all arrive, each once, where more fire at once than the channel publishes in a minute", async () => {
    // A minute of the limit is three seconds.
    const limitNow = () => performance.now() * 20;
    site = await ConsoleSite.open({ limitNow, limitMax: { "alert-sends": LIMITS.sends, "pusher-creations": 1e9 } });
    const { id, handle } = await site.world.pusher();
    const key = await site.world.key({ scopes: "alerts:write,alerts:send", pusher: id });
    writeFileSync(
      join(folder.path, "alertmanager.yml"),
      `route: {receiver: belfry, group_by: ["..."], group_wait: 0s, group_interval: 5m, repeat_interval: 4h}
receivers:
  - name: belfry
    webhook_configs:
      - url: ${site.url}/api/v1/pushers/${handle}/ingest?from=alertmanager
        http_config: {authorization: {credentials: "${key}"}}
`,
    );
    const port = await freePort();
    const args = ["--config.file=alertmanager.yml", "--storage.path=am", "--cluster.listen-address="];
    program = spawn("prometheus-alertmanager", [...args, `--web.listen-address=127.0.0.1:${port}`], {
      ...{ cwd: folder.path, stdio: "ignore" },
    });
    const alerts = Array.from({ length: GROUPS }, (_, i) => ({ labels: { alertname: `Storm${i}` } }));
    await waitUntil(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/alerts`, {
        ...{ method: "POST", body: JSON.stringify(alerts) },
        headers: { "content-type": "application/json" },
      }).catch(() => null);
      return answer?.ok === true;
    });
    const titles = async (): Promise<string[]> => {
      const { body } = await site.world.rest("list_alerts", { pusher_id: id, limit: 100 });
      return body.data.map(({ title }: { title: string }) => title);
    };
    await waitUntil(async () => (await titles()).length >= GROUPS);
    expect((await titles()).toSorted()).toEqual(alerts.map(({ labels }) => labels.alertname).toSorted());
  });
});
