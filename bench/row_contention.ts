// Contention on rows: reports on one alert and sends on one channel, by few clients and by many, over one process or
// several. In the same rounds, PostgreSQL alone with each client changing the same row, or one of 64.

import { cpus, loadavg } from "node:os";
import type { OpenWorld } from "./bench_databases.ts";
import { type Bench, findPgbench, givenUrl, progress } from "./bench_setup.ts";
import { bearer, JSON_BODY } from "./case_requests.ts";
import { Interrupted } from "./case_rounds.ts";
import { formatDigits, median } from "./figure_format.ts";
import type { GoalReport, GoalRow } from "./goal_rows.ts";
import { type HttpLoad, type LoadTarget, loadHttp, loadPg } from "./load_generators.ts";
import { channelPath, HOT_CHANNEL } from "./seed_database.ts";
import { startServer } from "./start_servers.ts";

const CLIENTS = [1, 8, 64] as const;
const SPREAD = 64;
/** At 64 clients, on two cores that do nothing else. */
const REPORTS_GOAL = { least: 3000 };

interface HotRun {
  seconds: number;
  rounds: number;
  only: string;
  processes: number;
  interrupted(): boolean;
}

/** The requests of clients `from` to `to` of `clients` to one process. */
type Share = (target: LoadTarget, from: number, clients: number) => HttpLoad;

const ALERT = { title: "Hot", body: "All of them read it.", send: true };
const post = (path: string, token: string, body: object) => ({
  method: "POST",
  path,
  headers: { ...bearer(token), ...JSON_BODY },
  body: JSON.stringify(body),
});

/** Each handset reports of one new alert that it was read, and then that it was acknowledged. */
async function reports({ tokens, service }: OpenWorld): Promise<Share> {
  const { path, ...request } = post(`${channelPath(HOT_CHANNEL)}/alerts`, tokens.key, ALERT);
  const { id: alert_id } = (await (await fetch(service.url + path, request)).json()) as { id: string };
  return (target, from, clients) => ({
    ...{ kind: "http", target, status: 200, once: true },
    verify: (body) => body === '{"accepted":1}',
    requests: (connection) =>
      ["read", "ack"].flatMap((kind) =>
        tokens.reporters
          .filter((_, i) => i % clients === from + connection)
          .map((token) => post("/handset/v1/reports", token, { reports: [{ alert_id, kind }] })),
      ),
  });
}

async function sends({ tokens }: OpenWorld): Promise<Share> {
  return (target) => ({
    ...{ kind: "http", target, status: 201 },
    requests: () => [post(`${channelPath(HOT_CHANNEL)}/alerts`, tokens.key, ALERT)],
  });
}

const WORKS = { "reports on one alert": reports, "sends on one channel": sends };
const changes = (rows: number) => ({
  kind: "pgbench" as const,
  scripts: [`\\set r random(1, ${rows})\nupdate hot_row set n = n + 1 where id = :r;`],
});

interface Seen {
  perSecond: number;
  /** Microseconds for one, of all processes of the service and of PostgreSQL. */
  service?: number;
  database?: number;
}

/** The clients are divided among the processes as a balancer would. */
async function load(world: OpenWorld, targets: LoadTarget[], share: Share, clients: number, seconds: number) {
  const used = targets.slice(0, clients);
  const before = await world.databaseCpu();
  const figures = await Promise.all(
    used.map((target, i) => {
      const from = Math.floor((clients * i) / used.length);
      const to = Math.floor((clients * (i + 1)) / used.length);
      return loadHttp(share(target, from, clients), seconds, to - from);
    }),
  );
  const after = await world.databaseCpu();
  const perSecond = figures.reduce((sum, figure) => sum + figure.perSecond, 0);
  const cpu = figures.reduce((sum, figure) => sum + (figure.cpu ?? Number.NaN) * figure.perSecond, 0);
  const database = before === null || after === null ? undefined : (after - before) / (perSecond * seconds);
  return { perSecond, service: cpu / perSecond, database };
}

export async function measureContention({ worlds, open }: Bench, run: HotRun): Promise<GoalReport> {
  const busy = loadavg()[0]!;
  await open({ name: "S", alerts: 1000 }, givenUrl ? "url" : "embedded");
  const world = worlds[0]!;
  const pgbench = findPgbench();
  await world.sql(
    `create table hot_row as select id, 0 as n from generate_series(1, ${SPREAD}) id; alter table hot_row add primary
      key (id)`,
  );
  const others = [];
  for (let i = 1; i < run.processes; i++)
    others.push(await startServer({ databaseUrl: world.databaseUrl, secret: world.secret }));
  const targets = [world.service, ...others.map(({ service }) => service)];
  const seen = new Map<string, Seen[]>();
  const add = (name: string, figure: Seen) => seen.set(name, [...(seen.get(name) ?? []), figure]);
  try {
    // Round 0 warms up.
    for (let round = 0; round <= run.rounds; round++) {
      for (const clients of CLIENTS) {
        for (const [work, shareOf] of Object.entries(WORKS)) {
          if (!work.includes(run.only)) continue;
          if (run.interrupted()) throw new Interrupted();
          const seconds = round === 0 ? 1 : run.seconds;
          const figure = await load(world, targets, await shareOf(world), clients, seconds);
          if (round > 0) add(`${work} ${clients}`, figure);
        }
        for (const rows of pgbench && round > 0 ? [1, SPREAD] : [])
          add(`${rows} ${clients}`, await loadPg(changes(rows), run.seconds, { pgbench: pgbench!, ...world }, clients));
      }
      progress(round === 0 ? "all are warm" : `round ${round}`);
    }
  } finally {
    for (const { stop } of others) await stop();
  }
  return {
    at: new Date().toISOString(),
    machine: {
      ...{ cores: cpus().length, processor: cpus()[0]?.model.trim() ?? "" },
      ...{ node: process.version, load: busy },
    },
    settings: { seconds: run.seconds, rounds: run.rounds },
    rows: rowsOf(seen, run.processes),
  };
}

const shown = (figures: readonly Seen[], part: keyof Seen) =>
  formatDigits(median(figures.map((figure) => figure[part] ?? Number.NaN)));

const rowsOf = (seen: Map<string, Seen[]>, processes: number): GoalRow[] =>
  Object.keys(WORKS).flatMap((work) =>
    CLIENTS.flatMap((clients): GoalRow[] => {
      const own = seen.get(`${work} ${clients}`) ?? [];
      const [one, spread] = [1, SPREAD].map((rows) => seen.get(`${rows} ${clients}`) ?? []);
      if (own.length === 0) return [];
      const marks =
        spread!.length > 0
          ? `; pgbench on one row ${shown(one!, "perSecond")}/s, on ${SPREAD} rows ${shown(spread!, "perSecond")}/s`
          : "";
      return [
        {
          group: `${work}, ${processes} ${processes === 1 ? "process" : "processes"}`,
          work: `${clients} ${clients === 1 ? "client" : "clients"}`,
          unit: "/s",
          values: own.map(({ perSecond }) => perSecond),
          goal: clients === 64 && work.startsWith("reports") ? REPORTS_GOAL : null,
          note: `service ${shown(own, "service")} µs, PostgreSQL ${shown(own, "database")} µs${marks}`,
        },
      ];
    }),
  );
