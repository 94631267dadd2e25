import { z } from "zod";
import { channelUuid, newUuid } from "../src/model/domain/ids.ts";
import { notFound } from "../src/model/errors.ts";
import { need } from "../src/model/need.ts";
import { alertIds } from "../src/operation/alerts/change.ts";
import { shownWhole } from "../src/operation/alerts/show.ts";
import { defineTool } from "../src/operation/tool.ts";
import { duplicateAlert } from "../src/store/queries/alerts.ts";
import { scope } from "../src/store/queries/channels.ts";
import { composedView } from "../src/store/shapes/alert.ts";
import { composedBrief, view } from "../src/store/shapes/alert_brief.ts";
import { pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "duplicate_alert",
  title: "Duplicate alert",
  description:
    "Make a new draft from an alert in any state, with all its fields and files but without send_at and expires_at: the way to correct or repeat what was sent or cancelled. to_pusher_id puts the draft on another channel.",
  scope: "alerts:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/alerts/{alertId}/duplicate", status: 201 },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    to_pusher_id: pathId("Another channel; the same one when absent.").optional(),
    view,
  }),
  output: composedView,
  brief: composedBrief,
  async handler(input, ctx) {
    const { pusherId, alertId } = alertIds(input);
    const target = input.to_pusher_id === undefined ? pusherId : channelUuid(input.to_pusher_id);
    const [row] = await ctx.sql(duplicateAlert, {
      ...scope(pusherId, ctx.caller),
      model_id: alertId,
      to_pusher_id: target,
      id: newUuid(),
    });
    const made = need(row, "it has a row whatever it finds");
    if (!made.found) throw notFound("alert");
    if (made.requested_perms === null) throw notFound("channel");
    if (made.id === null) throw new Error("a channel took no copy");
    return shownWhole(made, made.requested_perms, ctx);
  },
});
