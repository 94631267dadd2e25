import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { alertIds } from "../../operation/alerts/change.ts";
import { changesBetween } from "../../operation/alerts/changes.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listAlertChanges } from "../../store/queries/alert_changes.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { scope } from "../../store/queries/channels.ts";
import { showAlert } from "../../store/shapes/alert.ts";

export default defineSessionOperation({
  name: "list_alert_changes",
  title: "List alert changes",
  description:
    "The newest edits of an alert, newest first: which fields each of them changed, from what to what. For whoever may read the alert.",
  auth: "member",
  role: "viewer",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ pusher_id: z.string(), alert_id: z.string() }),
  output: z.object({
    data: z.array(
      z.object({
        updated_at: z.string().describe("The version that the edit made."),
        fields: z.array(z.object({ name: z.string(), before: z.unknown(), after: z.unknown() })),
        replied_to: z.string().nullable().describe("What a person had written who declined it before."),
      }),
    ),
  }),
  async handler(input, ctx) {
    if (!parseId("psh", input.pusher_id)) throw notFound("alert");
    const { pusherId, alertId } = alertIds(input);
    const [alert] = await ctx.sql(readAlert, { ...scope(pusherId, ctx.caller), id: alertId });
    if (!alert) throw notFound("alert");
    const changes = await ctx.sql(listAlertChanges, { alert_id: alertId });
    return { data: changesBetween(showAlert(alert, ctx.services.assets), changes) };
  },
});
