// Settles due alerts before they are shown: they are first written down as sent, so that a handset's inbox depends on
// what is. Calls of one process share a statement, and no request waits for long: when settling fails or takes too
// long, the alerts are shown all the same.

import { setTimeout as pause } from "node:timers/promises";
import { unauthorized } from "../model/api_error.ts";
import { createBatcher, createPositionBatcher } from "../store/db/batching.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement, runWithRetries } from "../store/db/statement.ts";
import type { Log, Services } from "../store/handler_context.ts";
import { inboxStates } from "../store/queries/device_channels.ts";
import { channelsWithDue, type PublishedChannel, publishDueAlerts } from "../store/queries/inbox.ts";

/** Alerts in one transaction. */
const BATCH = 500;
/** How long a request waits at most. */
const PATIENCE_MS = 3_000;
/** After a failure or a longer wait, settling is not tried for so long. */
const REST_MS = 5_000;

/** `told`: hears of what was settled; must not throw. */
export function createDuePublisher(orm: Orm, log: Log, told: (settled: PublishedChannel[]) => void = () => {}) {
  const kysely = getKysely(orm);
  let restingUntil = 0;

  const settle = async (channels: string[], max: number): Promise<number> => {
    const rows = await runWithRetries(kysely, publishDueAlerts, { channels, limit: max });
    told(rows);
    return rows.reduce((sum, { settled }) => sum + settled, 0);
  };

  const together = createBatcher<string[], boolean>(
    async (requests) => {
      const channels = [...new Set(requests.flat())];
      try {
        while ((await settle(channels, BATCH)) === BATCH);
        return requests.map(() => true);
      } catch (error) {
        restingUntil = performance.now() + REST_MS;
        log.warn({ err: error }, "due alerts are visible, but could not be marked as sent");
        return requests.map(() => false);
      }
    },
    { inFlight: 1 },
  );

  return {
    /** Settles what is due in these channels. False when that failed, or did not come to an end in time. */
    async publishDue(channels: string[]): Promise<boolean> {
      if (performance.now() < restingUntil) return false;
      const answered = new AbortController();
      const late = pause(PATIENCE_MS, false, { signal: answered.signal }).then(() => {
        restingUntil = performance.now() + REST_MS;
        return false;
      });
      late.catch(() => {});
      return Promise.race([together(channels), late]).finally(() => answered.abort());
    },
    /** Settles up to `max` alerts of any channel; answers how many. */
    async publishDueBatch(max: number): Promise<number> {
      const channels = (await runStatement(kysely, channelsWithDue, { limit: max })).map(({ id }) => id);
      return channels.length === 0 ? 0 : settle(channels, max);
    },
  };
}

export type DuePublisher = ReturnType<typeof createDuePublisher>;

export function createInboxStateReader(
  orm: Orm,
  { publishDue }: Pick<DuePublisher, "publishDue">,
): Services["readInboxState"] {
  const kysely = getKysely(orm);
  const stateOf = createPositionBatcher((devices: string[]) => runStatement(kysely, inboxStates, { devices }));

  return async ({ id }, found) => {
    if (found.due.length === 0) return found;
    const settled = await publishDue(found.due);
    const state = await stateOf(id);
    if (!state) throw unauthorized();
    // What has come due since is for the next poll: shown now, it could be taken back.
    return settled ? { ...state, due: [] } : state;
  };
}
