// Triggers of alerts change one row in each statement, with no copy of their own for a single alert.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261126071325_rows_by_channel extends Migration {
  override up(): void {
    this.addSql(`create or replace function alert_to_state() returns trigger language plpgsql as $$
  declare
    channel uuid := old.pusher_id;
    before timestamptz := old.visible_at;
    after timestamptz;
    sent boolean := old.status = 'sent';
    planned boolean := old.status = 'scheduled';
    d record;
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
      for d in
        select day, n from (values ((before at time zone 'UTC')::date, -1), ((after at time zone 'UTC')::date, 1)) v (day, n)
        where day is not null order by day
      loop
        insert into channel_day as k (pusher_id, day, published) values (channel, d.day, d.n)
        on conflict (pusher_id, day) do update set published = k.published + excluded.published;
      end loop;
    end if;
    return null;
  end $$`);
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  declare
    channels uuid[]; days date[]; counts bigint[]; sends bigint[]; nexts timestamptz[];
  begin
    select array_agg(channel), array_agg(day), array_agg(n), array_agg(sent), array_agg(next_at)
    into channels, days, counts, sends, nexts
    from (
      select pusher_id as channel, (visible_at at time zone 'UTC')::date as day, count(*) as n,
        count(*) filter (where status = 'sent') as sent, min(visible_at) filter (where status = 'scheduled') as next_at
      from come where visible_at is not null group by 1, 2 order by 1, 2) c;
    for i in 1 .. coalesce(cardinality(channels), 0) loop
      update channel_state set published = published + counts[i], rev = rev + sends[i], next_at = least(next_at, nexts[i]),
        changed_at = case when sends[i] > 0 then clock_timestamp() else changed_at end
      where pusher_id = channels[i];
      insert into channel_day as k (pusher_id, day, published) values (channels[i], days[i], counts[i])
      on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    end loop;
    return null;
  end $$`);
  }
}
