// Concurrent statements count a channel's events in separate rows.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124200300_striped_counts extends Migration {
  override up(): void {
    this.addSql(
      "create table alert_counter_stripe (alert_id uuid not null, stripe smallint not null, reads bigint not " +
        "null, acks bigint not null, replies bigint[] not null, primary key (alert_id, stripe))",
    );
    this.addSql(
      "create table channel_day_stripe (pusher_id uuid not null, day date not null, stripe smallint not null, " +
        "reads bigint not null, acks bigint not null, primary key (pusher_id, day, stripe))",
    );
    this.addSql(
      "alter table channel_day_stripe add constraint channel_day_stripe_pusher_id_foreign foreign key " +
        "(pusher_id) references pusher (id) on update no action on delete cascade",
    );
    this.addSql("alter table alert_counter_stripe set (fillfactor = 50)");
    this.addSql("alter table channel_day_stripe set (fillfactor = 70)");
    this.addSql(`create or replace function alert_reports_removed() returns trigger language plpgsql as $$
  begin
    delete from loose_alert l using removed a where l.alert_id = a.id;
    with gone as (delete from alert_words w using removed a where w.alert_id = a.id returning w.block_id)
    update alert_block set stale = true where id in (
      select id from alert_block where id in (select block_id from gone) and not stale order by id for no key update);
    if current_setting('belfry.stays_counted', true) = 'on' then
      insert into left_reports (alert_id) select a.id from removed a
      where exists (select from report r where r.alert_id = a.id);
    else
      delete from report r using removed a where r.alert_id = a.id;
    end if;
    delete from alert_counter c using removed a where c.alert_id = a.id;
    delete from alert_counter_stripe c using removed a where c.alert_id = a.id;
    return null;
  end $$`);
  }
}
