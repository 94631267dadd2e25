// The triggers by which a file knows how many alerts and channels refer to it, and with that whether it stays.

import { LIMITS } from "../limits.ts";

/**
 * How many alerts refer to a file. In order of the ids, so that two alerts that share files wait for one another in one
 * order. Alerts without files pay nothing.
 */
export const ASSETS = [
  `create function alert_to_assets() returns trigger language plpgsql as $$
  declare
    gone uuid[] := '{}';
    come uuid[] := '{}';
    moved record;
  begin
    if tg_op <> 'INSERT' then gone := array[old.image_asset_id, old.audio_asset_id, old.html_asset_id]; end if;
    if tg_op <> 'DELETE' then come := array[new.image_asset_id, new.audio_asset_id, new.html_asset_id]; end if;
    for moved in
      select id, sum(n)::int as n from (
        select unnest(gone) as id, -1 as n union all select unnest(come), 1) r
      where id is not null group by id having sum(n) <> 0 order by id
    loop
      update asset set refs = refs + moved.n,
        attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '${LIMITS.waiting_files_hours} hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$`,
  `create trigger alert_assets_inserted after insert on alert for each row
  when (new.image_asset_id is not null or new.audio_asset_id is not null or new.html_asset_id is not null)
  execute function alert_to_assets()`,
  `create trigger alert_assets_updated after update on alert for each row
  when (old.image_asset_id is distinct from new.image_asset_id
    or old.audio_asset_id is distinct from new.audio_asset_id
    or old.html_asset_id is distinct from new.html_asset_id)
  execute function alert_to_assets()`,
  `create trigger alert_assets_deleted after delete on alert for each row
  when (old.image_asset_id is not null or old.audio_asset_id is not null or old.html_asset_id is not null)
  execute function alert_to_assets()`,
];

/** A channel's picture counts as an alert's do, so that its file stays. In order of the ids, too. */
export const PICTURES = [
  `create function pusher_to_assets() returns trigger language plpgsql as $$
  declare
    gone uuid;
    come uuid;
    moved record;
  begin
    if tg_op <> 'INSERT' then gone := old.image_asset_id; end if;
    if tg_op <> 'DELETE' then come := new.image_asset_id; end if;
    for moved in
      select id, n from (values (gone, -1), (come, 1)) r (id, n) where id is not null order by id
    loop
      update asset set refs = refs + moved.n,
        attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '${LIMITS.waiting_files_hours} hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$`,
  `create trigger pusher_assets_inserted after insert on pusher for each row
  when (new.image_asset_id is not null) execute function pusher_to_assets()`,
  `create trigger pusher_assets_updated after update on pusher for each row
  when (old.image_asset_id is distinct from new.image_asset_id) execute function pusher_to_assets()`,
  `create trigger pusher_assets_deleted after delete on pusher for each row
  when (old.image_asset_id is not null) execute function pusher_to_assets()`,
];
