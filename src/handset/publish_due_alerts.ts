// Publication of due alerts before they are shown. They are first marked as sent, because an inbox depends on sent
// alerts. Calls of one process share a statement, and no request waits for long: if it fails or takes too long, the
// alerts are still shown.

import { setTimeout as pause } from "node:timers/promises";
import { unauthorized } from "../model/api_error.ts";
import { createBatcher, createPositionedRowBatcher } from "../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement, runStatementWithRetries } from "../store/db/statement.ts";
import type { Log, Services } from "../store/handler_context.ts";
import { type ChannelPublishSummary, findChannelsWithDueAlerts, publishDueAlerts } from "../store/queries/inbox.ts";
import { readInboxStatesOfDevices } from "../store/queries/subscriptions_and_directory.ts";

/** Alerts in one transaction. */
const BATCH = 500;
/** The maximum wait of a request. */
const PATIENCE_MS = 3_000;
/** The pause after a failure or a timeout. */
const REST_MS = 5_000;

/** @param onPublished receives the published alerts; must not throw */
export function createBatchedDueAlertPublisher(
  orm: Orm,
  log: Log,
  onPublished: (settled: ChannelPublishSummary[]) => void = () => {},
) {
  const kysely = getKysely(orm);
  let restingUntil = 0;

  const publishBatch = async (channels: string[], max: number): Promise<number> => {
    const rows = await runStatementWithRetries(kysely, publishDueAlerts, { channels, limit: max });
    onPublished(rows);
    return rows.reduce((sum, { settled }) => sum + settled, 0);
  };

  const together = createBatcher<string[], boolean>(
    async (requests) => {
      const channels = [...new Set(requests.flat())];
      try {
        while ((await publishBatch(channels, BATCH)) === BATCH);
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
    /** Publishes the due alerts of these channels. False after a failure or a timeout. */
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
    /** Publishes up to `max` due alerts of any channel and returns their number. */
    async publishDueBatch(max: number): Promise<number> {
      const channels = (await runStatement(kysely, findChannelsWithDueAlerts, { limit: max })).map(({ id }) => id);
      return channels.length === 0 ? 0 : publishBatch(channels, max);
    },
  };
}

type DuePublisher = ReturnType<typeof createBatchedDueAlertPublisher>;

export function createInboxStateReader(
  orm: Orm,
  { publishDue }: Pick<DuePublisher, "publishDue">,
): Services["readInboxState"] {
  const kysely = getKysely(orm);
  const stateOf = createPositionedRowBatcher((devices: string[]) =>
    runStatement(kysely, readInboxStatesOfDevices, { devices }),
  );

  return async ({ id, due }) => {
    const settled = await publishDue(due);
    const state = await stateOf(id);
    if (!state) throw unauthorized();
    // Alerts that are due since then wait for the next poll, because a shown one could be withdrawn.
    return settled ? { ...state, due: [] } : state;
  };
}
