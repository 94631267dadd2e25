// New alerts change their channel's row once a statement, not once each.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140102_new_alerts_at_once extends Migration {
  override up(): void {
    this.addSql("drop trigger alert_inserted on alert");
    this.addSql(`create or replace function alert_to_state() returns trigger language plpgsql as $$
  declare
    channel uuid := old.pusher_id;
    before timestamptz := old.visible_at;
    after timestamptz;
    sent boolean := old.status = 'sent';
    planned boolean := old.status = 'scheduled';
  begin
    if tg_op <> 'DELETE' then
      after := new.visible_at;
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
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  begin
    update channel_state s
    set rev = s.rev + c.sent,
      changed_at = case when c.sent > 0 then clock_timestamp() else s.changed_at end,
      next_at = least(s.next_at, c.next_at),
      published = s.published + c.n
    from (
      select pusher_id, count(*) as n, count(*) filter (where status = 'sent') as sent,
        min(visible_at) filter (where status = 'scheduled') as next_at
      from come where visible_at is not null group by pusher_id) c
    where s.pusher_id = c.pusher_id;
    -- Drafts alone.
    if not found then return null; end if;
    insert into channel_day as k (pusher_id, day, published)
    select pusher_id, (visible_at at time zone 'UTC')::date, count(*)
    from come where visible_at is not null group by 1, 2 order by 1, 2
    on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    return null;
  end $$`);
    this.addSql(`create trigger alert_inserted after insert on alert referencing new table as come
  for each statement execute function new_alerts_to_state()`);
  }
}
