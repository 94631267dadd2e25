import { z } from "zod";
import { newUuid, parseId } from "../../model/domain/ids.ts";
import { conflict, notFound } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { lockedAlert } from "../../operation/alerts/change.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { testDraft } from "../../store/queries/own_devices.ts";
import { expectedVersion } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "test_alert",
  title: "Test a draft on own devices",
  description: `Show a draft, as it is now, on the person's own devices that follow its channel, for ${LIMITS.test_minutes} minutes at most or until it is edited, sent or deleted. Nobody else sees it and nothing counts it. It publishes nothing, so it asks for no more than composing does.`,
  auth: "member",
  role: "editor",
  writes: "rows",
  limit: { name: "draft-tests", per: "creator", max: LIMITS.tests, seconds: 3600 },
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({
    pusher_id: z.string(),
    alert_id: z.string(),
    expected_updated_at: expectedVersion(),
  }),
  output: z.object({ devices: z.int() }),
  async handler(path, ctx) {
    if (!parseId("psh", path.pusher_id)) throw notFound("alert");
    const { alert, pusherId } = await lockedAlert(path, ctx);
    if (alert.status !== "draft") throw conflict("Only a draft is tested. Bring it back to draft first.");
    const { person } = ctx.caller;
    const rows = await ctx.sql(testDraft, {
      user_id: person.id,
      pusher_id: pusherId,
      draft_id: alert.id,
      draft_version: alert.updated_at,
      shown_as: newUuid(),
    });
    const devices = rows.flatMap(({ device_id }) => device_id ?? []);
    if (devices.length === 0)
      throw conflict(
        rows[0]?.linked
          ? "None of your own devices follows this channel. Follow it in the app on one of them first."
          : "You have no device of your own yet. Link one on the page of your account first.",
      );
    await ctx.countAgainstLimit(person.id);
    ctx.handsetsSee(devices);
    ctx.afterCommit(() => ctx.services.push.wake(pusherId, devices, alert.priority));
    return { devices: devices.length };
  },
});
