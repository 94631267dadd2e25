// One alert as the inbox of a device has it: with its whole text, and the draft that the device is shown as a test.

import { sqlIsVisible } from "../../model/domain/alert_transitions.ts";
import {
  bigint,
  boolean,
  float8,
  neverNull,
  nullable,
  selectColumns,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { isShownByJoinTimeSql } from "./alerts_before_joining.ts";
import { TEST_DRAFT_JOIN_SQL } from "./device_removal_and_transfer.ts";
import {
  HANDSET_MARKUP_SQL,
  INBOX_ALERT_COLUMNS,
  INBOX_ALERT_SELECTION,
  INBOX_FIELDS_WITHOUT_MARKUP,
} from "./inbox.ts";

const defineStatement = createStatementDefiner("inbox");

const TEST_SHOWN = { ...INBOX_ALERT_COLUMNS, id: neverNull(uuid), test_until: neverNull(timestamptz) };

/**
 * The draft that a device is shown as a test (rules#own-devices), as a row of its inbox. It has an id of its own, so
 * that the alert is a new one when it is sent.
 */
export const findInboxTestDraft = defineStatement.reading("find_inbox_test_draft", {
  parameters: { device_id: bigint },
  columns: { following: nullable(timestamptz), so_far: float8, ...TEST_SHOWN },
  text: `select null::timestamptz as following, 0::float8 as so_far, o.test_alert_id as id, alert.pusher_id, p.handle,
      o.test_shown_at as sent_at, d.test_until, ${HANDSET_MARKUP_SQL} as html, ${INBOX_ALERT_SELECTION}
    from device d join ${TEST_DRAFT_JOIN_SQL} on o.device_id = d.id where d.id = $device_id and d.test_until > now()`,
});

const WHOLE = `${HANDSET_MARKUP_SQL} as html, ${selectColumns(
  "alert",
  INBOX_FIELDS_WITHOUT_MARKUP,
)}, null::int as body_length`;

/** One alert with its whole text, if the inbox of a device has it. */
export const readInboxAlert = defineStatement.reading("read_inbox_alert", {
  parameters: { device_id: bigint, id: uuid },
  columns: { ...INBOX_ALERT_COLUMNS, before_joining: boolean },
  text: `select alert.id, alert.pusher_id, p.handle, alert.visible_at as sent_at, ${WHOLE}, alert.visible_at <
    s.subscribed_at as before_joining
    from alert join subscription s on s.pusher_id = alert.pusher_id and s.device_id = $device_id
    join channel_state c on c.pusher_id = alert.pusher_id and not c.suspended join pusher p on p.id = alert.pusher_id
    where alert.id = $id and ${sqlIsVisible("alert")} and ${isShownByJoinTimeSql("alert")}`,
});

/** The same of a test that the device is shown. */
export const readInboxTestAlert = defineStatement.reading("read_inbox_test_alert", {
  parameters: { device_id: bigint, id: uuid },
  columns: TEST_SHOWN,
  text: `select o.test_alert_id as id, alert.pusher_id, p.handle, o.test_shown_at as sent_at, d.test_until, ${WHOLE}
    from device d join ${TEST_DRAFT_JOIN_SQL} on o.device_id = d.id
    where d.id = $device_id and d.test_until > now() and o.test_alert_id = $id`,
});
