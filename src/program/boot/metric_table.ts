// What is counted and measured: each figure with its name, what it means and its labels, whose values are our own words and few,
// whatever is asked for. A figure that only is what it is now stands in GAUGES, and is read when the figures are asked for.

interface Figure {
  name: string;
  help: string;
  labelNames: string[];
}

/** Time from about a statement to about the longest that a call may take; what waits on purpose is not measured. */
const CALL_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** There is a histogram of each operation, so its steps are few. */
const OPERATION_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5];

export const COUNTERS = {
  requests: {
    name: "belfry_http_requests_total",
    help: "Requests answered, by surface, method and status.",
    labelNames: ["surface", "method", "status"],
  },
  operations: {
    name: "belfry_operations_total",
    help: "Calls of operations, by operation, the way by which they came, and outcome: done, needs_review, or the type of the error.",
    labelNames: ["operation", "transport", "outcome"],
  },
  rounds: {
    name: "belfry_housekeeping_runs_total",
    help: "Rounds of the housekeeping, by step and outcome.",
    labelNames: ["step", "outcome"],
  },
  removals: {
    name: "belfry_housekeeping_removed_total",
    help: "Rows, devices and files that the housekeeping removed, and due alerts that it settled, by step.",
    labelNames: ["step"],
  },
  deliveries: {
    name: "belfry_webhook_deliveries_total",
    help: "Webhook deliveries that were made, by outcome: delivered, or where they ended (refused_target, dns, timeout, connect, tls, redirect, status, reply).",
    labelNames: ["outcome"],
  },
  droppedDeliveries: {
    name: "belfry_webhook_deliveries_dropped_total",
    help: "Webhook deliveries dropped because too many were waiting; they disable no endpoint.",
    labelNames: [],
  },
  wakes: {
    name: "belfry_long_poll_wakeups_total",
    help: "Wakes of held polls, by cause: a change that this process committed (own), one that another told of (told), one found by looking (round, again), an instant that came (instant); and their ends, or those of streams: time, newer, gone, stop, slow, unknown, away.",
    labelNames: ["cause"],
  },
  wakeUps: {
    name: "belfry_push_notifications_total",
    help: "Wake-ups through push services: taken by one (accepted), to an endpoint that is no more (gone), refused (failed), without a usable answer (unanswered), or never sent (dropped).",
    labelNames: ["outcome"],
  },
  limited: {
    name: "belfry_rate_limit_checks_total",
    help: "Calls that a limit judged, by policy and outcome: allowed, refused, or let through uncounted while Redis was away (uncounted).",
    labelNames: ["policy", "outcome"],
  },
  senders: {
    name: "belfry_sender_requests_total",
    help: "Requests of programs with a valid key in their own format, by program (unknown where none was recognised) and outcome: sent, scheduled, draft, refused, or nothing to publish.",
    labelNames: ["program", "outcome"],
  },
  files: {
    name: "belfry_file_store_operations_total",
    help: "What the store of uploaded files was asked for (put, get, remove, ask), by verb and outcome: done or failed.",
    labelNames: ["verb", "outcome"],
  },
  mails: {
    name: "belfry_emails_total",
    help: "Mails, by outcome: taken by the mail server (sent) or not (failed).",
    labelNames: ["outcome"],
  },
} satisfies Record<string, Figure>;

export const HISTOGRAMS = {
  requestSeconds: {
    name: "belfry_http_request_duration_seconds",
    help: "Time from a request to its answer.",
    labelNames: ["surface"],
    buckets: CALL_SECONDS,
  },
  operationSeconds: {
    name: "belfry_operation_duration_seconds",
    help: "Time that an operation took, by operation; not of those that wait on purpose.",
    labelNames: ["operation"],
    buckets: OPERATION_SECONDS,
  },
  deliverySeconds: {
    name: "belfry_webhook_delivery_duration_seconds",
    help: "Time that a webhook delivery took, from the look-up of its host to its end.",
    labelNames: [],
    buckets: CALL_SECONDS,
  },
} satisfies Record<string, Figure & { buckets: number[] }>;

/** How the figures of several processes become one. */
type Together = "sum" | "max";

/** One that has parts has them under its one label. */
export const GAUGES = {
  held: {
    name: "belfry_long_polls",
    help: "Polls of inboxes that wait for something new now.",
    aggregator: "sum",
  },
  streams: {
    name: "belfry_streams",
    help: "Streams of inboxes that are open now.",
    aggregator: "sum",
  },
  connections: {
    name: "belfry_database_connections",
    help: "Connections to the database, by state: busy, idle; and calls that wait for one (waiting).",
    labelNames: ["state"],
    aggregator: "sum",
  },
  replicas: {
    name: "belfry_database_replicas",
    help: "Standbys that readings may go to, by what they do now: answers, behind, away.",
    labelNames: ["state"],
    aggregator: "max",
  },
  webhooksPending: {
    name: "belfry_webhook_deliveries_pending",
    help: "Events and webhook deliveries that wait or are under way now.",
    aggregator: "sum",
  },
  pushPending: {
    name: "belfry_push_notifications_pending",
    help: "Wake-ups that wait or are under way now.",
    aggregator: "sum",
  },
  build: {
    name: "belfry_build_info",
    help: "1, with the version that runs; two while a new one is rolled out.",
    labelNames: ["version"],
    aggregator: "max",
  },
  diskLow: {
    name: "belfry_disk_low",
    help: "1 while writes are refused because the disk of the embedded database is nearly full.",
    aggregator: "max",
  },
  lastRound: {
    name: "belfry_housekeeping_last_success_timestamp_seconds",
    help: "When a step of the housekeeping last succeeded, by step.",
    labelNames: ["step"],
    aggregator: "max",
  },
} satisfies Record<string, Omit<Figure, "labelNames"> & { labelNames?: string[]; aggregator: Together }>;

/** What a gauge is now: a number, or one for each value of its label. */
export type Reading = () => number | Record<string, number>;
