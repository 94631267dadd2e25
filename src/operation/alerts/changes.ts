// What an edit changed of an alert: which fields are compared, what is kept of them, and what a reader is told.

import { isDeepStrictEqual } from "node:util";
import { showId } from "../../model/domain/ids.ts";
import { ALERT, type AlertFields } from "../../model/fields/alert.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { namesOf } from "../../model/fields/record.ts";
import type { ChangeRecord, Former } from "../../store/queries/alert_changes.ts";

/** Everything but what follows from the texts. An edit that answers a reviewer takes the reply away, and so keeps it here. */
const COMPARED = namesOf(ALERT).filter((name) => name !== "blocked");

/**
 * What an edit replaces: of the fields that it changes, what they hold. Both as rows with instants in UTC, so the ids of files
 * are uuids.
 */
export function formerOf(
  stored: { [N in keyof AlertFields]?: AlertFields[N] | undefined },
  fields: AlertFields,
): Former {
  const changed = COMPARED.filter((name) => !isDeepStrictEqual(stored[name] ?? null, fields[name]));
  return Object.fromEntries(changed.map((name) => [name, stored[name] ?? null]));
}

/** A field that an edit changed, in the form that answers have. */
export interface ChangedField {
  name: string;
  before: unknown;
  after: unknown;
}

const shown = (name: string, value: unknown): unknown =>
  name.endsWith("_asset_id") && typeof value === "string" ? showId("ast", value) : value;

/**
 * What each kept edit changed, newest first. `current` is the alert as get_alert shows it: an edit left a field as the one
 * after it found it. Sending empties `send_at`, so what that was before is not told of what is sent.
 */
export function changesBetween(current: Readonly<Record<string, unknown>>, rows: readonly ChangeRecord[]) {
  const { send_at, ...others } = current;
  const after: Record<string, unknown> = current.status === "sent" ? others : { ...others, send_at };
  return rows.map(({ updated_at, former }) => {
    const fields = COMPARED.filter((name) => Object.hasOwn(former, name)).map((name): ChangedField => {
      const before = shown(name, former[name]);
      const field = { name, before, after: after[name] };
      after[name] = before;
      return field;
    });
    return {
      updated_at: toIsoMicros(updated_at),
      fields: fields.filter(({ name, after }) => name !== "review_reply" && after !== undefined),
      replied_to: (former.review_reply ?? null) as string | null,
    };
  });
}
