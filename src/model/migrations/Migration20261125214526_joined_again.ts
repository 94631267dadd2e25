// Devices count how often they left a channel, and pausing a channel changes no validator.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261125214526_joined_again extends Migration {
  override up(): void {
    this.addSql("alter table device add leaves bigint not null default '0'");
    this.addSql(`create or replace function pusher_to_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into channel_state (pusher_id, active, suspended)
      values (new.id, new.status = 'active', new.status = 'suspended');
    else
      update channel_state set active = new.status = 'active', suspended = new.status = 'suspended',
        rev = rev + (suspended <> (new.status = 'suspended'))::int,
        changed_at = case when suspended <> (new.status = 'suspended') then clock_timestamp() else changed_at end
      where pusher_id = new.id;
    end if;
    return null;
  end $$`);
    this.addSql(`create or replace function subscription_to_counts() returns trigger language plpgsql as $$
  declare
    step int := case tg_op when 'INSERT' then 1 else -1 end;
    devices bigint[]; channels uuid[]; mutes boolean[];
  begin
    select array_agg(device_id), array_agg(pusher_id), array_agg(muted) into devices, channels, mutes from changed;
    update device d set subs_rev = d.subs_rev + 1, leaves = d.leaves + (tg_op = 'DELETE')::int
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
