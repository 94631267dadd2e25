// Reads from hot standbys (DATABASE_READ_URLS). A query is sent to a standby that has replayed at least the primary's
// position at the time of the query. No data that a client has seen by then, from any server, is missing in the result
// (rules#replicas). Loaded only with such settings.

import { setTimeout as pause } from "node:timers/promises";
import { createBatcher } from "../db/batch_concurrent_calls.ts";
import { createReplicaPoolOptions, type Orm } from "../db/orm.ts";
import {
  getKysely,
  runStatement,
  type StatementConnections,
  type StatementRow,
  setStatementConnections,
} from "../db/statement.ts";
import {
  ensureDatabaseEpoch,
  readCommittingTransactions,
  readDatabaseIdentity,
  readWalPosition,
} from "../queries/database_epoch.ts";
import { Replica, type ReplicaAvailability, type ReplicaPool } from "./read_replica.ts";

/** Between two checks at each. */
const LOOK_MS = 250;
/**
 * The wait for a transaction that may be committing: that takes microseconds, and with a synchronous standby its
 * response.
 */
const COMMIT_MS = 500;
/** A result that this number of checks finds is logged; a standby that is behind now and then is not. */
const STEADY = 4;
/** A hanging statement does not block queries on the next connection. */
const LATE = { lateMs: 250 };

export interface ReplicaMonitor {
  /** The current state of each, in the order of the addresses. */
  each(): ReplicaAvailability[];
  /** The number of standbys in each state. */
  states(): Record<ReplicaAvailability, number>;
  /** The number of reads on standbys, and of those on the primary that could have used a standby. */
  counts(): { moved: number; stayed: number };
  close(): Promise<void>;
}

interface ReplicasOptions {
  orm: Orm;
  urls: readonly string[];
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export async function openReplicas({ orm, urls, log }: ReplicasOptions): Promise<ReplicaMonitor> {
  const primary: ReplicaPool & StatementConnections = await orm.driver.getConnection().getNativeClient();
  const kysely = getKysely(orm);
  const replicas = urls.map((url) => new Replica(url, primary, createReplicaPoolOptions(orm, url)));
  let timeline = "";
  /** The primary's position at the last check; empty: unknown. */
  let identity = "";
  /** The primary's position one check ago: a standby that lacks it is behind. */
  let before = 0;
  let turn = 0;
  let moved = 0;
  let stayed = 0;
  /** The positions that standbys have returned and that the primary also shows. */
  let shown = 0;
  /** Another server is the primary since the last check. */
  let hasNewPrimary = false;
  const closing = new AbortController();
  const checks = new Map<
    Replica,
    { state: ReplicaAvailability; steady: number; reported: ReplicaAvailability | null }
  >();

  /** Where the primary is after the call, which those share that come while one is on its way. */
  const placeNow = createBatcher<null, StatementRow<typeof readWalPosition>>(async (callers) => {
    const [row] = await runStatement(kysely, readWalPosition, {});
    if (!row) throw new Error("the query always returns a row");
    // Another server has taken over: what standbys of the one before have seen is not its past.
    if (row.timeline !== timeline) {
      timeline = row.timeline;
      identity = "";
      hasNewPrimary = true;
      for (const replica of replicas) if (replica.state === "answers") replica.state = "behind";
    }
    return callers.map(() => row);
  }, LATE);

  /** A standby that has reached this position; null where all take too long. */
  async function comeTo(place: number): Promise<Replica | null> {
    const able = replicas.filter(({ state }) => state === "answers");
    const ready = able.filter((replica) => replica.place >= place);
    if (ready.length > 0) return ready[turn++ % ready.length] ?? null;
    const coming = able.map(async (replica) => {
      await replica.upTo(place).catch((error) => {
        if (replica.state === "answers") replica.state = "behind";
        throw error;
      });
      return replica;
    });
    return Promise.any(coming).catch(() => null);
  }

  async function runOnReplica(text: string, values: unknown[]): Promise<unknown[] | null> {
    if (replicas.some(({ state }) => state === "answers")) {
      const { place } = await placeNow(null);
      const replica = await comeTo(place);
      const rows = await replica?.query(text, values).catch(() => null);
      if (rows) {
        moved++;
        return rows;
      }
    }
    stayed++;
    if (shown < moved) await untilShown(null);
    return null;
  }

  /**
   * The primary shows a transaction a moment after writing its commit, and a standby may be faster. Data that was shown
   * from a standby must not be missing in the next response. That would be a step back, or a response under a newer
   * validator.
   */
  const untilShown = createBatcher<null, undefined>(
    async (callers) => {
      const upTo = moved;
      let known: string[] | null = null;
      for (const until = performance.now() + COMMIT_MS; performance.now() < until; await pause(1)) {
        const rows: StatementRow<typeof readCommittingTransactions>[] = await runStatement(
          kysely,
          readCommittingTransactions,
          { known },
        );
        known = rows.flatMap(({ transactions }) => transactions);
        if (known.length === 0) break;
      }
      shown = upTo;
      return callers.map(() => undefined);
    },
    { ...LATE, inFlight: 1 },
  );

  async function checkReplica(replica: Replica): Promise<void> {
    let why: unknown;
    try {
      await replica.look();
      const ours = identity !== "" && replica.identity === identity;
      replica.state = ours && replica.place >= before ? "answers" : "behind";
    } catch (error) {
      why = error;
    }
    const { name, state } = replica;
    const seen = checks.get(replica);
    const steady = seen?.state === state ? seen.steady + 1 : 1;
    const reported = steady === STEADY && !closing.signal.aborted ? state : (seen?.reported ?? null);
    checks.set(replica, { state, steady, reported });
    if (reported === (seen?.reported ?? null)) return;
    if (state === "answers") log.info({ database: name }, "a read replica is responding again");
    else log.warn({ database: name, err: why }, `a read replica is ${state} and is not used`);
  }

  async function checkAllReplicas(): Promise<void> {
    const { place } = await placeNow(null);
    // A row identifies the server of this standby.
    if (hasNewPrimary) await runStatement(kysely, ensureDatabaseEpoch, { place: null });
    hasNewPrimary = false;
    const [row] = await runStatement(kysely, readDatabaseIdentity, {});
    identity = row?.identity ?? "";
    await Promise.all(replicas.map(checkReplica));
    before = place;
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      // Without the primary, which every call detects by itself, no standby is used either.
      await checkAllReplicas().catch(() => {});
      await pause(LOOK_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  }

  setStatementConnections(kysely, { connect: () => primary.connect(), runOnReplica });
  const watching = watch();
  return {
    each: () => replicas.map(({ state }) => state),
    states() {
      const states = { answers: 0, behind: 0, away: 0 };
      for (const { state } of replicas) states[state]++;
      return states;
    },
    counts: () => ({ moved, stayed }),
    async close() {
      closing.abort();
      setStatementConnections(kysely, primary);
      await Promise.all(replicas.map((replica) => replica.close()));
      await watching;
    },
  };
}
