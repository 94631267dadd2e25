// The person's own handsets, tests of drafts on them, and how many handsets a channel wakes.

import { z } from "zod";
import { conflict, notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { getChannelScopeSqlParameters } from "../../operation/access_checks.ts";
import { loadLockedAlert } from "../../operation/alerts/alert_verb_helpers.ts";
import { defineMemberOperation, definePersonOperation } from "../../operation/define_operation.ts";
import { findChannelVisibleToCaller } from "../../store/queries/channels.ts";
import {
  listTestDevicesOfUser,
  showTestDraftOnTestDevices,
  storeTestDeviceCode,
  unlinkTestDevice,
} from "../../store/queries/device_removal_and_transfer.ts";
import { countPushDevices } from "../../store/queries/push_endpoints.ts";
import {
  deletedResourceSchema,
  expectedVersion,
  unpagedListSchema,
} from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { mintToken, OWNER_LINK_CODE_PREFIX } from "../auth/bearer_authentication.ts";

export const count_push_reachable_devices = defineMemberOperation({
  name: "count_push_reachable_devices",
  title: "Count the devices that a channel can reach by push",
  description:
    "Number of a channel's subscribers that can receive push notifications, counted in a sample of those that allow " +
    "notifications.",
  role: "viewer",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ pusher_id: z.string() }),
  output: z.object({
    enabled: z.boolean().describe("If true, this server sends push notifications."),
    looked_at: z.int(),
    woken: z.int(),
  }),
  async handler(input, ctx) {
    const pusher_id = parseIdOrNull("psh", input.pusher_id);
    if (
      !pusher_id ||
      !(await ctx.sql(findChannelVisibleToCaller, getChannelScopeSqlParameters(pusher_id, ctx.caller)))[0]
    )
      throw notFound("channel");
    const enabled = ctx.services.push.publicKey !== null;
    const [counted] = await ctx.sql(countPushDevices, { pusher_id, look: LIMITS.wakes_looked_at });
    const { looked_at, woken } = assertDefined(counted, "a count query always returns a row");
    return { enabled, looked_at, woken: enabled ? woken : 0 };
  },
});

export const list_own_devices = definePersonOperation({
  name: "list_own_devices",
  title: "List test devices",
  description: "The test devices that the person has linked to their account.",
  writes: "nothing",
  output: unpagedListSchema({ id: z.string(), platform: z.string(), app_version: z.string(), linked_at: z.string() }),
  async handler(_, { sql, caller: { person } }) {
    const rows = await sql(listTestDevicesOfUser, { user_id: person.id });
    return { data: rows.map(({ created_at, ...device }) => ({ ...device, linked_at: toIsoMicros(created_at) })) };
  },
});

export const link_own_device = definePersonOperation({
  name: "link_own_device",
  title: "Create a link for a test device",
  description:
    `Create a link that turns the device that opens it into a test device. It works once, within ` +
    `${LIMITS.own_device_minutes} minutes. It is shown only once, and a new link replaces it.`,
  errors: ["conflict"],
  output: z.object({ url: z.string(), expires_at: z.string() }),
  async handler(_, { sql, caller: { person }, services: { publicUrl } }) {
    const { token: code, hash: code_hash } = mintToken(OWNER_LINK_CODE_PREFIX);
    const [row] = await sql(storeTestDeviceCode, { id: newUuid(), user_id: person.id, code_hash });
    if (!row?.expires_at)
      throw conflict(
        "quota_reached",
        `You have reached the maximum of ${LIMITS.own_devices} test devices. Unlink one first.`,
      );
    // Behind the "#", which no browser sends: no server or log on the way sees it.
    return { url: `${publicUrl}/app/#own=${code}`, expires_at: toIsoMicros(row.expires_at) };
  },
});

export const unlink_own_device = definePersonOperation({
  name: "unlink_own_device",
  title: "Unlink a test device",
  description: "Unlink a test device. Other people's devices are reported as not found.",
  errors: ["not_found"],
  input: z.strictObject({ device_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ device_id: id }, ctx) {
    const [gone] = z.guid().safeParse(id).success
      ? await ctx.sql(unlinkTestDevice, { user_id: ctx.caller.person.id, id })
      : [];
    if (!gone) throw notFound("device");
    ctx.markChanged([gone.device_id]);
    return { deleted: true as const, id };
  },
});

export const test_alert = defineMemberOperation({
  name: "test_alert",
  title: "Test a draft",
  description:
    "Show a draft on the person's test devices that are subscribed to its channel. It remains for at most " +
    `${LIMITS.test_minutes} minutes, or until it is edited, sent or deleted. The draft is not published or counted, ` +
    "so only the scope for drafts is required.",
  role: "editor",
  limit: { name: "draft-tests", per: "creator", max: LIMITS.tests, seconds: 3600 },
  errors: ["not_found", "conflict", "rate_limited"],
  input: z.strictObject({ pusher_id: z.string(), alert_id: z.string(), expected_updated_at: expectedVersion() }),
  output: z.object({ devices: z.int() }),
  async handler(path, ctx) {
    if (!parseIdOrNull("psh", path.pusher_id)) throw notFound("alert");
    const { alert, pusherId } = await loadLockedAlert(path, ctx);
    if (alert.status !== "draft")
      throw conflict("wrong_state", "Only drafts can be tested. Move the alert back to draft first.");
    const { person } = ctx.caller;
    const rows = await ctx.sql(showTestDraftOnTestDevices, {
      user_id: person.id,
      pusher_id: pusherId,
      draft_id: alert.id,
      draft_version: alert.updated_at,
      test_alert_id: newUuid(),
    });
    const devices = rows.flatMap(({ device_id }) => device_id ?? []);
    if (devices.length === 0)
      throw conflict(
        "wrong_state",
        rows[0]?.linked
          ? "None of your test devices are subscribed to this channel. Subscribe one in the app first."
          : "You do not have any test devices. Link one on your account page first.",
      );
    await ctx.countAgainstLimit(person.id);
    ctx.markChanged(devices);
    ctx.afterCommit(() => ctx.services.push.wake(pusherId, devices, alert.priority));
    return { devices: devices.length };
  },
});
