import { raw } from "@mikro-orm/core";
import { z } from "zod";
import { alreadySent } from "../src/model/domain/alert_transitions.ts";
import { Alert } from "../src/model/tables/alert.ts";
import {
  emitAlertEvent,
  lockAlertForVerb,
  requireScopeToDeleteScheduled,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { ALERT_NOT_VISIBLE_SQL } from "../src/store/queries/alerts.ts";
import {
  channelIdParameter,
  deletedResourceSchema,
  expectedVersion,
  pathId,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "delete_alert",
  title: "Delete alert",
  description:
    "Delete a draft, cancelled or (with alerts:send) scheduled alert. Cannot be undone. Sent alerts cannot be deleted.",
  scope: "alerts:write",
  mayRequire: { "alerts:send": "the alert is scheduled" },
  role: "editor",
  http: { method: "DELETE", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 204 },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    expected_updated_at: expectedVersion(),
  }),
  output: deletedResourceSchema,
  async handler(input, ctx) {
    const { alert } = await lockAlertForVerb("delete", input, ctx);
    requireScopeToDeleteScheduled(alert, ctx);
    const removed = await ctx.em.nativeDelete(Alert, { id: alert.id, [raw(ALERT_NOT_VISIBLE_SQL)]: [] });
    // It came due while we looked at it.
    if (removed === 0) throw alreadySent("delete");
    // Receivers that planned from alert.scheduled are notified that it will not come.
    if (alert.status === "scheduled") emitAlertEvent(ctx, "alert.cancelled", { ...alert, status: "cancelled" });
    return { deleted: true as const, id: input.alert_id };
  },
});
