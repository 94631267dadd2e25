// The examples of the whole document: a ferry line in Lisbon. Values are found by field name, so a new operation gets
// its example without further work. A test validates every example against its schema.
import { SCOPES } from "../../model/scopes.ts";
import type { JsonSchema } from "../../operation/validation_errors.ts";
import {
  createHandsetExampleResponses,
  EXAMPLE_HANDLE,
  HANDSET_EXAMPLE_ARGUMENTS,
  STREAM_EXAMPLES,
} from "./handset_examples.ts";

export const EXAMPLE_IDS: Record<string, string> = {
  pusher_id: "psh_01kagt4wq8e3xb5m2c7n9r6f0d",
  alert_id: "alr_01kagt7h2mf9vs4k1e8p3x5w6q",
  invite_id: "inv_01kagt9z5cepz7b3n6d2r8j4mk",
  webhook_id: "whk_01kagtbr9tfy5q0h7w3c6v1x8n",
  workspace_id: "wsp_01kagsxm4aeb8t2j5p9d7c3r1f",
  member_id: "mem_01kagsxm4bfs6v1n8q4x2k7w0z",
  key_id: "key_01kagsxm4cf2r9c5m3h8e6b4tj",
  delivery_id: "dlv_01kagtcd5we8b9r3v6k1x7n4mq",
  handle: EXAMPLE_HANDLE,
};

/** The kind of an object, detected by a field that only that kind has. */
const KINDS: Record<string, string> = {
  requested_perms: "channel",
  redelivery_of: "delivery",
  title: "alert",
  code: "invite",
  dropped_count: "webhook",
  scopes: "key",
  transport: "line",
  event: "event",
  token: "device",
  locale: "device",
};

const ACTION = { type: "open_url", label: "Timetable", url: "https://ferries.example/lisbon/line-3" };

/**
 * Values by field name, or by kind and field name where the name alone is ambiguous. With several, the first that fits
 * is used.
 */
function story(publicUrl: string): Record<string, unknown[]> {
  const channelUrl = `${publicUrl}/c/${EXAMPLE_IDS.handle}`;
  return {
    "channel.id": [EXAMPLE_IDS.pusher_id],
    "alert.id": [EXAMPLE_IDS.alert_id],
    "invite.id": [EXAMPLE_IDS.invite_id],
    "webhook.id": [EXAMPLE_IDS.webhook_id],
    "member.id": [EXAMPLE_IDS.member_id],
    "key.id": [EXAMPLE_IDS.key_id],
    "workspace.id": [EXAMPLE_IDS.workspace_id],
    "line.id": ["aud_01kagtdt1xeg7bxm4q9w2c5v8n"],
    "line.operation": ["send_alert"],
    "delivery.id": [EXAMPLE_IDS.delivery_id],
    webhook_id: [EXAMPLE_IDS.webhook_id],
    "event.id": ["evt_01kagtc9v2f6xr5s8d3m7q1w4z"],
    next_after: ["MTcuMTc2MzY0ODczMTEyMw"],
    "delivery.event": ["alert.sent"],
    "delivery.ok": [true],
    "delivery.status": [200],
    duration_ms: [84],
    "device.id": ["4611686018427387904"],
    pusher_id: [EXAMPLE_IDS.pusher_id],
    "key.pusher_id": [null],
    handle: [EXAMPLE_IDS.handle],
    "key.name": ["Night shift"],
    "workspace.name": ["Tejo Transit"],
    name: ["Tejo ferries"],
    category: ["travel"],
    description: ["Delays and cancellations on the river lines."],
    site: ["https://ferries.example/lisbon"],
    city: ["Lisbon"],
    "channel.lat": [38.7057],
    "channel.lon": [-9.1455],
    "channel.radius_km": [12.5],
    requested_perms: [["notify", "sound"]],
    permissions: [["notify", "sound"]],
    alert_types: [["delay", "cancellation"]],
    tags: [["ferry", "lisbon"]],
    is_public: [true],
    gradient_from: ["#0b6e99"],
    gradient_to: ["#7fd1ae"],
    initials: ["TF"],
    "channel.url": [channelUrl],
    "invite.url": [`${channelUrl}?invite=q7Xv2mRk9TzB4nWc8LpY1s`],
    "webhook.url": ["https://hooks.ferries.example/belfry"],
    status: ["active", "sent"],
    title: ["Line 3 suspended until 18:00"],
    body: ["Strong wind on the river. Buses leave from Cais do Sodré every 15 minutes."],
    priority: ["important"],
    actions: [[ACTION]],
    sound: ["chime"],
    vibrate: [null],
    collapse_key: ["line-3"],
    html_length: [0],
    sent_at: ["2026-11-20T14:25:31.123456Z"],
    created_at: ["2026-11-20T14:20:07.481920Z"],
    subscribed_at: ["2026-11-18T07:41:55.902113Z"],
    next_before: ["2026-11-20T14:20:07.481920Z"],
    blocked: [[]],
    notes: [[]],
    note: ["Handsets that have not received the alert will not get it. Handsets that already received it keep it."],
    subscribers: [1204],
    alerts_sent: [37],
    scheduled: [2],
    role: ["editor"],
    scopes: [["account:read", "alerts:read", "alerts:write"]],
    scope: ["alerts:send"],
    allows: [SCOPES["alerts:send"]],
    label: ["Crew phones"],
    code: ["q7Xv2mRk9TzB4nWc8LpY1s"],
    max_uses: [25],
    uses: [4],
    events: [["alert.sent", "alert.cancelled"]],
    endpoint: ["https://push.ferries.example/v2/gAAAAABl2Q0nW8TzVxKc"],
    public_key: ["BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"],
    enabled: [true],
    secret: ["whsec_3vN8qLr5Tz1Kc7Wm9Xb2Yd6Hf4Jp0Gs8Ra5Ue3Ti1o"],
    failure_count: [0],
    dropped_count: [0],
    last_delivery_at: ["2026-11-20T14:25:31.623001Z"],
    last_status: [200],
    device: ["9f2c41d07b"],
    platform: ["android"],
    app_version: ["4.2.0"],
    locale: ["pt-PT"],
    "device.timezone": ["Europe/Lisbon"],
    reach: [1204],
    reads: [611],
    acks: [42],
    from: ["2026-11-14"],
    to: ["2026-11-20"],
    date: ["2026-11-20"],
    start: ["2026-11-20T14:25:31.123456Z"],
    script_count: [0],
    token: ["bfd_5wT8mKr2Xz7Qc1Vn4Lb9Yp3Hd6Jf0Gs"],
    question: ["Who takes the late shift?"],
    choice: ["On my way"],
    count: [2],
    replies: [
      [
        { choice: "On my way", count: 2 },
        { choice: "Not me", count: 10 },
      ],
    ],
    total: [12],
    open: [true],
    seen: ["2.10"],
    reports: [[{ alert_id: EXAMPLE_IDS.alert_id, kind: "read" }]],
  };
}

/** The arguments of an operation, in addition to the ids of its path. Elsewhere: the required ones. */
const REQUESTS: Record<string, Record<string, unknown>> = {
  create_pusher: { city: "Lisbon", requested_perms: ["notify", "sound"], tags: ["ferry", "lisbon"] },
  update_pusher: { description: "Delays and cancellations on all river lines." },
  list_alerts: { status: "sent", limit: 20 },
  create_alert: {
    body: "Strong wind on the river. Buses leave from Cais do Sodré every 15 minutes.",
    priority: "important",
    sound: "chime",
    actions: [ACTION],
    collapse_key: "line-3",
  },
  update_alert: { title: "Line 3 suspended until 19:00", send_at: "2030-06-01T16:00:00Z" },
  schedule_alert: { send_at: "2030-06-01T16:00:00Z" },
  move_alerts: { pusher_id: "psh_01kagt4wq8e3xb5m2c7n9r6f0d", action: "move", by_minutes: 30, dry_run: true },
  list_account_alerts: { status: "draft", limit: 20 },
  create_invite: { label: "Crew phones", max_uses: 25 },
  preview_html: { html: '<p onclick="x()">Line 3 is <b>suspended</b> until 18:00.</p>' },
  get_pusher_stats: { period: "week" },
  get_account_stats: { period: "week" },
  list_subscribers: { limit: 20 },
  ...HANDSET_EXAMPLE_ARGUMENTS,
};

const DRAFT = { status: "draft", sent_at: null };
/** Responses that differ from the examples. */
const ANSWERS: Record<string, Record<string, unknown>> = {
  update_pusher: { description: "Delays and cancellations on all river lines." },
  create_alert: { ...DRAFT },
  duplicate_alert: { ...DRAFT },
  update_alert: { ...DRAFT, title: "Line 3 suspended until 19:00", send_at: "2030-06-01T16:00:00.000000Z" },
  send_alert: { note: "The alert is now visible to all subscribed handsets." },
  schedule_alert: {
    status: "scheduled",
    send_at: "2030-06-01T16:00:00.000000Z",
    sent_at: null,
    note: "The alert becomes visible at send_at. Until then it can be edited, cancelled or returned to draft.",
  },
  move_alerts: {
    data: [
      {
        id: "alr_01kagt7h2mf9vs4k1e8p3x5w6q",
        pusher_id: "psh_01kagt4wq8e3xb5m2c7n9r6f0d",
        handle: "lisbon-ferries",
        series_id: null,
        title: "Line 3 suspended until 18:00",
        send_at: "2030-06-01T16:00:00.000000Z",
        becomes: "2030-06-01T16:30:00.000000Z",
        outcome: "would",
        code: null,
        message: null,
      },
    ],
    dry_run: true,
    plan: "pln_8sK2vQxT4mWcYb1ZpLfR",
  },
  cancel_alert: { status: "cancelled", cancelled_at: "2026-11-20T15:02:44.007310Z" },
  create_webhook: { last_delivery_at: null, last_status: null },
  create_invite: { uses: 0 },
  revoke_invite: { revoked_at: "2026-11-20T15:02:44.007310Z", removed_subscribers: 0 },
  get_alert_stats: { note: "The timeline loses detail as devices delete old reports; the totals are exact." },
  list_subscribers: {
    breakdown: {
      total: 1204,
      muted: 31,
      platform: { android: 741, ios: 463 },
      app_version: { "4.2.0": 1204 },
      locale: { "pt-PT": 980, en: 224 },
      timezone: { "Europe/Lisbon": 1204 },
    },
  },
  create_pusher: { updated_at: "2026-11-20T14:20:07.481920Z" },
  preview_html: {
    html: "<p>Line 3 is <b>suspended</b> until 18:00.</p>",
    blocked: [{ kind: "attribute", name: "onclick", count: 1 }],
  },
};

export const EXAMPLE_IDEMPOTENCY_KEY = "line-3-2026-11-20";

/** A response that is valid for its schema (references not yet lifted). */
export function createExampleAnswer(tool: string, schema: JsonSchema, publicUrl: string): unknown {
  const made = sample(schema, "", "", story(publicUrl));
  return typeof made === "object" && made !== null
    ? { ...made, ...ANSWERS[tool], ...createHandsetExampleResponses(publicUrl)[tool] }
    : (STREAM_EXAMPLES[tool] ?? made);
}

/** Arguments that the operation takes, the ids of its path included. */
export function createExampleArguments(
  operation: { name: string },
  schema: JsonSchema,
  publicUrl: string,
): Record<string, unknown> {
  const values = story(publicUrl);
  const given = REQUESTS[operation.name] ?? {};
  const properties = schema.properties ?? {};
  const kind = getObjectKind(properties, operation.name.replace(/.*_/, ""));
  const wanted = Object.keys(properties).filter(
    (name) => schema.required?.includes(name) || Object.hasOwn(given, name),
  );
  return Object.fromEntries(
    wanted.map((name) => [
      name,
      given[name] ?? EXAMPLE_IDS[name] ?? sample(properties[name] ?? {}, name, kind, values),
    ]),
  );
}

/** The kind of an object by its fields, or `otherwise`. */
export function getObjectKind(properties: Record<string, unknown>, otherwise: string): string {
  const sign = Object.keys(KINDS).find((name) => Object.hasOwn(properties, name));
  return (sign && KINDS[sign]) || otherwise;
}

function sample(schema: JsonSchema, name: string, kind: string, values: Record<string, unknown[]>): unknown {
  const types = [schema.type ?? []].flat();
  for (const value of values[`${kind}.${name}`] ?? values[name] ?? []) if (fits(value, schema, types)) return value;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (types.includes("null")) return null;
  const branch = schema.anyOf?.[0];
  if (branch) return sample(branch, name, kind, values);
  if (types.includes("object")) {
    const properties = schema.properties ?? {};
    const own = getObjectKind(properties, name);
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([field]) => schema.required?.includes(field))
        .map(([field, inner]) => [field, sample(inner, field, own, values)]),
    );
  }
  if (types.includes("array")) return [sample(schema.items ?? {}, name, kind, values)];
  if (types.includes("boolean")) return false;
  if (types.includes("integer") || types.includes("number")) return schema.minimum ?? 1;
  return schema.format === "date-time" ? "2026-11-20T14:25:31.123456Z" : "…";
}

function fits(value: unknown, schema: JsonSchema, types: string[]): boolean {
  if (schema.enum) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  const is = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const ok = types.includes(is) || (is === "number" && types.includes("integer") && Number.isInteger(value));
  const branch = schema.anyOf?.some((option) => fits(value, option, [option.type ?? []].flat()));
  return ok || branch === true;
}
