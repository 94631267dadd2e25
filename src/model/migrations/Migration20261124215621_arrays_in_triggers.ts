// Statement-level triggers take the rows' values as arrays. The rows themselves cannot be read in a database with
// tables that Citus distributes.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124215621_arrays_in_triggers extends Migration {
  override up(): void {
    this.addSql(`create or replace function alert_reports_removed() returns trigger language plpgsql as $$
  declare
    ids uuid[] := array(select id from removed);
  begin
    delete from loose_alert where alert_id = any(ids);
    with gone as (delete from alert_words where alert_id = any(ids) returning block_id)
    update alert_block set stale = true where id in (
      select id from alert_block where id in (select block_id from gone) and not stale order by id for no key update);
    if current_setting('belfry.stays_counted', true) = 'on' then
      insert into left_reports (alert_id) select id from unnest(ids) id
      where exists (select from report r where r.alert_id = id);
    else
      delete from report where alert_id = any(ids);
    end if;
    delete from alert_counter where alert_id = any(ids);
    delete from alert_counter_stripe where alert_id = any(ids);
    return null;
  end $$`);
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  declare
    ids uuid[]; channels uuid[]; made timestamptz[]; statuses text[]; instants timestamptz[];
  begin
    select array_agg(id), array_agg(pusher_id), array_agg(created_at), array_agg(status), array_agg(visible_at)
    into ids, channels, made, statuses, instants from come;
    -- Nearly always it is one, and that costs half of what many do.
    if cardinality(ids) = 1 then
      insert into alert_words (alert_id) values (ids[1]) on conflict do nothing;
      insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
      select ids[1], workspace_id, id, made[1] from pusher where id = channels[1];
      if instants[1] is null then return null; end if;
      update channel_state set published = published + 1, rev = rev + (statuses[1] = 'sent')::int,
        changed_at = case when statuses[1] = 'sent' then clock_timestamp() else changed_at end,
        next_at = case when statuses[1] = 'scheduled' then least(next_at, instants[1]) else next_at end
      where pusher_id = channels[1];
      insert into channel_day as k (pusher_id, day, published)
      values (channels[1], (instants[1] at time zone 'UTC')::date, 1)
      on conflict (pusher_id, day) do update set published = k.published + 1;
      return null;
    end if;
    -- Those that came without the words by which they are found.
    insert into alert_words (alert_id) select id from unnest(ids) id on conflict do nothing;
    insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
    select c.id, p.workspace_id, c.pusher_id, c.created_at
    from unnest(ids, channels, made) c (id, pusher_id, created_at) join pusher p on p.id = c.pusher_id;
    update channel_state s
    set rev = s.rev + c.sent,
      changed_at = case when c.sent > 0 then clock_timestamp() else s.changed_at end,
      next_at = least(s.next_at, c.next_at),
      published = s.published + c.n
    from (
      select pusher_id, count(*) as n, count(*) filter (where status = 'sent') as sent,
        min(visible_at) filter (where status = 'scheduled') as next_at
      from unnest(channels, statuses, instants) a (pusher_id, status, visible_at)
      where visible_at is not null group by pusher_id) c
    where s.pusher_id = c.pusher_id;
    -- Drafts alone.
    if not found then return null; end if;
    insert into channel_day as k (pusher_id, day, published)
    select pusher_id, (visible_at at time zone 'UTC')::date, count(*)
    from unnest(channels, instants) a (pusher_id, visible_at) where visible_at is not null group by 1, 2 order by 1, 2
    on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    return null;
  end $$`);
    this.addSql(`create or replace function subscription_to_counts() returns trigger language plpgsql as $$
  declare
    step int := case tg_op when 'INSERT' then 1 else -1 end;
    devices bigint[]; channels uuid[]; mutes boolean[];
  begin
    select array_agg(device_id), array_agg(pusher_id), array_agg(muted) into devices, channels, mutes from changed;
    update device d set subs_rev = d.subs_rev + 1
    from (select id from device where id = any(devices) order by id for no key update) c
    where d.id = c.id;
    update channel_state s set subscribers = s.subscribers + step * c.n
    from (select pusher_id, count(*) n from unnest(channels) pusher_id group by 1) c where s.pusher_id = c.pusher_id;
    insert into subscriber_mix as m (pusher_id, platform, app_version, locale, timezone, n, muted)
    select c.pusher_id, d.platform, d.app_version, d.locale, d.timezone,
      step * count(*), step * count(*) filter (where c.muted)
    from unnest(devices, channels, mutes) c (device_id, pusher_id, muted) join device d on d.id = c.device_id
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set n = m.n + excluded.n, muted = m.muted + excluded.muted;
    return null;
  end $$`);
  }
}
