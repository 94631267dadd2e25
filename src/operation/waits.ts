// Calls that wait for people: held until the alert that they are about becomes another version, or gets other replies where they wait
// for these, their time is over, or nobody listens any more. One statement a second looks for all that wait here, and one more after a commit of this process on the
// channel or the alert; between them no connection to the database is held. docs/rules.md#review-wait

import { LIMITS } from "../model/limits.ts";
import type { Log } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import type { AlertWait } from "../store/patience.ts";
import { alertVersions } from "../store/queries/alerts.ts";
import { createPlaces, type Leases } from "../store/rate_limits/places.ts";

/** From the end of one look to the next: another process's change is found by it. */
const ROUND_MS = 1_000;

interface Waiting extends Pick<AlertWait, "alertId" | "pusherId" | "version" | "replies"> {
  end(): void;
}

const sumsDiffer = (one: readonly number[], other: readonly number[]) => String(one) !== String(other);

interface WaitsOptions {
  orm: Orm;
  log: Log;
  /** Calls that wait at once in this process. */
  max: number;
  leases: Leases;
}

export function createWaits({ orm, log, max, leases }: WaitsOptions) {
  const kysely = databaseOf(orm);
  const places = createPlaces(max, Number.POSITIVE_INFINITY);
  const waiting = new Set<Waiting>();
  let round: NodeJS.Timeout | undefined;
  let looking = false;
  let again = false;
  let stopping = false;

  async function lookOnce(): Promise<void> {
    const asked = [...waiting];
    const ids = [...new Set(asked.map(({ alertId }) => alertId))];
    try {
      const rows = await run(kysely, alertVersions, { ids });
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const one of asked) {
        const now = found.get(one.alertId);
        if (now?.updated_at !== one.version || (one.replies && sumsDiffer(one.replies, now.replies)))
          one.end();
      }
    } catch (error) {
      // The next round finds what this one would have.
      log.debug({ err: error }, "calls that wait for a review cannot be told of changes; it is tried again");
    }
  }

  async function look(): Promise<void> {
    again = true;
    if (looking) return;
    looking = true;
    clearTimeout(round);
    while (again && waiting.size > 0) {
      again = false;
      await lookOnce();
    }
    looking = false;
    if (waiting.size > 0) round = setTimeout(() => void look(), ROUND_MS).unref();
  }

  return {
    /** Resolves when there may be something else to say of the alert than it is this version; at once where too many wait already. */
    async untilChanged({ ms, subject, signal, ...alert }: AlertWait): Promise<void> {
      if (stopping || ms <= 0 || signal.aborted || !places.hasRoom(null)) return;
      const leave = places.take(null);
      const release = await leases.take("review waits", subject, LIMITS.review_waits);
      if (!release || stopping || signal.aborted) {
        release?.();
        return leave();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { ...alert, end: resolve };
      const timer = setTimeout(resolve, ms);
      const gone = () => resolve();
      signal.addEventListener("abort", gone);
      waiting.add(one);
      // What changed since it was read is found at once.
      void look();
      await promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      waiting.delete(one);
      leave();
      release();
    },
    /** What was committed has changed these channels or alerts, or may have. */
    changed(ids: readonly string[]): void {
      for (const { pusherId, alertId } of waiting)
        if (ids.includes(pusherId) || ids.includes(alertId)) return void look();
    },
    stop(): void {
      stopping = true;
      for (const { end } of waiting) end();
    },
  };
}

export type Waits = ReturnType<typeof createWaits>;
