import { z } from "zod";
import { listInput, listPage, placeAfter } from "../src/operation/alerts/list.ts";
import { defineTool } from "../src/operation/tool.ts";
import { alertList, alertListBrief, view } from "../src/store/shapes/alert.ts";

export default defineTool({
  name: "list_account_alerts",
  title: "List alerts of all channels",
  description:
    "List or find alerts of every channel seen, newest first; with query, from, to, order or writer by sent_at, send_at or created_at, scheduled soonest first. Next page: meta.next_before as before, all else the same.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/alerts", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({ ...listInput, view }),
  output: alertList,
  brief: alertListBrief,
  pagedBy: "created_at",
  placeAfter: (row, next, input) => placeAfter(row, next, input, null),
  handler: (input, ctx) => listPage(input, ctx, null),
});
