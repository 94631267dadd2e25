// Fields from people, handsets and assistants are also returned, and no operation that writes is forgotten. It is
// tested in field_round_trip.test.ts or here, field by field, or gives the reason why none of its arguments is stored.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { SESSION_OPERATIONS } from "../../src/identity/session/index.ts";

import type { MemberCaller } from "../../src/store/handler_context.ts";
import { OWNER, signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { timeInSeconds, World } from "../support/world.ts";

/** Operations whose fields field_round_trip.test.ts follows. */
const ELSEWHERE = [
  "create_alert",
  "duplicate_alert",
  "update_alert",
  "create_pusher",
  "update_pusher",
  "create_invite",
  "create_webhook",
];

/** Operations of which no argument is kept beyond the thing that it names, and why. */
const KEEPS_NOTHING: Record<string, string> = {
  delete_pusher: "its subject is deleted",
  delete_alert: "its subject is deleted",
  delete_webhook: "its subject is deleted",
  test_webhook: "the delivery is the answer",
  redeliver: "the delivery is the answer",
  enable_webhook: "the endpoint's state tells",
  rotate_webhook_secret: "the secret is the answer",
  revoke_invite: "remove_subscribers decides about them (test/cases/invites/revoke.ts)",
  send_alert: "the alert's status tells",
  cancel_alert: "the alert's status tells",
  move_alerts: "each alert's status and send_at show it (test/cases/move_alerts.ts)",
  delete_device: "the caller is deleted",
  delete_subscription: "its subject is deleted",
  remove_oidc_connection: "the row is deleted (test/console/oidc.test.ts)",
  import_subscriptions: "its channels are listed (test/handset/subscription_transfer.test.ts)",
  put_push_endpoint: "the address is encrypted and never shown (test/push/push_notifications.test.ts)",
  delete_push_endpoint: "its subject is deleted",
  link_owner: "its owner is read from it (test/handset/test_alerts.test.ts)",
  unlink_owner: "its subject is deleted",
  link_own_device: "only the hash of a code is kept",
  unlink_own_device: "its subject is deleted",
  test_alert: "the shown draft is in the inbox (test/handset/test_alerts.test.ts)",
  create_transfer: "only the hash of a code is kept",
  take_over: "the moved channels are listed (test/handset/subscription_transfer.test.ts)",
  post_reports: "reports are counted (test/cases/stats/alert.ts)",
  prune_reports: "the reports are deleted",
  revoke_key: "its subject is deleted",
  remove_member: "its subject is deleted",
  open_reviews: "it takes nothing",
  link_member: "the link is the answer",
  end_connection: "its subject is deleted",
  end_session: "its subject is deleted",
  change_password: "a password is never shown",
  upload_file: "a file is its bytes (test/content/assets.test.ts)",
  delete_file: "its subject is deleted",
  begin_second_factor: "the secret is the answer",
  confirm_second_factor: "the recovery codes are the answer",
  renew_recovery_codes: "the recovery codes are the answer",
  end_second_factor: "the second factor is deleted",
  begin_passkey: "the request to the browser is the result",
  add_passkey: "its name takes a browser's answer (test/console/passkeys.test.ts)",
  remove_passkey: "its subject is deleted",
  leave_workspace: "the membership ends",
  close_account: "the account is deleted",
};

/** Arguments of the operations below that are not stored, and why. */
const NOT_KEPT: Record<string, string> = {
  pusher_id: "names the channel",
  alert_id: "names the alert",
  view: "chooses the form of the answer",
  expected_updated_at: "selects the expected version",
  handle: "names the channel",
  invite: "opens a private channel (test/cases/invites/admit.ts)",
  member_id: "names the member",
  key_id: "names the key",
  webhook_id: "names the endpoint",
  connection_id: "names the connection",
  grant_id: "names the grant of a code",
  every_channel: "pusher_ids null means the same",
};

let world: World;
let caller: MemberCaller;
let pusher: { id: string; handle: string };
let second: { id: string };
beforeAll(async () => {
  world = await World.open();
  await signInOwner(world);
  caller = await createOwnerSession(world);
  pusher = await world.pusher();
  second = await world.pusher();
});
afterAll(() => world?.close());

const session = (name: string, args: Record<string, unknown> = {}): Promise<any> => {
  const operation = SESSION_OPERATIONS.find((one) => one.name === name)!;
  return world.service.dispatcher.runSession(operation, caller as never, { args, log: SILENT_LOG });
};
const ofList = async (list: string, id: string) =>
  (await session(list)).data.find((row: { id: string }) => row.id === id);

type Fields = Record<string, unknown>;

/** The arguments of each, twice; it returns the stored values afterwards, by the same names. */
const TRIED: Record<string, { values: () => [Fields, Fields]; write: (fields: Fields) => Promise<Fields> }> = {
  schedule_alert: {
    values: () => [
      { send_at: timeInSeconds(3600).replace("Z", "000Z") },
      { send_at: timeInSeconds(7200).replace("Z", "000Z") },
    ],
    write: async (fields) => {
      const path = { pusher_id: pusher.id, alert_id: (await world.alert(pusher.id)).id };
      const { body } = await world.rest("schedule_alert", { ...path, ...fields });
      expect(body).toMatchObject(fields);
      return (await world.rest("get_alert", path)).body;
    },
  },
  decline_alert: {
    values: () => [{ review_reply: "Not before noon.\nAsk me again." }, { review_reply: "Say which quay." }],
    write: async (fields) => {
      const path = { pusher_id: pusher.id, alert_id: (await world.alert(pusher.id)).id };
      await session("decline_alert", { ...path, ...fields });
      return (await world.rest("get_alert", path)).body;
    },
  },
  register_device: {
    values: () => [
      { platform: "android", app_version: "2.5.1", locale: "pt-PT", timezone: "Europe/Lisbon" },
      { platform: "ios", app_version: "3.0", locale: "en", timezone: "UTC" },
    ],
    write: async (fields) => {
      const { id } = await world.pusher();
      const { handle } = (await world.rest("get_pusher", { pusher_id: id })).body;
      const { token } = (await world.handset("POST", "/devices", null, fields)).body;
      await world.handset("PUT", `/subscriptions/${handle}`, token, {});
      const { data } = (await world.rest("list_subscribers", { pusher_id: id })).body;
      return data[0];
    },
  },
  update_device: {
    values: () => [
      { platform: "web", app_version: "2.5.1", locale: "pt-PT", timezone: "Europe/Lisbon" },
      { platform: "cli", app_version: "3.0", locale: "en", timezone: "UTC" },
    ],
    write: async (fields) => {
      const token = await world.device();
      expect((await world.handset("PATCH", "/devices/me", token, fields)).body).toMatchObject(fields);
      return (await world.handset("GET", "/devices/me", token)).body;
    },
  },
  put_subscription: {
    values: () => [
      { muted: true, permissions: ["notify"] },
      { muted: false, permissions: ["notify", "sound"] },
    ],
    write: async (fields) => {
      const token = await world.device(pusher.handle);
      const put = await world.handset("PUT", `/subscriptions/${pusher.handle}`, token, fields);
      expect(put.body).toMatchObject(fields);
      return (await world.handset("GET", `/channels/${pusher.handle}`, token)).body.subscription;
    },
  },
  create_key: {
    values: () => [
      {
        name: "Tides",
        scopes: ["alerts:read"],
        pusher_id: null,
        life: "7d",
        requires_approval: true,
        client_program: "ntfy",
      },
      {
        name: "Winds",
        scopes: ["alerts:read", "alerts:write"],
        pusher_id: pusher.id,
        life: "never",
        requires_approval: false,
        client_program: null,
      },
    ],
    write: async (fields) => {
      const { id } = await session("create_key", fields);
      const { expires_at, ...row } = await ofList("list_keys", id);
      return { ...row, life: expires_at === null ? "never" : "7d" };
    },
  },
  update_key: {
    values: () => [{ requires_approval: true }, { requires_approval: false }],
    write: async (fields) => {
      const key = { name: "Tides", scopes: ["alerts:read"], pusher_id: null, life: "7d" };
      const { id } = await session("create_key", key);
      await session("update_key", { key_id: id, ...fields });
      return ofList("list_keys", id);
    },
  },
  update_connection: {
    values: () => [{ requires_approval: false }, { requires_approval: true }],
    write: async (fields) => {
      const grant = { client_id: randomUUID(), grant_id: randomUUID(), pusher_id: null, scopes: [] };
      const { id } = await session("grant_connection", grant);
      await session("update_connection", { connection_id: id, ...fields });
      return ofList("list_connections", id);
    },
  },
  update_webhook: {
    values: () => [
      { events: ["alert.sent", "alert.replied"], paused: true },
      { events: ["subscriber.created"], paused: false },
    ],
    write: async (fields) => {
      const endpoint = { url: "https://93.184.216.34/", events: ["alert.cancelled"] };
      const { id } = (await world.rest("create_webhook", endpoint)).body;
      await session("update_webhook", { webhook_id: id, paused: !fields.paused });
      await session("update_webhook", { webhook_id: id, ...fields });
      const { data } = (await world.rest("list_webhooks")).body;
      const row = data.find((one: { id: string }) => one.id === id);
      await world.rest("delete_webhook", { webhook_id: id });
      return { ...row, paused: row.paused_at !== null };
    },
  },
  mail_drafts: {
    values: () => [{ wants_draft_emails: true }, { wants_draft_emails: false }],
    write: async (fields) => {
      await session("mail_drafts", fields);
      return ofList("list_own_workspaces", world.workspace.id);
    },
  },
  update_profile: {
    values: () => [{ name: "Ada of the Quay" }, { name: "Ada" }],
    write: async (fields) => {
      await session("update_profile", fields);
      return (await session("list_members")).data.find(({ email }: { email: string }) => email === OWNER.email);
    },
  },
  create_workspace: {
    values: () => [{ name: "Harbour" }, { name: "Tram lines" }],
    write: async (fields) => {
      const { id } = await session("create_workspace", fields);
      return ofList("list_own_workspaces", id);
    },
  },
  rename_workspace: {
    values: () => [{ name: "Night trains" }, { name: "Day trains" }],
    write: async (fields) => {
      const { id } = await session("rename_workspace", fields);
      return ofList("list_own_workspaces", id);
    },
  },
  set_retention: {
    values: () => [{ retention_days: 90 }, { retention_days: null }],
    write: async (fields) => {
      await session("set_retention", fields);
      return session("get_retention");
    },
  },
  add_member: {
    values: () => [
      { email: "one@example.org", role: "viewer", pusher_ids: [pusher.id] },
      { email: "two@example.org", role: "editor", pusher_ids: [pusher.id, second.id] },
    ],
    write: async (fields) => {
      const { id } = await session("add_member", { ...fields, every_channel: false });
      return ofList("list_members", id);
    },
  },
  update_member: {
    values: () => [
      { role: "viewer", pusher_ids: [pusher.id] },
      { role: "editor", pusher_ids: [pusher.id, second.id] },
    ],
    write: async (fields) => {
      const email = `${randomUUID()}@example.org`;
      const wish = { email, role: "admin", every_channel: true, pusher_ids: [] };
      const { id } = await session("add_member", wish);
      expect((await ofList("list_members", id)).pusher_ids).toBeNull();
      await session("update_member", { ...fields, member_id: id, every_channel: false });
      return ofList("list_members", id);
    },
  },
  grant_connection: {
    values: () => [
      { client_id: "first", pusher_id: null, scopes: ["alerts:read"], requires_approval: false },
      { client_id: "second", pusher_id: pusher.id, scopes: ["alerts:read", "alerts:write"], requires_approval: true },
    ],
    write: async (fields) => {
      const { id } = await session("grant_connection", { ...fields, grant_id: randomUUID() });
      const row = await ofList("list_connections", id);
      const granted = await session("list_grants", { client_id: fields.client_id });
      expect(granted.data).toHaveLength(1);
      // Every connection may also read its own identity.
      const scopes = row.scopes.filter((scope: string) => scope !== "account:read");
      return { ...row, client_id: fields.client_id, scopes };
    },
  },
};

const WRITING = [
  ...OPERATIONS.filter((tool) => !tool.readOnly),
  ...[...HANDSET_OPERATIONS, ...SESSION_OPERATIONS].filter(({ writes }) => writes !== "nothing"),
];

test("every operation that writes is tried, or has the reason why nothing is stored", () => {
  const known = [...ELSEWHERE, ...Object.keys(KEEPS_NOTHING), ...Object.keys(TRIED)];
  const missing = WRITING.map(({ name }) => name).filter((name) => !known.includes(name));
  expect(
    missing,
    "give each a sample in TRIED of test/rules/other_round_trips.test.ts (or a reason in KEEPS_NOTHING)",
  ).toEqual([]);
  const names = WRITING.map(({ name }) => name);
  expect(known.filter((name) => !names.includes(name))).toEqual([]);
});

test.each(Object.keys(TRIED))("%s: what it takes comes back", async (name) => {
  const { values, write } = TRIED[name]!;
  const { shape } = WRITING.find((one) => one.name === name)!.input as unknown as { shape: object };
  const missing = Object.keys(shape).filter((field) => !(field in NOT_KEPT) && !(field in values()[0]));
  expect(
    missing,
    `give each two values in TRIED of test/rules/other_round_trips.test.ts (or a reason in NOT_KEPT)`,
  ).toEqual([]);
  for (const fields of values()) expect(await write(fields)).toMatchObject(fields);
});
