// The options of a service, and what is opened before its parts.

import type { DestinationStream } from "pino";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import type { Cluster } from "../../store/embedded/cluster.ts";
import type { DiskSpaceMonitor } from "../../store/embedded/disk_space.ts";
import type { Leases } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { RateLimitWindows } from "../../store/rate_limits/rate_limits.ts";
import type { Logs } from "./log.ts";

export interface ServiceOverrides {
  /** The only clock of the operations. */
  now?: () => Date;
  /** Limits that replace the operations' own, by name; for the bench. */
  limitMax?: Record<string, number>;
  /** The clock of the limits' windows in this process, in milliseconds: for tests, which must not outlive a window. */
  limitNow?: () => number;
  /** The pause before a password or a code is checked; tests replace it. */
  guessPause?: (ms: number) => Promise<unknown>;
  /** Milliseconds between two signs of life of a stream, in place of the limit: for tests, which would wait for it. */
  heartbeatMs?: number;
  /** Where log lines go; standard error when left out. */
  logTo?: DestinationStream;
  /** Receives every event after its commit, in addition to the webhooks. */
  publish?: (event: DomainEvent) => void;
  /**
   * This process alone serves the database at this address: for the bench, which measures what `npm start` delivers.
   */
  soleProcess?: boolean;
  /** Runs before migrations change a database that was used before. */
  onUpgrade?: () => Promise<unknown>;
  /** It is one of several processes that another one has started. */
  primary?: PrimaryPartsForWorker;
}

/** The parts of the first process that a worker uses. */
export interface PrimaryPartsForWorker {
  /** The embedded database, if there is one: its URL and folder. */
  database: Pick<Cluster, "url" | "folder"> | null;
  /** Where calls are counted for all, unless Redis does. */
  windows: RateLimitWindows;
  /** Where the places of one address or credential are counted for all. */
  leases: Leases;
  metrics(): Promise<string>;
}

export type CloseHandlers = (() => unknown)[];

/** The settings and connections that the parts use. */
export interface OpenedResources {
  cluster: Cluster | null;
  url: string;
  space: DiskSpaceMonitor;
  secret: string;
  log: Logs["log"];
  requests: Logs["requests"];
  closers: CloseHandlers;
}
