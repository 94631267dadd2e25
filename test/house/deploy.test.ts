// What deploy/ names is there: settings, ports, paths and figures, so that none of these files outlives what it speaks of.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/program/boot/metric_table.ts";
import { createMetrics } from "../../src/program/boot/metrics.ts";
import { PROBES } from "../../src/program/boot/probes.ts";
import { loadConfig } from "../../src/store/config/load.ts";
import { SETTINGS } from "../../src/store/config/settings.ts";
import { lacks } from "../support/lacks.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);

const image = read("Dockerfile");
const unit = read("belfry.service");
const compose = ["compose.yaml", "compose.database.yaml", "compose.failover.yaml"].map(read);
const IMAGE = Object.fromEntries(
  /^ENV (.*)$/m
    .exec(image)![1]!
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

/** What the services of a compose file are given, but for those that are other programs. */
const given = (text: string) =>
  all(text, /^ +([A-Z]\w*[A-Z]): /gm).filter(
    (name) => !/^(DOMAIN|BELFRY|BELFRY_PASSWORD|POSTGRES_USER|POSTGRES_PASSWORD|PATRONI_\w+)$/.test(name),
  );

test("every setting that is given is one", () => {
  const names = [...Object.keys(IMAGE), ...all(unit, /^Environment=(\w+)=/gm), ...compose.flatMap(given)];
  expect(names.length).toBeGreaterThan(12);
  expect(Object.values(SETTINGS).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

test("the image's settings, port, volume, user and health check agree", () => {
  const { port, dataDir, host } = loadConfig({}, IMAGE);
  expect([host, all(image, /^EXPOSE (.*)$/gm), all(image, /^VOLUME (.*)$/gm)]).toEqual([
    "0.0.0.0",
    [String(port)],
    [dataDir],
  ]);
  const [, path] = /process\.env\.PORT\}(\/\w+)/.exec(image)!;
  expect(PROBES).toContain(path);
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
  expect(PROBES).toContain(all(read("Caddyfile"), /health_uri (.*)/g)[0]);
});

test("whatever stops a service waits longer than it may take", () => {
  const waits = [
    [Number(all(unit, /^TimeoutStopSec=(\d+)$/gm)[0]), unit],
    ...compose.map((text) => [Number(all(text, /stop_grace_period: (\d+)s/g)[0]), text]),
  ] as [number, string][];
  for (const [seconds, text] of waits) {
    const { stopDelayMs, stopDeadlineMs } = loadConfig(
      { STOP_DELAY_MS: all(text, /STOP_DELAY_MS: (\d+)/g)[0] },
      {},
    );
    expect(seconds * 1000).toBeGreaterThan(stopDelayMs + stopDeadlineMs);
  }
});

test("the unit keeps its state where its settings say", () => {
  const folder = `/var/lib/${all(unit, /^StateDirectory=(.*)$/gm)[0]}`;
  expect(all(unit, /^Environment=DATA_DIR=(.*)$/gm)).toEqual([folder]);
});

test("Caddy takes its file, for one service and for several", ({ skip }) => {
  skip(lacks("caddy"));
  for (const BELFRY of ["", "one:8787 two:8787"]) {
    const env = { ...process.env, DOMAIN: "alerts.example.org", BELFRY };
    const done = spawnSync(
      "caddy",
      ["validate", "--adapter", "caddyfile", "--config", join(DEPLOY, "Caddyfile")],
      { env },
    );
    expect(done.status, String(done.stderr)).toBe(0);
  }
});

test("alert rules and dashboard ask for figures that /metrics has", async () => {
  const has = new Set(
    all(await createMetrics().text(), /^# TYPE (.*)$/gm).flatMap((line) => {
      const [name, type] = line.split(" ");
      return type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
    }),
  );
  const { panels, templating } = JSON.parse(read("grafana/belfry.json"));
  const dashboard = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  // As far as it can be seen without Grafana: each panel is its own, in a place of its own, of the source that is to be chosen.
  const places = panels.map(({ gridPos: { x, y, w, h } }: any) => `${x / w} ${y / h}`);
  for (const each of [places, panels.map(({ id }: any) => id), panels.map(({ title }: any) => title)])
    expect(new Set(each).size).toBe(panels.length);
  expect(templating.list.map(({ name, type }: any) => [name, type])).toEqual([["source", "datasource"]]);
  expect(panels.every(({ datasource }: any) => /^\$\{source\}$/.test(datasource.uid))).toBe(true);
  // A figure that nobody looks at is not worth its counting.
  const shown = read("prometheus/alerts.yaml") + dashboard.join();
  for (const { name } of [COUNTERS, HISTOGRAMS, GAUGES].flatMap((table) => Object.values(table)))
    expect(shown.includes(name), name).toBe(true);
  for (const text of [
    read("prometheus/alerts.yaml"),
    read("prometheus/alerts.test.yaml"),
    dashboard.join(),
  ]) {
    const asked = all(text, /\b((?:belfry|process|nodejs)_\w+)/g);
    expect(asked.length).toBeGreaterThan(5);
    expect([...new Set(asked)].filter((name) => !has.has(name))).toEqual([]);
  }
});

test("Prometheus' own tool takes the rules, and each alert rings for the service that is ill alone", ({
  skip,
}) => {
  skip(lacks("promtool"));
  const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: join(DEPLOY, "prometheus") });
  for (const args of [
    ["check", "rules", "alerts.yaml"],
    ["test", "rules", "alerts.test.yaml"],
  ]) {
    const done = promtool(...args);
    expect(done.status, String(done.stdout) + done.stderr).toBe(0);
  }
  const tested = read("prometheus/alerts.test.yaml");
  for (const alert of all(read("prometheus/alerts.yaml"), /alert: (\w+)/g))
    expect(tested).toContain(`alertname="${alert}", instance="ill"`);
});
