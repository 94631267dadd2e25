// Writes the next occurrences of repeating alerts, whichever process comes first and whether or not the one that began them still lives.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { alertData, type DomainEvent } from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import { fillOf } from "../../model/domain/occurrences.ts";
import { run } from "../../store/db/statement.ts";
import { fillSeries, lockDueSeries } from "../../store/queries/series.ts";
import { type TellDeps, tellWaiting, writtenDown } from "./told.ts";

/** Writes those of up to `max` series; answers of how many. */
export function fillDueSeries(deps: TellDeps, max: number): Promise<number> {
  return tellWaiting(deps, lockDueSeries, max, async (due, em) => {
    const now = deps.now();
    const items = [];
    for (const series of due) {
      items.push(await fillOf(series, now.getTime()));
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
