// Tells accounts that asked for it which scheduled alerts became visible, and how often alerts were acknowledged and answered: soon after it was
// noted, whoever noted it and whether or not that process still lives (docs/rules.md#events-asked-for).

import { acknowledgedData, alertData, type DomainEvent, repliedData } from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import { run } from "../../store/db/statement.ts";
import { lockUntoldAlerts, tellUntoldAlerts as noteTold } from "../../store/queries/untold.ts";
import { type TellDeps, tellWaiting, writtenDown } from "./waiting.ts";

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
