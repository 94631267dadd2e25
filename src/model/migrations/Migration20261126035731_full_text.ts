// Alerts are found by a column of search terms and its indexes, instead of blocks of alerts. The housekeeping fills the
// column for existing alerts. `alert_words` stays for earlier versions, which write to it while they run in parallel.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261126035731_full_text extends Migration {
  override up(): void {
    this.addSql("drop trigger alert_loosened on alert");
    this.addSql("drop trigger alert_updated on alert");
    this.addSql("drop table if exists alert_block cascade");
    this.addSql("drop table if exists loose_alert cascade");
    this.addSql("truncate table alert_words");
    this.addSql("drop index alert_words_in_block");
    this.addSql("drop index alert_words_wanted");
    this.addSql(
      "alter table alert_words drop column block_id, drop column pusher_id, drop column created_at, drop " +
        "column visible_at",
    );
    this.addSql("alter table alert add words tsvector null");
    // Citus refuses this for its tables, so a cell keeps the statistics (docs/explanation/scale.md#cells-on-citus).
    this.addSql(`do $$ begin
    if not starts_with(current_user, 'belfry_cell_') then
      alter table alert alter column words set statistics 0;
    end if;
  end $$`);
    this.addSql("create index alert_newest on alert (created_at desc, id desc)");
    this.addSql("create index alert_newest_sent on alert (visible_at desc, id desc) where status = 'sent'");
    this.addSql("create index alert_next_scheduled on alert (visible_at, id) where status = 'scheduled'");
    this.addSql(`create index alert_words_visible on alert using gin (words) with (gin_pending_list_limit = 512)
        where words is not null and visible_at is not null`);
    this.addSql(`create index alert_words_hidden on alert using gin (words) with (gin_pending_list_limit = 512)
        where words is not null and visible_at is null`);
    this.addSql("create index alert_unindexed on alert (id) where words is null");
    this.addSql("drop function alert_loosened()");
    this.addSql(`create or replace function alert_reports_removed() returns trigger language plpgsql as $$
  declare
    ids uuid[] := array(select id from removed);
  begin
    if current_setting('belfry.stays_counted', true) = 'on' then
      insert into left_reports (alert_id) select id from unnest(ids) id
      where exists (select from report r where r.alert_id = id);
    else
      delete from report where alert_id = any(ids);
    end if;
    delete from alert_counter where alert_id = any(ids);
    delete from alert_counter_stripe where alert_id = any(ids);
    return null;
  end $$`);
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  declare
    channels uuid[]; statuses text[]; instants timestamptz[];
  begin
    select array_agg(pusher_id), array_agg(status), array_agg(visible_at) into channels, statuses, instants from come;
    -- Nearly always it is one, and that costs half of what many do.
    if cardinality(channels) = 1 then
      if instants[1] is null then return null; end if;
      update channel_state set published = published + 1, rev = rev + (statuses[1] = 'sent')::int,
        changed_at = case when statuses[1] = 'sent' then clock_timestamp() else changed_at end,
        next_at = case when statuses[1] = 'scheduled' then least(next_at, instants[1]) else next_at end
      where pusher_id = channels[1];
      insert into channel_day as k (pusher_id, day, published)
      values (channels[1], (instants[1] at time zone 'UTC')::date, 1)
      on conflict (pusher_id, day) do update set published = k.published + 1;
      return null;
    end if;
    update channel_state s
    set rev = s.rev + c.sent,
      changed_at = case when c.sent > 0 then clock_timestamp() else s.changed_at end,
      next_at = least(s.next_at, c.next_at),
      published = s.published + c.n
    from (
      select pusher_id, count(*) as n, count(*) filter (where status = 'sent') as sent,
        min(visible_at) filter (where status = 'scheduled') as next_at
      from unnest(channels, statuses, instants) a (pusher_id, status, visible_at)
      where visible_at is not null group by pusher_id) c
    where s.pusher_id = c.pusher_id;
    -- Drafts alone.
    if not found then return null; end if;
    insert into channel_day as k (pusher_id, day, published)
    select pusher_id, (visible_at at time zone 'UTC')::date, count(*)
    from unnest(channels, instants) a (pusher_id, visible_at) where visible_at is not null group by 1, 2 order by 1, 2
    on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    return null;
  end $$`);
    this.addSql(`create or replace function alert_words_outdated() returns trigger language plpgsql as $$
  begin
    new.words := null;
    return new;
  end $$`);
    this.addSql(`create trigger alert_updated after update on alert for each row
  when ((old.visible_at is not null or new.visible_at is not null)
    and (old.updated_at is distinct from new.updated_at or old.words is not distinct from new.words
      or (old.title, old.body) is distinct from (new.title, new.body)))
  execute function alert_to_state()`);
    this.addSql(`create trigger alert_words_outdated before update of title, body on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body) and old.words is not distinct from new.words)
  execute function alert_words_outdated()`);
  }
}
