// Channel rows by raw SQL. Every statement takes what the caller sees as $2 (workspace) and $3 (channels, null: all):
// a channel outside of it is no row.

import type { Caller } from "../context.ts";
import { defineStatement } from "../db/statement.ts";
import { isPlanned } from "../domain/alert_status.ts";
import type { PusherView } from "../shapes/pusher.ts";

/** Holds for a pusher `p` that the caller sees. */
export const VISIBLE = "p.workspace_id = $2 and ($3::uuid[] is null or p.id = any($3::uuid[]))";

/** The first three parameters of every channel-scoped statement. */
export function scope(pusherId: string, caller: Caller): [string, string, string[] | null] {
  return [pusherId, caller.workspace.id, caller.pusherIds];
}

/** Is there such a channel for the caller? Also what an alert of it needs to know. */
export const visibleChannel = defineStatement<{ active: boolean; requested_perms: string[] }>(
  "visible_channel",
  `select c.active, p.requested_perms from pusher p join channel_state c on c.pusher_id = p.id
   where p.id = $1 and ${VISIBLE}`,
);

/**
 * The same, and locks the channel until the transaction ends. Everything that changes a channel or publishes on it
 * takes this lock first, so that all of them queue in one order.
 */
export const lockChannel = defineStatement<{ active: boolean; suspended: boolean; subscribers: number }>(
  "lock_channel",
  `select c.active, c.suspended, c.subscribers::int as subscribers
   from channel_state c join pusher p on p.id = c.pusher_id
   where c.pusher_id = $1 and ${VISIBLE} for update of c`,
);

/** `subscribers` and `alerts_sent` of one channel: the scheduled ones whose instant has not come are not yet sent. */
export const channelCounts = defineStatement<{ subscribers: number; alerts_sent: number }>(
  "channel_counts",
  `select c.subscribers::int as subscribers, (c.published - (select count(*) from alert a
     where a.pusher_id = c.pusher_id and ${isPlanned("a")}))::int as alerts_sent
   from channel_state c where c.pusher_id = $1`,
);

/** A channel as the SQL below returns it: timestamps as PostgreSQL prints them. */
export type PusherRecord = Omit<PusherView, "url">;

const COLUMNS = `id, handle, name, category, description, long, site, city, lat, lon, radius_km, loc_rule, requested_perms,
  alert_types, tags, is_public, image_url, gradient_from, gradient_to, initials, status, created_at, updated_at`;

/**
 * The channels that the caller sees with their unsent backlog, newest first. $1 workspace, $2 channels or null, $3 handle
 * or null, $4 strictly before or null, $5 how many; ties of the last instant come along.
 */
export const listChannels = defineStatement<PusherRecord & { drafts: number; scheduled: number }>(
  "list_channels",
  `select p.*, (select count(*) from alert a where a.pusher_id = p.id and a.status = 'draft')::int as drafts,
     (select count(*) from alert a where a.pusher_id = p.id and ${isPlanned("a")})::int as scheduled
   from (select ${COLUMNS} from pusher
     where workspace_id = $1 and ($2::uuid[] is null or id = any($2::uuid[])) and ($3::text is null or handle = $3)
       and created_at < coalesce($4::timestamptz, 'infinity')
     order by created_at desc fetch first $5 rows with ties) p
   order by p.created_at desc, p.id desc`,
);

/** The unsent backlog of several channels. */
export const channelBacklogs = defineStatement<{ id: string; drafts: number; scheduled: number }>(
  "channel_backlogs",
  `select p.id, (select count(*) from alert a where a.pusher_id = p.id and a.status = 'draft')::int as drafts,
     (select count(*) from alert a where a.pusher_id = p.id and ${isPlanned("a")})::int as scheduled
   from unnest((select $1::uuid[])) p (id)`,
);

/** Removes the narrow row first: the triggers of the alerts that go with the channel then have nothing to count. */
export const removeChannelState = defineStatement(
  "remove_channel_state",
  "delete from channel_state where pusher_id = $1",
);

/** A handle that was given up while suspended stays taken. */
export const reserveHandle = defineStatement(
  "reserve_handle",
  "insert into reserved_handle (handle) values ($1) on conflict do nothing",
);

export const handleIsReserved = defineStatement<{ handle: string }>(
  "handle_is_reserved",
  "select handle from reserved_handle where handle = $1",
);
