// A new alert is one statement, with its audit line, its event and its idempotency key.

import { type DomainEvent, eventBody } from "../../model/domain/events.ts";
import { showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import { codePoints } from "../../model/fields/accepts.ts";
import type { AlertFields } from "../../model/fields/alert.ts";
import { nowMicros, toIsoMicros } from "../../model/fields/columns.ts";
import type { Context } from "../../store/context.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import type { scope } from "../../store/queries/channels.ts";
import { type CreatedAlert, NEW_ALERTS } from "../../store/queries/sends.ts";
import { KeyUsed } from "../idempotency.ts";
import { announce } from "./change.ts";
import { repeatNote } from "./repeats.ts";
import { shownWhole } from "./show.ts";

type Alert = AlertFields &
  ReturnType<typeof scope> & { id: string; status: Exclude<AlertStatus, "cancelled" | "repeating"> };

/** There is one of this id. */
export const TAKEN = "23505";

const USED: CreatedAlert = {
  position: 1,
  active: true,
  requested_perms: [],
  at: "",
  repeated: true,
  equal: null,
  id: null,
};

/** What only the statement knows of the answer, beside what is known before it runs. */
export function answerOf(kept: unknown, given: unknown) {
  const answer = kept as ReturnType<typeof shownWhole>;
  const { at, requested_perms } = given as Pick<CreatedAlert, "at" | "requested_perms">;
  const instant = toIsoMicros(at);
  return {
    ...answer,
    sent_at: answer.sent_at && instant,
    created_at: instant,
    updated_at: instant,
    notes: answer.notes.filter(({ capability }) => !(requested_perms as readonly string[]).includes(capability)),
  };
}

/**
 * Writes an alert, and answers it; undefined where its channel is not visible, and without an answer where the channel is not active.
 * @throws KeyUsed.
 */
export async function create(alert: Alert, ctx: Context) {
  const { id, pusher_id, status } = alert;
  const event: DomainEvent | null =
    status === "draft" ? null : announce(ctx, `alert.${status}`, { ...alert, sent_at: null });
  const line = ctx.together.end({ id: showId("alr", id), pusher_id: showId("psh", pusher_id), status });
  const now = nowMicros(ctx);
  const sent_at = status === "sent" ? now : null;
  const record = {
    ...alert,
    due: false,
    html_length: codePoints(alert.html ?? ""),
    sent_at,
    cancelled_at: null,
    series_id: null,
    occurs_at: null,
    created_at: now,
    updated_at: now,
  };
  const kept = shownWhole(record, [], ctx);
  const told = { event_id: event?.id ?? null, event_body: event && eventBody(event) };
  let created = await ctx.together
    .run(NEW_ALERTS, {
      ...line,
      ...alert,
      ...told,
      ...ctx.together.key(kept),
      words: wordsOf(alert.title, alert.body),
      audit_id: line.id,
    })
    .catch((error) => {
      if (error.code !== TAKEN) throw error;
      return USED;
    });
  if (created?.repeated) {
    // It had been written when the connection was lost that should have said so. Or another call had the key.
    const [found] = await ctx.sql(readAlert, alert);
    if (!found) throw new KeyUsed();
    created = { ...USED, ...found, at: found.created_at };
  }
  if (!created) return undefined;
  if (created.id && event && sent_at) event.data.sent_at = toIsoMicros(created.at);
  if (created.id === null) return { ...created, answer: null };
  return {
    ...created,
    answer: { ...answerOf(kept, created), ...repeatNote(created.equal, ctx) },
  };
}
