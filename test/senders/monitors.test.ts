// Prometheus and Alertmanager themselves, as Debian has them: what they watch breaks and recovers, and a handset shows both, by way of
// Alertmanager's webhook in one channel and from Prometheus directly in another.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacks } from "../support/lacks.ts";
import { freePort, temporaryFolder } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { eventually } from "../support/wait.ts";

const missing = [lacks("prometheus"), lacks("prometheus-alertmanager")].includes(true);

describe.skipIf(missing)("monitors", () => {
  const folder = temporaryFolder();
  const programs: ChildProcess[] = [];
  let site: Site;
  let watched: Server;
  let trouble = 1;
  const channels: Record<"alertmanager" | "prometheus", { handle: string; id: string; device: string }> =
    {} as never;

  const start = (program: string, ...args: string[]) =>
    programs.push(spawn(program, args, { cwd: folder.path, stdio: "ignore" }));

  /** Titles that a handset shows; of one collapse key the newest. */
  async function shown(of: keyof typeof channels): Promise<string[]> {
    const { body } = await site.world.handset("GET", "/inbox", channels[of].device);
    return body.data.map(({ title }: { title: string }) => title);
  }

  beforeAll(async () => {
    site = await Site.open();
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

  test("what fires is shown, once however often it is repeated, and replaced when it is resolved", async () => {
    for (const of of ["alertmanager", "prometheus"] as const)
      await eventually(async () => (await shown(of)).includes("QuayFloods: The quay floods"));
    trouble = 0;
    for (const of of ["alertmanager", "prometheus"] as const)
      await eventually(async () => (await shown(of)).includes("Resolved: QuayFloods: The quay floods"));
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
