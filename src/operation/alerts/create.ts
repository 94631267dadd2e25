// A new alert is one statement, with its audit line and its event.

import { type DomainEvent, eventBody } from "../../model/domain/events.ts";
import { showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import type { AlertFields } from "../../model/fields/alert.ts";
import { toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import type { Context } from "../../store/context.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import type { scope } from "../../store/queries/channels.ts";
import { type CreatedAlert, NEW_ALERTS } from "../../store/queries/new_alerts.ts";
import { announce } from "./change.ts";

type Alert = AlertFields &
  ReturnType<typeof scope> & { id: string; status: Exclude<AlertStatus, "cancelled"> };

/** There is one of this id. */
export const TAKEN = "23505";

/** Writes an alert; undefined where its channel is not visible. Its columns are null where the channel is not active. */
export async function create(alert: Alert, ctx: Context): Promise<CreatedAlert | undefined> {
  const { id, pusher_id, status } = alert;
  const event: DomainEvent | null =
    status === "draft" ? null : announce(ctx, `alert.${status}`, { ...alert, sent_at: null });
  const line = ctx.takeEnd({ id: showId("alr", id), pusher_id: showId("psh", pusher_id), status });
  const told = { event_id: event?.id ?? null, event_body: event && eventBody(event) };
  const created = await ctx
    .sqlTogether(NEW_ALERTS, {
      ...line,
      ...alert,
      ...told,
      words: wordsOf(alert.title, alert.body),
      audit_id: line.id,
    })
    .catch(async (error) => {
      if (error.code !== TAKEN) throw error;
      // It had been written when the connection was lost that should have said so.
      const [found] = await ctx.sql(readAlert, alert);
      return found && { ...found, position: 1, active: true };
    });
  if (event && created?.id) event.data.sent_at = toIsoMicrosOrNull(created.sent_at);
  return created;
}
