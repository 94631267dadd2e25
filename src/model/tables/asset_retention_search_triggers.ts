// Triggers that do not count for channels. One counts the references to a file, which decide about its retention. One
// delays the first deletion after a change of a retention period, however it is changed. One updates the search terms
// (docs/decisions/0056-full-text-search-in-postgresql.md).

import { LIMITS } from "../limits.ts";

/**
 * Counts the alerts that refer to a file. Rows are locked in the order of their ids, so two alerts with the same files
 * cannot deadlock. Alerts without files cost nothing.
 */
export const ALERT_ASSET_TRIGGERS = [
  `create function count_alert_assets() returns trigger language plpgsql as $$
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
      update asset set reference_count = reference_count + moved.n,
        attached_at = case when reference_count + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when reference_count + moved.n = 0
          then clock_timestamp() + interval '${LIMITS.waiting_files_hours} hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$`,
  `create trigger alert_assets_inserted after insert on alert for each row
  when (new.image_asset_id is not null or new.audio_asset_id is not null or new.html_asset_id is not null)
  execute function count_alert_assets()`,
  `create trigger alert_assets_updated after update on alert for each row
  when (old.image_asset_id is distinct from new.image_asset_id
    or old.audio_asset_id is distinct from new.audio_asset_id
    or old.html_asset_id is distinct from new.html_asset_id)
  execute function count_alert_assets()`,
  `create trigger alert_assets_deleted after delete on alert for each row
  when (old.image_asset_id is not null or old.audio_asset_id is not null or old.html_asset_id is not null)
  execute function count_alert_assets()`,
];

/** Counts the channels that refer to a picture, so that it is kept. Rows are also locked in the order of their ids. */
export const CHANNEL_PICTURE_TRIGGERS = [
  `create function count_pusher_asset() returns trigger language plpgsql as $$
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
      update asset set reference_count = reference_count + moved.n,
        attached_at = case when reference_count + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when reference_count + moved.n = 0
          then clock_timestamp() + interval '${LIMITS.waiting_files_hours} hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$`,
  `create trigger pusher_assets_inserted after insert on pusher for each row
  when (new.image_asset_id is not null) execute function count_pusher_asset()`,
  `create trigger pusher_assets_updated after update on pusher for each row
  when (old.image_asset_id is distinct from new.image_asset_id) execute function count_pusher_asset()`,
  `create trigger pusher_assets_deleted after delete on pusher for each row
  when (old.image_asset_id is not null) execute function count_pusher_asset()`,
];

/**
 * 'on' in a transaction whose alerts go because they were kept long enough: what was counted of them stays
 * (rules#retention).
 */
export const READ_KEEP_COUNTS_SETTING_SQL = "current_setting('belfry.keep_counts', true)";

export const RETENTION_START_TRIGGERS = [
  `create function set_retention_start() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or new.retention_days is distinct from old.retention_days then
      new.retention_starts_at := clock_timestamp() + interval '${LIMITS.retention_notice_hours} hours';
    end if;
    return new;
  end $$`,
  ...["pusher", "workspace"].map(
    (
      table,
    ) => `create trigger ${table}_retention_changed before insert or update of retention_days on ${table} for each row
  execute function set_retention_start()`,
  ),
];

/**
 * Empties the search terms after an edit that did not change them. Only an earlier version does that; this version
 * always changes them (store/queries/alert_search_index.ts). They are created again soon.
 */
export const SEARCH_VECTOR_RESET_TRIGGERS = [
  `create function clear_search_vector() returns trigger language plpgsql as $$
  begin
    new.search_vector := null;
    return new;
  end $$`,
  `create trigger alert_text_changed before update of title, body on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body) and old.search_vector is not distinct
    from new.search_vector)
  execute function clear_search_vector()`,
];
