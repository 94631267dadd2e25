import { z } from "zod";
import { CHANNEL_NOT_ACTIVE } from "../src/model/domain/alert_status.ts";
import { channelUuid, showId } from "../src/model/domain/ids.ts";
import { invalidRequest, notFound } from "../src/model/errors.ts";
import { instant } from "../src/model/fields/accepts.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../src/model/fields/columns.ts";
import { LIMITS } from "../src/model/limits.ts";
import { announce, lineOf } from "../src/operation/alerts/change.ts";
import { defineTool } from "../src/operation/tool.ts";
import { scope, sight, visibleChannel } from "../src/store/queries/channels.ts";
import { moveAlerts } from "../src/store/queries/series.ts";
import { pathId } from "../src/store/shapes/fields.ts";

/** Why an alert stays where it is, in the words of the call that would move it alone. */
const REFUSED: Record<string, string> = {
  inactive: CHANNEL_NOT_ACTIVE,
  past: "Its new send_at must be in the future.",
  expires: "Its expires_at must be later than its new send_at; move that with update_alert.",
};

const moved = z.object({
  id: z.string(),
  pusher_id: z.string(),
  title: z.string(),
  send_at: z.string(),
  becomes: z.string().nullable().describe("Its new send_at; null when it is cancelled or stays."),
  outcome: z.enum(["done", "would", "refused"]),
  message: z.string().nullable().describe("Why it was refused."),
});

const MINUTES = `must be a whole number from -${LIMITS.shift_minutes} to ${LIMITS.shift_minutes}`;
const MOST = LIMITS.moves;

export default defineTool({
  name: "move_alerts",
  title: "Move or cancel scheduled alerts",
  description: `Move up to ${MOST} scheduled alerts by minutes, or cancel them, by channel and send_at. dry_run true answers what would be done: show a person that first.`,
  scope: "alerts:send",
  publishesNothing: ({ action, dry_run }) => action === "cancel" || dry_run === true,
  role: "editor",
  http: { method: "POST", path: "/api/v1/core/alerts/move", status: 200 },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z
    .strictObject({
      pusher_id: pathId("Channel id, psh_…, or its handle").optional(),
      from: instant().optional().describe("Scheduled for then or later."),
      to: instant().optional().describe("Scheduled before then."),
      action: z.enum(["move", "cancel"]),
      by_minutes: z
        .int(MINUTES)
        .min(-LIMITS.shift_minutes, MINUTES)
        .max(LIMITS.shift_minutes, MINUTES)
        .optional()
        .describe("Later; negative is earlier."),
      dry_run: z.boolean().optional(),
    })
    .refine(({ action, by_minutes = 0 }) => (action === "move") === (by_minutes !== 0), {
      path: ["by_minutes"],
      error: "is given to move, and only then; it is not 0",
    }),
  output: z.object({ data: z.array(moved), dry_run: z.boolean() }),
  async handler({ pusher_id, from = null, to = null, by_minutes = null, dry_run = false }, ctx) {
    const pusherId = pusher_id === undefined ? null : channelUuid(pusher_id);
    if (pusherId && !(await ctx.sql(visibleChannel, scope(pusherId, ctx.caller)))[0])
      throw notFound("channel");
    const asked = { pusher_id: pusherId, from, to, minutes: by_minutes, dry_run };
    const rows = await ctx.sql(moveAlerts, { ...sight(ctx.caller), ...asked });
    if (rows.length > MOST)
      throw invalidRequest(
        `More than ${MOST} alerts are scheduled there; name less of the time by to.`,
        "to",
      );
    const changed = rows.filter((row) => row.id !== null);
    for (const row of changed)
      announce(ctx, row.status === "cancelled" ? "alert.cancelled" : "alert.scheduled", row);
    ctx.tellEach(changed.map(lineOf));
    if (by_minutes !== null) ctx.tellChanged(["send_at"]);
    const data = rows.map((row) => ({
      id: showId("alr", row.alert_id),
      pusher_id: showId("psh", row.channel_id),
      title: row.planned_title,
      send_at: toIsoMicros(row.planned_at),
      becomes: row.refused === null ? toIsoMicrosOrNull(row.becomes) : null,
      outcome: row.refused !== null ? ("refused" as const) : dry_run ? ("would" as const) : ("done" as const),
      message: row.refused === null ? null : (REFUSED[row.refused] ?? null),
    }));
    return { data, dry_run };
  },
});
