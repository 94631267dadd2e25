// A channel and an account say how long alerts are kept; what was counted of those that went is told apart, and reports of them go in slices.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000600_retention extends Migration {
  override up(): void {
    this.addSql("drop trigger alert_deleted on alert");
    this.addSql("create table left_reports (alert_id uuid not null, primary key (alert_id))");
    this.addSql("alter table workspace add retention_days int null, add retention_from timestamptz(6) null");
    this.addSql("alter table pusher add retention_days int null, add retention_from timestamptz(6) null");
    this.addSql("alter table channel_day add gone bigint not null default '0'");
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
    return null;
  end $$`);
    this.addSql(`create or replace function retention_set() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or new.retention_days is distinct from old.retention_days then
      new.retention_from := clock_timestamp() + interval '24 hours';
    end if;
    return new;
  end $$`);
    this.addSql(`create trigger alert_deleted after delete on alert for each row
  when (old.visible_at is not null and current_setting('belfry.stays_counted', true) is distinct from 'on') execute function alert_to_state()`);
    this.addSql(`create trigger pusher_retention_set before insert or update of retention_days on pusher for each row
  execute function retention_set()`);
    this.addSql(`create trigger workspace_retention_set before insert or update of retention_days on workspace for each row
  execute function retention_set()`);
  }
}
