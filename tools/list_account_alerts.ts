import { z } from "zod";
import { listInput, listPage } from "../src/operation/alerts/list.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listAccountAlerts } from "../src/store/queries/alerts.ts";
import { sight } from "../src/store/queries/channels.ts";
import { alertList } from "../src/store/shapes/alert.ts";
import { alertListBrief, view } from "../src/store/shapes/alert_brief.ts";

export default defineTool({
  name: "list_account_alerts",
  title: "List alerts of all channels",
  description:
    "List the alerts of every channel (pusher) that this credential sees, newest first, optionally of one status: all drafts in one call. Pass meta.next_before back as before for the next page. Markup is left out; get_alert has it.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/alerts", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({ ...listInput, view }),
  output: alertList,
  brief: alertListBrief,
  pagedBy: "created_at",
  handler: (input, ctx) =>
    listPage(input, ctx, (before, n) =>
      ctx.sql(listAccountAlerts[input.status ?? "any"], { ...sight(ctx.caller), before, limit: n }),
    ),
});
