// Fills a fresh database with alerts, subscriptions and reports by SQL on the server. Triggers are disabled, so every
// counter that they would keep is computed at the end, exactly. It is independent of the measurements.

import { CompiledQuery, type Kysely } from "kysely";
import {
  API_KEY_PREFIX,
  DEVICE_TOKEN_PREFIX,
  hashToken,
  mintToken,
} from "../src/identity/auth/bearer_authentication.ts";
import { formatId } from "../src/model/domain/type_ids.ts";
import { ALL_SCOPES } from "../src/model/scopes.ts";

/** The number of alerts, and of subscriptions and reports. */
export interface WorldSize {
  name: "S" | "L" | "E" | "U";
  alerts: number;
}

/** Channel 1 is the hot one. Other channels of the bench's handsets contain as much in S as in L. */
export const HOT_CHANNEL = 1;
export const POLLED_CHANNELS = 50;
export const POLLED_WIDTHS = [1, 5, 50] as const;
/** One for each connection that loads. */
const POLLERS_EACH = 32;
/**
 * The channels of poller `n`, `j` counting them. Concurrent requests for the same channels share one read. Each poller
 * with more than one channel therefore has a set of its own: shifted, or with one channel exchanged.
 */
const POLLED = {
  1: `${HOT_CHANNEL}`,
  5: `case when j = 0 then ${HOT_CHANNEL} else 2 + (n + 7 * j) % ${POLLED_CHANNELS - 1} end`,
  50: `case when j = 1 + n then ${POLLED_CHANNELS + 1} + n else 1 + j end`,
} as const;
/** Channels 51 to 100 take what the bench writes. */
export const WRITTEN_CHANNELS = { first: 51, count: 50 };
/** Every channel that handsets report on has alerts of these numbers, and they are visible. */
export const REPORTABLE = { first: 4, count: 11 };

const FEW_ALERTS = 60;
const FEWER_ALERTS = 14;
const CHANNELS_IN_A_WORKSPACE = 200;

const KINDS = { channel: 1, alert: 2, draft: 3, workspace: 4, member: 5, key: 6, sent: 7, told: 8 } as const;
type IdKind = typeof KINDS;

/** The uuid that the SQL function `bench_id` makes of the same numbers. */
export function benchId(kind: keyof IdKind, n: number): string {
  return `01900000-000${KINDS[kind]}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

export const channelPath = (n: number) => `/api/v1/pushers/${formatId("psh", benchId("channel", n))}`;
/** Alert `k` of one of the first channels. */
export const alertNumber = (channel: number, k: number) => channel * 1000 + k;

/** The credentials that the bench calls with; the same in every database. */
export interface Tokens {
  key: string;
  /** Keyed by the number of channels that the handset is subscribed to. */
  pollers: Record<(typeof POLLED_WIDTHS)[number], string[]>;
  /** Subscribed to the hot channel and one other. */
  reporters: string[];
}

export function mintTokens(reporters: number): Tokens {
  const devices = (n: number) => Array.from({ length: n }, () => mintToken(DEVICE_TOKEN_PREFIX).token);
  return {
    key: mintToken(API_KEY_PREFIX).token,
    pollers: { 1: devices(POLLERS_EACH), 5: devices(POLLERS_EACH), 50: devices(POLLERS_EACH) },
    reporters: devices(reporters),
  };
}

export const hashHex = (token: string) => hashToken(token).toString("hex");
export const POLLER_IDS = 1_100_000_000_000_000_000n;
export const REPORTER_IDS = 1_200_000_000_000_000_000n;
/** A handset of the bench, by its place: device ids of the others are random. */
export const reporterChannel = (i: number) => 2 + (i % (POLLED_CHANNELS - 1));

type Sql = (text: string, parameters?: unknown[]) => Promise<unknown>;

/** Runs on one connection, with the schema in place. */
export async function seedDatabase(kysely: Kysely<unknown>, { alerts }: WorldSize, tokens: Tokens): Promise<void> {
  await kysely.connection().execute(async (connection) => {
    const sql: Sql = (text, parameters = []) =>
      connection.executeQuery(CompiledQuery.raw(text, parameters as unknown[]));
    await sql("set session_replication_role = replica");
    await sql("set maintenance_work_mem = '512MB'");
    await sql("set work_mem = '256MB'");
    await sql("set synchronous_commit = off");
    await sql("select setseed(0.5)");
    await withoutIndexes(connection, sql, async () => {
      for (const text of rows(alerts)) await sql(text);
      for (const [text, parameters] of ownDevices(tokens)) await sql(text, parameters);
      await sql(DEVICES, [Math.floor(alerts * 0.3)]);
    });
    await sql("analyze");
    for (const text of COUNTERS) await sql(text);
    // Measurements begin with everything vacuumed: the newest rows are those that an inbox reads.
    await sql("vacuum (analyze)");
    await sql("reset all");
  });
}

/** Secondary indexes are built once at the end, as their definitions read now. */
async function withoutIndexes(connection: Kysely<unknown>, sql: Sql, fill: () => Promise<void>) {
  const { rows: indexes } = await connection.executeQuery<{ name: string; definition: string }>(
    CompiledQuery.raw(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid in ('alert'::regclass, 'subscription'::regclass, 'device'::regclass, 'report'::regclass)
         and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
    ),
  );
  for (const { name } of indexes) await sql(`drop index ${name}`);
  await fill();
  for (const { definition } of indexes) await sql(definition);
}

/** The same in SQL; `n` is an expression. */
export const benchIdSql = (kind: keyof IdKind, n: string) => `bench_id(${KINDS[kind]}, ${n})`;

function rows(alerts: number): string[] {
  const channels = Math.min(2000, Math.max(100, Math.floor(alerts / 500)));
  const devices = Math.floor(alerts * 0.3);
  const hot = Math.floor(alerts / 10);
  const others = channels - POLLED_CHANNELS;
  const rest = alerts - hot - 4 * FEW_ALERTS - (POLLED_CHANNELS - 5) * FEWER_ALERTS;
  const share = (c: string) => `(${rest}::bigint * ${c} / ${others})`;
  return [
    `create function bench_id(kind int, n bigint) returns uuid language sql immutable as $$
     select ('01900000-000' || kind || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`,
    `insert into workspace (id, name) select ${benchIdSql("workspace", "w")}, 'Workspace ' || w
     from generate_series(0, ${Math.ceil(channels / CHANNELS_IN_A_WORKSPACE)}) w`,
    `insert into member (id, workspace_id, email, role) select ${benchIdSql("member", "0")},
      ${benchIdSql("workspace", "0")},
     'bench@localhost', 'owner'`,
    `insert into pusher (id, workspace_id, handle, name, category, description, requested_perms, alert_types, tags,
       search_text, gradient_from, gradient_to, initials, created_at)
     select ${benchIdSql("channel", "c")}, ${benchIdSql("workspace", `(c - 1) / ${CHANNELS_IN_A_WORKSPACE}`)},
       'channel-' || c,
       'Channel ' || c, (array['cities', 'travel', 'events', 'business', 'community'])[1 + c % 5],
       'What happens on channel ' || c, '{notify,sound}', '{news}', '{bench,news}', 'channel ' || c || ' bench news',
       '#336699', '#993366', 'CH', now() - interval '400 days' + c * interval '1 minute'
     from generate_series(1, ${channels}) c`,
    `insert into alert (id, pusher_id, status, title, body, actions, send_at, sent_at, cancelled_at, created_at,
      updated_at, search_vector)
     select id, ${benchIdSql("channel", "c")}, status, 'Alert ' || k || ' of channel ' || c, repeat(md5(k::text), 8),
       case when k % 4 = 0 then '[{"type":"open_url","label":"Read on","url":"https://example.com/alerts/1"}]' else '[]'
         end::jsonb,
       case when part = 2 then at + interval '1 hour' when part = 3 and status = 'scheduled' then now() + (1 + k % 10) *
         interval '1 day' end,
       case when status = 'sent' then at + interval '1 minute' end,
       case when status = 'cancelled' then at + interval '2 minutes' end, at, at,
       array_to_tsvector(array['alert', k::text, 'of', 'channel', c::text, left(repeat(md5(k::text), 2), 40),
         '#' || right(${benchIdSql("channel", "c")}::text, 8), '%' ||
           right(${benchIdSql("workspace", `(c - 1) / ${CHANNELS_IN_A_WORKSPACE}`)}::text, 8)])
     from (
       select *, case when c <= ${POLLED_CHANNELS} and k <= 100 then ${benchIdSql("alert", "c * 1000 + k")} else
         (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || left(hash, 3) || '8' || substr(hash,
           4, 15))::uuid end as id,
         case when part = 0 then 'draft' when part = 1 then 'cancelled' when part = 2 or k % 50 = 3 then 'scheduled'
           else 'sent' end as status
       from (
         select c, k, k % 25 as part, md5(random()::text) as hash,
           now() - interval '2 hours' - interval '300 days' * ((n - k + random()) / n) as at
         from (
           select c, case when c = ${HOT_CHANNEL} then ${hot} when c <= 5 then ${FEW_ALERTS} when c <=
             ${POLLED_CHANNELS} then ${FEWER_ALERTS}
             else ${share(`(c - ${POLLED_CHANNELS})`)} - ${share(`(c - ${POLLED_CHANNELS} - 1)`)} end as n
           from generate_series(1, ${channels}) c) sizes
         cross join lateral generate_series(1, n) k) numbered) made
     order by at`,
    `create table bench_device as
     select n, ('x' || substr(md5(n::text), 1, 15))::bit(60)::bigint as id from generate_series(1, ${devices}) n`,
    `insert into subscription (device_id, pusher_id, permissions, muted, subscribed_at)
     select id, ${benchIdSql("channel", "1")}, '{notify}'::text[], n % 20 = 0, now() - random() * interval '200 days'
       from bench_device
     union all
     select id, ${benchIdSql("channel", `${POLLED_CHANNELS + 1} + (n * 7919::bigint + j * 104729) % ${others}`)},
       '{notify}',
       n % 20 = 0, now() - random() * interval '200 days'
     from bench_device, generate_series(0, 2) j where j < 2 or n % 3 = 0
     on conflict do nothing`,
    // A fifth of the reports are on one alert, the others on the channel's newest.
    `insert into report (alert_id, device_id, kind, reported_at)
     select ${benchIdSql("alert", String(alertNumber(HOT_CHANNEL, 24)))}, id, 1, now() - random() * interval '1 day'
       from bench_device
     where n <= ${Math.floor(alerts / 5)}
     union all
     select a.id, d.id, 1 + r % 2, now() - random() * interval '5 days'
     from generate_series(0, ${Math.floor(alerts * 0.8) - 1}) r
     join (select row_number() over (order by visible_at desc) - 1 as i, id from alert
       where pusher_id = ${benchIdSql("channel", "1")} and visible_at <= now() and id <>
         ${benchIdSql("alert", String(alertNumber(HOT_CHANNEL, 24)))}
       order by visible_at desc limit 5000) a on a.i = r % ${Math.min(5000, Math.floor(hot * 0.8))}
     join bench_device d on d.n = 1 + r / ${Math.min(5000, Math.floor(hot * 0.8))}`,
  ];
}

const FACETS = (
  n: string,
) => `(array['ios', 'android', 'web'])[1 + ${n} % 3], (array['1.0', '1.1', '2.0'])[1 + ${n} % 7 % 3],
  (array['en', 'de', 'pt-BR'])[1 + ${n} % 5 % 3],
  (array['Europe/Lisbon', 'America/New_York', 'Asia/Tokyo'])[1 + ${n} % 11 % 3]`;

const SUBS_REV = "(select count(*) from subscription s where s.device_id = d.id)";

const DEVICES = `insert into device (id, token_hash, platform, app_version, locale, timezone, subscriptions_revision)
  select d.id, sha256(convert_to(n::text, 'UTF8')), ${FACETS("n")}, ${SUBS_REV} from bench_device d where n <= $1`;

/** A device sees few alerts from before it joined. The bench's own devices see whole pages. */
const BEFORE_ALL_ALERTS = "now() - interval '400 days'";

/** Key and handsets whose secrets the bench has. */
function* ownDevices({ key, pollers, reporters }: Tokens): Generator<[string, unknown[]]> {
  yield [
    `insert into api_key (id, member_id, name, hash, scopes) values (${benchIdSql("key", "0")},
      ${benchIdSql("member", "0")}, 'bench', decode($1, 'hex'), $2)`,
    [hashHex(key), ALL_SCOPES],
  ];
  const devices = `insert into device (id, token_hash, platform, app_version, locale, timezone, subscriptions_revision)
    select $2::bigint + n - 1, decode(hash, 'hex'), ${FACETS("n")}, (select count(*) from subscription where device_id =
      $2::bigint + n - 1)
    from unnest($1::text[]) with ordinality t (hash, n)`;
  for (const width of POLLED_WIDTHS) {
    const first = POLLER_IDS + BigInt(width * 1000);
    yield [
      `insert into subscription (device_id, pusher_id, permissions, subscribed_at)
       select $1::bigint + n, ${benchIdSql("channel", POLLED[width])}, '{notify}'::text[], ${BEFORE_ALL_ALERTS}
       from generate_series(0, $2::int) n, generate_series(0, $3::int - 1) j`,
      [String(first), pollers[width].length - 1, width],
    ];
    yield [devices, [pollers[width].map(hashHex), String(first)]];
  }
  yield [
    `insert into subscription (device_id, pusher_id, permissions, subscribed_at)
     select $1::bigint + n, ${benchIdSql("channel", "c")}, '{notify}'::text[], ${BEFORE_ALL_ALERTS}
     from generate_series(0, $2::int) n
     cross join lateral (values (${HOT_CHANNEL}), (2 + n % ${POLLED_CHANNELS - 1})) v (c)`,
    [String(REPORTER_IDS), reporters.length - 1],
  ];
  yield [devices, [reporters.map(hashHex), String(REPORTER_IDS)]];
}

const COUNTERS = [
  `insert into channel_state (pusher_id, revision, published, subscribers)
   select p.id, coalesce(a.n, 0), coalesce(a.n, 0), coalesce(s.n, 0) from pusher p
   left join (select pusher_id, count(*) n from alert where visible_at is not null group by 1) a on a.pusher_id = p.id
   left join (select pusher_id, count(*) n from subscription group by 1) s on s.pusher_id = p.id`,
  `insert into subscriber_breakdown (pusher_id, platform, app_version, locale, timezone, device_count, muted_count)
   select s.pusher_id, d.platform, d.app_version, d.locale, d.timezone, count(*), count(*) filter (where s.muted)
   from subscription s join device d on d.id = s.device_id group by 1, 2, 3, 4, 5`,
  `insert into alert_counter (alert_id, reads, acks)
   select alert_id, count(*) filter (where kind = 1), count(*) filter (where kind = 2) from report group by 1`,
  `insert into channel_day (pusher_id, day, published, reads, acks)
   select pusher_id, day, sum(published), sum(reads), sum(acks) from (
     select pusher_id, (visible_at at time zone 'UTC')::date as day, count(*) as published, 0 as reads, 0 as acks
     from alert where visible_at is not null group by 1, 2
     union all
     select a.pusher_id, (r.reported_at at time zone 'UTC')::date, 0, count(*) filter (where r.kind = 1),
       count(*) filter (where r.kind = 2)
     from report r join alert a on a.id = r.alert_id group by 1, 2) days group by 1, 2`,
];
