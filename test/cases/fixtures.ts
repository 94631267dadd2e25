// The initial states of rows. They are created over REST where an owner could, and by SQL or the operator where only
// time or staff can. Data that no row changes is created once for each world.

import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { parseUuid, suspend } from "../support/handsets.ts";
import { createHandle, timeInSeconds, type World } from "../support/world.ts";

export { parseUuid, suspend };

/** Made once for each world: for rows that only read it, or are refused. */
export function oncePerWorld<T>(make: (world: World) => Promise<T>): (world: World) => Promise<T> {
  const made = new WeakMap<World, Promise<T>>();
  return (world) => {
    const found = made.get(world) ?? make(world);
    made.set(world, found);
    return found;
  };
}

export const ALL_PERMS = ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"];

/** A channel that takes drafts of every kind and is never changed itself. */
export const getSharedPusher = oncePerWorld((world) => world.pusher({ requested_perms: ALL_PERMS }));
export const getSharedDraft = oncePerWorld(async (world) => world.alert((await getSharedPusher(world)).id));

/** A draft of its own on the shared channel. */
export const createDraftWith =
  (fields: Record<string, unknown> = {}) =>
  async (world: World) =>
    world.alert((await getSharedPusher(world)).id, fields);

/** The arguments that name an alert, and more. */
export const alertArguments = (alert: { id: string; pusher_id: string }, more: Record<string, unknown> = {}) => ({
  pusher_id: alert.pusher_id,
  alert_id: alert.id,
  ...more,
});

export type AlertState = "draft" | "repeating" | "scheduled" | "passed" | "sent" | "cancelled";
export type ChannelState = "active" | "paused" | "suspended";

/** An alert in a state. `passed` is scheduled with a send_at in the past. A draft also has a future send_at. */
export async function createAlertInState(
  world: World,
  state: AlertState,
  pusher?: { id: string },
  fields: Record<string, unknown> = {},
): Promise<any> {
  const { id } = pusher ?? (await getSharedPusher(world));
  const later = { send_at: timeInSeconds(3600), ...fields };
  if (state === "draft") return world.alert(id, later);
  if (state === "sent") return world.alert(id, { send: true, ...fields });
  if (state === "repeating") {
    const draft = await world.alert(id, { recurrence: "FREQ=DAILY Europe/Lisbon", ...later });
    return (await world.rest("schedule_alert", alertArguments(draft))).body;
  }
  const alert = await world.alert(id, { send: true, ...later });
  if (state === "passed") {
    await world.sql(
      "update alert set send_at = date_trunc('second', clock_timestamp()) - interval '1 minute', created_at = " +
        "clock_timestamp() - interval '2 minutes' where id = ?",
      [parseUuid(alert.id)],
    );
    return (await world.rest("get_alert", alertArguments(alert))).body;
  }
  if (state === "cancelled") return (await world.rest("cancel_alert", alertArguments(alert))).body;
  return alert;
}

/** A draft whose row is changed by SQL after its creation. */
export const createDraftChangedBySql = (set: string) => async (world: World) => {
  const alert = await createAlertInState(world, "draft");
  await world.sql(`update alert set ${set} where id = ?`, [parseUuid(alert.id)]);
  return alert;
};

export async function setChannelState(world: World, pusher: any, state: ChannelState): Promise<void> {
  if (state === "paused") await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
  if (state === "suspended") await suspend(world, pusher.handle);
}

/** A channel in a state, and an alert in a state on it. */
export const createAlertWithChannel = (channel: ChannelState, state: AlertState) => async (world: World) => {
  const pusher = await world.pusher();
  const alert = await createAlertInState(world, state, pusher);
  await setChannelState(world, pusher, channel);
  return alert;
};

/** An alert's current row. */
export const readAlert = async (world: World, alert: { id: string; pusher_id: string }) =>
  (await world.rest("get_alert", alertArguments(alert))).body;

export const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** n characters, each one code point and two UTF-16 units. */
export const emojiText = (n: number) => "🔔".repeat(n);

/** A public address as a literal: registering it needs no DNS query. */
const PUBLIC_URL = "https://93.184.216.34/hook";

const endpointOf = async (world: World): Promise<string> =>
  (await world.rest("create_webhook", await SUCCESS_ARGUMENTS.create_webhook!(world))).body.id;

/** An endpoint with a delivery in its log that no service made. */
export async function createDelivery(world: World): Promise<{ webhook_id: string; delivery_id: string }> {
  const webhook_id = await endpointOf(world);
  const id = newUuid();
  await world.sql(
    `insert into webhook_delivery (id, endpoint_id, event, body, ok, status, duration_ms)
     values (?, ?, 'alert.sent', '{"event":"alert.sent"}', true, 204, 12)`,
    [id, parseUuid(webhook_id)],
  );
  return { webhook_id, delivery_id: formatId("dlv", id) };
}

/** The arguments of a successful call of each tool, in a state of its own. */
export const SUCCESS_ARGUMENTS: Record<string, (world: World) => Promise<Record<string, unknown>>> = {
  get_me: async () => ({}),
  list_pushers: async () => ({}),
  create_pusher: async () => ({
    handle: createHandle(),
    name: "A channel",
    category: "community",
    description: "For tests",
  }),
  get_pusher: async (world) => ({ pusher_id: (await getSharedPusher(world)).id }),
  update_pusher: async (world) => ({ pusher_id: (await getSharedPusher(world)).id, name: "A channel" }),
  delete_pusher: async (world) => ({ pusher_id: (await world.pusher()).id }),
  list_alerts: async (world) => ({ pusher_id: (await getSharedPusher(world)).id, limit: 1 }),
  list_account_alerts: async () => ({ limit: 1 }),
  create_alert: async (world) => ({ pusher_id: (await getSharedPusher(world)).id, title: "An alert" }),
  move_alerts: async (world) => {
    const { pusher_id } = await createAlertInState(world, "scheduled", await world.pusher());
    return { pusher_id, action: "cancel" };
  },
  duplicate_alert: async (world) => alertArguments(await getSharedDraft(world)),
  get_alert: async (world) => alertArguments(await getSharedDraft(world)),
  update_alert: async (world) => alertArguments(await getSharedDraft(world), { title: "An alert" }),
  send_alert: async (world) => alertArguments(await createAlertInState(world, "draft")),
  schedule_alert: async (world) => alertArguments(await createAlertInState(world, "draft")),
  wait_for_review: async (world) => alertArguments(await getSharedDraft(world), { seconds: 0 }),
  cancel_alert: async (world) => alertArguments(await createAlertInState(world, "scheduled")),
  delete_alert: async (world) => alertArguments(await createAlertInState(world, "draft")),
  list_webhooks: async () => ({}),
  create_webhook: async (world) => {
    // A workspace has at most twenty of them.
    await world.sql("delete from webhook_endpoint");
    return { url: PUBLIC_URL, events: ["alert.sent"] };
  },
  delete_webhook: async (world) => ({
    webhook_id: (await world.rest("create_webhook", await SUCCESS_ARGUMENTS.create_webhook!(world))).body.id,
  }),
  list_deliveries: async (world) => ({ webhook_id: await endpointOf(world) }),
  test_webhook: async (world) => ({ webhook_id: await endpointOf(world) }),
  redeliver: async (world) => createDelivery(world),
  enable_webhook: async (world) => ({ webhook_id: await endpointOf(world) }),
  rotate_webhook_secret: async (world) => ({ webhook_id: await endpointOf(world) }),
  list_invites: async (world) => ({ pusher_id: (await getSharedPusher(world)).id }),
  create_invite: async (world) => ({ pusher_id: (await getSharedPusher(world)).id }),
  revoke_invite: async (world) => {
    const { body } = await world.rest("create_invite", { pusher_id: (await getSharedPusher(world)).id });
    return { pusher_id: body.pusher_id, invite_id: body.id };
  },
  preview_html: async () => ({ html: "<b>bold</b>" }),
  wait_for_replies: async (world) => alertArguments(await getSharedDraft(world), { seconds: 0 }),
  get_alert_stats: async (world) => alertArguments(await getSharedDraft(world)),
  get_pusher_stats: async (world) => ({ pusher_id: (await getSharedPusher(world)).id }),
  get_account_stats: async () => ({}),
  list_audit_events: async () => ({ limit: 1 }),
  list_events: async () => ({ limit: 1 }),
  list_subscribers: async (world) => ({ pusher_id: (await getSharedPusher(world)).id }),
};

/** A key of a member of this role, made once. */
const keys = Object.fromEntries(
  ["viewer", "editor", "admin", "owner"].map((role) => [role, oncePerWorld((world) => world.memberKey(role))]),
);
export const getRoleKey = (role: string) => keys[role]!;

/** An id that no row has. */
export const NO_PUSHER = "psh_01h2xcejqtf2nbrexx3vqjhp41";
export const NO_ALERT = "alr_01h2xcejqtf2nbrexx3vqjhp41";
