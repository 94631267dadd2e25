// Covers rules#error-codes, rules#error-problems. Each main kind of refusal has its code, all wrong fields are
// listed, and REST and MCP give one refusal for one call.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/model/error_codes.ts";
import { alertArguments, NO_ALERT, NO_PUSHER } from "../cases/fixtures.ts";
import { openWorld } from "../support/open_world.ts";
import { createHandle, timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const pusher = await world.pusher();

/** Wrong values of create_alert's fields, by the code that each gets. */
const WRONG: readonly [param: string, value: unknown, code: ErrorCode][] = [
  ["title", undefined, "field_required"],
  ["title", 7.5, "wrong_type"],
  ["title", "  ", "empty_text"],
  ["title", "x".repeat(121), "too_long"],
  ["title", "two\nlines", "invalid_characters"],
  ["titel", "x", "unknown_field"],
  ["priority", "loud", "invalid_choice"],
  ["actions", Array(5).fill({ label: "Read", url: "https://x.example/" }), "wrong_item_count"],
  ["source_url", "http://x.example/", "invalid_url"],
  ["send_at", "tomorrow", "invalid_timestamp"],
  ["send_at", "2027-03-28T01:30 Europe/Lisbon", "ambiguous_time"],
  ["send_at", "2027-03-28T01:30 Europe/Nowhere", "invalid_time_zone"],
  ["expires_at", "2026-02-30T10:00:00Z", "invalid_timestamp"],
  ["recurrence", "FREQ=SOMETIMES Europe/Lisbon", "invalid_recurrence"],
  ["lat", 91, "out_of_range"],
  ["collapse_key", "Not A Slug", "invalid_format"],
  ["tts_lang", "not a language", "invalid_format"],
];

const args = (fields: object) => ({ pusher_id: pusher.id, title: "A title", ...fields });

/** The refusal of a call over REST, which MCP must also return. */
async function refusalOf(tool: string, input: Record<string, unknown>, key = world.owner): Promise<any> {
  const rest = await world.rest(tool, input, key);
  const mcp = await world.mcp(tool, input, key);
  expect(rest.status, JSON.stringify(rest.body)).toBeGreaterThanOrEqual(400);
  // Only an answer over MCP begins with its effect (rules#refusal-begins-with-effect).
  const { message, ...same } = mcp.body.error;
  expect({ ...same, message: message.replace(/^Nothing was \w+\. /, "") }).toEqual(rest.body.error);
  return rest.body.error;
}

describe("what is wrong with a field", () => {
  test.each(WRONG)("%s: %j is %s", async (param, value, code) => {
    const error = await refusalOf("create_alert", args({ [param]: value }));
    expect(error).toMatchObject({ type: "invalid_request", code, param });
    expect(error.problems).toBeUndefined();
  });

  test("several wrong fields are all listed, over REST and MCP alike", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...WRONG), { selector: ([param]) => param, minLength: 2 }),
        async (wrong) => {
          const error = await refusalOf("create_alert", args(Object.fromEntries(wrong)));
          const listed = error.problems.map(({ param, code }: any) => `${param} ${code}`);
          expect(listed.sort()).toEqual(wrong.map(([param, , code]) => `${param} ${code}`).sort());
          expect(error).toMatchObject(error.problems.find(({ param }: any) => param === error.param));
        },
      ),
      { numRuns: 25 },
    ));

  const PAST = "2020-01-01T00:00:00Z";
  const FUTURE = "2100-01-01T00:00:00Z";
  const RANGE = { from: FUTURE, to: PAST };
  test.each<[tool: string, wrong: Record<string, unknown>, problems: string[]]>([
    [
      "create_alert",
      { title: "", layout: "image", lat: 1, expires_at: PAST },
      [...["title empty_text", "image_url field_required", "lon fields_required_together", "expires_at time_in_past"]],
    ],
    [
      "create_alert",
      { priority: "loud", send: true, recurrence: "FREQ=DAILY Europe/Lisbon", send_at: PAST },
      ["priority invalid_choice", "recurrence recurrence_not_allowed", "send_at time_in_past"],
    ],
    [
      "create_alert",
      { titel: "x", image_url: "https://x.example/", image_asset_id: "ast_x" },
      ["titel unknown_field", "image_asset_id mutually_exclusive_fields"],
    ],
    ["create_alert", { title: "\ud800", layout: "html" }, ["title invalid_characters", "html field_required"]],
    [
      "create_alert",
      { expires_at: "tomorrow", send: true, send_at: PAST },
      ["expires_at invalid_timestamp", "send_at time_in_past"],
    ],
    // The files and the other content of a valid input.
    [
      "create_alert",
      { image_asset_id: "ast_x", audio_asset_id: "ast_x", expires_at: PAST },
      ["image_asset_id asset_not_found", "audio_asset_id asset_not_found", "expires_at time_in_past"],
    ],
    [
      "update_alert",
      { image_asset_id: "ast_x", lat: 1 },
      ["image_asset_id asset_not_found", "lon fields_required_together"],
    ],
    // A rule that reads a wrong field, or a field of the stored alert, is not checked.
    ["create_alert", { lat: 91, lon: 1 }, ["lat out_of_range"]],
    ["create_alert", { layout: "image", image_url: "http://x.example/" }, ["image_url invalid_url"]],
    ["create_alert", { layout: "image", image_asset_id: 7.5 }, ["image_asset_id wrong_type"]],
    ["create_alert", { layout: "poster", html: "x".repeat(20_000) }, ["layout invalid_choice"]],
    ["update_alert", { title: "", lat: 1, layout: "image", expires_at: PAST }, ["title empty_text"]],
    [
      "update_alert",
      { title: "", lat: 1, lon: null, radius_km: null, send_at: FUTURE, expires_at: PAST },
      ["title empty_text", "lon fields_required_together", "expires_at invalid_time_range"],
    ],
    [
      "duplicate_alert",
      { title: "", layout: "html", send: true, send_at: PAST },
      ["title empty_text", "send_at time_in_past"],
    ],
    [
      "create_pusher",
      { handle: "api", name: "", description: "x", category: "ai", lat: 1 },
      ["name empty_text", "handle handle_reserved", "lon fields_required_together"],
    ],
    ["update_pusher", { handle: "other", lat: 1 }, ["handle immutable_field", "lon fields_required_together"]],
    [
      "update_pusher",
      { name: "", lat: 1, lon: null, radius_km: 2 },
      ["name empty_text", "lon fields_required_together"],
    ],
    // The other coordinates are stored, and are not read for a call that is refused.
    ["update_pusher", { name: "", lat: 1 }, ["name empty_text"]],
    ["update_pusher", { lat: 91, lon: null, radius_km: 2 }, ["lat out_of_range"]],
    ["create_invite", { max_uses: -1, expires_at: PAST }, ["max_uses out_of_range", "expires_at time_in_past"]],
    [
      "move_alerts",
      { alert_ids: ["alr_x"], from: PAST, to: FUTURE },
      ["action field_required", "from mutually_exclusive_fields", "to mutually_exclusive_fields"],
    ],
    [
      "move_alerts",
      { action: "move", from: "soon", titel: "x" },
      ["from invalid_timestamp", "titel unknown_field", "by_minutes fields_required_together"],
    ],
    [
      "move_alerts",
      { by_minutes: 0.5, dry_run: "yes", to: FUTURE, alert_ids: ["alr_x"] },
      ["by_minutes wrong_type", "dry_run wrong_type", "action field_required", "to mutually_exclusive_fields"],
    ],
    [
      "move_alerts",
      { plan: "pln_x", from: PAST, to: FUTURE },
      ["pusher_id misplaced_field", "from misplaced_field", "to misplaced_field"],
    ],
    ["move_alerts", { action: "stop", by_minutes: 5 }, ["action invalid_choice"]],
    ["move_alerts", { plan: 7.5, action: "move" }, ["plan wrong_type"]],
    [
      "get_pusher_stats",
      { period: "day", from: "2026-01-01", titel: "x" },
      ["titel unknown_field", "from mutually_exclusive_fields"],
    ],
    ["get_account_stats", { period: "year", from: "2026-01-01" }, ["period invalid_choice"]],
    ["list_alerts", { limit: 0, ...RANGE }, ["limit out_of_range", "from invalid_time_range"]],
    ["list_account_alerts", { limit: 0, ...RANGE }, ["limit out_of_range", "from invalid_time_range"]],
    ["list_audit_events", { limit: 0, ...RANGE }, ["limit out_of_range", "from invalid_time_range"]],
  ])("%s %j: problems of the schema and of the content are in one refusal", async (tool, wrong, problems) => {
    const ids: Record<string, unknown> = /_account|_audit|create_pusher/.test(tool) ? {} : { pusher_id: pusher.id };
    if (/_alert$/.test(tool) && tool !== "create_alert") ids.alert_id = (await world.alert(pusher.id)).id;
    const error = await refusalOf(tool, { ...(tool === "create_alert" && args({})), ...ids, ...wrong });
    const listed = error.problems ?? [error];
    expect(listed.map(({ param, code }: any) => `${param} ${code}`)).toEqual(problems);
    expect(error).toMatchObject({ param: listed[0].param, code: listed[0].code });
  });

  test("a choice that is absent is a required field", async () => {
    const error = await refusalOf("create_pusher", { handle: createHandle(), name: "x", description: "x" });
    expect(error).toMatchObject({
      ...{ code: "field_required", param: "category" },
      message: expect.stringMatching(/^category is required and must be one of /),
    });
  });

  test("two unknown fields are two problems", async () => {
    const error = await refusalOf("create_pusher", {
      ...{ handle: createHandle(), name: "x", category: "ai", description: "x" },
      ...{ colour: "red", titel: "x" },
    });
    expect(error.problems.map(({ param, code }: any) => [param, code])).toEqual([
      ["colour", "unknown_field"],
      ["titel", "unknown_field"],
    ]);
  });
});

describe("refusals by the state or the credential", () => {
  const alert = (fields: object) => world.alert(pusher.id, { ...fields });

  test("an alert that is sent, cancelled or was never sent", async () => {
    const sent = await alert({ send: true });
    expect(await refusalOf("update_alert", { ...alertArguments(sent), title: "x" })).toMatchObject({
      ...{ type: "conflict", code: "alert_already_sent", param: null },
    });
    expect(await refusalOf("delete_alert", alertArguments(sent))).toMatchObject({ code: "alert_already_sent" });
    await world.rest("cancel_alert", alertArguments(sent));
    expect(await refusalOf("send_alert", alertArguments(sent))).toMatchObject({ code: "alert_cancelled" });
    const draft = await alert({});
    expect(await refusalOf("cancel_alert", alertArguments(draft))).toMatchObject({ code: "alert_not_sent" });
    const late = { ...alertArguments(draft), title: "x", expected_updated_at: "2026-01-01T00:00:00Z" };
    expect(await refusalOf("update_alert", late)).toMatchObject({ code: "version_conflict" });
  });

  test("missing resources", async () => {
    const at = { pusher_id: NO_PUSHER };
    expect(await refusalOf("get_pusher", at)).toMatchObject({ type: "not_found", code: "channel_not_found" });
    expect(await refusalOf("get_alert", { pusher_id: pusher.id, alert_id: NO_ALERT })).toMatchObject({
      ...{ type: "not_found", code: "alert_not_found" },
    });
    expect(await refusalOf("delete_webhook", { webhook_id: "whk_x" })).toMatchObject({ code: "webhook_not_found" });
    const missing = await world.request("GET", "/api/v1/nothing");
    expect(missing.body.error).toMatchObject({ type: "not_found", code: "route_not_found" });
    const method = await world.request("PUT", "/api/v1/me");
    expect(method.body.error).toMatchObject({ type: "not_found", code: "method_not_allowed" });
  });

  test("a credential that is missing or lacks a scope", async () => {
    const drafts = await world.key({ scopes: "alerts:write" });
    const draft = await alert({});
    const refused = await world.rest("delete_pusher", { pusher_id: pusher.id }, drafts);
    expect(refused.body.error).toMatchObject({ type: "insufficient_scope", code: "missing_scope" });
    const sending = await world.rest("send_alert", alertArguments(draft), drafts);
    expect(sending.body.error).toMatchObject({ type: "insufficient_scope", code: "missing_scope" });
    const nobody = await world.rest("get_me", {}, null);
    expect(nobody.body.error).toMatchObject({ type: "unauthorized", code: "invalid_credential" });
  });

  test("fields that do not go together", async () => {
    expect(await refusalOf("create_alert", args({ layout: "image" }))).toMatchObject({
      ...{ code: "field_required", param: "image_url" },
    });
    expect(await refusalOf("create_alert", args({ send_at: "2020-01-01T00:00:00Z", send: true }))).toMatchObject({
      ...{ code: "time_in_past", param: "send_at" },
    });
    const times = { send_at: timeInSeconds(7200), expires_at: timeInSeconds(3600) };
    expect(await refusalOf("create_alert", args(times))).toMatchObject({ code: "invalid_time_range" });
    expect(await refusalOf("update_pusher", { pusher_id: pusher.id, lat: 1 })).toMatchObject({
      ...{ code: "fields_required_together", param: "lon" },
    });
    expect(await refusalOf("create_alert", args({ image_asset_id: "ast_x" }))).toMatchObject({
      ...{ code: "asset_not_found", param: "image_asset_id" },
    });
  });

  test("a key of a repeat, and a handle", async () => {
    const key = `key-${createHandle()}`;
    expect((await world.rest("create_alert", args({ idempotency_key: key }))).status).toBe(201);
    const other = args({ title: "Another", idempotency_key: key });
    expect((await world.rest("create_alert", other)).body.error).toMatchObject({
      ...{ type: "invalid_request", code: "idempotency_key_reused", param: "idempotency_key" },
    });
    const channel = { name: "x", category: "ai", description: "x" };
    expect(await refusalOf("create_pusher", { ...channel, handle: "admin" })).toMatchObject({
      code: "handle_reserved",
    });
    expect(await refusalOf("create_pusher", { ...channel, handle: pusher.handle })).toMatchObject({
      ...{ type: "conflict", code: "handle_taken" },
    });
  });
});

test("requests of a handset have the same codes", async () => {
  const token = await world.device(pusher.handle);
  const reports = [{ alert_id: NO_ALERT, kind: "seen" }];
  expect((await world.handset("POST", "/reports", token, { reports })).body.error).toMatchObject({
    ...{ code: "invalid_choice", param: "reports.0.kind" },
  });
  expect((await world.handset("GET", "/channels/nothing-here", token)).body.error).toMatchObject({
    ...{ code: "channel_not_found" },
  });
  const many = { platform: "fax", app_version: "", locale: "??", timezone: "Nowhere" };
  expect((await world.handset("POST", "/devices", null, many)).body.error.problems).toMatchObject([
    { param: "platform", code: "invalid_choice" },
    { param: "app_version", code: "invalid_format" },
    { param: "locale", code: "invalid_format" },
    { param: "timezone", code: "invalid_time_zone" },
  ]);
});
