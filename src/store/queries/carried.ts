// The rows that `belfry export` writes and `belfry import` reads (docs/decisions/0037-a-file-of-a-server.md): which tables, which of
// their columns, a page of them after a key, and how they come in. A column that is named here is readable in the file.

import { array, int, jsonb, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("upkeep");

interface Kind {
  table: string;
  /** What of a row `r` leaves. `name::text`: a number with more digits than JSON's have. */
  columns: string;
  /** Whether a row `r` belongs to one of the workspaces. */
  belongs: string;
  /** Its order: columns of an index, with their types. */
  key: string;
  /** Rows that stay behind. */
  but?: string;
  /** How rows come in; an `insert` where nothing is said. `come` are the rows that belong to a workspace that comes with them. */
  put?: string;
  /** Ends the insert. */
  conflict?: string;
}

const OWN = "r.workspace_id = any($workspaces::uuid[])";
const OF_CHANNEL =
  "exists (select from pusher p where p.id = r.pusher_id and p.workspace_id = any($workspaces::uuid[]))";
const OF_MEMBER =
  "exists (select from member m where m.id = r.member_id and m.workspace_id = any($workspaces::uuid[]))";
const OF_ALERT = `exists (select from alert a join pusher p on p.id = a.pusher_id
  where a.id = r.alert_id and p.workspace_id = any($workspaces::uuid[]))`;
const ID = "id uuid";
const ALERT_ID = "alert_id uuid";
const CHANNEL_DAY = "pusher_id uuid, day date";

/** In the order in which they stand in a file: each after all that it names. */
const KINDS = {
  workspace: {
    table: "workspace",
    columns: "id, name, created_at, events_numbered, reviews_id, retention_days",
    belongs: "r.id = any($workspaces::uuid[])",
    key: ID,
  },
  member: {
    table: "member",
    columns: "id, workspace_id, email, role, pusher_ids, created_at, name, mails_drafts",
    belongs: OWN,
    key: ID,
  },
  file: {
    table: "asset",
    columns: "id, workspace_id, member_id, kind, content_type, bytes, sha256, name, text, stored, created_at",
    belongs: OWN,
    key: ID,
    but: "r.refs = 0",
  },
  channel: {
    table: "pusher",
    columns: `id, workspace_id, handle, name, category, description, long, site, city, lat, lon, radius_km, loc_rule, requested_perms,
      alert_types, tags, search, is_public, image_url, gradient_from, gradient_to, initials, status, created_at, updated_at,
      image_asset_id, retention_days`,
    belongs: OWN,
    key: ID,
  },
  invite: {
    table: "invite",
    columns: "id, pusher_id, code, label, max_uses, uses, expires_at, revoked_at, created_at",
    belongs: OF_CHANNEL,
    key: ID,
  },
  key: {
    table: "api_key",
    columns:
      "id, member_id, name, hash, scopes, pusher_id, expires_at, revoked_at, last_used_at, created_at, asks_first, made_for",
    belongs: OF_MEMBER,
    key: ID,
  },
  // Their secrets stay behind, so each waits for a new one before anything is signed with it.
  webhook: {
    table: "webhook_endpoint",
    columns: "id, workspace_id, member_id, pusher_id, url, events, created_at, maker_id, maker_name",
    belongs: OWN,
    key: ID,
    put: `insert into webhook_endpoint (id, workspace_id, member_id, pusher_id, url, events, created_at, maker_id, maker_name, secret, disabled_at)
      select id, workspace_id, member_id, pusher_id, url, events, created_at, maker_id, maker_name, secret, clock_timestamp() from come`,
  },
  alert: {
    table: "alert",
    columns: `id, pusher_id, status, title, body, priority, layout, image_url, image_asset_id, audio_asset_id, html_asset_id, html, actions,
      requires_ack, send_at, expires_at, sound, audio_url, vibrate, tts_text, tts_lang, lat, lon, radius_km, geo_rule, collapse_key,
      sent_at, cancelled_at, created_at, updated_at, asset_html, source_url, review_note, review_reply, blocked, notice_id,
      repeat_until_acked, recurrence, series_id, occurs_at, apart`,
    belongs: OF_CHANNEL,
    key: ID,
  },
  change: {
    table: "alert_change",
    columns: "alert_id, updated_at, former",
    belongs: OF_ALERT,
    key: `${ALERT_ID}, updated_at timestamptz`,
  },
  series: {
    table: "alert_series",
    columns: "alert_id, filled_to, fill_at",
    belongs: OF_ALERT,
    key: ALERT_ID,
  },
  count: {
    table: "alert_counter",
    columns: "alert_id, reads, acks, told_acks, told_at, replies, replied_told_at",
    belongs: OF_ALERT,
    key: ALERT_ID,
  },
  count_stripe: {
    table: "alert_counter_stripe",
    columns: "alert_id, stripe, reads, acks, replies",
    belongs: OF_ALERT,
    key: `${ALERT_ID}, stripe smallint`,
  },
  // Those of alerts that are gone stand in the days alone.
  day: {
    table: "channel_day",
    columns: "pusher_id, day, published, reads, acks, gone",
    belongs: OF_CHANNEL,
    key: CHANNEL_DAY,
    conflict: `on conflict (pusher_id, day) do update
      set published = excluded.published, reads = excluded.reads, acks = excluded.acks, gone = excluded.gone`,
  },
  day_stripe: {
    table: "channel_day_stripe",
    columns: "pusher_id, day, stripe, reads, acks",
    belongs: OF_CHANNEL,
    key: `${CHANNEL_DAY}, stripe smallint`,
  },
  state: {
    table: "channel_state",
    columns: "pusher_id, rev, published, told_subscribers, told_at",
    belongs: OF_CHANNEL,
    key: "pusher_id uuid",
    put: `update channel_state s set rev = s.rev + come.rev + 1, published = come.published,
        told_subscribers = come.told_subscribers, told_at = come.told_at
      from come where s.pusher_id = come.pusher_id`,
  },
  device: {
    table: "device",
    columns: "id::text, token_hash, platform, app_version, locale, timezone, created_at, seen_at",
    belongs: `exists (select from subscription s join pusher p on p.id = s.pusher_id
      where s.device_id = r.id and p.workspace_id = any($workspaces::uuid[]))`,
    key: "id bigint",
    // It is nobody's; one that came with another workspace is there already.
    put: `insert into device (id, token_hash, platform, app_version, locale, timezone, created_at, seen_at)
      select id, token_hash, platform, app_version, locale, timezone, created_at, seen_at from come
      on conflict (token_hash) do nothing`,
  },
  subscription: {
    table: "subscription",
    columns: "device_id::text, pusher_id, invite_id, permissions, muted, subscribed_at",
    belongs: OF_CHANNEL,
    key: "device_id bigint, pusher_id uuid",
  },
  report: {
    table: "report",
    columns: "alert_id, device_id::text, kind, at, choice, was",
    belongs: OF_ALERT,
    key: `${ALERT_ID}, device_id bigint, kind smallint`,
  },
} as const satisfies Record<string, Kind>;

export type CarriedKind = keyof typeof KINDS;

/** Before every key of a kind, as `after` says it. */
const FIRST: Record<string, string> = {
  uuid: "00000000-0000-0000-0000-000000000000",
  bigint: "-1",
  smallint: "-1",
  date: "-infinity",
  timestamptz: "-infinity",
};

function statementsFor(name: CarriedKind) {
  const { table, columns, belongs, but, put, conflict = "", ...kind }: Kind = KINDS[name];
  const key = kind.key.split(", ").map((part) => part.split(" ") as [column: string, type: string]);
  const parts = columns.split(",").map((part) => part.trim());
  const names = parts.map((part) => part.replace("::text", ""));
  const out = parts.map((part, i) => `r.${part} as ${names[i]}`).join(", ");
  const order = key.map(([column]) => `r.${column}`).join(", ");
  const after = key.map(([, type], i) => `split_part($after::text, ' ', ${i + 1})::${type}`).join(", ");
  // As PostgreSQL writes an instant it holds a blank.
  const shown = key.map(([column, type]) =>
    type === "timestamptz" ? `replace(r.${column}::text, ' ', 'T')` : `r.${column}::text`,
  );
  const into = `insert into ${table} (${names.join(", ")}) select ${names.join(", ")} from come ${conflict}`;
  // Whom a device belongs to is said by the subscriptions that follow it.
  const comes = name === "device" ? "cardinality($workspaces::uuid[]) > 0" : belongs;
  return {
    kind: name,
    table,
    columns: names,
    first: key.map(([, type]) => FIRST[type]).join(" "),
    page: defineStatement.reading(`export_${name}`, {
      parameters: { workspaces: array(uuid), after: text, max: int },
      columns: { key: text, row: text },
      text: `select concat_ws(' ', ${shown.join(", ")}) as key, row_to_json(x)::text as row
        from ${table} r cross join lateral (select ${out}) x
        where ${belongs} and (${order}) > (${after})${but ? ` and not (${but})` : ""}
        order by ${order} limit $max::int`,
    }),
    put: defineStatement(`import_${name}`, {
      parameters: { workspaces: array(uuid), rows: jsonb<readonly object[]>() },
      columns: { come: int },
      text: `with come as materialized (select r.* from jsonb_populate_recordset(null::${table}, $rows) r where ${comes}),
        done as (${put ?? into})
        select count(*)::int as come from come`,
    }),
  };
}

export type Carried = ReturnType<typeof statementsFor>;
export const CARRIED: readonly Carried[] = (Object.keys(KINDS) as CarriedKind[]).map(statementsFor);

/** By what the migrations are called: equal on servers whose rows have the same columns. */
export const readSchema = defineStatement.reading("read_schema", {
  columns: { schema: text },
  text: "select md5(string_agg(name, ' ' order by name)) as schema from migration",
});

export const presentWorkspaces = defineStatement.reading("present_workspaces", {
  parameters: { ids: array(uuid) },
  columns: { id: uuid },
  text: "select id from workspace where id = any($ids) order by created_at",
});

/** Of these handles those that a channel has, or had. */
export const takenHandles = defineStatement.reading("taken_handles", {
  parameters: { handles: array(text) },
  columns: { handle: text },
  text: `select handle from pusher where handle = any($handles)
    union select handle from reserved_handle where handle = any($handles) order by 1`,
});

/** The columns of a constraint, or the key of a unique index, in their order in the table. */
export const constrainedColumns = defineStatement.reading("constrained_columns", {
  parameters: { table: text, constraint: text },
  columns: { column: text },
  text: `select attname::text as column from pg_attribute
    where attrelid = to_regclass($table::text) and attnum = any(
      select unnest(conkey) from pg_constraint where conname = $constraint::text and conrelid = to_regclass($table::text)
      union all select unnest((indkey::int2[])[:indnkeyatts - 1]) from pg_index where indexrelid = to_regclass($constraint::text))
    order by attnum`,
});
