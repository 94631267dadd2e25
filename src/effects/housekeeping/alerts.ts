// Tells accounts that asked for it which scheduled alerts became visible and how often alerts were acknowledged: soon after it was
// noted, whoever noted it and whether or not that process still lives (docs/rules.md#events-asked-for).

import { acknowledgedData, alertData, type DomainEvent } from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { eventRows, insertEvents } from "../../store/queries/events.ts";
import { lockUntoldAlerts, tellUntoldAlerts as noteTold } from "../../store/queries/untold.ts";

/** Tells of up to `max` alerts of which something waits, and answers of how many something waited. */
export async function tellUntoldAlerts(
  { orm, publish, now }: { orm: Orm; publish(event: DomainEvent): void; now(): Date },
  max: number,
): Promise<number> {
  const em = orm.em.fork();
  // Nearly always nothing waits, and then nothing is begun.
  if ((await run(em, lockUntoldAlerts, { max })).length === 0) return 0;
  const { events, waited } = await em.transactional(async (inner) => {
    const alert_ids = (await run(inner, lockUntoldAlerts, { max })).map(({ alert_id }) => alert_id);
    const told = await run(inner, noteTold, { alert_ids });
    const head = { created_at: now().toISOString(), listening: true };
    const events = told.flatMap((alert): DomainEvent[] => {
      const addressed = { ...head, workspaceId: alert.workspace_id };
      return [
        ...(alert.appeared
          ? [{ id: newUuid(), ...addressed, event: "alert.visible" as const, data: alertData(alert) }]
          : []),
        ...(alert.delta > 0
          ? [
              {
                id: newUuid(),
                ...addressed,
                event: "alert.acknowledged" as const,
                data: acknowledgedData(alert),
              },
            ]
          : []),
      ];
    });
    if (events.length > 0) await run(inner, insertEvents, eventRows(events));
    return { waited: alert_ids.length, events };
  });
  for (const event of events) publish(event);
  return waited;
}
