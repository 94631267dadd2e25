-- A database as 0.1.0 left it, on PostgreSQL 15: its schema, and a day of use. Written once by pg_dump and never again: what is kept here has to be brought up by every later version (upgrading.test.ts).
SET check_function_bodies = false;
CREATE SCHEMA auth;
CREATE FUNCTION public.alert_loosened() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.alert_reports_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.alert_to_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.alert_to_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.audit_event_kept() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  declare
    removed_before timestamptz := nullif(current_setting('belfry.audit_removed_before', true), '')::timestamptz;
  begin
    if tg_op = 'DELETE' and removed_before is not null then
      if old.created_at < least(removed_before, clock_timestamp() - interval '1 day') then return old; end if;
    end if;
    raise exception 'the audit log is only added to' using errcode = 'insufficient_privilege';
  end $$;
CREATE FUNCTION public.device_to_mix() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.new_alerts_to_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.notice_over() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp()
    where id = old.notice_id and status = 'sent';
    return null;
  end $$;
CREATE FUNCTION public.pusher_to_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.pusher_to_grams() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    new.grams := array(select distinct substr(new.search, i, n)
      from generate_series(1, 3) n, generate_series(1, char_length(new.search) - n + 1) i);
    return new;
  end $$;
CREATE FUNCTION public.pusher_to_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.retention_set() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if tg_op = 'INSERT' or new.retention_days is distinct from old.retention_days then
      new.retention_from := clock_timestamp() + interval '24 hours';
    end if;
    return new;
  end $$;
CREATE FUNCTION public.subscription_muted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    -- Nobody changes the device's facts from here on, nor has one begun to: both would count by facts that are past.
    perform from device where id = new.device_id for share;
    update subscriber_mix m set muted = m.muted + (case when new.muted then 1 else -1 end)
    from device d
    where d.id = new.device_id and m.pusher_id = new.pusher_id and m.platform = d.platform
      and m.app_version = d.app_version and m.locale = d.locale and m.timezone = d.timezone;
    return null;
  end $$;
CREATE FUNCTION public.subscription_to_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE auth.account (
    id text NOT NULL,
    "accountId" text NOT NULL,
    "providerId" text NOT NULL,
    "userId" text NOT NULL,
    "accessToken" text,
    "refreshToken" text,
    "idToken" text,
    "accessTokenExpiresAt" timestamp with time zone,
    "refreshTokenExpiresAt" timestamp with time zone,
    scope text,
    password text,
    "createdAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL
);
CREATE TABLE auth.jwks (
    id text NOT NULL,
    "publicKey" text NOT NULL,
    "privateKey" text NOT NULL,
    "createdAt" timestamp with time zone NOT NULL,
    "expiresAt" timestamp with time zone,
    alg text,
    crv text
);
CREATE TABLE auth."oauthAccessToken" (
    id text NOT NULL,
    token text NOT NULL,
    "clientId" text NOT NULL,
    "sessionId" text,
    "userId" text,
    "referenceId" text,
    "authorizationCodeId" text,
    resources jsonb,
    "requestedUserInfoClaims" jsonb,
    "refreshId" text,
    "expiresAt" timestamp with time zone NOT NULL,
    "createdAt" timestamp with time zone NOT NULL,
    revoked timestamp with time zone,
    confirmation jsonb,
    scopes jsonb NOT NULL
);
CREATE TABLE auth."oauthClient" (
    id text NOT NULL,
    "clientId" text NOT NULL,
    "clientSecret" text,
    "clientDiscoveryId" text,
    disabled boolean,
    "skipConsent" boolean,
    "enableEndSession" boolean,
    "subjectType" text,
    scopes jsonb,
    "clientCredentialsScopes" jsonb,
    "userId" text,
    "createdAt" timestamp with time zone,
    "updatedAt" timestamp with time zone,
    name text,
    uri text,
    icon text,
    contacts jsonb,
    tos text,
    policy text,
    "softwareId" text,
    "softwareVersion" text,
    "softwareStatement" text,
    "redirectUris" jsonb NOT NULL,
    "postLogoutRedirectUris" jsonb,
    "backchannelLogoutUri" text,
    "backchannelLogoutSessionRequired" boolean,
    "tokenEndpointAuthMethod" text,
    "applicationType" text,
    jwks text,
    "jwksUri" text,
    "grantTypes" jsonb,
    "responseTypes" jsonb,
    "requirePKCE" boolean,
    "dpopBoundAccessTokens" boolean,
    "referenceId" text,
    metadata jsonb
);
CREATE TABLE auth."oauthClientAssertion" (
    id text NOT NULL,
    "expiresAt" timestamp with time zone NOT NULL
);
CREATE TABLE auth."oauthClientResource" (
    id text NOT NULL,
    "clientId" text NOT NULL,
    "resourceId" text NOT NULL,
    metadata jsonb,
    "createdAt" timestamp with time zone
);
CREATE TABLE auth."oauthConsent" (
    id text NOT NULL,
    "clientId" text NOT NULL,
    "userId" text,
    "referenceId" text,
    resources jsonb,
    "requestedUserInfoClaims" jsonb,
    scopes jsonb NOT NULL,
    "createdAt" timestamp with time zone NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL
);
CREATE TABLE auth."oauthRefreshToken" (
    id text NOT NULL,
    token text NOT NULL,
    "clientId" text NOT NULL,
    "sessionId" text,
    "userId" text NOT NULL,
    "referenceId" text,
    "authorizationCodeId" text,
    resources jsonb,
    "requestedUserInfoClaims" jsonb,
    "expiresAt" timestamp with time zone NOT NULL,
    "createdAt" timestamp with time zone NOT NULL,
    revoked timestamp with time zone,
    "rotatedAt" timestamp with time zone,
    "rotationReplayResponse" text,
    "rotationReplayExpiresAt" timestamp with time zone,
    "authTime" timestamp with time zone,
    confirmation jsonb,
    scopes jsonb NOT NULL,
    "replayedAt" timestamp with time zone
);
CREATE TABLE auth."oauthResource" (
    id text NOT NULL,
    identifier text NOT NULL,
    name text NOT NULL,
    "accessTokenTtl" integer,
    "refreshTokenTtl" integer,
    "signingAlgorithm" text,
    "signingKeyId" text,
    "allowedScopes" jsonb,
    "customClaims" jsonb,
    "dpopBoundAccessTokensRequired" boolean,
    disabled boolean,
    "createdAt" timestamp with time zone,
    "updatedAt" timestamp with time zone,
    "policyVersion" integer,
    metadata jsonb
);
CREATE TABLE auth.passkey (
    id text NOT NULL,
    name text,
    "publicKey" text NOT NULL,
    "userId" text NOT NULL,
    "credentialID" text NOT NULL,
    counter integer NOT NULL,
    "deviceType" text NOT NULL,
    "backedUp" boolean NOT NULL,
    transports text,
    "createdAt" timestamp with time zone,
    aaguid text,
    "lastUsedAt" timestamp with time zone
);
CREATE TABLE auth.session (
    id text NOT NULL,
    "expiresAt" timestamp with time zone NOT NULL,
    token text NOT NULL,
    "createdAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL,
    "ipAddress" text,
    "userAgent" text,
    "userId" text NOT NULL
);
CREATE TABLE auth."twoFactor" (
    id text NOT NULL,
    secret text NOT NULL,
    "backupCodes" text NOT NULL,
    "userId" text NOT NULL,
    verified boolean,
    "failedVerificationCount" integer,
    "lockedUntil" timestamp with time zone
);
CREATE TABLE auth."user" (
    id text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    "emailVerified" boolean NOT NULL,
    image text,
    "createdAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    "updatedAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    "twoFactorEnabled" boolean DEFAULT false
);
CREATE TABLE auth.verification (
    id text NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    "expiresAt" timestamp with time zone NOT NULL,
    "createdAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    "updatedAt" timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE public.alert (
    id uuid NOT NULL,
    pusher_id uuid NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    title text NOT NULL,
    body text,
    priority text DEFAULT 'normal'::text NOT NULL,
    layout text DEFAULT 'text'::text NOT NULL,
    image_url text,
    image_asset_id uuid,
    audio_asset_id uuid,
    html_asset_id uuid,
    html text,
    actions jsonb DEFAULT '[]'::jsonb NOT NULL,
    requires_ack boolean DEFAULT false NOT NULL,
    send_at timestamp(6) with time zone,
    expires_at timestamp(6) with time zone,
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
    sent_at timestamp(6) with time zone,
    cancelled_at timestamp(6) with time zone,
    visible_at timestamp(6) with time zone GENERATED ALWAYS AS (
CASE status
    WHEN 'sent'::text THEN sent_at
    WHEN 'scheduled'::text THEN send_at
    ELSE NULL::timestamp with time zone
END) STORED,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    asset_html text,
    source_url text,
    review_note text,
    review_reply text,
    blocked jsonb DEFAULT '{}'::jsonb NOT NULL,
    notice_id uuid,
    repeat_until_acked boolean DEFAULT false NOT NULL,
    recurrence text,
    series_id uuid,
    occurs_at timestamp(6) with time zone,
    apart boolean DEFAULT false NOT NULL,
    CONSTRAINT alert_geofence CHECK ((num_nonnulls(lat, lon, radius_km) = ANY (ARRAY[0, 3]))),
    CONSTRAINT alert_layout_check CHECK ((layout = ANY (ARRAY['text'::text, 'image'::text, 'html'::text, 'document'::text]))),
    CONSTRAINT alert_priority_check CHECK ((priority = ANY (ARRAY['normal'::text, 'important'::text, 'urgent'::text]))),
    CONSTRAINT alert_sound_check CHECK ((sound = ANY (ARRAY['default'::text, 'chime'::text, 'ping'::text, 'bell'::text, 'knock'::text, 'alarm'::text, 'siren'::text, 'silent'::text]))),
    CONSTRAINT alert_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'repeating'::text, 'scheduled'::text, 'sent'::text, 'cancelled'::text]))),
    CONSTRAINT alert_vibrate_check CHECK ((vibrate = ANY (ARRAY['default'::text, 'none'::text, 'short'::text, 'double'::text, 'long'::text, 'sos'::text, 'heartbeat'::text]))),
    CONSTRAINT alert_visible CHECK (((status = ANY (ARRAY['sent'::text, 'scheduled'::text])) = (visible_at IS NOT NULL)))
)
WITH (autovacuum_vacuum_insert_scale_factor='0', autovacuum_vacuum_insert_threshold='5000');
CREATE TABLE public.alert_block (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    words tsvector NOT NULL,
    created_from timestamp(6) with time zone NOT NULL,
    created_to timestamp(6) with time zone NOT NULL,
    visible_from timestamp(6) with time zone,
    visible_to timestamp(6) with time zone,
    stale boolean DEFAULT false NOT NULL
);
CREATE TABLE public.alert_change (
    alert_id uuid NOT NULL,
    updated_at timestamp(6) with time zone NOT NULL,
    former jsonb NOT NULL
);
CREATE TABLE public.alert_counter (
    alert_id uuid NOT NULL,
    reads bigint DEFAULT '0'::bigint NOT NULL,
    acks bigint DEFAULT '0'::bigint NOT NULL,
    appeared boolean DEFAULT false NOT NULL,
    untold boolean DEFAULT false NOT NULL,
    told_acks bigint DEFAULT '0'::bigint NOT NULL,
    told_at timestamp(6) with time zone,
    replies bigint[] DEFAULT '{0,0,0,0}'::bigint[] NOT NULL,
    replied boolean DEFAULT false NOT NULL,
    replied_told_at timestamp(6) with time zone
)
WITH (fillfactor='50');
CREATE TABLE public.alert_series (
    alert_id uuid NOT NULL,
    filled_to timestamp(6) with time zone NOT NULL,
    fill_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE public.alert_words (
    alert_id uuid NOT NULL,
    words tsvector,
    block_id uuid,
    pusher_id uuid,
    created_at timestamp(6) with time zone,
    visible_at timestamp(6) with time zone
);
CREATE TABLE public.api_key (
    id uuid NOT NULL,
    member_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    pusher_id uuid,
    expires_at timestamp(6) with time zone,
    revoked_at timestamp(6) with time zone,
    last_used_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    asks_first boolean DEFAULT false NOT NULL,
    made_for text
);
CREATE TABLE public.asset (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    member_id uuid,
    kind text NOT NULL,
    content_type text NOT NULL,
    bytes integer NOT NULL,
    sha256 bytea NOT NULL,
    name text NOT NULL,
    text text,
    stored boolean DEFAULT false NOT NULL,
    refs integer DEFAULT 0 NOT NULL,
    attached_at timestamp(6) with time zone,
    expires_at timestamp(6) with time zone DEFAULT (clock_timestamp() + '24:00:00'::interval),
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT asset_attached CHECK (((refs >= 0) AND ((refs > 0) = (attached_at IS NOT NULL)) AND ((refs > 0) = (expires_at IS NULL)))),
    CONSTRAINT asset_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'audio'::text, 'html'::text]))),
    CONSTRAINT asset_text CHECK (((kind = 'html'::text) = (text IS NOT NULL)))
);
CREATE TABLE public.audit_event (
    id uuid NOT NULL,
    workspace_id uuid,
    actor_type text NOT NULL,
    actor_id text,
    actor_name text,
    member_id uuid,
    transport text NOT NULL,
    operation text NOT NULL,
    pusher_id uuid,
    subject_id text,
    status text,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    count integer,
    changed text[],
    CONSTRAINT audit_event_actor_type_check CHECK ((actor_type = ANY (ARRAY['key'::text, 'oauth'::text, 'session'::text, 'operator'::text]))),
    CONSTRAINT audit_event_transport_check CHECK ((transport = ANY (ARRAY['rest'::text, 'mcp'::text, 'cli'::text, 'console'::text, 'operator'::text])))
);
CREATE TABLE public.channel_day (
    pusher_id uuid NOT NULL,
    day date NOT NULL,
    published bigint DEFAULT '0'::bigint NOT NULL,
    reads bigint DEFAULT '0'::bigint NOT NULL,
    acks bigint DEFAULT '0'::bigint NOT NULL,
    gone bigint DEFAULT '0'::bigint NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.channel_state (
    pusher_id uuid NOT NULL,
    active boolean DEFAULT true NOT NULL,
    suspended boolean DEFAULT false NOT NULL,
    rev bigint DEFAULT '0'::bigint NOT NULL,
    published bigint DEFAULT '0'::bigint NOT NULL,
    subscribers bigint DEFAULT '0'::bigint NOT NULL,
    next_at timestamp(6) with time zone,
    changed_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    told_subscribers bigint DEFAULT '0'::bigint NOT NULL,
    told_at timestamp(6) with time zone,
    untold boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.connection (
    id uuid NOT NULL,
    user_id text NOT NULL,
    client_id text NOT NULL,
    member_id uuid NOT NULL,
    pusher_id uuid,
    scopes text[] NOT NULL,
    last_used_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    asks_first boolean DEFAULT false NOT NULL
);
CREATE TABLE public.connection_grant (
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    codes text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.device (
    id bigint NOT NULL,
    token_hash bytea NOT NULL,
    subs_rev bigint DEFAULT '0'::bigint NOT NULL,
    platform text NOT NULL,
    app_version text NOT NULL,
    locale text NOT NULL,
    timezone text NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    test_until timestamp(6) with time zone,
    CONSTRAINT device_platform_check CHECK ((platform = ANY (ARRAY['ios'::text, 'android'::text, 'web'::text, 'desktop'::text, 'cli'::text, 'ntfy'::text, 'other'::text])))
);
CREATE TABLE public.device_transfer (
    device_id bigint NOT NULL,
    code_hash bytea NOT NULL,
    expires_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE public.idempotency_record (
    credential_id text NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    given jsonb
);
CREATE TABLE public.invite (
    id uuid NOT NULL,
    pusher_id uuid NOT NULL,
    code text NOT NULL,
    label text,
    max_uses integer,
    uses integer DEFAULT 0 NOT NULL,
    expires_at timestamp(6) with time zone,
    revoked_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.left_reports (
    alert_id uuid NOT NULL
);
CREATE TABLE public.loose_alert (
    alert_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    pusher_id uuid NOT NULL,
    created_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE public.member (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    pusher_ids uuid[],
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    name text,
    user_id text,
    mails_drafts boolean DEFAULT false NOT NULL,
    CONSTRAINT member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);
CREATE TABLE public.member_link (
    token_hash bytea NOT NULL,
    member_id uuid NOT NULL,
    expires_at timestamp(6) with time zone NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    made_by text NOT NULL,
    used_at timestamp(6) with time zone,
    replaced_at timestamp(6) with time zone,
    CONSTRAINT member_link_made_by_check CHECK ((made_by = ANY (ARRAY['operator'::text, 'manager'::text, 'person'::text])))
);
CREATE TABLE public.migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);
CREATE SEQUENCE public.migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.migration_id_seq OWNED BY public.migration.id;
CREATE TABLE public.own_device (
    id uuid NOT NULL,
    user_id text NOT NULL,
    device_id bigint,
    code_hash bytea,
    expires_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    draft_id uuid,
    draft_version timestamp(6) with time zone,
    shown_as uuid,
    shown_at timestamp(6) with time zone
);
CREATE TABLE public.push_endpoint (
    device_id bigint NOT NULL,
    kind text NOT NULL,
    endpoint bytea NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT push_endpoint_kind_check CHECK ((kind = ANY (ARRAY['web_push'::text, 'unified_push'::text])))
);
CREATE TABLE public.pusher (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    handle text NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    description text NOT NULL,
    long text,
    site text,
    city text,
    lat double precision,
    lon double precision,
    radius_km double precision,
    loc_rule text,
    requested_perms text[] NOT NULL,
    alert_types text[] NOT NULL,
    tags text[] NOT NULL,
    search text NOT NULL,
    is_public boolean DEFAULT true NOT NULL,
    image_url text,
    gradient_from text NOT NULL,
    gradient_to text NOT NULL,
    initials text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    grams text[] DEFAULT '{}'::text[] NOT NULL,
    image_asset_id uuid,
    retention_days integer,
    retention_from timestamp(6) with time zone,
    CONSTRAINT pusher_category_check CHECK ((category = ANY (ARRAY['cities'::text, 'travel'::text, 'events'::text, 'concerts'::text, 'restaurants'::text, 'hotels'::text, 'business'::text, 'ai'::text, 'sports'::text, 'emergency'::text, 'community'::text]))),
    CONSTRAINT pusher_geofence CHECK ((num_nonnulls(lat, lon, radius_km) = ANY (ARRAY[0, 3]))),
    CONSTRAINT pusher_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'suspended'::text])))
);
CREATE TABLE public.report (
    alert_id uuid NOT NULL,
    device_id bigint NOT NULL,
    kind smallint NOT NULL,
    at timestamp(6) with time zone,
    choice smallint,
    was smallint
);
CREATE TABLE public.reserved_handle (
    handle text NOT NULL
);
CREATE TABLE public.sender_log (
    key_id uuid NOT NULL,
    requests jsonb NOT NULL
);
CREATE TABLE public.server_secret (
    one_row boolean DEFAULT true NOT NULL,
    check_value bytea NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    push_key bytea,
    CONSTRAINT server_secret_one_row_check CHECK (one_row)
);
CREATE TABLE public.step_up (
    user_id text NOT NULL,
    client_id text NOT NULL,
    asked_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE public.subscriber_mix (
    pusher_id uuid NOT NULL,
    platform text NOT NULL,
    app_version text NOT NULL,
    locale text NOT NULL,
    timezone text NOT NULL,
    n bigint NOT NULL,
    muted bigint NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.subscription (
    device_id bigint NOT NULL,
    pusher_id uuid NOT NULL,
    invite_id uuid,
    permissions text[] NOT NULL,
    muted boolean DEFAULT false NOT NULL,
    subscribed_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.webhook_delivery (
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event text NOT NULL,
    body text NOT NULL,
    redelivery_of uuid,
    ok boolean,
    status integer,
    failure text,
    duration_ms integer,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    event_id uuid
);
CREATE TABLE public.webhook_endpoint (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    pusher_id uuid,
    url text NOT NULL,
    events text[] NOT NULL,
    secret bytea NOT NULL,
    failure_count integer DEFAULT 0 NOT NULL,
    disabled_at timestamp(6) with time zone,
    last_delivery_at timestamp(6) with time zone,
    last_status integer,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    dropped_count integer DEFAULT 0 NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamp(6) with time zone,
    subscriber_failure_at timestamp(6) with time zone,
    maker_id text,
    maker_name text
);
CREATE TABLE public.workspace (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    events_numbered bigint DEFAULT '0'::bigint NOT NULL,
    reviews_id uuid,
    retention_days integer,
    retention_from timestamp(6) with time zone
);
CREATE TABLE public.workspace_event (
    serial bigint NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    pusher_id uuid NOT NULL,
    body text NOT NULL,
    "position" bigint,
    created_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE SEQUENCE public.workspace_event_serial_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.workspace_event_serial_seq OWNED BY public.workspace_event.serial;
ALTER TABLE ONLY public.migration ALTER COLUMN id SET DEFAULT nextval('public.migration_id_seq'::regclass);
ALTER TABLE ONLY public.workspace_event ALTER COLUMN serial SET DEFAULT nextval('public.workspace_event_serial_seq'::regclass);
INSERT INTO public.alert VALUES
	('01a20f15-c308-720a-a5d4-cb398d5137d7', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'sent', 'Bridge up', 'Until noon · não', 'urgent', 'text', NULL, NULL, NULL, NULL, NULL, '[{"url": "", "type": "reply", "label": "Coming?", "choices": ["Yes", "No"]}]', true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-24 19:43:34.171455+00', NULL, DEFAULT, '2026-11-24 19:43:34.171455+00', '2026-11-24 19:43:34.171455+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, false),
	('01a20f15-c4f7-71c3-8a92-f2fc8e33218c', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'draft', 'Draft', NULL, 'normal', 'html', NULL, NULL, NULL, NULL, '<b>bold</b>', '[]', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:34.682197+00', '2026-11-24 19:43:34.682197+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, false),
	('01a20f15-c549-7721-82be-bb54e8b59aea', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Later', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2027-06-01 12:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:34.738027+00', '2026-11-24 19:43:34.738027+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, false),
	('01a20f15-c560-72c7-9df4-42a07d005aa3', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'cancelled', 'Off', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-24 19:43:34.758309+00', '2026-11-24 19:43:34.820525+00', DEFAULT, '2026-11-24 19:43:34.758309+00', '2026-11-24 19:43:34.820525+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, false),
	('01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'repeating', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-25 20:43:34.868+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:34.887334+00', '2026-11-24 19:43:35.169592+00', NULL, NULL, NULL, NULL, '{}', NULL, false, 'FREQ=DAILY UTC', NULL, NULL, false),
	('01a20f15-c718-707b-8980-ffcf6ae8cdd1', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-25 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.213895+00', '2026-11-24 19:43:35.213895+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-25 20:43:34+00', false),
	('01a20f15-c718-707c-b156-7b6c79ef0cbb', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-26 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214094+00', '2026-11-24 19:43:35.214095+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-26 20:43:34+00', false),
	('01a20f15-c718-707d-9f04-2387e1ca92a7', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-27 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214112+00', '2026-11-24 19:43:35.214112+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-27 20:43:34+00', false),
	('01a20f15-c718-707e-909d-16b0e3549eff', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-28 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214121+00', '2026-11-24 19:43:35.214121+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-28 20:43:34+00', false),
	('01a20f15-c718-707f-8805-dd81ad4642fb', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-29 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214139+00', '2026-11-24 19:43:35.214139+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-29 20:43:34+00', false),
	('01a20f15-c718-7080-9267-63afd76e81bf', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-11-30 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214154+00', '2026-11-24 19:43:35.214154+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-11-30 20:43:34+00', false),
	('01a20f15-c718-7081-9cdb-b90b7a49a13c', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-01 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214161+00', '2026-11-24 19:43:35.214161+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-01 20:43:34+00', false),
	('01a20f15-c718-7082-84c8-fb308bd2ad4d', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-02 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214167+00', '2026-11-24 19:43:35.214167+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-02 20:43:34+00', false),
	('01a20f15-c718-7083-b3ba-ba297f384f6a', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-03 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214173+00', '2026-11-24 19:43:35.214173+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-03 20:43:34+00', false),
	('01a20f15-c718-7084-be26-adce40b9ac4b', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-04 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214182+00', '2026-11-24 19:43:35.214182+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-04 20:43:34+00', false),
	('01a20f15-c718-7085-8fc0-07907a525e54', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-05 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214189+00', '2026-11-24 19:43:35.214189+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-05 20:43:34+00', false),
	('01a20f15-c718-7086-bb39-c8f5b0159e20', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'scheduled', 'Tide', NULL, 'normal', 'text', NULL, NULL, NULL, NULL, NULL, '[]', false, '2026-12-06 20:43:34+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, '2026-11-24 19:43:35.214195+00', '2026-11-24 19:43:35.214195+00', NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, '01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-06 20:43:34+00', false);
INSERT INTO public.alert_counter VALUES
	('01a20f15-c308-720a-a5d4-cb398d5137d7', 1, 1, false, false, 0, NULL, '{0,0,0,0}', false, NULL);
INSERT INTO public.alert_series VALUES
	('01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '2026-12-06 20:43:34+00', '2026-12-01 20:43:34+00');
INSERT INTO public.alert_words VALUES
	('01a20f15-c308-720a-a5d4-cb398d5137d7', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3bridge'' ''0248e3noon'' ''0248e3não'' ''0248e3until'' ''0248e3up''', NULL, NULL, NULL, NULL),
	('01a20f15-c4f7-71c3-8a92-f2fc8e33218c', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3draft''', NULL, NULL, NULL, NULL),
	('01a20f15-c549-7721-82be-bb54e8b59aea', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3later''', NULL, NULL, NULL, NULL),
	('01a20f15-c560-72c7-9df4-42a07d005aa3', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3off''', NULL, NULL, NULL, NULL),
	('01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-707b-8980-ffcf6ae8cdd1', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-707c-b156-7b6c79ef0cbb', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-707d-9f04-2387e1ca92a7', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-707e-909d-16b0e3549eff', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-707f-8805-dd81ad4642fb', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7080-9267-63afd76e81bf', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7081-9cdb-b90b7a49a13c', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7082-84c8-fb308bd2ad4d', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7083-b3ba-ba297f384f6a', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7084-be26-adce40b9ac4b', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7085-8fc0-07907a525e54', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL),
	('01a20f15-c718-7086-bb39-c8f5b0159e20', '''0248e3@key_01m87hbasyerps6tqsmfxj33tj'' ''0248e3tide''', NULL, NULL, NULL, NULL);
INSERT INTO public.api_key VALUES
	('01a20f15-ab3e-762d-936a-f9a3fb218f52', '01a20f15-a728-742b-b2ea-637e641c06bb', 'kept', '\xd1ac62b47b5fa8784c0e90d054128acc337cb462a8c0ca22f2fa1c0a98b5078b', '{account:read,webhooks:read,webhooks:write,pushers:read,pushers:write,invites:read,invites:write,alerts:read,alerts:write,alerts:send,stats:read,subscribers:read,audit:read}', NULL, NULL, NULL, '2026-11-24 19:43:33.22115+00', '2026-11-24 19:43:28.068652+00', false, NULL);
INSERT INTO public.audit_event VALUES
	('01a20f15-9c71-7127-be7b-6672f04519ea', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'operator', NULL, NULL, NULL, 'operator', 'create_workspace', NULL, 'wsp_01m87hb71me038sf0jnfj0tyrr', NULL, '2026-11-24 19:43:24.275127+00', NULL, NULL),
	('01a20f15-a730-70f6-b663-18ae515ebd2b', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'operator', NULL, NULL, NULL, 'operator', 'add_member', NULL, 'mem_01m87hb9s8egnv5tk3fsj1r1nv', NULL, '2026-11-24 19:43:27.031394+00', NULL, NULL),
	('01a20f15-ab47-70df-a389-76103d67db2b', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'operator', NULL, NULL, NULL, 'operator', 'create_key', NULL, 'key_01m87hbasyerps6tqsmfxj33tj', NULL, '2026-11-24 19:43:28.073295+00', NULL, NULL),
	('01a20f15-c067-7303-896a-aab106e958a9', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_pusher', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'psh_01m87hbfvtew8t7qccxej04j73', 'active', '2026-11-24 19:43:33.48079+00', NULL, NULL),
	('01a20f15-c085-77cf-bda8-58f5c1e645db', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_pusher', '01a20f15-c07c-72b2-902c-1b20ae8b0d5c', 'psh_01m87hbg3weas90b0v42q8p3aw', 'active', '2026-11-24 19:43:33.511833+00', NULL, NULL),
	('01a20f15-c250-7475-898c-3a276f606d5d', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_invite', '01a20f15-c07c-72b2-902c-1b20ae8b0d5c', 'inv_01m87hbgj4er6tzmjeb3mjb84f', NULL, '2026-11-24 19:43:33.968648+00', NULL, NULL),
	('01a20f15-c2cd-7160-b3aa-e2538f3ed723', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_webhook', NULL, 'whk_01m87hbgmyez3rw3cnr5sj5rfe', NULL, '2026-11-24 19:43:34.096229+00', NULL, NULL),
	('01a20f15-c308-720c-86d8-1286f338fcc7', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbgr8e85abn6b766n2dyq', 'sent', '2026-11-24 19:43:34.171908+00', NULL, NULL),
	('01a20f15-c4f7-71c4-9bcd-f65017905ee7', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbh7qe71rn4qjzj7368cc', 'draft', '2026-11-24 19:43:34.68273+00', NULL, NULL),
	('01a20f15-c549-7723-85fb-d498d79d9cf6', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbha9ewgr5fnvakmbb6qa', 'scheduled', '2026-11-24 19:43:34.738227+00', NULL, NULL),
	('01a20f15-c560-72c9-a5b8-574b535bc83f', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbhb0eb3svx22m1yg0pn3', 'sent', '2026-11-24 19:43:34.758709+00', NULL, NULL),
	('01a20f15-c5b6-71b1-b62c-69a21f128872', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'cancel_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbhb0eb3svx22m1yg0pn3', 'cancelled', '2026-11-24 19:43:34.857417+00', NULL, NULL),
	('01a20f15-c5dd-754b-8d29-a1f4a5f9bf1e', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'create_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbhexen59ndb7p7n3rx0e', 'draft', '2026-11-24 19:43:34.887465+00', NULL, NULL),
	('01a20f15-c752-72c4-85c5-d765a89671cb', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'key', 'key_01m87hbasyerps6tqsmfxj33tj', 'kept', '01a20f15-a728-742b-b2ea-637e641c06bb', 'rest', 'schedule_alert', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'alr_01m87hbhexen59ndb7p7n3rx0e', 'repeating', '2026-11-24 19:43:35.254081+00', NULL, NULL);
INSERT INTO public.channel_day VALUES
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2027-06-01', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-25', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-26', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-27', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-28', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-29', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-30', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-01', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-02', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-03', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-04', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-05', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-12-06', 1, 0, 0, 0),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24', 1, 1, 1, 0);
INSERT INTO public.channel_state VALUES
	('01a20f15-c07c-72b2-902c-1b20ae8b0d5c', true, false, 0, 0, 0, NULL, '2026-11-24 19:43:33.5055+00', 0, NULL, false),
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', true, false, 3, 14, 1, '2026-11-25 20:43:34+00', '2026-11-24 19:43:34.831502+00', 1, '2026-11-24 19:43:35.35816+00', false);
INSERT INTO public.device VALUES
	(5731744152208705071, '\xef6317d80a6c99e940915859fac389905ef99793ccdfab5de7d21696b404f944', 1, 'android', '1.0.0', 'en', 'Europe/Lisbon', '2026-11-24 19:43:35.312228+00', '2026-11-24 19:43:35.312229+00', NULL);
INSERT INTO public.invite VALUES
	('01a20f15-c244-760d-afd2-4e58e925a08f', '01a20f15-c07c-72b2-902c-1b20ae8b0d5c', '6Rq3tcS78e1TSLSd4fbYzzzhTv-8_rBj', 'Crew', 5, 0, NULL, NULL, '2026-11-24 19:43:33.958593+00');
INSERT INTO public.loose_alert VALUES
	('01a20f15-c308-720a-a5d4-cb398d5137d7', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:34.171455+00'),
	('01a20f15-c4f7-71c3-8a92-f2fc8e33218c', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:34.682197+00'),
	('01a20f15-c549-7721-82be-bb54e8b59aea', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:34.738027+00'),
	('01a20f15-c560-72c7-9df4-42a07d005aa3', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:34.758309+00'),
	('01a20f15-c5dd-754a-9ab5-67b1ea3c740e', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:34.887334+00'),
	('01a20f15-c718-707b-8980-ffcf6ae8cdd1', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.213895+00'),
	('01a20f15-c718-707c-b156-7b6c79ef0cbb', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214094+00'),
	('01a20f15-c718-707d-9f04-2387e1ca92a7', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214112+00'),
	('01a20f15-c718-707e-909d-16b0e3549eff', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214121+00'),
	('01a20f15-c718-707f-8805-dd81ad4642fb', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214139+00'),
	('01a20f15-c718-7080-9267-63afd76e81bf', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214154+00'),
	('01a20f15-c718-7081-9cdb-b90b7a49a13c', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214161+00'),
	('01a20f15-c718-7082-84c8-fb308bd2ad4d', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214167+00'),
	('01a20f15-c718-7083-b3ba-ba297f384f6a', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214173+00'),
	('01a20f15-c718-7084-be26-adce40b9ac4b', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214182+00'),
	('01a20f15-c718-7085-8fc0-07907a525e54', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214189+00'),
	('01a20f15-c718-7086-bb39-c8f5b0159e20', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '2026-11-24 19:43:35.214195+00');
INSERT INTO public.member VALUES
	('01a20f15-a728-742b-b2ea-637e641c06bb', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'ada@example.org', 'owner', NULL, '2026-11-24 19:43:27.022228+00', NULL, NULL, false);
INSERT INTO public.migration VALUES
	(1, 'Migration20261120000001_foundation', '2026-11-24 19:43:20.791401+00'),
	(2, 'Migration20261120000002_webhooks', '2026-11-24 19:43:20.791401+00'),
	(3, 'Migration20261120000003_assets', '2026-11-24 19:43:20.791401+00'),
	(4, 'Migration20261120000004_people', '2026-11-24 19:43:20.791401+00'),
	(5, 'Migration20261121000020_clients', '2026-11-24 19:43:20.791401+00'),
	(6, 'Migration20261121000030_grants', '2026-11-24 19:43:20.791401+00'),
	(7, 'Migration20261121000040_links', '2026-11-24 19:43:20.791401+00'),
	(8, 'Migration20261121000060_device_facts', '2026-11-24 19:43:20.791401+00'),
	(9, 'Migration20261121000060_inbox_revision', '2026-11-24 19:43:20.791401+00'),
	(10, 'Migration20261121000080_seen', '2026-11-24 19:43:20.791401+00'),
	(11, 'Migration20261121000081_dropped', '2026-11-24 19:43:20.791401+00'),
	(12, 'Migration20261121000082_secret', '2026-11-24 19:43:20.791401+00'),
	(13, 'Migration20261122000010_settled', '2026-11-24 19:43:20.791401+00'),
	(14, 'Migration20261122000040_asset_expiry', '2026-11-24 19:43:20.791401+00'),
	(15, 'Migration20261122000040_unique_constraints', '2026-11-24 19:43:20.791401+00'),
	(16, 'Migration20261122052127_source_url', '2026-11-24 19:43:20.791401+00'),
	(17, 'Migration20261122080500_push', '2026-11-24 19:43:20.791401+00'),
	(18, 'Migration20261122082000_search_grams', '2026-11-24 19:43:20.791401+00'),
	(19, 'Migration20261122084000_device_changes', '2026-11-24 19:43:20.791401+00'),
	(20, 'Migration20261122084001_device_transfers', '2026-11-24 19:43:20.791401+00'),
	(21, 'Migration20261122084002_feed_changes', '2026-11-24 19:43:20.791401+00'),
	(22, 'Migration20261122090000_review', '2026-11-24 19:43:20.791401+00'),
	(23, 'Migration20261122090001_audit', '2026-11-24 19:43:20.791401+00'),
	(24, 'Migration20261122090002_deliveries', '2026-11-24 19:43:20.791401+00'),
	(25, 'Migration20261122110001_event_feed', '2026-11-24 19:43:20.791401+00'),
	(26, 'Migration20261122110101_second_factor', '2026-11-24 19:43:20.791401+00'),
	(27, 'Migration20261122110201_audit_subject', '2026-11-24 19:43:20.791401+00'),
	(28, 'Migration20261122150101_alert_changes', '2026-11-24 19:43:20.791401+00'),
	(29, 'Migration20261122150201_channel_picture', '2026-11-24 19:43:20.791401+00'),
	(30, 'Migration20261123140101_subscriber_events', '2026-11-24 19:43:20.791401+00'),
	(31, 'Migration20261123140102_asked_events', '2026-11-24 19:43:20.791401+00'),
	(32, 'Migration20261123140102_audit_count', '2026-11-24 19:43:20.791401+00'),
	(33, 'Migration20261123140102_new_alerts_at_once', '2026-11-24 19:43:20.791401+00'),
	(34, 'Migration20261123140103_own_devices', '2026-11-24 19:43:20.791401+00'),
	(35, 'Migration20261123140103_refresh_replay', '2026-11-24 19:43:20.791401+00'),
	(36, 'Migration20261123140104_webhook_maker', '2026-11-24 19:43:20.791401+00'),
	(37, 'Migration20261123163709_alert_words', '2026-11-24 19:43:20.791401+00'),
	(38, 'Migration20261123171041_audit_changed', '2026-11-24 19:43:20.791401+00'),
	(39, 'Migration20261123201702_asks_first', '2026-11-24 19:43:20.791401+00'),
	(40, 'Migration20261123202102_alert_blocks', '2026-11-24 19:43:20.791401+00'),
	(41, 'Migration20261123202103_loose_alerts', '2026-11-24 19:43:20.791401+00'),
	(42, 'Migration20261123204758_reviews_channel', '2026-11-24 19:43:20.791401+00'),
	(43, 'Migration20261123213800_mails_drafts', '2026-11-24 19:43:20.791401+00'),
	(44, 'Migration20261124000100_replies', '2026-11-24 19:43:20.791401+00'),
	(45, 'Migration20261124000101_repeat_until_acked', '2026-11-24 19:43:20.791401+00'),
	(46, 'Migration20261124000200_recurrence', '2026-11-24 19:43:20.791401+00'),
	(47, 'Migration20261124000300_sender_log', '2026-11-24 19:43:20.791401+00'),
	(48, 'Migration20261124000500_answers_given', '2026-11-24 19:43:20.791401+00'),
	(49, 'Migration20261124000600_retention', '2026-11-24 19:43:20.791401+00'),
	(50, 'Migration20261124000700_ntfy_platform', '2026-11-24 19:43:20.791401+00');
INSERT INTO public.pusher VALUES
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'kept-harbour', 'Harbour', 'community', 'Kept', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', '{}', 'harbour', true, NULL, '#ba2c96', '#981f29', 'H', 'active', '2026-11-24 19:43:33.268424+00', '2026-11-24 19:43:33.268424+00', '{ar,ur,a,bou,rb,our,r,b,har,h,ha,rbo,o,ou,bo,arb,u}', NULL, NULL, '2026-11-25 19:43:33.269861+00'),
	('01a20f15-c07c-72b2-902c-1b20ae8b0d5c', '01a20f15-9c34-7006-8cbc-12abe40d7b18', 'kept-crew', 'Crew', 'community', 'Kept', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', '{}', 'crew', false, NULL, '#b82cba', '#981f4a', 'C', 'active', '2026-11-24 19:43:33.505128+00', '2026-11-24 19:43:33.505128+00', '{cre,cr,r,w,c,re,rew,ew,e}', NULL, NULL, '2026-11-25 19:43:33.505177+00');
INSERT INTO public.report VALUES
	('01a20f15-c308-720a-a5d4-cb398d5137d7', 5731744152208705071, 1, '2026-11-24 19:43:35.399484+00', NULL, NULL),
	('01a20f15-c308-720a-a5d4-cb398d5137d7', 5731744152208705071, 2, '2026-11-24 19:43:35.399484+00', NULL, NULL);
INSERT INTO public.server_secret VALUES
	(true, '\x83da078bb93f2914bf3a9bbbf165f048462d8ee7bedf1cd4ad3b344f610674b1', '2026-11-24 19:43:32.033976+00', '\xbc1ceeeff170e37131cd900c9d3c99decc9580a2d102ab792fb347b0eb90169b172cb3646ca58d9c39fc656b62c51962484e8a9579c55b1fedcdb5b7bfaa76fa6c619c05606733dab842fcb17be4b68d59015ff6c23b3ae8c6c6be9582ad579db127c6c0ccf3de6db19bc9dc14cd49570b89a544c00c8ac8a06270bb9108b26cd2c987238688ca86466f2e50c857ebe46bb169d562db718f708698216ba5c5a436f905339e7da7858fa99bda0f8ceadafcc3592187ecb6faec5b1a17acdd1b3951894a7093732946887e5e6f559dacafa8fbfb1c66f2b228866b48cd3ab5dbbeb6f27f5297c745b06cb8cba9a37a74f6febcc5bacd52853bbc0c20a70ff9e63940450c028ce007916789ea7758');
INSERT INTO public.subscriber_mix VALUES
	('01a20f15-bf7a-7711-a3dd-8ceba40248e3', 'android', '1.0.0', 'en', 'Europe/Lisbon', 1, 0);
INSERT INTO public.subscription VALUES
	(5731744152208705071, '01a20f15-bf7a-7711-a3dd-8ceba40248e3', NULL, '{}', false, '2026-11-24 19:43:35.351302+00');
INSERT INTO public.webhook_delivery VALUES
	('01a20f15-c358-74e7-8ba0-3e5343d356e5', '01a20f15-c29e-77c7-8e0d-95c17322e1ee', 'alert.sent', '{"event":"alert.sent","created_at":"2026-11-24T19:43:34.152Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbgr8e85abn6b766n2dyq","title":"Bridge up","priority":"urgent","send_at":null,"status":"sent","sent_at":"2026-11-24T19:43:34.171455Z"}}', NULL, false, NULL, 'connect', 253, '2026-11-24 19:43:34.487387+00', '01a20f15-c308-720b-92bf-95925d7ef384'),
	('01a20f15-c594-7795-be9d-996716dfd2f7', '01a20f15-c29e-77c7-8e0d-95c17322e1ee', 'alert.sent', '{"event":"alert.sent","created_at":"2026-11-24T19:43:34.752Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhb0eb3svx22m1yg0pn3","title":"Off","priority":"normal","send_at":null,"status":"sent","sent_at":"2026-11-24T19:43:34.758309Z"}}', NULL, false, NULL, 'connect', 1, '2026-11-24 19:43:34.808598+00', '01a20f15-c560-72c8-917d-90bb4f5e39dc');
INSERT INTO public.webhook_endpoint VALUES
	('01a20f15-c29e-77c7-8e0d-95c17322e1ee', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-a728-742b-b2ea-637e641c06bb', NULL, 'http://127.0.0.1:9/hook', '{alert.sent}', '\x4f0775c052a135b66408e351af376883c0de0456d67cdcecd971fcb183ad87f7542f76656efb425c4d4d8ffe30661836aa560b380491cc2db3299e05ddac24f3403cde7da7871e062c06bd3fbc', 2, NULL, '2026-11-24 19:43:34.80851+00', NULL, '2026-11-24 19:43:34.069167+00', 0, NULL, NULL, NULL, 'key_01m87hbasyerps6tqsmfxj33tj', 'kept');
INSERT INTO public.workspace VALUES
	('01a20f15-9c34-7006-8cbc-12abe40d7b18', 'Kept', '2026-11-24 19:43:24.24437+00', 0, NULL, NULL, '2026-11-25 19:43:24.244781+00');
INSERT INTO public.workspace_event VALUES
	(1, '01a20f15-c308-720b-92bf-95925d7ef384', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.sent","created_at":"2026-11-24T19:43:34.152Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbgr8e85abn6b766n2dyq","title":"Bridge up","priority":"urgent","send_at":null,"status":"sent","sent_at":"2026-11-24T19:43:34.171455Z"}}', NULL, '2026-11-24 19:43:34.172098+00'),
	(2, '01a20f15-c549-7722-8347-c8de603463b4', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:34.729Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbha9ewgr5fnvakmbb6qa","title":"Later","priority":"normal","send_at":"2027-06-01T12:00:00.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:34.73828+00'),
	(3, '01a20f15-c560-72c8-917d-90bb4f5e39dc', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.sent","created_at":"2026-11-24T19:43:34.752Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhb0eb3svx22m1yg0pn3","title":"Off","priority":"normal","send_at":null,"status":"sent","sent_at":"2026-11-24T19:43:34.758309Z"}}', NULL, '2026-11-24 19:43:34.758988+00'),
	(4, '01a20f15-c5b4-7051-ac57-8991946707c8', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.cancelled","created_at":"2026-11-24T19:43:34.836Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhb0eb3svx22m1yg0pn3","title":"Off","priority":"normal","send_at":null,"status":"cancelled","sent_at":"2026-11-24T19:43:34.758309Z"}}', NULL, '2026-11-24 19:43:34.857574+00'),
	(5, '01a20f15-c750-7597-af22-14e1d513b750', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre1xrk07zsxnehkeh","title":"Tide","priority":"normal","send_at":"2026-11-25T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254204+00'),
	(6, '01a20f15-c750-7598-be95-6caa9888795a', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre1yb2nkvdhwyy35v","title":"Tide","priority":"normal","send_at":"2026-11-26T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254233+00'),
	(7, '01a20f15-c750-7599-9b7f-77f90532d54d', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre1ysy113gzgwn4n7","title":"Tide","priority":"normal","send_at":"2026-11-27T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254236+00'),
	(8, '01a20f15-c750-759a-ab97-6152ba04d154', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre1z9178pp3hn97qz","title":"Tide","priority":"normal","send_at":"2026-11-28T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254238+00'),
	(9, '01a20f15-c750-759b-940d-74150e3070d6', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre1zrg1exg6pmcgqv","title":"Tide","priority":"normal","send_at":"2026-11-29T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254241+00'),
	(10, '01a20f15-c750-759c-be81-a7da52a40e4d', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre2094sv3nzbpx0dz","title":"Tide","priority":"normal","send_at":"2026-11-30T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254243+00'),
	(11, '01a20f15-c750-759d-944f-82148ca2feb1', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre20sspxs1dx4k89w","title":"Tide","priority":"normal","send_at":"2026-12-01T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254244+00'),
	(12, '01a20f15-c750-759e-bf23-3fd22b954640', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre2189j7v625x5bad","title":"Tide","priority":"normal","send_at":"2026-12-02T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254246+00'),
	(13, '01a20f15-c750-759f-b461-9149a005ce43', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre21v7ent55zkgkva","title":"Tide","priority":"normal","send_at":"2026-12-03T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.25425+00'),
	(14, '01a20f15-c750-75a0-bacb-6a37764ca1d7', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre22bw9ndss0bkb2b","title":"Tide","priority":"normal","send_at":"2026-12-04T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254252+00'),
	(15, '01a20f15-c750-75a1-8544-a9f07443b048', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre22rzg07j1x54qjm","title":"Tide","priority":"normal","send_at":"2026-12-05T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254254+00'),
	(16, '01a20f15-c750-75a2-97b1-bc15e8626ff9', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"alert.scheduled","created_at":"2026-11-24T19:43:35.248Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","alert_id":"alr_01m87hbhrre23bpee8ypr1b7h0","title":"Tide","priority":"normal","send_at":"2026-12-06T20:43:34.000000Z","status":"scheduled","sent_at":null}}', NULL, '2026-11-24 19:43:35.254255+00'),
	(17, '01a20f15-c7bf-77af-8a71-013a9daa1bca', '01a20f15-9c34-7006-8cbc-12abe40d7b18', '01a20f15-bf7a-7711-a3dd-8ceba40248e3', '{"event":"subscriber.created","created_at":"2026-11-24T19:43:35.359Z","data":{"pusher_id":"psh_01m87hbfvtew8t7qccxej04j73","count":1,"delta":1}}', NULL, '2026-11-24 19:43:35.367885+00');
SELECT pg_catalog.setval('public.migration_id_seq', 50, true);
SELECT pg_catalog.setval('public.workspace_event_serial_seq', 17, true);
ALTER TABLE ONLY auth.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth.jwks
    ADD CONSTRAINT jwks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_token_key" UNIQUE (token);
ALTER TABLE ONLY auth."oauthClientAssertion"
    ADD CONSTRAINT "oauthClientAssertion_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthClientResource"
    ADD CONSTRAINT "oauthClientResource_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthClient"
    ADD CONSTRAINT "oauthClient_clientId_key" UNIQUE ("clientId");
ALTER TABLE ONLY auth."oauthClient"
    ADD CONSTRAINT "oauthClient_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthConsent"
    ADD CONSTRAINT "oauthConsent_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthRefreshToken"
    ADD CONSTRAINT "oauthRefreshToken_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."oauthRefreshToken"
    ADD CONSTRAINT "oauthRefreshToken_token_key" UNIQUE (token);
ALTER TABLE ONLY auth."oauthResource"
    ADD CONSTRAINT "oauthResource_identifier_key" UNIQUE (identifier);
ALTER TABLE ONLY auth."oauthResource"
    ADD CONSTRAINT "oauthResource_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth.passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth.session
    ADD CONSTRAINT session_token_key UNIQUE (token);
ALTER TABLE ONLY auth."twoFactor"
    ADD CONSTRAINT "twoFactor_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY auth."user"
    ADD CONSTRAINT user_email_key UNIQUE (email);
ALTER TABLE ONLY auth."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth.verification
    ADD CONSTRAINT verification_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_block
    ADD CONSTRAINT alert_block_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_change
    ADD CONSTRAINT alert_change_pkey PRIMARY KEY (alert_id, updated_at);
ALTER TABLE ONLY public.alert_counter
    ADD CONSTRAINT alert_counter_pkey PRIMARY KEY (alert_id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_series
    ADD CONSTRAINT alert_series_pkey PRIMARY KEY (alert_id);
ALTER TABLE ONLY public.alert_words
    ADD CONSTRAINT alert_words_pkey PRIMARY KEY (alert_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash UNIQUE (hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.asset
    ADD CONSTRAINT asset_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.channel_day
    ADD CONSTRAINT channel_day_pkey PRIMARY KEY (pusher_id, day);
ALTER TABLE ONLY public.channel_state
    ADD CONSTRAINT channel_state_pkey PRIMARY KEY (pusher_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_client UNIQUE (user_id, client_id, member_id);
ALTER TABLE ONLY public.connection_grant
    ADD CONSTRAINT connection_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_token UNIQUE (token_hash) INCLUDE (id);
ALTER TABLE ONLY public.device_transfer
    ADD CONSTRAINT device_transfer_code UNIQUE (code_hash);
ALTER TABLE ONLY public.device_transfer
    ADD CONSTRAINT device_transfer_pkey PRIMARY KEY (device_id);
ALTER TABLE ONLY public.idempotency_record
    ADD CONSTRAINT idempotency_record_pkey PRIMARY KEY (credential_id, operation, key);
ALTER TABLE ONLY public.invite
    ADD CONSTRAINT invite_code UNIQUE (code);
ALTER TABLE ONLY public.invite
    ADD CONSTRAINT invite_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.left_reports
    ADD CONSTRAINT left_reports_pkey PRIMARY KEY (alert_id);
ALTER TABLE ONLY public.loose_alert
    ADD CONSTRAINT loose_alert_pkey PRIMARY KEY (alert_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_email UNIQUE (workspace_id, email);
ALTER TABLE ONLY public.member_link
    ADD CONSTRAINT member_link_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.own_device
    ADD CONSTRAINT own_device_code UNIQUE (code_hash);
ALTER TABLE ONLY public.own_device
    ADD CONSTRAINT own_device_device UNIQUE (device_id);
ALTER TABLE ONLY public.own_device
    ADD CONSTRAINT own_device_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.push_endpoint
    ADD CONSTRAINT push_endpoint_pkey PRIMARY KEY (device_id);
ALTER TABLE ONLY public.pusher
    ADD CONSTRAINT pusher_handle UNIQUE (handle);
ALTER TABLE ONLY public.pusher
    ADD CONSTRAINT pusher_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_pkey PRIMARY KEY (alert_id, device_id, kind) INCLUDE (at);
ALTER TABLE ONLY public.reserved_handle
    ADD CONSTRAINT reserved_handle_pkey PRIMARY KEY (handle);
ALTER TABLE ONLY public.sender_log
    ADD CONSTRAINT sender_log_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.server_secret
    ADD CONSTRAINT server_secret_pkey PRIMARY KEY (one_row);
ALTER TABLE ONLY public.step_up
    ADD CONSTRAINT step_up_pkey PRIMARY KEY (user_id, client_id);
ALTER TABLE ONLY public.subscriber_mix
    ADD CONSTRAINT subscriber_mix_pkey PRIMARY KEY (pusher_id, platform, app_version, locale, timezone);
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (device_id, pusher_id);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.workspace_event
    ADD CONSTRAINT workspace_event_pkey PRIMARY KEY (serial);
ALTER TABLE ONLY public.workspace
    ADD CONSTRAINT workspace_pkey PRIMARY KEY (id);
CREATE INDEX "account_userId_idx" ON auth.account USING btree ("userId");
CREATE INDEX "oauthAccessToken_authorizationCodeId_idx" ON auth."oauthAccessToken" USING btree ("authorizationCodeId");
CREATE INDEX "oauthAccessToken_clientId_idx" ON auth."oauthAccessToken" USING btree ("clientId");
CREATE INDEX "oauthAccessToken_referenceId_idx" ON auth."oauthAccessToken" USING btree ("referenceId");
CREATE INDEX "oauthAccessToken_refreshId_idx" ON auth."oauthAccessToken" USING btree ("refreshId");
CREATE INDEX "oauthAccessToken_sessionId_idx" ON auth."oauthAccessToken" USING btree ("sessionId");
CREATE INDEX "oauthAccessToken_userId_idx" ON auth."oauthAccessToken" USING btree ("userId");
CREATE INDEX "oauthClientResource_clientId_idx" ON auth."oauthClientResource" USING btree ("clientId");
CREATE UNIQUE INDEX "oauthClientResource_clientId_resourceId_uidx" ON auth."oauthClientResource" USING btree ("clientId", "resourceId");
CREATE INDEX "oauthClientResource_resourceId_idx" ON auth."oauthClientResource" USING btree ("resourceId");
CREATE INDEX "oauthClient_userId_idx" ON auth."oauthClient" USING btree ("userId");
CREATE INDEX "oauthConsent_clientId_idx" ON auth."oauthConsent" USING btree ("clientId");
CREATE INDEX "oauthConsent_referenceId_idx" ON auth."oauthConsent" USING btree ("referenceId");
CREATE INDEX "oauthConsent_userId_idx" ON auth."oauthConsent" USING btree ("userId");
CREATE INDEX "oauthRefreshToken_authorizationCodeId_idx" ON auth."oauthRefreshToken" USING btree ("authorizationCodeId");
CREATE INDEX "oauthRefreshToken_clientId_idx" ON auth."oauthRefreshToken" USING btree ("clientId");
CREATE INDEX "oauthRefreshToken_referenceId_idx" ON auth."oauthRefreshToken" USING btree ("referenceId");
CREATE INDEX "oauthRefreshToken_sessionId_idx" ON auth."oauthRefreshToken" USING btree ("sessionId");
CREATE INDEX "oauthRefreshToken_userId_idx" ON auth."oauthRefreshToken" USING btree ("userId");
CREATE INDEX "passkey_credentialID_idx" ON auth.passkey USING btree ("credentialID");
CREATE INDEX "passkey_userId_idx" ON auth.passkey USING btree ("userId");
CREATE INDEX "session_userId_idx" ON auth.session USING btree ("userId");
CREATE INDEX "twoFactor_secret_idx" ON auth."twoFactor" USING btree (secret);
CREATE INDEX "twoFactor_userId_idx" ON auth."twoFactor" USING btree ("userId");
CREATE INDEX verification_identifier_idx ON auth.verification USING btree (identifier);
CREATE INDEX alert_audio_asset ON public.alert USING btree (audio_asset_id) WHERE (audio_asset_id IS NOT NULL);
CREATE INDEX alert_block_found ON public.alert_block USING gin (words) WITH (fastupdate=off);
CREATE INDEX alert_block_stale ON public.alert_block USING btree (id) WHERE stale;
CREATE INDEX alert_block_workspace ON public.alert_block USING btree (workspace_id);
CREATE INDEX alert_cancelled ON public.alert USING btree (pusher_id, created_at DESC) WHERE (status = 'cancelled'::text);
CREATE INDEX alert_change_age ON public.alert_change USING btree (updated_at);
CREATE INDEX alert_counter_untold ON public.alert_counter USING btree (alert_id) WHERE (appeared OR untold OR replied);
CREATE INDEX alert_draft ON public.alert USING btree (pusher_id, created_at DESC) WHERE (status = 'draft'::text);
CREATE INDEX alert_html_asset ON public.alert USING btree (html_asset_id) WHERE (html_asset_id IS NOT NULL);
CREATE INDEX alert_image_asset ON public.alert USING btree (image_asset_id) WHERE (image_asset_id IS NOT NULL);
CREATE INDEX alert_inbox ON public.alert USING btree (pusher_id, visible_at DESC, id DESC) WHERE (status = 'sent'::text);
CREATE INDEX alert_list ON public.alert USING btree (pusher_id, created_at DESC);
CREATE UNIQUE INDEX alert_occurrence ON public.alert USING btree (series_id, occurs_at) WHERE (series_id IS NOT NULL);
CREATE INDEX alert_repeating ON public.alert USING btree (pusher_id, created_at DESC) WHERE (status = 'repeating'::text);
CREATE INDEX alert_scheduled ON public.alert USING btree (pusher_id, visible_at) WHERE (status = 'scheduled'::text);
CREATE INDEX alert_series_due ON public.alert_series USING btree (fill_at);
CREATE INDEX alert_words_in_block ON public.alert_words USING btree (block_id) WHERE (block_id IS NOT NULL);
CREATE INDEX alert_words_wanted ON public.alert_words USING btree (alert_id) WHERE (words IS NULL);
CREATE INDEX asset_expiry ON public.asset USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX asset_list ON public.asset USING btree (workspace_id, created_at DESC);
CREATE INDEX asset_unattached ON public.asset USING btree (member_id, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX audit_age ON public.audit_event USING btree (created_at);
CREATE INDEX audit_by_actor_id ON public.audit_event USING btree (actor_id, created_at DESC) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_by_pusher_id ON public.audit_event USING btree (pusher_id, created_at DESC) WHERE (pusher_id IS NOT NULL);
CREATE INDEX audit_by_subject_id ON public.audit_event USING btree (subject_id, created_at DESC) WHERE (subject_id IS NOT NULL);
CREATE INDEX audit_by_workspace_id ON public.audit_event USING btree (workspace_id, created_at DESC);
CREATE INDEX channel_state_next ON public.channel_state USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX channel_state_untold ON public.channel_state USING btree (pusher_id) WHERE untold;
CREATE INDEX connection_grant_codes ON public.connection_grant USING gin (codes);
CREATE INDEX connection_grant_connection ON public.connection_grant USING btree (connection_id);
CREATE INDEX connection_member ON public.connection USING btree (member_id);
CREATE INDEX device_seen ON public.device USING btree (seen_at);
CREATE INDEX device_transfer_end ON public.device_transfer USING btree (expires_at);
CREATE INDEX event_age ON public.workspace_event USING btree (created_at);
CREATE INDEX event_feed ON public.workspace_event USING btree (workspace_id, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX event_unnumbered ON public.workspace_event USING btree (workspace_id, serial) WHERE ("position" IS NULL);
CREATE INDEX idempotency_age ON public.idempotency_record USING btree (created_at);
CREATE INDEX invite_list ON public.invite USING btree (pusher_id, created_at);
CREATE INDEX loose_alert_age ON public.loose_alert USING btree (workspace_id, created_at);
CREATE INDEX member_link_end ON public.member_link USING btree (expires_at);
CREATE INDEX member_link_member ON public.member_link USING btree (member_id);
CREATE INDEX member_of_user ON public.member USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE UNIQUE INDEX member_user ON public.member USING btree (workspace_id, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX own_device_end ON public.own_device USING btree (expires_at) WHERE (device_id IS NULL);
CREATE INDEX own_device_person ON public.own_device USING btree (user_id);
CREATE INDEX pusher_directory ON public.pusher USING btree (created_at) WHERE (is_public AND (status = 'active'::text));
CREATE INDEX pusher_image_asset ON public.pusher USING btree (image_asset_id) WHERE (image_asset_id IS NOT NULL);
CREATE INDEX pusher_list ON public.pusher USING btree (workspace_id, created_at);
CREATE INDEX pusher_placed ON public.pusher USING btree (created_at) WHERE (is_public AND (status = 'active'::text) AND (radius_km IS NOT NULL));
CREATE INDEX pusher_search ON public.pusher USING gin (grams) WHERE (is_public AND (status = 'active'::text));
CREATE INDEX report_device ON public.report USING btree (device_id) WHERE (at IS NOT NULL);
CREATE INDEX subscription_invite ON public.subscription USING btree (invite_id) WHERE (invite_id IS NOT NULL);
CREATE INDEX subscription_list ON public.subscription USING btree (pusher_id, subscribed_at DESC);
CREATE INDEX subscription_muted_list ON public.subscription USING btree (pusher_id, subscribed_at DESC) WHERE muted;
CREATE INDEX subscription_wakes ON public.subscription USING btree (pusher_id, device_id) WHERE ((NOT muted) AND (permissions && '{notify,sound,vibrate,tts,full}'::text[]));
CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING btree (created_at);
CREATE INDEX webhook_delivery_list ON public.webhook_delivery USING btree (endpoint_id, created_at DESC);
CREATE INDEX webhook_list ON public.webhook_endpoint USING btree (workspace_id, created_at);
CREATE TRIGGER alert_assets_deleted AFTER DELETE ON public.alert FOR EACH ROW WHEN (((old.image_asset_id IS NOT NULL) OR (old.audio_asset_id IS NOT NULL) OR (old.html_asset_id IS NOT NULL))) EXECUTE FUNCTION public.alert_to_assets();
CREATE TRIGGER alert_assets_inserted AFTER INSERT ON public.alert FOR EACH ROW WHEN (((new.image_asset_id IS NOT NULL) OR (new.audio_asset_id IS NOT NULL) OR (new.html_asset_id IS NOT NULL))) EXECUTE FUNCTION public.alert_to_assets();
CREATE TRIGGER alert_assets_updated AFTER UPDATE ON public.alert FOR EACH ROW WHEN (((old.image_asset_id IS DISTINCT FROM new.image_asset_id) OR (old.audio_asset_id IS DISTINCT FROM new.audio_asset_id) OR (old.html_asset_id IS DISTINCT FROM new.html_asset_id))) EXECUTE FUNCTION public.alert_to_assets();
CREATE TRIGGER alert_decided AFTER UPDATE OF status, review_reply ON public.alert FOR EACH ROW WHEN (((old.notice_id IS NOT NULL) AND ((new.status <> 'draft'::text) OR (new.review_reply IS NOT NULL)))) EXECUTE FUNCTION public.notice_over();
CREATE TRIGGER alert_deleted AFTER DELETE ON public.alert FOR EACH ROW WHEN (((old.visible_at IS NOT NULL) AND (current_setting('belfry.stays_counted'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.alert_to_state();
CREATE TRIGGER alert_gone AFTER DELETE ON public.alert FOR EACH ROW WHEN ((old.notice_id IS NOT NULL)) EXECUTE FUNCTION public.notice_over();
CREATE TRIGGER alert_inserted AFTER INSERT ON public.alert REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION public.new_alerts_to_state();
CREATE TRIGGER alert_loosened AFTER UPDATE ON public.alert FOR EACH ROW WHEN ((((old.title IS DISTINCT FROM new.title) OR (old.body IS DISTINCT FROM new.body)) OR (old.visible_at IS DISTINCT FROM new.visible_at) OR (old.status = 'repeating'::text) OR (new.status = 'repeating'::text))) EXECUTE FUNCTION public.alert_loosened();
CREATE TRIGGER alert_reports_deleted AFTER DELETE ON public.alert REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.alert_reports_removed();
CREATE TRIGGER alert_updated AFTER UPDATE ON public.alert FOR EACH ROW WHEN (((old.visible_at IS NOT NULL) OR (new.visible_at IS NOT NULL))) EXECUTE FUNCTION public.alert_to_state();
CREATE TRIGGER audit_event_stays BEFORE DELETE OR UPDATE ON public.audit_event FOR EACH ROW EXECUTE FUNCTION public.audit_event_kept();
CREATE TRIGGER audit_event_stays_whole BEFORE TRUNCATE ON public.audit_event FOR EACH STATEMENT EXECUTE FUNCTION public.audit_event_kept();
CREATE TRIGGER device_changed AFTER UPDATE OF platform, app_version, locale, timezone ON public.device FOR EACH ROW WHEN (((((old.platform IS DISTINCT FROM new.platform) OR (old.app_version IS DISTINCT FROM new.app_version)) OR (old.locale IS DISTINCT FROM new.locale)) OR (old.timezone IS DISTINCT FROM new.timezone))) EXECUTE FUNCTION public.device_to_mix();
CREATE TRIGGER pusher_assets_deleted AFTER DELETE ON public.pusher FOR EACH ROW WHEN ((old.image_asset_id IS NOT NULL)) EXECUTE FUNCTION public.pusher_to_assets();
CREATE TRIGGER pusher_assets_inserted AFTER INSERT ON public.pusher FOR EACH ROW WHEN ((new.image_asset_id IS NOT NULL)) EXECUTE FUNCTION public.pusher_to_assets();
CREATE TRIGGER pusher_assets_updated AFTER UPDATE ON public.pusher FOR EACH ROW WHEN ((old.image_asset_id IS DISTINCT FROM new.image_asset_id)) EXECUTE FUNCTION public.pusher_to_assets();
CREATE TRIGGER pusher_inserted AFTER INSERT ON public.pusher FOR EACH ROW EXECUTE FUNCTION public.pusher_to_state();
CREATE TRIGGER pusher_retention_set BEFORE INSERT OR UPDATE OF retention_days ON public.pusher FOR EACH ROW EXECUTE FUNCTION public.retention_set();
CREATE TRIGGER pusher_searched BEFORE INSERT OR UPDATE OF search ON public.pusher FOR EACH ROW EXECUTE FUNCTION public.pusher_to_grams();
CREATE TRIGGER pusher_status_changed AFTER UPDATE OF status ON public.pusher FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.pusher_to_state();
CREATE TRIGGER subscription_deleted AFTER DELETE ON public.subscription REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.subscription_to_counts();
CREATE TRIGGER subscription_inserted AFTER INSERT ON public.subscription REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.subscription_to_counts();
CREATE TRIGGER subscription_muted AFTER UPDATE OF muted ON public.subscription FOR EACH ROW WHEN ((old.muted IS DISTINCT FROM new.muted)) EXECUTE FUNCTION public.subscription_muted();
CREATE TRIGGER workspace_retention_set BEFORE INSERT OR UPDATE OF retention_days ON public.workspace FOR EACH ROW EXECUTE FUNCTION public.retention_set();
ALTER TABLE ONLY auth.account
    ADD CONSTRAINT "account_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES auth."oauthClient"("clientId") ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_refreshId_fkey" FOREIGN KEY ("refreshId") REFERENCES auth."oauthRefreshToken"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES auth.session(id) ON DELETE SET NULL;
ALTER TABLE ONLY auth."oauthAccessToken"
    ADD CONSTRAINT "oauthAccessToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthClientResource"
    ADD CONSTRAINT "oauthClientResource_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES auth."oauthClient"("clientId") ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthClientResource"
    ADD CONSTRAINT "oauthClientResource_resourceId_fkey" FOREIGN KEY ("resourceId") REFERENCES auth."oauthResource"(identifier) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthClient"
    ADD CONSTRAINT "oauthClient_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthConsent"
    ADD CONSTRAINT "oauthConsent_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES auth."oauthClient"("clientId") ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthConsent"
    ADD CONSTRAINT "oauthConsent_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthRefreshToken"
    ADD CONSTRAINT "oauthRefreshToken_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES auth."oauthClient"("clientId") ON DELETE CASCADE;
ALTER TABLE ONLY auth."oauthRefreshToken"
    ADD CONSTRAINT "oauthRefreshToken_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES auth.session(id) ON DELETE SET NULL;
ALTER TABLE ONLY auth."oauthRefreshToken"
    ADD CONSTRAINT "oauthRefreshToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth.passkey
    ADD CONSTRAINT "passkey_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth.session
    ADD CONSTRAINT "session_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY auth."twoFactor"
    ADD CONSTRAINT "twoFactor_userId_fkey" FOREIGN KEY ("userId") REFERENCES auth."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_audio_asset_id_foreign FOREIGN KEY (audio_asset_id) REFERENCES public.asset(id);
ALTER TABLE ONLY public.alert_block
    ADD CONSTRAINT alert_block_workspace_id_foreign FOREIGN KEY (workspace_id) REFERENCES public.workspace(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert_change
    ADD CONSTRAINT alert_change_alert_id_foreign FOREIGN KEY (alert_id) REFERENCES public.alert(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_html_asset_id_foreign FOREIGN KEY (html_asset_id) REFERENCES public.asset(id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_image_asset_id_foreign FOREIGN KEY (image_asset_id) REFERENCES public.asset(id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert_series
    ADD CONSTRAINT alert_series_alert_id_foreign FOREIGN KEY (alert_id) REFERENCES public.alert(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_member_id_foreign FOREIGN KEY (member_id) REFERENCES public.member(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.asset
    ADD CONSTRAINT asset_member_id_foreign FOREIGN KEY (member_id) REFERENCES public.member(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.asset
    ADD CONSTRAINT asset_workspace_id_foreign FOREIGN KEY (workspace_id) REFERENCES public.workspace(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.channel_day
    ADD CONSTRAINT channel_day_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.channel_state
    ADD CONSTRAINT channel_state_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connection_grant
    ADD CONSTRAINT connection_grant_connection_id_foreign FOREIGN KEY (connection_id) REFERENCES public.connection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_member_id_foreign FOREIGN KEY (member_id) REFERENCES public.member(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_transfer
    ADD CONSTRAINT device_transfer_device_id_foreign FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invite
    ADD CONSTRAINT invite_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.member_link
    ADD CONSTRAINT member_link_member_id_foreign FOREIGN KEY (member_id) REFERENCES public.member(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_workspace_id_foreign FOREIGN KEY (workspace_id) REFERENCES public.workspace(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.own_device
    ADD CONSTRAINT own_device_device_id_foreign FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.push_endpoint
    ADD CONSTRAINT push_endpoint_device_id_foreign FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pusher
    ADD CONSTRAINT pusher_image_asset_id_foreign FOREIGN KEY (image_asset_id) REFERENCES public.asset(id);
ALTER TABLE ONLY public.pusher
    ADD CONSTRAINT pusher_workspace_id_foreign FOREIGN KEY (workspace_id) REFERENCES public.workspace(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sender_log
    ADD CONSTRAINT sender_log_key_id_foreign FOREIGN KEY (key_id) REFERENCES public.api_key(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscriber_mix
    ADD CONSTRAINT subscriber_mix_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_device_id_foreign FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_invite_id_foreign FOREIGN KEY (invite_id) REFERENCES public.invite(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pusher_id_foreign FOREIGN KEY (pusher_id) REFERENCES public.pusher(id) ON DELETE RESTRICT;
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_endpoint_id_foreign FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoint(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_member_id_foreign FOREIGN KEY (member_id) REFERENCES public.member(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_workspace_id_foreign FOREIGN KEY (workspace_id) REFERENCES public.workspace(id) ON DELETE CASCADE;
