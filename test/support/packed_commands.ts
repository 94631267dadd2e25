// One run of each command of the packed program, next to its service, in an order in which they work.

import { expect } from "vitest";

interface PackedCommand {
  /** `{command}` is the id of the last result of that command. */
  line: string;
  settings?: Record<string, string>;
  /** The earlier command whose output is the input of this one. */
  input?: string;
  /** Part of its result, or of the refusal that the operation itself gives. */
  says: object | RegExp;
}

const ID = { id: expect.any(String) };
const ROWS = { data: expect.any(Array) };
const refused = (message: string) => ({ error: { message: expect.stringContaining(message) } });
/** A public address to which nothing is ever delivered: this event needs a subscriber. */
const WEBHOOK = "--url https://1.1.1.1/hook --events subscriber.deleted";
const CHANNEL = "--pusher-id packed";
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** @param folder for backups, empty and writable */
export const listPackedCommands = (folder: string): PackedCommand[] => [
  { line: "tools", says: ROWS },
  { line: "open --url http://127.0.0.1:1", settings: { PATH: folder }, says: { opened: false } },
  { line: "login --url http://127.0.0.1:1", says: refused("responding") },
  { line: "logout --url http://127.0.0.1:1", settings: { XDG_STATE_HOME: folder }, says: /^$/ },
  { line: "completion bash", says: /belfry/ },
  { line: "migrate", says: { migrations: [] } },
  { line: "status", says: { service: { status: "ready" } } },
  { line: "psql", settings: { PATH: folder }, says: refused("psql is not on the PATH") },
  { line: "doctor", says: { ok: true } },
  { line: "database promoted", says: { inboxes: "reloaded" } },
  { line: "secret rotate", says: refused("Stop all Belfry processes") },
  { line: `backup ${folder}/backup`, says: { secret: true } },
  { line: `restore ${folder}`, says: refused("is not a complete backup") },
  { line: "restore --check {backup}", says: { check: true } },
  { line: "export", says: /^\{"belfry":"export"/ },
  { line: "import - --dry-run", input: "export", says: { dry_run: true, imported: [] } },
  { line: `import-from ntfy ${folder}/none.db`, says: refused("cannot be read") },
  { line: "cell one", settings: { DATABASE_URL: "postgresql://127.0.0.1:1/x" }, says: refused("database") },
  { line: "members add --email other@example.org --role editor", says: ID },
  { line: "members list", says: { data: [{}, {}] } },
  { line: "members end-second-factor --email other@example.org", says: {} },
  { line: "members link --email other@example.org", says: { link: expect.any(String) } },
  { line: "keys create --scopes alerts:read", says: ID },
  { line: "keys list", says: ROWS },
  { line: "keys revoke key_x", says: refused("Key not found") },
  { line: "channels suspend none", says: refused("Channel not found") },
  { line: "channels restore none", says: refused("Channel not found") },

  { line: "get-me", says: { credential: { type: "key" } } },
  { line: "create-pusher --handle packed --name Packed --category community --description Packed", says: ID },
  { line: "list-pushers", says: ROWS },
  { line: `get-pusher ${CHANNEL}`, says: { handle: "packed" } },
  { line: `update-pusher ${CHANNEL} --name Changed`, says: { name: "Changed" } },
  { line: `create-invite ${CHANNEL}`, says: ID },
  { line: `list-invites ${CHANNEL}`, says: ROWS },
  { line: `revoke-invite ${CHANNEL} --invite-id {create-invite}`, says: {} },
  { line: "preview-html --html <b>Bold</b>", says: { html: "<b>Bold</b>" } },
  { line: `create-webhook ${WEBHOOK}`, says: ID },
  { line: "list-webhooks", says: ROWS },
  { line: "list-deliveries --webhook-id {create-webhook}", says: ROWS },
  { line: "rotate-webhook-secret --webhook-id {create-webhook}", says: { secret: expect.stringMatching(/^whsec_/) } },
  { line: "enable-webhook --webhook-id {create-webhook}", says: { disabled: false } },
  { line: "list-events", says: ROWS },
  { line: "redeliver --webhook-id {create-webhook} --delivery-id {create-webhook}", says: refused("not found") },
  { line: "delete-webhook --webhook-id {create-webhook}", says: {} },
  { line: "test-webhook --webhook-id {create-webhook}", says: refused("not found") },

  { line: `create-alert ${CHANNEL} --title Packed`, says: { status: "draft" } },
  { line: `get-alert ${CHANNEL} --alert-id {create-alert}`, says: { title: "Packed" } },
  { line: `update-alert ${CHANNEL} --alert-id {create-alert} --title Changed`, says: { title: "Changed" } },
  { line: `wait-for-review ${CHANNEL} --alert-id {create-alert} --seconds 1`, says: { status: "draft" } },
  { line: `send-alert ${CHANNEL} --alert-id {create-alert}`, says: { status: "sent" } },
  { line: `wait-for-replies ${CHANNEL} --alert-id {create-alert} --seconds 1`, says: { open: false } },
  { line: `get-alert-stats ${CHANNEL} --alert-id {create-alert}`, says: { totals: {} } },
  { line: `duplicate-alert ${CHANNEL} --alert-id {create-alert}`, says: { status: "draft" } },
  { line: `schedule-alert ${CHANNEL} --alert-id {duplicate-alert} --send-at ${inMinutes(60)}`, says: ID },
  { line: `move-alerts ${CHANNEL} --action move --by-minutes 5 --dry-run`, says: { dry_run: true, data: [{}] } },
  { line: `delete-alert ${CHANNEL} --alert-id {duplicate-alert}`, says: {} },
  { line: `cancel-alert ${CHANNEL} --alert-id {create-alert}`, says: { status: "cancelled" } },
  { line: `list-alerts ${CHANNEL}`, says: { data: [{ status: "cancelled" }] } },
  { line: "send packed Text", says: { status: "sent" } },
  { line: "list-account-alerts", says: ROWS },
  { line: `get-pusher-stats ${CHANNEL}`, says: {} },
  { line: "get-account-stats", says: {} },
  { line: `list-subscribers ${CHANNEL}`, says: { data: [] } },
  { line: "list-audit-events", says: ROWS },
  { line: `delete-pusher ${CHANNEL}`, says: {} },

  { line: "workspaces create --name Second", says: ID },
  { line: "workspaces list", says: { data: [{}, {}] } },
];
