// What a statement begins with that writes alerts of several callers: its items, and their channels, locked in one order.

import { visibleTo } from "./channels.ts";

/** How it meets a lock that somebody holds: it leaves the item out, waits for a bounded time, or waits. */
export interface Locking {
  skips?: string;
  bounded?: string;
}

/**
 * SQL: `r`, the items of `$items` by these fields, and `c`, their channels with `columns` beside id and workspace: in the order of their ids, each
 * locked once, and those alone that the caller of an item sees. What locks is looked up for each by its key, whatever number of rows the
 * planner takes `r` for.
 */
export const lockedChannels = (
  fields: Readonly<Record<string, { sql: string }>>,
  columns: string,
  { skips = "", bounded = "" }: Locking,
): string => `r as materialized (
        select r.* from ${bounded} jsonb_to_recordset((select $items::jsonb)) r (position int, ${Object.entries(
          fields,
        )
          .map(([column, { sql }]) => `${column} ${sql}`)
          .join(", ")})),
      c as materialized (
        select c.* from (select distinct pusher_id, workspace_id, pusher_ids from r order by pusher_id) r
        cross join lateral (
          select p.id, p.workspace_id, ${columns} from channel_state c join pusher p on p.id = c.pusher_id
          where c.pusher_id = r.pusher_id and ${visibleTo("r.workspace_id", "r.pusher_ids")}
          for no key update of c ${skips}) c)`;
