// The definitions of all metrics: name, help and labels. Label values are a few terms of our own for any request.
// GAUGES has the metrics that are read when they are scraped.

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
    help: "Requests served, by surface, method and status.",
    labelNames: ["surface", "method", "status"],
  },
  operations: {
    name: "belfry_operations_total",
    help: "Operation calls, by operation, transport and outcome: done, needs_review, or the error type.",
    labelNames: ["operation", "transport", "outcome"],
  },
  rounds: {
    name: "belfry_housekeeping_runs_total",
    help: "Runs of housekeeping jobs, by step and outcome.",
    labelNames: ["step", "outcome"],
  },
  removals: {
    name: "belfry_housekeeping_removed_total",
    help: "Rows, devices and files removed by housekeeping, and due alerts published, by step.",
    labelNames: ["step"],
  },
  deliveries: {
    name: "belfry_webhook_deliveries_total",
    help:
      "Webhook deliveries, by outcome: delivered, or the stage that failed (refused_target, dns, timeout, " +
      "connect, tls, redirect, status, reply).",
    labelNames: ["outcome"],
  },
  droppedDeliveries: {
    name: "belfry_webhook_deliveries_dropped_total",
    help: "Webhook deliveries dropped because the queue was full. They do not count towards disabling an endpoint.",
    labelNames: [],
  },
  wakes: {
    name: "belfry_long_poll_wakeups_total",
    help:
      "Long poll wake-ups, by cause: a change committed by this process (local) or reported by " +
      "another process (message). Changes are also found by comparison with the database (scan, " +
      "reconnect) and at a scheduled time (timer). The other causes give the reason why a long poll " +
      "or stream ended: time, newer, gone, stop, slow, unknown, away.",
    labelNames: ["cause"],
  },
  wakeUps: {
    name: "belfry_push_notifications_total",
    help:
      "Push notifications: accepted by the push service (accepted), sent to an expired endpoint (gone), rejected " +
      "(failed), without a valid response (unanswered), or not sent (dropped).",
    labelNames: ["outcome"],
  },
  limited: {
    name: "belfry_rate_limit_checks_total",
    help:
      "Rate limit decisions, by policy and outcome: allowed, refused, or allowed without counting while Redis " +
      "was unavailable (uncounted).",
    labelNames: ["policy", "outcome"],
  },
  senders: {
    name: "belfry_sender_requests_total",
    help:
      "Sender requests with a valid, expired or revoked key, by program (unknown if not recognised) and outcome: " +
      "sent, scheduled, draft, refused, or nothing to publish.",
    labelNames: ["program", "outcome"],
  },
  files: {
    name: "belfry_file_store_operations_total",
    help: "Requests to the file storage, by verb (put, get, remove, ask) and outcome: done or failed.",
    labelNames: ["verb", "outcome"],
  },
  mails: {
    name: "belfry_emails_total",
    help: "E-mails, by outcome: accepted by the mail server (sent) or not (failed).",
    labelNames: ["outcome"],
  },
} satisfies Record<string, Figure>;

export const HISTOGRAMS = {
  requestSeconds: {
    name: "belfry_http_request_duration_seconds",
    help: "Duration of requests.",
    labelNames: ["surface"],
    buckets: CALL_SECONDS,
  },
  operationSeconds: {
    name: "belfry_operation_duration_seconds",
    help: "Duration of operations, by operation, excluding those that wait for events.",
    labelNames: ["operation"],
    buckets: OPERATION_SECONDS,
  },
  deliverySeconds: {
    name: "belfry_webhook_delivery_duration_seconds",
    help: "Duration of webhook deliveries, from the DNS lookup to the end of the response.",
    labelNames: [],
    buckets: CALL_SECONDS,
  },
} satisfies Record<string, Figure & { buckets: number[] }>;

/** The method of merging metrics of several processes. */
type Together = "sum" | "max";

/** One that has parts has them under its one label. */
export const GAUGES = {
  held: { name: "belfry_long_polls", help: "Number of open long polls on the inbox.", aggregator: "sum" },
  streams: { name: "belfry_streams", help: "Number of open streams on the inbox.", aggregator: "sum" },
  ntfyConnections: {
    name: "belfry_ntfy_connections",
    help: "Open connections from ntfy clients that listen to channels (JSON, SSE, raw and WebSocket).",
    aggregator: "sum",
  },
  connections: {
    name: "belfry_database_connections",
    help: "Database connections by state (busy, idle), and calls that are waiting for a connection (waiting).",
    labelNames: ["state"],
    aggregator: "sum",
  },
  replicas: {
    name: "belfry_database_replicas",
    help: "Read replicas by state: answers (responding), behind, away (unreachable).",
    labelNames: ["state"],
    aggregator: "max",
  },
  webhooksPending: {
    name: "belfry_webhook_deliveries_pending",
    help: "Events and webhook deliveries that are queued or in progress.",
    aggregator: "sum",
  },
  pushPending: {
    name: "belfry_push_notifications_pending",
    help: "Push notifications that are queued or in progress.",
    aggregator: "sum",
  },
  build: {
    name: "belfry_build_info",
    help: "Always 1, labelled with the running version. There are two series during a rollout.",
    labelNames: ["version"],
    aggregator: "max",
  },
  diskLow: {
    name: "belfry_disk_low",
    help: "1 while writes are refused because the embedded database's disk is almost full.",
    aggregator: "max",
  },
  lastRound: {
    name: "belfry_housekeeping_last_success_timestamp_seconds",
    help: "Time of the last successful housekeeping run, by step.",
    labelNames: ["step"],
    aggregator: "max",
  },
  lastFailedRound: {
    name: "belfry_housekeeping_last_failure_timestamp_seconds",
    help: "Time of the last failed housekeeping run, by step.",
    labelNames: ["step"],
    aggregator: "max",
  },
} satisfies Record<string, Omit<Figure, "labelNames"> & { labelNames?: string[]; aggregator: Together }>;

/** The value of a gauge: a number, or one for each value of its label. */
export type GaugeReading = () => number | Record<string, number>;
