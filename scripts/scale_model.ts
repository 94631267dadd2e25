// The resources for a number of handsets, computed from measured costs. docs/explanation/scale.md shows it; nothing
// here measures anything.

export interface Cost {
  what: string;
  /** Microseconds of processor time for one, of the service and of PostgreSQL. */
  service: number;
  database: number;
  /** When it was measured, by what, and on what. */
  date: string;
  command: string;
  on: string;
}

const IDLE = "two cores that did nothing else";
const SHARED = "two cores that others used";

/** Change a value together with its date. */
export const COSTS = {
  poll: {
    ...{ what: "a poll that finds nothing new", service: 82, database: 20 },
    ...{ date: "2026-11-24", command: "npm run bench -- --peers --only unchanged", on: `${IDLE}, 8 clients` },
  },
  send: {
    ...{ what: "a new alert that is sent", service: 264, database: 158 },
    ...{ date: "2026-11-24", command: "npm run bench -- --peers --only send", on: `${IDLE}, 64 clients` },
  },
  report: {
    ...{ what: "a report on one alert, each in a request", service: 138, database: 56 },
    ...{ date: "2026-11-24", command: "npm run bench -- --hot", on: "two cores on which little else ran, 64 clients" },
  },
  stream: {
    ...{ what: "a stream that receives an alert", service: 17, database: 2 },
    ...{ date: "2026-11-23", command: "a prototype in a lab", on: `${SHARED}, 1,000 streams of one channel` },
  },
  woken: {
    ...{ what: "a long poll that receives an alert, and is repeated", service: 134, database: 32 },
    ...{ date: "2026-11-23", command: "a prototype in a lab", on: `${SHARED}, 1,000 polls of one channel` },
  },
} as const satisfies Record<string, Cost>;

export interface ScaleAssumptions {
  /** Seconds of a handset's long poll. */
  poll: number;
  /** Handsets in one process. */
  held: number;
  /** kB that each takes there. */
  kb: number;
  /** Connections to the database that a process has: DATABASE_POOL_SIZE, and one that listens. */
  connections: number;
  /** The number of devices per hundred that report on one alert, within this number of minutes. */
  report: number;
  minutes: number;
}

export const DEFAULT_ASSUMPTIONS: ScaleAssumptions = {
  poll: 55,
  held: 10_000,
  kb: 16,
  connections: 13,
  report: 20,
  minutes: 10,
};

/** Cores of the service and of PostgreSQL for an action with this frequency per second. */
const cores = (cost: Cost, perSecond: number) => ({
  service: (cost.service * perSecond) / 1e6,
  database: (cost.database * perSecond) / 1e6,
});

/** The resources for this number of handsets while nothing is sent, and when one alert is sent to all of them. */
export function computeLoad(
  handsets: number,
  { poll, held, kb, connections, report, minutes }: ScaleAssumptions = DEFAULT_ASSUMPTIONS,
) {
  const processes = Math.ceil(handsets / held);
  const polls = handsets / poll;
  const reports = (handsets * report) / 100 / (minutes * 60);
  return {
    handsets,
    polls,
    idle: cores(COSTS.poll, polls),
    gb: (handsets * kb) / 1e6,
    processes,
    connections: processes * connections,
    /** Seconds of processor time until all have received it, divided among the processes' cores. */
    streams: (handsets * COSTS.stream.service) / 1e6,
    woken: (handsets * COSTS.woken.service) / 1e6,
    reports,
    reporting: cores(COSTS.report, reports),
  };
}

export const HANDSET_COUNTS = [1e5, 1e6, 1e7, 1e8] as const;

/** Two digits that count, and no more than a guess deserves. */
const roundToTwoDigits = (n: number) =>
  (n >= 10 ? Number(n.toPrecision(2)) : Math.max(0.1, Math.round(n * 10) / 10)).toLocaleString("en");

export const IDLE_HEAD = [
  "Handsets",
  "Polls a second",
  "Cores of the service",
  "Of PostgreSQL",
  "Memory, GB",
  "Processes",
  "Connections to the database",
];
export const idleRow = (handsets: number, assumed?: ScaleAssumptions): string[] => {
  const of = computeLoad(handsets, assumed);
  return [handsets, of.polls, of.idle.service, of.idle.database, of.gb, of.processes, of.connections].map(
    roundToTwoDigits,
  );
};

export const ALERT_HEAD = [
  "Handsets",
  "Heard by streams: seconds of a core",
  "Heard by long polls: seconds of a core",
  "Reports a second",
  "Cores of the service",
  "Of PostgreSQL",
];
export const alertRow = (handsets: number, assumed?: ScaleAssumptions): string[] => {
  const of = computeLoad(handsets, assumed);
  return [handsets, of.streams, of.woken, of.reports, of.reporting.service, of.reporting.database].map(
    roundToTwoDigits,
  );
};

export const COST_HEAD = ["One of", "Service, µs", "PostgreSQL, µs", "Measured", "By", "On"];
export const costRows = (): string[][] =>
  Object.values(COSTS).map(({ what, service, database, date, command, on }) => [
    ...[what, `${service}`, `${database}`, date],
    command.startsWith("npm") ? `\`${command}\`` : command,
    on,
  ]);
