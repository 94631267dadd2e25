// Alerts are found by blocks of some hundred, in place of an index of each one's words.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123202102_alert_blocks extends Migration {
  override up(): void {
    this.addSql(
      "create table loose_alert (alert_id uuid not null, workspace_id uuid not null, pusher_id uuid not null, created_at timestamptz(6) not null, primary key (alert_id))",
    );
    this.addSql("create index loose_alert_age on loose_alert (workspace_id, created_at)");
    this.addSql(
      "create table alert_block (id uuid not null, workspace_id uuid not null, words tsvector not null, created_from timestamptz(6) not null, created_to timestamptz(6) not null, visible_from timestamptz(6) null, visible_to timestamptz(6) null, stale boolean not null default false, primary key (id))",
    );
    this.addSql("create index alert_block_workspace on alert_block (workspace_id)");
    this.addSql("create index alert_block_stale on alert_block (id) where stale");
    this.addSql("create index alert_block_found on alert_block using gin (words) with (fastupdate = off)");
    this.addSql("drop index alert_words_found");
    this.addSql(
      "alter table alert_words add block_id uuid null, add pusher_id uuid null, add created_at timestamptz(6) null, add visible_at timestamptz(6) null",
    );
    this.addSql("create index alert_words_in_block on alert_words (block_id) where block_id is not null");
    this.addSql(
      "alter table alert_block add constraint alert_block_workspace_id_foreign foreign key (workspace_id) references workspace (id) on delete cascade",
    );
    this.addSql(`create or replace function alert_reports_removed() returns trigger language plpgsql as $$
  begin
    delete from loose_alert l using removed a where l.alert_id = a.id;
    with gone as (delete from alert_words w using removed a where w.alert_id = a.id returning w.block_id)
    update alert_block set stale = true where id in (
      select id from alert_block where id in (select block_id from gone) and not stale order by id for no key update);
    delete from report r using removed a where r.alert_id = a.id;
    delete from alert_counter c using removed a where c.alert_id = a.id;
    return null;
  end $$`);
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  begin
    -- Those that came without the words by which they are found.
    insert into alert_words (alert_id) select id from come on conflict do nothing;
    insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
    select c.id, p.workspace_id, c.pusher_id, c.created_at from come c join pusher p on p.id = c.pusher_id;
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
    this.addSql(`create or replace function alert_loosened() returns trigger language plpgsql as $$
  begin
    with loose as (
      update alert_words w set block_id = null, words = case when w.xmin = a.xmin or not t.changed then w.words end
      from alert a, (select (new.title, new.body) is distinct from (old.title, old.body) as changed) t
      where w.alert_id = new.id and a.id = new.id
        and (w.block_id is not null or t.changed and w.words is not null and w.xmin <> a.xmin)
      returning w.alert_id)
    insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
    select l.alert_id, p.workspace_id, new.pusher_id, new.created_at from loose l join pusher p on p.id = new.pusher_id
    on conflict do nothing;
    return null;
  end $$`);
    this.addSql(`create trigger alert_loosened after update on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body)
    or old.visible_at is distinct from new.visible_at)
  execute function alert_loosened()`);
  }
}
