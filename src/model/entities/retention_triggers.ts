// Whoever changes how long alerts are kept, by whichever way, has time to take it back before the first of them goes.

import { LIMITS } from "../limits.ts";

/** 'on' in a transaction whose alerts go because they were kept long enough: what was counted of them stays (docs/rules.md#retention). */
export const STAYS_COUNTED = "current_setting('belfry.stays_counted', true)";

export const RETENTION = [
  `create function retention_set() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or new.retention_days is distinct from old.retention_days then
      new.retention_from := clock_timestamp() + interval '${LIMITS.retention_notice_hours} hours';
    end if;
    return new;
  end $$`,
  ...["pusher", "workspace"].map(
    (
      table,
    ) => `create trigger ${table}_retention_set before insert or update of retention_days on ${table} for each row
  execute function retention_set()`,
  ),
];
