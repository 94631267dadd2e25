-- What 0.1.0 made of an empty database, beside the sign-in library's tables (auth.sql). History: nothing here follows today's entities.
-- A statement ends where a semicolon is followed by a line that is not indented.

-- Tables, each with its indexes.

create table workspace (
  id uuid not null,
  name text not null,
  created_at timestamptz(6) not null default clock_timestamp(),
  events_numbered bigint not null default '0',
  reviews_id uuid,
  retention_days int,
  retention_from timestamptz(6),
  primary key (id)
);

create table member (
  id uuid not null,
  workspace_id uuid not null,
  email text not null,
  role text not null,
  pusher_ids uuid[],
  created_at timestamptz(6) not null default clock_timestamp(),
  name text,
  user_id text,
  mails_drafts boolean not null default false,
  primary key (id),
  constraint member_role_check check (role in ('owner', 'admin', 'editor', 'viewer')),
  constraint member_email unique (workspace_id, email)
);
create index member_of_user on member (user_id) where user_id is not null;
create unique index member_user on member (workspace_id, user_id) where user_id is not null;

create table api_key (
  id uuid not null,
  member_id uuid not null,
  name text not null,
  hash bytea not null,
  scopes text[] not null,
  pusher_id uuid,
  expires_at timestamptz(6),
  revoked_at timestamptz(6),
  last_used_at timestamptz(6),
  created_at timestamptz(6) not null default clock_timestamp(),
  asks_first boolean not null default false,
  made_for text,
  primary key (id),
  constraint api_key_hash unique (hash)
);

create table pusher (
  id uuid not null,
  workspace_id uuid not null,
  handle text not null,
  name text not null,
  category text not null,
  description text not null,
  long text,
  site text,
  city text,
  lat double precision,
  lon double precision,
  radius_km double precision,
  loc_rule text,
  requested_perms text[] not null,
  alert_types text[] not null,
  tags text[] not null,
  search text not null,
  is_public boolean not null default true,
  image_url text,
  gradient_from text not null,
  gradient_to text not null,
  initials text not null,
  status text not null default 'active',
  created_at timestamptz(6) not null default clock_timestamp(),
  updated_at timestamptz(6) not null default clock_timestamp(),
  grams text[] not null default '{}',
  image_asset_id uuid,
  retention_days int,
  retention_from timestamptz(6),
  primary key (id),
  constraint pusher_category_check check (category in ('cities', 'travel', 'events', 'concerts', 'restaurants', 'hotels',
    'business', 'ai', 'sports', 'emergency', 'community')),
  constraint pusher_geofence check (num_nonnulls(lat, lon, radius_km) in (0, 3)),
  constraint pusher_status_check check (status in ('active', 'paused', 'suspended')),
  constraint pusher_handle unique (handle)
);
create index pusher_directory on pusher (created_at) where is_public and status = 'active';
create index pusher_image_asset on pusher (image_asset_id) where image_asset_id is not null;
create index pusher_list on pusher (workspace_id, created_at);
create index pusher_placed on pusher (created_at) where is_public and status = 'active' and radius_km is not null;
create index pusher_search on pusher using gin (grams) where is_public and status = 'active';

create table channel_state (
  pusher_id uuid not null,
  active boolean not null default true,
  suspended boolean not null default false,
  rev bigint not null default '0',
  published bigint not null default '0',
  subscribers bigint not null default '0',
  next_at timestamptz(6),
  changed_at timestamptz(6) not null default clock_timestamp(),
  told_subscribers bigint not null default '0',
  told_at timestamptz(6),
  untold boolean not null default false,
  primary key (pusher_id)
) with (fillfactor = 50);
create index channel_state_next on channel_state (next_at) where next_at is not null;
create index channel_state_untold on channel_state (pusher_id) where untold;

create table reserved_handle (
  handle text not null,
  primary key (handle)
);

create table alert (
  id uuid not null,
  pusher_id uuid not null,
  status text not null default 'draft',
  title text not null,
  body text,
  priority text not null default 'normal',
  layout text not null default 'text',
  image_url text,
  image_asset_id uuid,
  audio_asset_id uuid,
  html_asset_id uuid,
  html text,
  actions jsonb not null default '[]',
  requires_ack boolean not null default false,
  send_at timestamptz(6),
  expires_at timestamptz(6),
  sound text,
  audio_url text,
  vibrate text,
  tts_text text,
  tts_lang text,
  lat double precision,
  lon double precision,
  radius_km double precision,
  geo_rule text,
  collapse_key text,
  sent_at timestamptz(6),
  cancelled_at timestamptz(6),
  visible_at timestamptz(6) generated always as (case status when 'sent' then sent_at when 'scheduled' then send_at end) stored,
  created_at timestamptz(6) not null default clock_timestamp(),
  updated_at timestamptz(6) not null default clock_timestamp(),
  asset_html text,
  source_url text,
  review_note text,
  review_reply text,
  blocked jsonb not null default '{}',
  notice_id uuid,
  repeat_until_acked boolean not null default false,
  recurrence text,
  series_id uuid,
  occurs_at timestamptz(6),
  apart boolean not null default false,
  primary key (id),
  constraint alert_geofence check (num_nonnulls(lat, lon, radius_km) in (0, 3)),
  constraint alert_layout_check check (layout in ('text', 'image', 'html', 'document')),
  constraint alert_priority_check check (priority in ('normal', 'important', 'urgent')),
  constraint alert_sound_check check (sound in ('default', 'chime', 'ping', 'bell', 'knock', 'alarm', 'siren', 'silent')),
  constraint alert_status_check check (status in ('draft', 'repeating', 'scheduled', 'sent', 'cancelled')),
  constraint alert_vibrate_check check (vibrate in ('default', 'none', 'short', 'double', 'long', 'sos', 'heartbeat')),
  constraint alert_visible check ((status in ('sent', 'scheduled')) = (visible_at is not null))
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000);
create index alert_audio_asset on alert (audio_asset_id) where audio_asset_id is not null;
create index alert_cancelled on alert (pusher_id, created_at desc) where status = 'cancelled';
create index alert_draft on alert (pusher_id, created_at desc) where status = 'draft';
create index alert_html_asset on alert (html_asset_id) where html_asset_id is not null;
create index alert_image_asset on alert (image_asset_id) where image_asset_id is not null;
create index alert_inbox on alert (pusher_id, visible_at desc, id desc) where status = 'sent';
create index alert_list on alert (pusher_id, created_at desc);
create unique index alert_occurrence on alert (series_id, occurs_at) where series_id is not null;
create index alert_repeating on alert (pusher_id, created_at desc) where status = 'repeating';
create index alert_scheduled on alert (pusher_id, visible_at) where status = 'scheduled';

create table invite (
  id uuid not null,
  pusher_id uuid not null,
  code text not null,
  label text,
  max_uses int,
  uses int not null default 0,
  expires_at timestamptz(6),
  revoked_at timestamptz(6),
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (id),
  constraint invite_code unique (code)
);
create index invite_list on invite (pusher_id, created_at);

create table device (
  id bigint not null,
  token_hash bytea not null,
  subs_rev bigint not null default '0',
  platform text not null,
  app_version text not null,
  locale text not null,
  timezone text not null,
  created_at timestamptz(6) not null default clock_timestamp(),
  seen_at timestamptz(6) not null default clock_timestamp(),
  test_until timestamptz(6),
  primary key (id),
  constraint device_platform_check check (platform in ('ios', 'android', 'web', 'desktop', 'cli', 'ntfy', 'other')),
  constraint device_token unique (token_hash) include (id)
);
create index device_seen on device (seen_at);

create table subscription (
  device_id bigint not null,
  pusher_id uuid not null,
  invite_id uuid,
  permissions text[] not null,
  muted boolean not null default false,
  subscribed_at timestamptz(6) not null default clock_timestamp(),
  primary key (device_id, pusher_id)
);
create index subscription_invite on subscription (invite_id) where invite_id is not null;
create index subscription_list on subscription (pusher_id, subscribed_at desc);
create index subscription_muted_list on subscription (pusher_id, subscribed_at desc) where muted;
create index subscription_wakes on subscription (pusher_id, device_id) where not muted and permissions && '{notify,sound,vibrate,tts,full}';

create table subscriber_mix (
  pusher_id uuid not null,
  platform text not null,
  app_version text not null,
  locale text not null,
  timezone text not null,
  n bigint not null,
  muted bigint not null,
  primary key (pusher_id, platform, app_version, locale, timezone)
) with (fillfactor = 70);

create table report (
  alert_id uuid not null,
  device_id bigint not null,
  kind smallint not null,
  at timestamptz(6),
  choice smallint,
  was smallint,
  primary key (alert_id, device_id, kind) include (at)
);
create index report_device on report (device_id) where at is not null;

create table alert_counter (
  alert_id uuid not null,
  reads bigint not null default '0',
  acks bigint not null default '0',
  appeared boolean not null default false,
  untold boolean not null default false,
  told_acks bigint not null default '0',
  told_at timestamptz(6),
  replies bigint[] not null default '{0,0,0,0}',
  replied boolean not null default false,
  replied_told_at timestamptz(6),
  primary key (alert_id)
) with (fillfactor = 50);
create index alert_counter_untold on alert_counter (alert_id) where appeared or untold or replied;

create table channel_day (
  pusher_id uuid not null,
  day date not null,
  published bigint not null default '0',
  reads bigint not null default '0',
  acks bigint not null default '0',
  gone bigint not null default '0',
  primary key (pusher_id, day)
) with (fillfactor = 70);

create table idempotency_record (
  credential_id text not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  answer bytea,
  created_at timestamptz(6) not null default clock_timestamp(),
  given jsonb,
  primary key (credential_id, operation, key)
);
create index idempotency_age on idempotency_record (created_at);

create table webhook_endpoint (
  id uuid not null,
  workspace_id uuid not null,
  member_id uuid not null,
  pusher_id uuid,
  url text not null,
  events text[] not null,
  secret bytea not null,
  failure_count int not null default 0,
  disabled_at timestamptz(6),
  last_delivery_at timestamptz(6),
  last_status int,
  created_at timestamptz(6) not null default clock_timestamp(),
  dropped_count int not null default 0,
  previous_secret bytea,
  previous_secret_until timestamptz(6),
  subscriber_failure_at timestamptz(6),
  maker_id text,
  maker_name text,
  primary key (id)
);
create index webhook_list on webhook_endpoint (workspace_id, created_at);

create table asset (
  id uuid not null,
  workspace_id uuid not null,
  member_id uuid,
  kind text not null,
  content_type text not null,
  bytes int not null,
  sha256 bytea not null,
  name text not null,
  text text,
  stored boolean not null default false,
  refs int not null default 0,
  attached_at timestamptz(6),
  expires_at timestamptz(6) default clock_timestamp() + interval '24 hours',
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (id),
  constraint asset_attached check (refs >= 0 and (refs > 0) = (attached_at is not null) and (refs > 0) = (expires_at is null)),
  constraint asset_kind_check check (kind in ('image', 'audio', 'html')),
  constraint asset_text check ((kind = 'html') = (text is not null))
);
create index asset_expiry on asset (expires_at) where expires_at is not null;
create index asset_list on asset (workspace_id, created_at desc);
create index asset_unattached on asset (member_id, expires_at) where expires_at is not null;

create table member_link (
  token_hash bytea not null,
  member_id uuid not null,
  expires_at timestamptz(6) not null,
  created_at timestamptz(6) not null default clock_timestamp(),
  made_by text not null,
  used_at timestamptz(6),
  replaced_at timestamptz(6),
  primary key (token_hash),
  constraint member_link_made_by_check check (made_by in ('operator', 'manager', 'person'))
);
create index member_link_end on member_link (expires_at);
create index member_link_member on member_link (member_id);

create table connection (
  id uuid not null,
  user_id text not null,
  client_id text not null,
  member_id uuid not null,
  pusher_id uuid,
  scopes text[] not null,
  last_used_at timestamptz(6),
  created_at timestamptz(6) not null default clock_timestamp(),
  asks_first boolean not null default false,
  primary key (id),
  constraint connection_client unique (user_id, client_id, member_id)
);
create index connection_member on connection (member_id);

create table step_up (
  user_id text not null,
  client_id text not null,
  asked_at timestamptz(6) not null,
  primary key (user_id, client_id)
);

create table connection_grant (
  id uuid not null,
  connection_id uuid not null,
  codes text[] not null default '{}',
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (id)
);
create index connection_grant_codes on connection_grant using gin (codes);
create index connection_grant_connection on connection_grant (connection_id);

create table server_secret (
  one_row boolean not null default true,
  check_value bytea not null,
  created_at timestamptz(6) not null default clock_timestamp(),
  push_key bytea,
  primary key (one_row),
  constraint server_secret_one_row_check check (one_row)
);

create table push_endpoint (
  device_id bigint not null,
  kind text not null,
  endpoint bytea not null,
  failures int not null default 0,
  failing_since timestamptz(6),
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (device_id),
  constraint push_endpoint_kind_check check (kind in ('web_push', 'unified_push'))
);

create table device_transfer (
  device_id bigint not null,
  code_hash bytea not null,
  expires_at timestamptz(6) not null,
  primary key (device_id),
  constraint device_transfer_code unique (code_hash)
);
create index device_transfer_end on device_transfer (expires_at);

create table audit_event (
  id uuid not null,
  workspace_id uuid,
  actor_type text not null,
  actor_id text,
  actor_name text,
  member_id uuid,
  transport text not null,
  operation text not null,
  pusher_id uuid,
  subject_id text,
  status text,
  created_at timestamptz(6) not null default clock_timestamp(),
  count int,
  changed text[],
  primary key (id),
  constraint audit_event_actor_type_check check (actor_type in ('key', 'oauth', 'session', 'operator')),
  constraint audit_event_transport_check check (transport in ('rest', 'mcp', 'cli', 'console', 'operator'))
);
create index audit_age on audit_event (created_at);
create index audit_by_actor_id on audit_event (actor_id, created_at desc) where actor_id is not null;
create index audit_by_pusher_id on audit_event (pusher_id, created_at desc) where pusher_id is not null;
create index audit_by_subject_id on audit_event (subject_id, created_at desc) where subject_id is not null;
create index audit_by_workspace_id on audit_event (workspace_id, created_at desc);

create table webhook_delivery (
  id uuid not null,
  endpoint_id uuid not null,
  event text not null,
  body text not null,
  redelivery_of uuid,
  ok boolean,
  status int,
  failure text,
  duration_ms int,
  created_at timestamptz(6) not null default clock_timestamp(),
  event_id uuid,
  primary key (id)
);
create index webhook_delivery_age on webhook_delivery (created_at);
create index webhook_delivery_list on webhook_delivery (endpoint_id, created_at desc);

create table workspace_event (
  serial bigserial,
  id uuid not null,
  workspace_id uuid not null,
  pusher_id uuid not null,
  body text not null,
  "position" bigint,
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (serial)
);
create index event_age on workspace_event (created_at);
create index event_feed on workspace_event (workspace_id, "position") where "position" is not null;
create index event_unnumbered on workspace_event (workspace_id, serial) where "position" is null;

create table alert_change (
  alert_id uuid not null,
  updated_at timestamptz(6) not null,
  former jsonb not null,
  primary key (alert_id, updated_at)
);
create index alert_change_age on alert_change (updated_at);

create table own_device (
  id uuid not null,
  user_id text not null,
  device_id bigint,
  code_hash bytea,
  expires_at timestamptz(6),
  created_at timestamptz(6) not null default clock_timestamp(),
  draft_id uuid,
  draft_version timestamptz(6),
  shown_as uuid,
  shown_at timestamptz(6),
  primary key (id),
  constraint own_device_code unique (code_hash),
  constraint own_device_device unique (device_id)
);
create index own_device_end on own_device (expires_at) where device_id is null;
create index own_device_person on own_device (user_id);

create table alert_words (
  alert_id uuid not null,
  words tsvector,
  block_id uuid,
  pusher_id uuid,
  created_at timestamptz(6),
  visible_at timestamptz(6),
  primary key (alert_id)
);
create index alert_words_in_block on alert_words (block_id) where block_id is not null;
create index alert_words_wanted on alert_words (alert_id) where words is null;

create table loose_alert (
  alert_id uuid not null,
  workspace_id uuid not null,
  pusher_id uuid not null,
  created_at timestamptz(6) not null,
  primary key (alert_id)
);
create index loose_alert_age on loose_alert (workspace_id, created_at);

create table alert_block (
  id uuid not null,
  workspace_id uuid not null,
  words tsvector not null,
  created_from timestamptz(6) not null,
  created_to timestamptz(6) not null,
  visible_from timestamptz(6),
  visible_to timestamptz(6),
  stale boolean not null default false,
  primary key (id)
);
create index alert_block_found on alert_block using gin (words) with (fastupdate = off);
create index alert_block_stale on alert_block (id) where stale;
create index alert_block_workspace on alert_block (workspace_id);

create table alert_series (
  alert_id uuid not null,
  filled_to timestamptz(6) not null,
  fill_at timestamptz(6) not null,
  primary key (alert_id)
);
create index alert_series_due on alert_series (fill_at);

create table sender_log (
  key_id uuid not null,
  requests jsonb not null,
  primary key (key_id)
);

create table left_reports (
  alert_id uuid not null,
  primary key (alert_id)
);

-- What refers to what.

alter table member add constraint member_workspace_id_foreign
  foreign key (workspace_id) references workspace (id) on delete cascade;
alter table api_key add constraint api_key_member_id_foreign
  foreign key (member_id) references member (id) on delete cascade;
alter table pusher add constraint pusher_image_asset_id_foreign
  foreign key (image_asset_id) references asset (id);
alter table pusher add constraint pusher_workspace_id_foreign
  foreign key (workspace_id) references workspace (id) on delete cascade;
alter table channel_state add constraint channel_state_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete cascade;
alter table alert add constraint alert_audio_asset_id_foreign
  foreign key (audio_asset_id) references asset (id);
alter table alert add constraint alert_html_asset_id_foreign
  foreign key (html_asset_id) references asset (id);
alter table alert add constraint alert_image_asset_id_foreign
  foreign key (image_asset_id) references asset (id);
alter table alert add constraint alert_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete cascade;
alter table invite add constraint invite_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete cascade;
alter table subscription add constraint subscription_device_id_foreign
  foreign key (device_id) references device (id) on delete cascade;
alter table subscription add constraint subscription_invite_id_foreign
  foreign key (invite_id) references invite (id) on delete set null;
alter table subscription add constraint subscription_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete restrict;
alter table subscriber_mix add constraint subscriber_mix_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete cascade;
alter table channel_day add constraint channel_day_pusher_id_foreign
  foreign key (pusher_id) references pusher (id) on delete cascade;
alter table webhook_endpoint add constraint webhook_endpoint_member_id_foreign
  foreign key (member_id) references member (id) on delete cascade;
alter table webhook_endpoint add constraint webhook_endpoint_workspace_id_foreign
  foreign key (workspace_id) references workspace (id) on delete cascade;
alter table asset add constraint asset_member_id_foreign
  foreign key (member_id) references member (id) on delete set null;
alter table asset add constraint asset_workspace_id_foreign
  foreign key (workspace_id) references workspace (id) on delete cascade;
alter table member_link add constraint member_link_member_id_foreign
  foreign key (member_id) references member (id) on delete cascade;
alter table connection add constraint connection_member_id_foreign
  foreign key (member_id) references member (id) on delete cascade;
alter table connection_grant add constraint connection_grant_connection_id_foreign
  foreign key (connection_id) references connection (id) on delete cascade;
alter table push_endpoint add constraint push_endpoint_device_id_foreign
  foreign key (device_id) references device (id) on delete cascade;
alter table device_transfer add constraint device_transfer_device_id_foreign
  foreign key (device_id) references device (id) on delete cascade;
alter table webhook_delivery add constraint webhook_delivery_endpoint_id_foreign
  foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade;
alter table alert_change add constraint alert_change_alert_id_foreign
  foreign key (alert_id) references alert (id) on delete cascade;
alter table own_device add constraint own_device_device_id_foreign
  foreign key (device_id) references device (id) on delete cascade;
alter table alert_block add constraint alert_block_workspace_id_foreign
  foreign key (workspace_id) references workspace (id) on delete cascade;
alter table alert_series add constraint alert_series_alert_id_foreign
  foreign key (alert_id) references alert (id) on update cascade on delete cascade;
alter table sender_log add constraint sender_log_key_id_foreign
  foreign key (key_id) references api_key (id) on delete cascade;

-- Functions, each with its triggers.

create function alert_loosened() returns trigger language plpgsql as $$
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
  end $$;
create trigger alert_loosened after update on alert for each row
  when ((old.title, old.body) is distinct from (new.title, new.body) or old.visible_at is distinct from new.visible_at
    or old.status = 'repeating' or new.status = 'repeating')
  execute function alert_loosened();

create function alert_reports_removed() returns trigger language plpgsql as $$
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
  end $$;
create trigger alert_reports_deleted after delete on alert referencing old table as removed
  for each statement execute function alert_reports_removed();

create function alert_to_assets() returns trigger language plpgsql as $$
    declare
      gone uuid[] := '{}';
      come uuid[] := '{}';
      moved record;
    begin
      if tg_op <> 'INSERT' then gone := array[old.image_asset_id, old.audio_asset_id, old.html_asset_id]; end if;
      if tg_op <> 'DELETE' then come := array[new.image_asset_id, new.audio_asset_id, new.html_asset_id]; end if;
      for moved in
        select id, sum(n)::int as n from (
          select unnest(gone) as id, -1 as n union all select unnest(come), 1) r
        where id is not null group by id having sum(n) <> 0 order by id
      loop
        update asset set refs = refs + moved.n,
          attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
          expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '24 hours' end
        where id = moved.id;
      end loop;
      return null;
    end $$;
create trigger alert_assets_deleted after delete on alert for each row
  when (old.image_asset_id is not null or old.audio_asset_id is not null or old.html_asset_id is not null)
  execute function alert_to_assets();
create trigger alert_assets_inserted after insert on alert for each row
  when (new.image_asset_id is not null or new.audio_asset_id is not null or new.html_asset_id is not null)
  execute function alert_to_assets();
create trigger alert_assets_updated after update on alert for each row
  when (old.image_asset_id is distinct from new.image_asset_id or old.audio_asset_id is distinct from new.audio_asset_id
    or old.html_asset_id is distinct from new.html_asset_id)
  execute function alert_to_assets();

create function alert_to_state() returns trigger language plpgsql as $$
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
    set rev = rev + sent::int,
      changed_at = case when sent then clock_timestamp() else changed_at end,
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
  end $$;
create trigger alert_deleted after delete on alert for each row
  when (old.visible_at is not null and current_setting('belfry.stays_counted', true) is distinct from 'on')
  execute function alert_to_state();
create trigger alert_updated after update on alert for each row
  when (old.visible_at is not null or new.visible_at is not null)
  execute function alert_to_state();

create function audit_event_kept() returns trigger language plpgsql as $$
  declare
    removed_before timestamptz := nullif(current_setting('belfry.audit_removed_before', true), '')::timestamptz;
  begin
    if tg_op = 'DELETE' and removed_before is not null then
      if old.created_at < least(removed_before, clock_timestamp() - interval '1 day') then return old; end if;
    end if;
    raise exception 'the audit log is only added to' using errcode = 'insufficient_privilege';
  end $$;
create trigger audit_event_stays before delete or update on audit_event
  for each row execute function audit_event_kept();
create trigger audit_event_stays_whole before truncate on audit_event
  for each statement execute function audit_event_kept();

create function device_to_mix() returns trigger language plpgsql as $$
  begin
    insert into subscriber_mix as m (pusher_id, platform, app_version, locale, timezone, n, muted)
    select s.pusher_id, f.platform, f.app_version, f.locale, f.timezone, f.n, case when s.muted then f.n else 0 end
    from subscription s cross join (values
      (old.platform, old.app_version, old.locale, old.timezone, -1),
      (new.platform, new.app_version, new.locale, new.timezone, 1)) f (platform, app_version, locale, timezone, n)
    where s.device_id = new.id
    order by 1, 2, 3, 4, 5
    on conflict (pusher_id, platform, app_version, locale, timezone)
    do update set n = m.n + excluded.n, muted = m.muted + excluded.muted;
    -- Else a device that changes its facts again and again would leave a row behind each time.
    delete from subscriber_mix m using subscription s
    where s.device_id = new.id and m.pusher_id = s.pusher_id and m.n = 0 and m.platform = old.platform
      and m.app_version = old.app_version and m.locale = old.locale and m.timezone = old.timezone;
    return null;
  end $$;
create trigger device_changed after update of platform, app_version, locale, timezone on device for each row
  when ((old.platform, old.app_version, old.locale, old.timezone)
    is distinct from (new.platform, new.app_version, new.locale, new.timezone))
  execute function device_to_mix();

create function new_alerts_to_state() returns trigger language plpgsql as $$
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
  end $$;
create trigger alert_inserted after insert on alert referencing new table as come
  for each statement execute function new_alerts_to_state();

create function notice_over() returns trigger language plpgsql as $$
  begin
    update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp()
    where id = old.notice_id and status = 'sent';
    return null;
  end $$;
create trigger alert_decided after update of status, review_reply on alert for each row
  when (old.notice_id is not null and (new.status <> 'draft' or new.review_reply is not null))
  execute function notice_over();
create trigger alert_gone after delete on alert for each row
  when (old.notice_id is not null)
  execute function notice_over();

create function pusher_to_assets() returns trigger language plpgsql as $$
  declare
    gone uuid;
    come uuid;
    moved record;
  begin
    if tg_op <> 'INSERT' then gone := old.image_asset_id; end if;
    if tg_op <> 'DELETE' then come := new.image_asset_id; end if;
    for moved in
      select id, n from (values (gone, -1), (come, 1)) r (id, n) where id is not null order by id
    loop
      update asset set refs = refs + moved.n,
        attached_at = case when refs + moved.n > 0 then coalesce(attached_at, clock_timestamp()) end,
        expires_at = case when refs + moved.n = 0 then clock_timestamp() + interval '24 hours' end
      where id = moved.id;
    end loop;
    return null;
  end $$;
create trigger pusher_assets_deleted after delete on pusher for each row
  when (old.image_asset_id is not null)
  execute function pusher_to_assets();
create trigger pusher_assets_inserted after insert on pusher for each row
  when (new.image_asset_id is not null)
  execute function pusher_to_assets();
create trigger pusher_assets_updated after update on pusher for each row
  when (old.image_asset_id is distinct from new.image_asset_id)
  execute function pusher_to_assets();

create function pusher_to_grams() returns trigger language plpgsql as $$
  begin
    new.grams := array(select distinct substr(new.search, i, n)
      from generate_series(1, 3) n, generate_series(1, char_length(new.search) - n + 1) i);
    return new;
  end $$;
create trigger pusher_searched before insert or update of search on pusher
  for each row execute function pusher_to_grams();

create function pusher_to_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into channel_state (pusher_id, active, suspended)
      values (new.id, new.status = 'active', new.status = 'suspended');
    else
      update channel_state set active = new.status = 'active', suspended = new.status = 'suspended', rev = rev + 1,
        changed_at = clock_timestamp()
      where pusher_id = new.id;
    end if;
    return null;
  end $$;
create trigger pusher_inserted after insert on pusher
  for each row execute function pusher_to_state();
create trigger pusher_status_changed after update of status on pusher for each row
  when (old.status is distinct from new.status)
  execute function pusher_to_state();

create function retention_set() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or new.retention_days is distinct from old.retention_days then
      new.retention_from := clock_timestamp() + interval '24 hours';
    end if;
    return new;
  end $$;
create trigger pusher_retention_set before insert or update of retention_days on pusher
  for each row execute function retention_set();
create trigger workspace_retention_set before insert or update of retention_days on workspace
  for each row execute function retention_set();

create function subscription_muted() returns trigger language plpgsql as $$
  begin
    -- Nobody changes the device's facts from here on, nor has one begun to: both would count by facts that are past.
    perform from device where id = new.device_id for share;
    update subscriber_mix m set muted = m.muted + (case when new.muted then 1 else -1 end)
    from device d
    where d.id = new.device_id and m.pusher_id = new.pusher_id and m.platform = d.platform
      and m.app_version = d.app_version and m.locale = d.locale and m.timezone = d.timezone;
    return null;
  end $$;
create trigger subscription_muted after update of muted on subscription for each row
  when (old.muted is distinct from new.muted)
  execute function subscription_muted();

create function subscription_to_counts() returns trigger language plpgsql as $$
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
  end $$;
create trigger subscription_deleted after delete on subscription referencing old table as changed
  for each statement execute function subscription_to_counts();
create trigger subscription_inserted after insert on subscription referencing new table as changed
  for each statement execute function subscription_to_counts();

-- The steps in which 0.1.0 made it, before its last one: that version looks for them, and servers compare them.

insert into migration (name) values
  ('Migration20261120000001_foundation'), ('Migration20261120000002_webhooks'), ('Migration20261120000003_assets'),
  ('Migration20261120000004_people'), ('Migration20261121000020_clients'), ('Migration20261121000030_grants'),
  ('Migration20261121000040_links'), ('Migration20261121000060_device_facts'), ('Migration20261121000060_inbox_revision'),
  ('Migration20261121000080_seen'), ('Migration20261121000081_dropped'), ('Migration20261121000082_secret'),
  ('Migration20261122000010_settled'), ('Migration20261122000040_asset_expiry'), ('Migration20261122000040_unique_constraints'),
  ('Migration20261122052127_source_url'), ('Migration20261122080500_push'), ('Migration20261122082000_search_grams'),
  ('Migration20261122084000_device_changes'), ('Migration20261122084001_device_transfers'), ('Migration20261122084002_feed_changes'),
  ('Migration20261122090000_review'), ('Migration20261122090001_audit'), ('Migration20261122090002_deliveries'),
  ('Migration20261122110001_event_feed'), ('Migration20261122110101_second_factor'), ('Migration20261122110201_audit_subject'),
  ('Migration20261122150101_alert_changes'), ('Migration20261122150201_channel_picture'), ('Migration20261123140101_subscriber_events'),
  ('Migration20261123140102_asked_events'), ('Migration20261123140102_audit_count'), ('Migration20261123140102_new_alerts_at_once'),
  ('Migration20261123140103_own_devices'), ('Migration20261123140103_refresh_replay'), ('Migration20261123140104_webhook_maker'),
  ('Migration20261123163709_alert_words'), ('Migration20261123171041_audit_changed'), ('Migration20261123201702_asks_first'),
  ('Migration20261123202102_alert_blocks'), ('Migration20261123202103_loose_alerts'), ('Migration20261123204758_reviews_channel'),
  ('Migration20261123213800_mails_drafts'), ('Migration20261124000100_replies'), ('Migration20261124000101_repeat_until_acked'),
  ('Migration20261124000200_recurrence'), ('Migration20261124000300_sender_log'), ('Migration20261124000500_answers_given'),
  ('Migration20261124000600_retention');
