// Requests with two errors at once, and the one that is reported. The order is defined in the decisions, section 1.

import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import {
  alertArguments,
  createAlertWithChannel,
  getRoleKey,
  getSharedDraft,
  getSharedPusher,
  NO_ALERT,
  NO_PUSHER,
  oncePerWorld,
  parseUuid,
  suspend,
} from "./fixtures.ts";

const ORDER = "order-of-checks";

const keyWith = (scopes: string) => oncePerWorld((world: World) => world.key({ scopes }));
const reader = keyWith("pushers:read,alerts:read");
const writer = keyWith("alerts:write");
const sender = keyWith("alerts:send");
const viewer = getRoleKey("viewer");

const suspended = oncePerWorld(async (world) => {
  const pusher = await world.pusher();
  await suspend(world, pusher.handle);
  return pusher;
});
const sentAlert = oncePerWorld(createAlertWithChannel("active", "sent"));
const cancelledAlert = oncePerWorld(createAlertWithChannel("active", "cancelled"));
const pausedDraft = oncePerWorld(async (world) => {
  const alert = await createAlertWithChannel("paused", "draft")(world);
  await world.sql("update alert set expires_at = now() - interval '1 hour', send_at = null where id = ?", [
    parseUuid(alert.id),
  ]);
  return alert;
});

type Row = [wins: TestCase["want"], tool: string, name: string, rest: Partial<TestCase>];

const ROWS: Row[] = [
  [{ error: "unauthorized" }, "create_pusher", "no credential and no fields", { as: () => null, input: () => ({}) }],
  [
    { error: "unauthorized" },
    "get_pusher",
    "no credential and no such row",
    { as: () => null, input: () => ({ pusher_id: NO_PUSHER }) },
  ],
  [
    { error: "unauthorized" },
    "list_alerts",
    "no credential and a bad limit",
    { as: () => null, input: () => ({ pusher_id: NO_PUSHER, limit: 0 }) },
  ],
  [{ error: "insufficient_scope" }, "create_pusher", "no scope and no fields", { as: reader, input: () => ({}) }],
  [
    { error: "insufficient_scope" },
    "delete_pusher",
    "no scope and no such row",
    { as: reader, input: () => ({ pusher_id: NO_PUSHER }) },
  ],
  [
    { error: "insufficient_scope" },
    "create_alert",
    "send true without its scope and no title",
    { as: writer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, send: true }) },
  ],
  [
    { error: "insufficient_scope" },
    "create_alert",
    "send true without its scope and an unknown field",
    { as: writer, input: () => ({ pusher_id: NO_PUSHER, send: true, titel: "x" }) },
  ],
  [
    { error: "invalid_request", param: "send" },
    "create_alert",
    "send that is not true requires no scope",
    { as: writer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, title: "x", send: "true" }) },
  ],
  [
    { error: "insufficient_scope" },
    "update_alert",
    "an action without its scope and with other fields",
    {
      over: "REST",
      as: writer,
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, { action: "send", title: "x" }),
    },
  ],
  [
    { error: "insufficient_scope" },
    "update_alert",
    "an unknown action means the route's first operation",
    { over: "REST", as: sender, given: getSharedDraft, input: (alert) => alertArguments(alert, { action: "unsend" }) },
  ],
  [
    { error: "invalid_request", param: "action" },
    "update_alert",
    "an unknown action with that scope",
    { over: "REST", as: writer, given: getSharedDraft, input: (alert) => alertArguments(alert, { action: "unsend" }) },
  ],
  [
    { error: "insufficient_scope" },
    "send_alert",
    "no scope and an unknown sent alert",
    { as: writer, input: () => ({ pusher_id: NO_PUSHER, alert_id: NO_ALERT }) },
  ],
  [
    { error: "invalid_request", param: "name" },
    "update_pusher",
    "a bad field of a missing row",
    { input: () => ({ pusher_id: NO_PUSHER, name: "" }) },
  ],
  [
    { error: "invalid_request", param: "title" },
    "create_alert",
    "a missing title on a missing channel",
    { input: () => ({ pusher_id: NO_PUSHER }) },
  ],
  [
    { error: "invalid_request", param: "limit" },
    "list_alerts",
    "a bad limit of a missing channel",
    { input: () => ({ pusher_id: NO_PUSHER, limit: 101 }) },
  ],
  [
    { error: "invalid_request", param: "titel" },
    "update_alert",
    "a misspelt field of a sent alert",
    { given: sentAlert, input: (alert) => alertArguments(alert, { titel: "x" }) },
  ],
  [
    { error: "invalid_request", param: "title" },
    "create_alert",
    "a bad field by a viewer",
    { as: viewer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, title: "" }) },
  ],
  [
    { error: "invalid_request", param: "status" },
    "update_pusher",
    "status suspended by a viewer",
    { as: viewer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, status: "suspended" }) },
  ],
  [
    { error: "invalid_request", param: "handle" },
    "create_pusher",
    "a bad handle by a restricted member",
    {
      as: oncePerWorld((world) => world.memberKey("admin", [])),
      input: () => ({ handle: "A", name: "x", category: "ai", description: "x" }),
    },
  ],
  [
    { error: "invalid_request", param: "audio_url" },
    "create_alert",
    "a bad field while paused",
    {
      given: pausedDraft,
      input: ({ pusher_id }) => ({ pusher_id, title: "x", send: true, audio_url: "http://a.example/" }),
    },
  ],
  [
    { error: "not_found" },
    "update_pusher",
    "a missing row by a viewer",
    { as: viewer, input: () => ({ pusher_id: NO_PUSHER, name: "x" }) },
  ],
  [
    { error: "not_found" },
    "delete_alert",
    "a missing alert by a viewer",
    { as: viewer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, alert_id: NO_ALERT }) },
  ],
  [
    { error: "not_found" },
    "create_alert",
    "a missing channel by a viewer",
    { as: viewer, input: () => ({ pusher_id: NO_PUSHER, title: "x" }) },
  ],
  [
    { error: "not_found" },
    "update_pusher",
    "another handle of a missing row",
    { input: () => ({ pusher_id: NO_PUSHER, handle: "another-one" }) },
  ],
  [
    { error: "not_found" },
    "create_alert",
    "a past send_at on a missing channel",
    { input: () => ({ pusher_id: NO_PUSHER, title: "x", send: true, send_at: timeInSeconds(-60) }) },
  ],
  [
    { error: "not_found" },
    "create_alert",
    "a layout without its source on a missing channel",
    { input: () => ({ pusher_id: NO_PUSHER, title: "x", layout: "image" }) },
  ],
  [
    { error: "forbidden" },
    "send_alert",
    "a cancelled alert by a viewer",
    { as: viewer, given: cancelledAlert, input: (alert) => alertArguments(alert) },
  ],
  [
    { error: "forbidden" },
    "send_alert",
    "on a paused channel by a viewer",
    { as: viewer, given: pausedDraft, input: (alert) => alertArguments(alert) },
  ],
  [
    { error: "forbidden" },
    "update_pusher",
    "another handle by a viewer",
    { as: viewer, given: getSharedPusher, input: ({ id }) => ({ pusher_id: id, handle: "another-one" }) },
  ],
  [
    { error: "forbidden" },
    "delete_pusher",
    "a channel with subscribers by an editor",
    {
      as: getRoleKey("editor"),
      given: oncePerWorld(async (world) => {
        const pusher = await world.pusher();
        await world.device(pusher.handle);
        return pusher;
      }),
      input: ({ id }) => ({ pusher_id: id }),
    },
  ],
  [
    { error: "forbidden" },
    "create_pusher",
    "a taken handle by a restricted member",
    {
      as: oncePerWorld((world) => world.memberKey("admin", [])),
      given: getSharedPusher,
      input: ({ handle }) => ({ handle, name: "x", category: "ai", description: "x" }),
    },
  ],
  [
    { error: "forbidden" },
    "update_pusher",
    "a status and another handle while suspended",
    { given: suspended, input: ({ id }) => ({ pusher_id: id, status: "active", handle: "another-one" }) },
  ],
  [
    { error: "forbidden" },
    "update_pusher",
    "a status and half a circle while suspended",
    { given: suspended, input: ({ id }) => ({ pusher_id: id, status: "paused", lat: 1 }) },
  ],
  [
    { error: "conflict" },
    "create_alert",
    "a past send_at while paused",
    {
      given: pausedDraft,
      input: ({ pusher_id }) => ({ pusher_id, title: "x", send: true, send_at: timeInSeconds(-60) }),
    },
  ],
  [
    { error: "conflict" },
    "send_alert",
    "an expired draft while paused",
    { given: pausedDraft, input: (alert) => alertArguments(alert) },
  ],
  [
    { error: "conflict" },
    "schedule_alert",
    "a draft without send_at while paused",
    { given: pausedDraft, input: (alert) => alertArguments(alert) },
  ],
  [
    { error: "conflict" },
    "schedule_alert",
    "a sent alert without send_at",
    { given: sentAlert, input: (alert) => alertArguments(alert) },
  ],
  [
    { error: "conflict" },
    "update_alert",
    "half a circle for a sent alert",
    { given: sentAlert, input: (alert) => alertArguments(alert, { lat: 1 }) },
  ],
  [
    { error: "conflict" },
    "update_alert",
    "a layout without its source for a cancelled alert",
    { given: cancelledAlert, input: (alert) => alertArguments(alert, { layout: "image" }) },
  ],
  [
    { error: "conflict" },
    "update_alert",
    "a past expires_at for a cancelled alert",
    { given: cancelledAlert, input: (alert) => alertArguments(alert, { expires_at: timeInSeconds(-60) }) },
  ],
];

/** "An id that does not parse, or is of another kind, answers exactly as a row that does not exist". */
const ODD_IDS: [name: string, id: (world: World) => Promise<string>][] = [
  ["of another kind", async (world) => (await getSharedDraft(world)).id],
  ["in upper case", async (world) => (await getSharedPusher(world)).id.toUpperCase()],
  [
    "with an upper-case suffix",
    async (world) => (await getSharedPusher(world)).id.replace(/_.*/, (tail: string) => tail.toUpperCase()),
  ],
  ["as plain uuid", async (world) => parseUuid((await getSharedPusher(world)).id)],
  ["cut short", async (world) => (await getSharedPusher(world)).id.slice(0, -1)],
  ["with one character more", async (world) => `${(await getSharedPusher(world)).id}0`],
  ["beyond 128 bits", async () => "psh_8zzzzzzzzzzzzzzzzzzzzzzzzz"],
  ["without a prefix", async (world) => (await getSharedPusher(world)).id.slice(4)],
  ["a quote", async () => "psh_' or 1=1 --"],
];

export const errorPrecedenceCases: TestCase[] = [
  ...ROWS.map(
    ([want, tool, name, rest]): TestCase => ({
      rule: ORDER,
      tool,
      name: `${name}: ${"error" in want ? want.error : "fine"}`,
      input: () => ({}),
      ...rest,
      want,
    }),
  ),
  ...ODD_IDS.flatMap(([name, id]) =>
    ["get_pusher", "update_pusher", "delete_pusher", "list_alerts"].map(
      (tool): TestCase => ({
        rule: "ids",
        tool,
        name: `an id ${name}`,
        given: async (world) => ({ id: await id(world) }),
        input: (given) => ({ pusher_id: given.id }),
        want: { error: "not_found", param: null },
      }),
    ),
  ),
  {
    rule: "ids",
    tool: "get_pusher",
    name: "with a NUL, a broken surrogate and dots",
    over: "MCP",
    input: () => ({ pusher_id: "psh_\u0000\ud800/../" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "ids",
    tool: "send_alert",
    name: "both ids empty",
    over: "MCP",
    input: () => ({ pusher_id: "", alert_id: "" }),
    want: { error: "not_found", param: null },
  },
];
