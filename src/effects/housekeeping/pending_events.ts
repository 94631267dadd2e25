// Events that are emitted after the action: alerts that became visible, numbers of acknowledgements and replies
// (rules#events-asked-for), and delayed subscriber counts (#subscriber-events-are-gathered). Rows mark them as pending,
// and any process locks these, writes the events with them, and emits them. The next occurrences of repeating alerts
// are created in the same way.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import {
  createAckCountEventData,
  createAlertEventData,
  createReplyCountsEventData,
  createSubscriberEvent,
  type DomainEvent,
} from "../../model/domain/domain_events.ts";
import { planSeriesFill } from "../../model/domain/occurrences.ts";
import { newUuid } from "../../model/domain/type_ids.ts";
import type { Orm } from "../../store/db/orm.ts";
import { runStatement, type Statement } from "../../store/db/statement.ts";
import { createOccurrences, lockDueSeries } from "../../store/queries/alert_series.ts";
import { insertEvents, toEventColumns } from "../../store/queries/audit_and_events.ts";
import { lockAlertsWithPendingEvents, claimAlertReportEvents as noteTold } from "../../store/queries/reports.ts";
import {
  claimSubscriberCountEvents,
  lockChannelsWithPendingEvents,
} from "../../store/queries/subscriber_lists_and_counts.ts";

interface PendingEventDeps {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

/** Writes the events down as the last of the transaction, and hands them on. */
async function insertAndReturnEvents(em: SqlEntityManager, events: DomainEvent[]): Promise<DomainEvent[]> {
  if (events.length > 0) await runStatement(em, insertEvents, toEventColumns(events));
  return events;
}

/**
 * Emits events for up to `max` rows of `lock`, in the form of `tell`. Returns the number of rows with pending events.
 */
async function emitEventsOfLockedRows<Row>(
  { orm, publish }: PendingEventDeps,
  lock: Statement<{ max: number }, Row>,
  max: number,
  tell: (rows: Row[], em: SqlEntityManager) => Promise<DomainEvent[]>,
): Promise<number> {
  const em = orm.em.fork();
  // Nearly always nothing waits, and then nothing is begun.
  if ((await runStatement(em, lock, { max })).length === 0) return 0;
  const { events, waited } = await em.transactional(async (inner) => {
    const rows = await runStatement(inner, lock, { max });
    return { waited: rows.length, events: await tell(rows, inner) };
  });
  for (const event of events) publish(event);
  return waited;
}

/** Emits events for up to `max` alerts with pending ones, and returns their number. */
export function emitPendingAlertEvents(deps: PendingEventDeps, max: number): Promise<number> {
  return emitEventsOfLockedRows(deps, lockAlertsWithPendingEvents, max, async (alerts, em) => {
    const noted = await runStatement(em, noteTold, { alert_ids: alerts.map(({ alert_id }) => alert_id) });
    const created_at = deps.now().toISOString();
    const events = noted.flatMap((alert) => {
      const event = (event: DomainEvent["event"], data: DomainEvent["data"]): DomainEvent => ({
        id: newUuid(),
        created_at,
        listening: true,
        workspaceId: alert.workspace_id,
        event,
        data,
      });
      return [
        ...(alert.appeared ? [event("alert.visible", createAlertEventData(alert))] : []),
        ...(alert.delta > 0 ? [event("alert.acknowledged", createAckCountEventData(alert))] : []),
        ...(alert.replied ? [event("alert.replied", createReplyCountsEventData(alert))] : []),
      ];
    });
    return insertAndReturnEvents(em, events);
  });
}

/** Writes the pending events of locked channels, as the last statement of the transaction. */
export async function persistSubscriberCountEvents(
  channels: readonly { pusher_id: string }[],
  em: SqlEntityManager,
  at: Date,
): Promise<DomainEvent[]> {
  const claimed = await runStatement(em, claimSubscriberCountEvents, {
    pusher_ids: channels.map(({ pusher_id }) => pusher_id),
  });
  const events = claimed.map((one) => ({
    id: newUuid(),
    created_at: at.toISOString(),
    listening: true,
    ...createSubscriberEvent(one),
  }));
  return insertAndReturnEvents(em, events);
}

/** Emits events for up to `max` channels with pending ones, and returns their number. */
export const emitPendingSubscriberEvents = (deps: PendingEventDeps, max: number): Promise<number> =>
  emitEventsOfLockedRows(deps, lockChannelsWithPendingEvents, max, (channels, em) =>
    persistSubscriberCountEvents(channels, em, deps.now()),
  );

/** Writes the events of up to `max` series, and returns their number. */
export function fillDueSeries(deps: PendingEventDeps, max: number): Promise<number> {
  return emitEventsOfLockedRows(deps, lockDueSeries, max, async (due, em) => {
    const now = deps.now();
    const items = [];
    for (const series of due) {
      items.push(planSeriesFill(series, now.getTime()));
      // A rule costs milliseconds, so other requests run in between.
      await yieldToLoop();
    }
    const made = await runStatement(em, createOccurrences, { items });
    const events = made.map(
      (alert): DomainEvent => ({
        id: newUuid(),
        created_at: now.toISOString(),
        listening: true,
        workspaceId: alert.workspace_id,
        event: "alert.scheduled",
        data: createAlertEventData(alert),
      }),
    );
    return insertAndReturnEvents(em, events);
  });
}
