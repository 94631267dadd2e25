// SQL for channel rows. Every statement takes the channels that the caller sees; others count as missing. Also a page
// of invites, and an eviction, after the channel was found and locked. The entity manager handles single invites.

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import { CHANNEL_FIELDS, CHANNEL_INVITE_FIELDS } from "../../model/fields/channel.ts";
import { getFieldSqlTypes } from "../../model/fields/field_table.ts";
import {
  array,
  bigint,
  boolean,
  int,
  nullable,
  type SqlValuesOf,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { CHANNEL_STATUSES } from "../../model/tables/channel.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("lists");
const defineLock = createStatementDefiner("locks");
const defineSum = createStatementDefiner("statistics");
const defineJoin = createStatementDefiner("joins");

/** SQL condition for a visible channel `p`: in the workspace, and one of these (null: all). */
export const visibleChannelSql = (workspaceId: string, pusherIds: string) =>
  `p.workspace_id = ${workspaceId} and (${pusherIds} is null or p.id = any(${pusherIds}))`;

/** The same of the caller. */
export const VISIBLE_TO_CALLER_SQL = {
  parameters: { workspace_id: uuid, pusher_ids: nullable(array(uuid)) },
  text: visibleChannelSql("$workspace_id", "$pusher_ids::uuid[]"),
};

/** The parameters of statements on one channel that the caller sees. */
export const CHANNEL_SCOPE_PARAMETERS = { pusher_id: uuid, ...VISIBLE_TO_CALLER_SQL.parameters };

/** The channel of a handle, where the caller sees it. */
export const findChannelByHandle = defineStatement.reading("find_channel_by_handle", {
  parameters: { handle: text, ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { id: uuid },
  text: `select p.id from pusher p where p.handle = $handle and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** The channel of an invite, where the caller sees it. */
export const findChannelByInviteId = defineStatement.reading("find_invite_channel", {
  parameters: { id: uuid, ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { pusher_id: uuid },
  text: `select p.id as pusher_id from invite i join pusher p on p.id = i.pusher_id
    where i.id = $id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** Is there such a channel for the caller? Also what an alert of it needs to know. */
export const findChannelVisibleToCaller = defineStatement.reading("find_visible_channel", {
  parameters: CHANNEL_SCOPE_PARAMETERS,
  columns: { active: boolean, requested_perms: array(text) },
  text: `select c.active, p.requested_perms from pusher p join channel_state c on c.pusher_id = p.id
    where p.id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/**
 * The same, and locks the channel until the transaction ends. Everything that changes a channel or publishes on it
 * takes this lock first, so that all of them queue in one order.
 */
export const lockChannel = defineLock("lock_channel", {
  parameters: CHANNEL_SCOPE_PARAMETERS,
  columns: { active: boolean, suspended: boolean, subscribers: int },
  text: `select c.active, c.suspended, c.subscribers::int as subscribers
    from channel_state c join pusher p on p.id = c.pusher_id
    where c.pusher_id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text} for update of c`,
});

/** `subscribers` and `alerts_sent` of one channel. Scheduled alerts before their time do not count as sent. */
export const readChannelCounts = defineSum.reading("channel_counts", {
  parameters: { pusher_id: uuid },
  columns: { subscribers: int, alerts_sent: int },
  text: `select c.subscribers::int as subscribers, (c.published - (select count(*) from alert a
      where a.pusher_id = c.pusher_id and ${sqlIsPlanned("a")}))::int as alerts_sent
    from channel_state c where c.pusher_id = $pusher_id`,
});

const CHANNEL = {
  id: uuid,
  handle: text,
  ...getFieldSqlTypes(CHANNEL_FIELDS),
  status: textEnum(CHANNEL_STATUSES),
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** A channel as the SQL below returns it: timestamps as PostgreSQL prints them. */
export type ChannelRecord = SqlValuesOf<typeof CHANNEL>;

/** The invisible alerts of a channel `p`. */
const BACKLOG = {
  columns: { drafts: int, scheduled: int },
  text: `(select count(*) from alert a where a.pusher_id = p.id and a.status = 'draft')::int as drafts,
    (select count(*) from alert a where a.pusher_id = p.id and ${sqlIsPlanned("a")})::int as scheduled`,
};

/**
 * The visible channels with their unsent backlog, newest first, with all rows of the last timestamp. `handle` and
 * `before` may be null.
 */
export const listChannels = defineStatement.reading("list_channels", {
  parameters: {
    ...VISIBLE_TO_CALLER_SQL.parameters,
    handle: nullable(text),
    before: nullable(timestamptz),
    limit: int,
  },
  columns: { ...CHANNEL, ...BACKLOG.columns },
  text: `select p.*, ${BACKLOG.text}
    from (select ${Object.keys(CHANNEL).join(", ")} from pusher p
      where ${VISIBLE_TO_CALLER_SQL.text} and ($handle::text is null or handle = $handle)
        and created_at < coalesce($before::timestamptz, 'infinity')
      order by created_at desc fetch first ($limit::int) rows with ties) p
    order by p.created_at desc, p.id desc`,
});

/** The unsent backlog of several channels. */
export const countUnsentAlertsOfChannels = defineSum.reading("count_unsent_alerts_of_channels", {
  parameters: { pusher_ids: array(uuid) },
  columns: { id: uuid, ...BACKLOG.columns },
  text: `select p.id, ${BACKLOG.text} from unnest((select $pusher_ids::uuid[])) p (id)`,
});

const COLUMNS = {
  id: uuid,
  code: text,
  ...getFieldSqlTypes(CHANNEL_INVITE_FIELDS),
  uses: int,
  revoked_at: nullable(timestamptz),
  created_at: timestamptz,
};

/** Before a timestamp (null: from the newest), with all rows of the last one. */
export const listInvites = defineStatement.reading("list_invites", {
  parameters: { pusher_id: uuid, before: nullable(timestamptz), limit: int },
  columns: COLUMNS,
  text: `select * from (select ${Object.keys(COLUMNS).join(", ")} from invite
      where pusher_id = $pusher_id and created_at < coalesce($before::timestamptz, 'infinity')
      order by created_at desc fetch first ($limit::int) rows with ties) i
    order by created_at desc, id desc`,
});

/** The number of devices that are notified at once; the others follow within a second. */
const TOLD = 10_000;

/** rules#revoke-evicts. */
export const evictInvited = defineJoin("evict_invited", {
  parameters: { pusher_id: uuid, invite_id: uuid },
  columns: { removed: int, devices: array(bigint) },
  text: `with gone as (delete from subscription where pusher_id = $pusher_id and invite_id = $invite_id returning
    device_id)
    select count(*)::int as removed, coalesce((array_agg(device_id))[:${TOLD}], '{}') as devices from gone`,
});
