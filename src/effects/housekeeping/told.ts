// What accounts are told after the act: which alerts became visible, how often they were acknowledged and answered
// (rules#events-asked-for), and what subscribers came to while nobody could be told (#subscriber-events-are-gathered).
// It waits in rows, and whichever process comes first locks them, writes the events down with them, and tells. So do the next
// occurrences of repeating alerts come, whether or not the process that began them still lives.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import {
  acknowledgedData,
  alertData,
  type DomainEvent,
  repliedData,
  subscriberEvent,
} from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import { fillOf } from "../../model/domain/occurrences.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run, type Statement } from "../../store/db/statement.ts";
import { eventRows, insertEvents } from "../../store/queries/journal.ts";
import { lockUntoldAlerts, tellUntoldAlerts as noteTold } from "../../store/queries/reports.ts";
import { fillSeries, lockDueSeries } from "../../store/queries/series.ts";
import { lockUntold, tellSubscribers } from "../../store/queries/subscribers.ts";

export interface TellDeps {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

/** Writes the events down as the last of the transaction, and hands them on. */
export async function writtenDown(em: SqlEntityManager, events: DomainEvent[]): Promise<DomainEvent[]> {
  if (events.length > 0) await run(em, insertEvents, eventRows(events));
  return events;
}

/** Tells of up to `max` rows that `lock` finds, as `tell` writes them down; answers of how many something waited. */
export async function tellWaiting<Row>(
  { orm, publish }: TellDeps,
  lock: Statement<{ max: number }, Row>,
  max: number,
  tell: (rows: Row[], em: SqlEntityManager) => Promise<DomainEvent[]>,
): Promise<number> {
  const em = orm.em.fork();
  // Nearly always nothing waits, and then nothing is begun.
  if ((await run(em, lock, { max })).length === 0) return 0;
  const { events, waited } = await em.transactional(async (inner) => {
    const rows = await run(inner, lock, { max });
    return { waited: rows.length, events: await tell(rows, inner) };
  });
  for (const event of events) publish(event);
  return waited;
}

/** Tells of up to `max` alerts of which something waits, and answers of how many something waited. */
export function tellUntoldAlerts(deps: TellDeps, max: number): Promise<number> {
  return tellWaiting(deps, lockUntoldAlerts, max, async (alerts, em) => {
    const told = await run(em, noteTold, { alert_ids: alerts.map(({ alert_id }) => alert_id) });
    const created_at = deps.now().toISOString();
    const events = told.flatMap((alert) => {
      const event = (event: DomainEvent["event"], data: DomainEvent["data"]): DomainEvent => ({
        id: newUuid(),
        created_at,
        listening: true,
        workspaceId: alert.workspace_id,
        event,
        data,
      });
      return [
        ...(alert.appeared ? [event("alert.visible", alertData(alert))] : []),
        ...(alert.delta > 0 ? [event("alert.acknowledged", acknowledgedData(alert))] : []),
        ...(alert.replied ? [event("alert.replied", repliedData(alert))] : []),
      ];
    });
    return writtenDown(em, events);
  });
}

/** What is to be told now of channels that are locked, written down as the last of the transaction. */
export async function tell(
  channels: readonly { pusher_id: string }[],
  em: SqlEntityManager,
  at: Date,
): Promise<DomainEvent[]> {
  const told = await run(em, tellSubscribers, { pusher_ids: channels.map(({ pusher_id }) => pusher_id) });
  const events = told.map((one) => ({
    id: newUuid(),
    created_at: at.toISOString(),
    listening: true,
    ...subscriberEvent(one),
  }));
  return writtenDown(em, events);
}

/** Tells of up to `max` channels of which something waits, and answers of how many something waited. */
export const tellUntold = (deps: TellDeps, max: number): Promise<number> =>
  tellWaiting(deps, lockUntold, max, (channels, em) => tell(channels, em, deps.now()));

/** Writes those of up to `max` series; answers of how many. */
export function fillDueSeries(deps: TellDeps, max: number): Promise<number> {
  return tellWaiting(deps, lockDueSeries, max, async (due, em) => {
    const now = deps.now();
    const items = [];
    for (const series of due) {
      items.push(fillOf(series, now.getTime()));
      // A rule costs milliseconds, in which nobody else is served.
      await yieldToLoop();
    }
    const made = await run(em, fillSeries, { items });
    const events = made.map(
      (alert): DomainEvent => ({
        id: newUuid(),
        created_at: now.toISOString(),
        listening: true,
        workspaceId: alert.workspace_id,
        event: "alert.scheduled",
        data: alertData(alert),
      }),
    );
    return writtenDown(em, events);
  });
}
