// The columns of an alert: which of them a change writes, and what lists and whole reads select.

import { effectiveSentAt, effectiveStatus, isDue } from "../../model/domain/alert_status.ts";
import { ALERT_STATUSES } from "../../model/entities/alert.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { columnsOf, hiddenFrom, namesOf, shownTo } from "../../model/fields/record.ts";
import {
  boolean,
  int,
  nullable,
  oneOf,
  selected,
  timestamptz,
  uuid,
  type ValuesOf,
} from "../../model/fields/sql.ts";

/** The columns that a change writes. */
export const FIELDS = columnsOf(ALERT);

/** Their names, in the order in which statements give them. */
export const NAMES = namesOf(ALERT);

/** `$title::text, $body::text, …` */
export const GIVEN = NAMES.map((name) => `$${name}::${FIELDS[name].sql}`).join(", ");

const IN_LISTS = columnsOf(shownTo(ALERT, "list"));

/** What only whole reads have. */
const REST = columnsOf(hiddenFrom(ALERT, "list"));

/** An alert as lists show it: the length of the markup stands in for it. */
const listed = (clock = "clock_timestamp()") => ({
  columns: {
    id: uuid,
    pusher_id: uuid,
    /** The effective one. */
    status: oneOf(ALERT_STATUSES),
    /** Scheduled as the row says, though its instant has come (see store/queries/settle.ts). */
    due: boolean,
    ...IN_LISTS,
    html_length: int,
    series_id: nullable(uuid),
    occurs_at: nullable(timestamptz),
    sent_at: nullable(timestamptz),
    cancelled_at: nullable(timestamptz),
    created_at: timestamptz,
    updated_at: timestamptz,
  },
  text: `alert.id, alert.pusher_id, ${effectiveStatus(clock)} as status, ${isDue("alert", clock)} as due,
    ${selected("alert", IN_LISTS)},
    coalesce(length(alert.html), 0) as html_length, alert.series_id, alert.occurs_at, ${effectiveSentAt(clock)} as sent_at,
    alert.cancelled_at, alert.created_at, alert.updated_at`,
});

export const LISTED = listed("now()");

/** An alert with everything. */
export const WHOLE = {
  columns: { ...listed().columns, ...REST },
  text: `${listed().text}, ${selected("alert", REST)}`,
};

/** An alert as the statements return it: timestamps as PostgreSQL prints them, and of lists without the rest. */
export type AlertRecord = ValuesOf<typeof LISTED.columns> & Partial<ValuesOf<typeof REST>>;
