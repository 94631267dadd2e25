// The current triggers. They maintain every counter and revision in the transaction of the counted rows. To change one,
// edit it here and run `npm run migration`. Statement triggers first read the rows' values into arrays, because
// statements on distributed Citus tables cannot read the transition rows.

import {
  ALERT_ASSET_TRIGGERS,
  CHANNEL_PICTURE_TRIGGERS,
  READ_KEEP_COUNTS_SETTING_SQL,
  RETENTION_START_TRIGGERS,
  SEARCH_VECTOR_RESET_TRIGGERS,
} from "./asset_retention_search_triggers.ts";
import { VALUE_TRIGGERS } from "./value_check_triggers.ts";

/**
 * A channel's narrow row follows its status. Subscribers see the same alerts of an active and a paused channel, so
 * only suspending and what ends a suspension raise `revision` (rules#inbox-validator).
 */
const CHANNEL_STATE = [
  `create function sync_channel_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into channel_state (pusher_id, active, suspended)
      values (new.id, new.status = 'active', new.status = 'suspended');
    else
      update channel_state set active = new.status = 'active', suspended = new.status = 'suspended',
        revision = revision + (suspended <> (new.status = 'suspended'))::int,
        changed_at = case when suspended <> (new.status = 'suspended') then clock_timestamp() else changed_at end
      where pusher_id = new.id;
    end if;
    return null;
  end $$`,
  `create trigger pusher_inserted after insert on pusher for each row execute function sync_channel_state()`,
  `create trigger pusher_status_changed after update of status on pusher for each row
  when (old.status is distinct from new.status) execute function sync_channel_state()`,
];

/** Keeps the search index of the directory equal to the searched text. */
const SEARCH = [
  `create function set_pusher_search_ngrams() returns trigger language plpgsql as $$
  begin
    new.search_ngrams := array(select distinct substr(new.search_text, i, n)
      from generate_series(1, 3) n, generate_series(1, char_length(new.search_text) - n + 1) i);
    return new;
  end $$`,
  `create trigger pusher_search_changed before insert or update of search_text on pusher for each row
  execute function set_pusher_search_ngrams()`,
];

/**
 * Handles every change to visible or scheduled alerts. `revision` counts changes of sent alerts; `next_due_at` is
 * the first scheduled time, past or future. For many new alerts, each channel's row changes once.
 */
const VISIBILITY = [
  `create function count_new_alerts() returns trigger language plpgsql as $$
  declare
    channels uuid[]; statuses text[]; instants timestamptz[];
  begin
    select array_agg(pusher_id), array_agg(status), array_agg(visible_at) into channels, statuses, instants from come;
    -- Nearly always it is one, and that costs half of what many do.
    if cardinality(channels) = 1 then
      if instants[1] is null then return null; end if;
      update channel_state set published = published + 1, revision = revision + (statuses[1] = 'sent')::int,
        changed_at = case when statuses[1] = 'sent' then clock_timestamp() else changed_at end,
        next_due_at = case when statuses[1] = 'scheduled' then least(next_due_at, instants[1]) else next_due_at end
      where pusher_id = channels[1];
      insert into channel_day as k (pusher_id, day, published)
      values (channels[1], (instants[1] at time zone 'UTC')::date, 1)
      on conflict (pusher_id, day) do update set published = k.published + 1;
      return null;
    end if;
    update channel_state s
    set revision = s.revision + c.sent,
      changed_at = case when c.sent > 0 then clock_timestamp() else s.changed_at end,
      next_due_at = least(s.next_due_at, c.next_due_at),
      published = s.published + c.n
    from (
      select pusher_id, count(*) as n, count(*) filter (where status = 'sent') as sent,
        min(visible_at) filter (where status = 'scheduled') as next_due_at
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
  end $$`,
  `create trigger alert_inserted after insert on alert referencing new table as come
  for each statement execute function count_new_alerts()`,
  `create function count_alert_change() returns trigger language plpgsql as $$
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
    set revision = revision + sent::int,
      changed_at = case when sent then clock_timestamp() else changed_at end,
      next_due_at = case when planned
        then (select min(a.visible_at) from alert a where a.pusher_id = channel and a.status = 'scheduled')
        else next_due_at end,
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
  end $$`,
  // Not for changes of search terms alone, which have no counters.
  `create trigger alert_updated after update on alert for each row
  when ((old.visible_at is not null or new.visible_at is not null)
    and (old.updated_at is distinct from new.updated_at or old.search_vector is not distinct from new.search_vector
      or (old.title, old.body) is distinct from (new.title, new.body)))
  execute function count_alert_change()`,
  `create trigger alert_deleted after delete on alert for each row
  when (old.visible_at is not null and ${READ_KEEP_COUNTS_SETTING_SQL} is distinct from 'on')
    execute function count_alert_change()`,
  `create function delete_alert_reports() returns trigger language plpgsql as $$
  declare
    ids uuid[] := array(select id from removed);
  begin
    if ${READ_KEEP_COUNTS_SETTING_SQL} = 'on' then
      insert into orphaned_report_alert (alert_id) select id from unnest(ids) id
      where exists (select from report r where r.alert_id = id);
    else
      delete from report where alert_id = any(ids);
    end if;
    delete from alert_counter where alert_id = any(ids);
    delete from alert_counter_stripe where alert_id = any(ids);
    return null;
  end $$`,
  `create trigger alert_reports_deleted after delete on alert referencing old table as removed
  for each statement execute function delete_alert_reports()`,
];

/**
 * Handles joins, leaves, evictions and changed device details: the device's revision, the channel's count and the
 * breakdown.
 */
const SUBSCRIBERS = [
  `create function count_subscriptions() returns trigger language plpgsql as $$
  declare
    step int := case tg_op when 'INSERT' then 1 else -1 end;
    devices bigint[]; channels uuid[]; mutes boolean[];
  begin
    select array_agg(device_id), array_agg(pusher_id), array_agg(muted) into devices, channels, mutes from changed;
    update device d set subscriptions_revision = d.subscriptions_revision + 1,
      leave_count = d.leave_count + (tg_op = 'DELETE')::int
    from (select id from device where id = any(devices) order by id for no key update) c
    where d.id = c.id;
    update channel_state s set subscribers = s.subscribers + step * c.n
    from (select pusher_id, count(*) n from unnest(channels) pusher_id group by 1) c where s.pusher_id = c.pusher_id;
    insert into subscriber_breakdown as m (pusher_id, platform, app_version, locale, timezone, device_count,
      muted_count)
    select c.pusher_id, d.platform, d.app_version, d.locale, d.timezone,
      step * count(*), step * count(*) filter (where c.muted)
    from unnest(devices, channels, mutes) c (device_id, pusher_id, muted) join device d on d.id = c.device_id
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set device_count = m.device_count + excluded.device_count,
      muted_count = m.muted_count + excluded.muted_count;
    return null;
  end $$`,
  `create trigger subscription_inserted after insert on subscription referencing new table as changed
  for each statement execute function count_subscriptions()`,
  `create trigger subscription_deleted after delete on subscription referencing old table as changed
  for each statement execute function count_subscriptions()`,
  `create function count_muted_subscription() returns trigger language plpgsql as $$
  begin
    -- Nobody changes the device's facts from here on, nor has one begun to: both would count by facts that are past.
    perform from device where id = new.device_id for share;
    update subscriber_breakdown m set muted_count = m.muted_count + (case when new.muted then 1 else -1 end)
    from device d
    where d.id = new.device_id and m.pusher_id = new.pusher_id and m.platform = d.platform
      and m.app_version = d.app_version and m.locale = d.locale and m.timezone = d.timezone;
    return null;
  end $$`,
  `create trigger subscription_muted after update of muted on subscription for each row
  when (old.muted is distinct from new.muted) execute function count_muted_subscription()`,
  `create function update_subscriber_breakdown() returns trigger language plpgsql as $$
  begin
    insert into subscriber_breakdown as m (pusher_id, platform, app_version, locale, timezone, device_count,
      muted_count)
    select s.pusher_id, f.platform, f.app_version, f.locale, f.timezone, f.n, case when s.muted then f.n else 0 end
    from subscription s cross join (values
      (old.platform, old.app_version, old.locale, old.timezone, -1),
      (new.platform, new.app_version, new.locale, new.timezone, 1)) f (platform, app_version, locale, timezone, n)
    where s.device_id = new.id
    order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set device_count = m.device_count + excluded.device_count,
      muted_count = m.muted_count + excluded.muted_count;
    -- Else a device that changes its facts again and again would leave a row behind each time.
    delete from subscriber_breakdown m using subscription s
    where s.device_id = new.id and m.pusher_id = s.pusher_id and m.device_count = 0 and m.platform = old.platform
      and m.app_version = old.app_version and m.locale = old.locale and m.timezone = old.timezone;
    return null;
  end $$`,
  `create trigger device_changed after update of platform, app_version, locale, timezone on device for each row
  when ((old.platform, old.app_version, old.locale, old.timezone)
    is distinct from (new.platform, new.app_version, new.locale, new.timezone))
  execute function update_subscriber_breakdown()`,
];

/** Ends the notification about a draft after any decision (rules#reviews-channel). */
const REVIEWS = [
  `create function cancel_review_notice() returns trigger language plpgsql as $$
  begin
    update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp()
    where id = old.review_notice_id and status = 'sent';
    return null;
  end $$`,
  `create trigger alert_draft_reviewed after update of status, review_reply on alert for each row
  when (old.review_notice_id is not null and (new.status <> 'draft' or new.review_reply is not null))
  execute function cancel_review_notice()`,
  `create trigger alert_draft_deleted after delete on alert for each row
  when (old.review_notice_id is not null) execute function cancel_review_notice()`,
];

/**
 * Makes the audit log append-only. A transaction may delete expired rows after it has set the time up to which it
 * deletes, and never rows of the last day.
 */
const AUDIT = [
  `create function refuse_audit_change() returns trigger language plpgsql as $$
  declare
    removed_before timestamptz := nullif(current_setting('belfry.audit_removed_before', true), '')::timestamptz;
  begin
    if tg_op = 'DELETE' and removed_before is not null then
      if old.created_at < least(removed_before, clock_timestamp() - interval '1 day') then return old; end if;
    end if;
    raise exception 'the audit log is only added to' using errcode = 'insufficient_privilege';
  end $$`,
  `create trigger audit_event_append_only before update or delete on audit_event for each row
  execute function refuse_audit_change()`,
  `create trigger audit_event_no_truncate before truncate on audit_event for each statement
  execute function refuse_audit_change()`,
];

/** In an order in which they can be run; each begins with `create function` or `create trigger` and its name. */
export const TRIGGERS = [
  ...CHANNEL_STATE,
  ...SEARCH,
  ...VISIBILITY,
  ...REVIEWS,
  ...SEARCH_VECTOR_RESET_TRIGGERS,
  ...SUBSCRIBERS,
  ...ALERT_ASSET_TRIGGERS,
  ...CHANNEL_PICTURE_TRIGGERS,
  ...AUDIT,
  ...RETENTION_START_TRIGGERS,
  ...VALUE_TRIGGERS,
];
