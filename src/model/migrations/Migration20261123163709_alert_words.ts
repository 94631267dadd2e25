// Alerts are found by their words. Those that are there get theirs soon after (effects/housekeeping/words.ts).

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123163709_alert_words extends Migration {
  override up(): void {
    this.addSql(
      "create table alert_words (alert_id uuid not null, words tsvector null, primary key (alert_id))",
    );
    // Nobody writes an alert meanwhile, so that each has its row.
    this.addSql("lock table alert in share row exclusive mode");
    this.addSql("insert into alert_words (alert_id) select id from alert");
    this.addSql("create index alert_words_wanted on alert_words (alert_id) where words is null");
    this.addSql("create index alert_words_found on alert_words using gin (words) with (fastupdate = off)");
    this.addSql(`create or replace function alert_reports_removed() returns trigger language plpgsql as $$
  begin
    delete from alert_words w using removed a where w.alert_id = a.id;
    delete from report r using removed a where r.alert_id = a.id;
    delete from alert_counter c using removed a where c.alert_id = a.id;
    return null;
  end $$`);
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  begin
    -- Those that came without the words by which they are found.
    insert into alert_words (alert_id) select id from come on conflict do nothing;
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
  }
}
