// The first schema: tables and indexes with the shapes that were measured as flat from a thousand to a million rows,
// and the triggers that keep every counter and revision in the transaction of the rows that it counts.
// History: it never imports the entities, which move on.

import { Migration } from "@mikro-orm/migrations";

const TABLES = [
  `create table workspace (
    id uuid not null,
    name text not null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `create table member (
    id uuid not null, workspace_id uuid not null,
    email text not null,
    role text not null,
    pusher_ids uuid[] null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `alter table member add constraint member_email unique (workspace_id, email)`,
  `alter table member add constraint member_role_check check (role in ('owner', 'admin', 'editor', 'viewer'))`,
  `create table api_key (
    id uuid not null, member_id uuid not null,
    name text not null,
    hash bytea not null,
    scopes text[] not null,
    pusher_id uuid null,
    expires_at timestamptz(6) null, revoked_at timestamptz(6) null, last_used_at timestamptz(6) null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `alter table api_key add constraint api_key_hash unique (hash)`,
  `create table pusher (
    id uuid not null, workspace_id uuid not null,
    handle text not null,
    name text not null,
    category text not null,
    description text not null,
    long text null,
    site text null,
    city text null,
    lat double precision null, lon double precision null, radius_km double precision null, loc_rule text null,
    requested_perms text[] not null,
    alert_types text[] not null,
    tags text[] not null,
    search text not null,
    is_public boolean not null default true,
    image_url text null,
    gradient_from text not null, gradient_to text not null,
    initials text not null,
    status text not null default 'active',
    created_at timestamptz(6) not null default clock_timestamp(),
    updated_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `alter table pusher add constraint pusher_handle unique (handle)`,
  `create index pusher_list on pusher (workspace_id, created_at)`,
  `create index pusher_directory on pusher (created_at) where is_public and status = 'active'`,
  `alter table pusher add constraint pusher_geofence check (num_nonnulls(lat, lon, radius_km) in (0, 3))`,
  `alter table pusher add constraint pusher_category_check check (category in ('cities', 'travel', 'events', 'concerts', 'restaurants', 'hotels', 'business', 'ai', 'sports', 'emergency', 'community'))`,
  `alter table pusher add constraint pusher_status_check check (status in ('active', 'paused', 'suspended'))`,
  `create table channel_state (
    pusher_id uuid not null,
    active boolean not null default true,
    suspended boolean not null default false,
    rev bigint not null default '0',
    published bigint not null default '0',
    subscribers bigint not null default '0',
    primary key (pusher_id)
  ) with (fillfactor = 50)`,
  `create table reserved_handle (
    handle text not null,
    primary key (handle)
  )`,
  `create table alert (
    id uuid not null, pusher_id uuid not null,
    status text not null default 'draft',
    title text not null,
    body text null,
    priority text not null default 'normal',
    layout text not null default 'text',
    image_url text null,
    image_asset_id uuid null, audio_asset_id uuid null, html_asset_id uuid null,
    html text null,
    actions jsonb not null default '[]',
    requires_ack boolean not null default false,
    send_at timestamptz(6) null, expires_at timestamptz(6) null,
    sound text null,
    audio_url text null,
    vibrate text null,
    tts_text text null, tts_lang text null,
    lat double precision null, lon double precision null, radius_km double precision null, geo_rule text null,
    collapse_key text null,
    sent_at timestamptz(6) null, cancelled_at timestamptz(6) null,
    visible_at timestamptz(6) generated always as (case status when 'sent' then sent_at when 'scheduled' then send_at end) stored null,
    created_at timestamptz(6) not null default clock_timestamp(),
    updated_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  ) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000)`,
  `create index alert_inbox on alert (pusher_id, visible_at DESC, id DESC) where visible_at is not null`,
  `create index alert_list on alert (pusher_id, created_at DESC)`,
  `create index alert_draft on alert (pusher_id, created_at DESC) where status = 'draft'`,
  `create index alert_cancelled on alert (pusher_id, created_at DESC) where status = 'cancelled'`,
  `alter table alert add constraint alert_visible check ((status in ('sent', 'scheduled')) = (visible_at is not null))`,
  `alter table alert add constraint alert_geofence check (num_nonnulls(lat, lon, radius_km) in (0, 3))`,
  `alter table alert add constraint alert_status_check check (status in ('draft', 'scheduled', 'sent', 'cancelled'))`,
  `alter table alert add constraint alert_priority_check check (priority in ('normal', 'important', 'urgent'))`,
  `alter table alert add constraint alert_layout_check check (layout in ('text', 'image', 'html', 'document'))`,
  `alter table alert add constraint alert_sound_check check (sound in ('default', 'chime', 'ping', 'bell', 'knock', 'alarm', 'siren', 'silent'))`,
  `alter table alert add constraint alert_vibrate_check check (vibrate in ('default', 'none', 'short', 'double', 'long', 'sos', 'heartbeat'))`,
  `create table invite (
    id uuid not null, pusher_id uuid not null,
    code text not null,
    label text null,
    max_uses int null, uses int not null default 0,
    expires_at timestamptz(6) null, revoked_at timestamptz(6) null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `alter table invite add constraint invite_code unique (code)`,
  `create index invite_list on invite (pusher_id, created_at)`,
  `create table device (
    id bigint not null,
    token_hash bytea not null,
    subs_rev bigint not null default '0',
    platform text not null,
    app_version text not null,
    locale text not null, timezone text not null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (id)
  )`,
  `create unique index device_token on device (token_hash) include (id)`,
  `create table subscription (
    device_id bigint not null,
    pusher_id uuid not null,
    invite_id uuid null,
    permissions text[] not null,
    muted boolean not null default false,
    subscribed_at timestamptz(6) not null default clock_timestamp(),
    primary key (device_id, pusher_id)
  )`,
  `create index subscription_list on subscription (pusher_id, subscribed_at DESC)`,
  `create index subscription_invite on subscription (invite_id) where invite_id is not null`,
  `create table subscriber_mix (
    pusher_id uuid not null,
    platform text not null,
    app_version text not null,
    locale text not null, timezone text not null,
    n bigint not null,
    muted bigint not null,
    primary key (pusher_id, platform, app_version, locale, timezone)
  ) with (fillfactor = 70)`,
  `create table report (
    alert_id uuid not null,
    device_id bigint not null,
    kind smallint not null,
    at timestamptz(6) null,
    primary key (alert_id, device_id, kind) include (at)
  )`,
  `create index report_device on report (device_id) where at is not null`,
  `create table alert_counter (
    alert_id uuid not null,
    reads bigint not null default '0', acks bigint not null default '0',
    primary key (alert_id)
  ) with (fillfactor = 50)`,
  `create table channel_day (
    pusher_id uuid not null,
    day date not null,
    published bigint not null default '0',
    reads bigint not null default '0', acks bigint not null default '0',
    primary key (pusher_id, day)
  ) with (fillfactor = 70)`,
  `create table idempotency_record (
    credential_id text not null,
    operation text not null,
    key text not null,
    request_hash bytea not null,
    answer bytea null,
    created_at timestamptz(6) not null default clock_timestamp(),
    primary key (credential_id, operation, key)
  )`,
  `create index idempotency_age on idempotency_record (created_at)`,
  `alter table member add constraint member_workspace_id_foreign foreign key (workspace_id) references workspace (id) on delete cascade`,
  `alter table api_key add constraint api_key_member_id_foreign foreign key (member_id) references member (id) on delete cascade`,
  `alter table pusher add constraint pusher_workspace_id_foreign foreign key (workspace_id) references workspace (id) on delete cascade`,
  `alter table channel_state add constraint channel_state_pusher_id_foreign foreign key (pusher_id) references pusher (id) on update no action on delete cascade`,
  `alter table alert add constraint alert_pusher_id_foreign foreign key (pusher_id) references pusher (id) on delete cascade`,
  `alter table invite add constraint invite_pusher_id_foreign foreign key (pusher_id) references pusher (id) on delete cascade`,
  `alter table subscription add constraint subscription_device_id_foreign foreign key (device_id) references device (id) on update no action on delete cascade`,
  `alter table subscription add constraint subscription_pusher_id_foreign foreign key (pusher_id) references pusher (id) on update no action on delete restrict`,
  `alter table subscription add constraint subscription_invite_id_foreign foreign key (invite_id) references invite (id) on delete set null`,
  `alter table subscriber_mix add constraint subscriber_mix_pusher_id_foreign foreign key (pusher_id) references pusher (id) on update no action on delete cascade`,
  `alter table channel_day add constraint channel_day_pusher_id_foreign foreign key (pusher_id) references pusher (id) on update no action on delete cascade`,
];

/** A channel's narrow row follows its status; what handsets see of a suspended channel changes, so `rev` grows. */
const CHANNEL_STATE = [
  `create function pusher_to_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into channel_state (pusher_id, active, suspended)
      values (new.id, new.status = 'active', new.status = 'suspended');
    else
      update channel_state set active = new.status = 'active', suspended = new.status = 'suspended', rev = rev + 1
      where pusher_id = new.id;
    end if;
    return null;
  end $$`,
  `create trigger pusher_inserted after insert on pusher for each row execute function pusher_to_state()`,
  `create trigger pusher_status_changed after update of status on pusher for each row
  when (old.status is distinct from new.status) execute function pusher_to_state()`,
];

/** Every change that puts an alert into, moves it within or takes it out of what is or will be visible. */
const VISIBILITY = [
  `create function alert_to_state() returns trigger language plpgsql as $$
  declare
    channel uuid;
    before timestamptz;
    after timestamptz;
  begin
    if tg_op <> 'INSERT' then before := old.visible_at; channel := old.pusher_id; end if;
    if tg_op <> 'DELETE' then after := new.visible_at; channel := new.pusher_id; end if;
    update channel_state
    set rev = rev + 1, published = published + (after is not null)::int - (before is not null)::int
    where pusher_id = channel;
    -- No row: the whole channel is being deleted, and its days with it.
    if found and (before at time zone 'UTC')::date is distinct from (after at time zone 'UTC')::date then
      insert into channel_day as k (pusher_id, day, published)
      select channel, day, n from (values
        ((before at time zone 'UTC')::date, -1), ((after at time zone 'UTC')::date, 1)) v (day, n)
      where day is not null order by day
      on conflict (pusher_id, day) do update set published = k.published + excluded.published;
    end if;
    return null;
  end $$`,
  `create trigger alert_inserted after insert on alert for each row
  when (new.visible_at is not null) execute function alert_to_state()`,
  `create trigger alert_updated after update on alert for each row
  when (old.visible_at is not null or new.visible_at is not null) execute function alert_to_state()`,
  `create trigger alert_deleted after delete on alert for each row
  when (old.visible_at is not null) execute function alert_to_state()`,
  `create function alert_reports_removed() returns trigger language plpgsql as $$
  begin
    delete from report r using removed a where r.alert_id = a.id;
    delete from alert_counter c using removed a where c.alert_id = a.id;
    return null;
  end $$`,
  `create trigger alert_reports_deleted after delete on alert referencing old table as removed
  for each statement execute function alert_reports_removed()`,
];

/** Joins, leaves and evictions: the device's revision, the channel's count and the breakdown. */
const SUBSCRIBERS = [
  `create function subscription_to_counts() returns trigger language plpgsql as $$
  begin
    update device d set subs_rev = d.subs_rev + 1
    from (select id from device where id in (select device_id from changed) order by id for no key update) c
    where d.id = c.id;
    update channel_state s set subscribers = s.subscribers + (case tg_op when 'INSERT' then c.n else -c.n end)
    from (select pusher_id, count(*) n from changed group by 1) c where s.pusher_id = c.pusher_id;
    insert into subscriber_mix as m (pusher_id, platform, app_version, locale, timezone, n, muted)
    select c.pusher_id, d.platform, d.app_version, d.locale, d.timezone,
      case tg_op when 'INSERT' then count(*) else -count(*) end,
      case tg_op when 'INSERT' then count(*) filter (where c.muted) else -count(*) filter (where c.muted) end
    from changed c join device d on d.id = c.device_id
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set n = m.n + excluded.n, muted = m.muted + excluded.muted;
    return null;
  end $$`,
  `create trigger subscription_inserted after insert on subscription referencing new table as changed
  for each statement execute function subscription_to_counts()`,
  `create trigger subscription_deleted after delete on subscription referencing old table as changed
  for each statement execute function subscription_to_counts()`,
  `create function subscription_muted() returns trigger language plpgsql as $$
  begin
    update subscriber_mix m set muted = m.muted + (case when new.muted then 1 else -1 end)
    from device d
    where d.id = new.device_id and m.pusher_id = new.pusher_id and m.platform = d.platform
      and m.app_version = d.app_version and m.locale = d.locale and m.timezone = d.timezone;
    return null;
  end $$`,
  `create trigger subscription_muted after update of muted on subscription for each row
  when (old.muted is distinct from new.muted) execute function subscription_muted()`,
];

export class Migration20261120000001_foundation extends Migration {
  // One statement a call: the embedded database takes no scripts.
  override up(): void {
    for (const sql of [...TABLES, ...CHANNEL_STATE, ...VISIBILITY, ...SUBSCRIBERS]) this.addSql(sql);
  }
}
