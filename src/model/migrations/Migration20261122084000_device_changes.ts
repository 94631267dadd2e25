// A device may say anew what it is; the breakdowns of its channels follow.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122084000_device_changes extends Migration {
  override up(): void {
    this.addSql(`create or replace function subscription_muted() returns trigger language plpgsql as $$
  begin
    -- Nobody changes the device's facts from here on, nor has one begun to: both would count by facts that are past.
    perform from device where id = new.device_id for share;
    update subscriber_mix m set muted = m.muted + (case when new.muted then 1 else -1 end)
    from device d
    where d.id = new.device_id and m.pusher_id = new.pusher_id and m.platform = d.platform
      and m.app_version = d.app_version and m.locale = d.locale and m.timezone = d.timezone;
    return null;
  end $$`);
    this.addSql(`create or replace function device_to_mix() returns trigger language plpgsql as $$
  begin
    insert into subscriber_mix as m (pusher_id, platform, app_version, locale, timezone, n, muted)
    select s.pusher_id, f.platform, f.app_version, f.locale, f.timezone, f.n, case when s.muted then f.n else 0 end
    from subscription s cross join (values
      (old.platform, old.app_version, old.locale, old.timezone, -1),
      (new.platform, new.app_version, new.locale, new.timezone, 1)) f (platform, app_version, locale, timezone, n)
    where s.device_id = new.id
    order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set n = m.n + excluded.n, muted = m.muted + excluded.muted;
    -- Else a device that changes its facts again and again would leave a row behind each time.
    delete from subscriber_mix m using subscription s
    where s.device_id = new.id and m.pusher_id = s.pusher_id and m.n = 0 and m.platform = old.platform
      and m.app_version = old.app_version and m.locale = old.locale and m.timezone = old.timezone;
    return null;
  end $$`);
    this.addSql(`create trigger device_changed after update of platform, app_version, locale, timezone on device for each row
  when ((old.platform, old.app_version, old.locale, old.timezone)
    is distinct from (new.platform, new.app_version, new.locale, new.timezone))
  execute function device_to_mix()`);
  }
}
