// A channel's `rev` says what handsets see of it now, not what is planned: scheduling alone leaves it. What came due by
// itself since the last change is counted beside it (see store/queries/handset.ts); `shown_at` is the instant up to which `rev`
// has it, and `next_at` the first one after that at which something comes due.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000060_inbox_revision extends Migration {
  override up(): void {
    this.addSql(`alter table channel_state add column shown_at timestamptz(6) not null default clock_timestamp(),
      add column next_at timestamptz(6) null`);
    this.addSql(`update channel_state c set next_at =
      (select min(a.visible_at) from alert a where a.pusher_id = c.pusher_id and a.visible_at > c.shown_at)`);
    this.addSql(`create or replace function alert_to_state() returns trigger language plpgsql as $$
      declare
        channel uuid;
        before timestamptz;
        after timestamptz;
        since timestamptz;
        at timestamptz;
      begin
        if tg_op <> 'INSERT' then before := old.visible_at; channel := old.pusher_id; end if;
        if tg_op <> 'DELETE' then after := new.visible_at; channel := new.pusher_id; end if;
        -- The lock first: what came due is counted once, whoever changes the channel at the same time.
        select shown_at into since from channel_state where pusher_id = channel for no key update;
        -- No row: the whole channel is being deleted, and its days with it.
        if not found then return null; end if;
        at := clock_timestamp();
        update channel_state
        set rev = rev
            + (select count(*) from alert a
               where a.pusher_id = channel and a.visible_at > since and a.visible_at <= at)
            -- Two, since an alert that came due and is taken out now has been counted and is not any more.
            + case when before <= at or after <= at then 2 else 0 end,
          shown_at = at,
          next_at = (select min(a.visible_at) from alert a where a.pusher_id = channel and a.visible_at > at),
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
  }
}
