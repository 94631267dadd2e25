import { z } from "zod";
import { listInput, listPage } from "../src/operation/alerts/list.ts";
import { visiblePusherId } from "../src/operation/channels/find_pusher.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listAlerts } from "../src/store/queries/alerts.ts";
import { alertList } from "../src/store/shapes/alert.ts";
import { alertListBrief, view } from "../src/store/shapes/alert_brief.ts";
import { pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "list_alerts",
  title: "List alerts",
  description:
    "List the alerts of one channel (pusher), newest first, optionally of one status. Pass meta.next_before back as before for the next page. Markup is left out; get_alert has it.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: pathId("Channel id, psh_…, or its handle"), ...listInput, view }),
  output: alertList,
  brief: alertListBrief,
  pagedBy: "created_at",
  async handler(input, ctx) {
    const pusherId = await visiblePusherId(input, ctx);
    return listPage(input, ctx, (before, n) =>
      ctx.sql(listAlerts[input.status ?? "any"], { pusher_id: pusherId, before, limit: n }),
    );
  },
});
