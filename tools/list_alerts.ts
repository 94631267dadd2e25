import { z } from "zod";
import { ALERT_STATUSES } from "../src/entities/alert.ts";
import { toIsoMicros } from "../src/entities/columns.ts";
import { keysetPage } from "../src/page.ts";
import { seenPusherId } from "../src/pushers.ts";
import { listAlerts } from "../src/queries/alerts.ts";
import { alertListItem, showAlert } from "../src/shapes/alert.ts";
import { DEFAULT_LIMIT, instant, limit, pageMeta, pathId } from "../src/shapes/fields.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "list_alerts",
  title: "List alerts",
  description:
    "List a channel's alerts, newest first, optionally of one status. Pass meta.next_before back as before for the next page. Markup is left out; get_alert has it.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("psh_…"),
    status: z.enum(ALERT_STATUSES).optional(),
    limit: limit().optional(),
    before: instant().optional().describe("Rows created strictly before it."),
  }),
  output: z.object({ data: z.array(alertListItem), meta: pageMeta }),
  async handler(input, ctx) {
    const pusherId = await seenPusherId(input, ctx);
    const { rows, next_before } = await keysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) => ctx.sql(listAlerts[input.status ?? "any"], [pusherId, input.before ?? null, n]),
      (row) => row.created_at,
    );
    return {
      data: rows.map((row) => showAlert(row, ctx.surroundings.assets)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
