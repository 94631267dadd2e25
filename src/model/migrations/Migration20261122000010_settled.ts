// A row that says `sent` is never compared with the clock again. What came due is settled: written down as sent before a
// handset is shown it (see store/queries/settle.ts). So the inbox's index holds what is sent, a small one holds what is
// scheduled, and `rev` names the sent rows alone; `next_at` is the first scheduled instant, come or not.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122000010_settled extends Migration {
  override up(): void {
    // Whatever has come due until now was shown. Its days and counts stay, so no trigger is needed row by row.
    this.addSql("drop index alert_inbox");
    this.addSql("alter table alert disable trigger alert_updated");
    this.addSql(`update alert set status = 'sent', sent_at = send_at
      where status = 'scheduled' and send_at <= clock_timestamp()`);
    this.addSql("alter table alert enable trigger alert_updated");
    this.addSql(
      "create index alert_inbox on alert (pusher_id, visible_at desc, id desc) where status = 'sent'",
    );
    this.addSql("create index alert_scheduled on alert (pusher_id, visible_at) where status = 'scheduled'");
    this.addSql("alter table channel_state drop column shown_at");
    this.addSql(`update channel_state c set rev = rev + 1, next_at =
      (select min(a.visible_at) from alert a where a.pusher_id = c.pusher_id and a.status = 'scheduled')`);
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
  }
}
