// One new alert goes by itself, which gives back what the arrays cost.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124225236_one_new_alert extends Migration {
  override up(): void {
    this.addSql(`create or replace function new_alerts_to_state() returns trigger language plpgsql as $$
  declare
    ids uuid[]; channels uuid[]; made timestamptz[]; statuses text[]; instants timestamptz[];
  begin
    select array_agg(id), array_agg(pusher_id), array_agg(created_at), array_agg(status), array_agg(visible_at)
    into ids, channels, made, statuses, instants from come;
    -- Nearly always it is one, and that costs half of what many do.
    if cardinality(ids) = 1 then
      insert into alert_words (alert_id) values (ids[1]) on conflict do nothing;
      insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
      select ids[1], workspace_id, id, made[1] from pusher where id = channels[1];
      if instants[1] is null then return null; end if;
      update channel_state set published = published + 1, rev = rev + (statuses[1] = 'sent')::int,
        changed_at = case when statuses[1] = 'sent' then clock_timestamp() else changed_at end,
        next_at = case when statuses[1] = 'scheduled' then least(next_at, instants[1]) else next_at end
      where pusher_id = channels[1];
      insert into channel_day as k (pusher_id, day, published) values (channels[1], (instants[1] at time zone 'UTC')::date, 1)
      on conflict (pusher_id, day) do update set published = k.published + 1;
      return null;
    end if;
    -- Those that came without the words by which they are found.
    insert into alert_words (alert_id) select id from unnest(ids) id on conflict do nothing;
    insert into loose_alert (alert_id, workspace_id, pusher_id, created_at)
    select c.id, p.workspace_id, c.pusher_id, c.created_at
    from unnest(ids, channels, made) c (id, pusher_id, created_at) join pusher p on p.id = c.pusher_id;
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
  }
}
