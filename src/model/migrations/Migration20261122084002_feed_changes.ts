// When what is shown of a channel changed last, which readers of feeds ask for.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122084002_feed_changes extends Migration {
  override up(): void {
    this.addSql("alter table channel_state add changed_at timestamptz(6) not null default clock_timestamp()");
    this.addSql(`create or replace function alert_to_state() returns trigger language plpgsql as $$
  declare
    channel uuid;
    before timestamptz;
    after timestamptz;
    sent boolean := false;
    planned boolean := false;
  begin
    if tg_op <> 'INSERT' then
      before := old.visible_at; channel := old.pusher_id;
      sent := old.status = 'sent'; planned := old.status = 'scheduled';
    end if;
    if tg_op <> 'DELETE' then
      after := new.visible_at; channel := new.pusher_id;
      sent := sent or new.status = 'sent'; planned := planned or new.status = 'scheduled';
    end if;
    -- The lock first: what is planned is then read as whoever held it left it.
    perform from channel_state where pusher_id = channel for no key update;
    -- No row: the whole channel is being deleted, and its days with it.
    if not found then return null; end if;
    update channel_state
    set rev = rev + sent::int,
      changed_at = case when sent then clock_timestamp() else changed_at end,
      next_at = case when planned
        then (select min(a.visible_at) from alert a where a.pusher_id = channel and a.status = 'scheduled')
        else next_at end,
      published = published + (after is not null)::int - (before is not null)::int
    where pusher_id = channel;
    if (before at time zone 'UTC')::date is distinct from (after at time zone 'UTC')::date then
      insert into channel_day as k (pusher_id, day, published)
      select channel, day, n from (values
        ((before at time zone 'UTC')::date, -1), ((after at time zone 'UTC')::date, 1)) v (day, n)
      where day is not null order by day
      on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    end if;
    return null;
  end $$`);
    this.addSql(`create or replace function pusher_to_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into channel_state (pusher_id, active, suspended)
      values (new.id, new.status = 'active', new.status = 'suspended');
    else
      update channel_state set active = new.status = 'active', suspended = new.status = 'suspended', rev = rev + 1,
        changed_at = clock_timestamp()
      where pusher_id = new.id;
    end if;
    return null;
  end $$`);
  }
}
