import { z } from "zod";
import { listInput, listPage, placeAfter } from "../src/operation/alerts/list.ts";
import { visiblePusherId } from "../src/operation/channels/find_pusher.ts";
import { defineTool } from "../src/operation/tool.ts";
import { alertList, alertListBrief, view } from "../src/store/shapes/alert.ts";
import { pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "list_alerts",
  title: "List alerts",
  description: "As list_account_alerts, of one channel.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: pathId("Channel id, psh_…, or its handle"), ...listInput, view }),
  output: alertList,
  brief: alertListBrief,
  pagedBy: "created_at",
  placeAfter: (row, next, input) => placeAfter(row, next, input, row.pusher_id as string),
  handler: async (input, ctx) => listPage(input, ctx, await visiblePusherId(input, ctx)),
});
