// SQL for the alerts from before a device joined a channel that it sees (rules#before-joining).

import { LIMITS } from "../../model/limits.ts";

/**
 * SQL for the position, as (visible_at, id), of the oldest alert that a device sees after joining channel `channel` at
 * `since` (rules#before-joining). No row: it sees all.
 */
export const buildJoinHistoryStartSql = (channel: string, since: string) =>
  `select old.visible_at, old.id from alert old
        where old.pusher_id = ${channel} and old.status = 'sent' and old.visible_at < ${since}
        order by old.visible_at desc, old.id desc offset ${LIMITS.before_joining - 1} limit 1`;

/** SQL: whether a device sees a visible alert by its subscription `s`, as far as its time of joining decides that. */
export const isShownByJoinTimeSql = (alert: string) => `(
      ${alert}.visible_at >= s.subscribed_at
      or coalesce((${alert}.visible_at, ${alert}.id) >= (
        ${buildJoinHistoryStartSql(`${alert}.pusher_id`, "s.subscribed_at")}), true))`;
