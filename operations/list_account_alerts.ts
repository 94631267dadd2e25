import { z } from "zod";
import { alertListInput, getAlertCursor, listAlertPage } from "../src/operation/alerts/alert_list.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { alertList, alertViewParameter, briefAlertList } from "../src/store/schemas/alert_schemas.ts";

export default defineOperation({
  name: "list_account_alerts",
  title: "List alerts of all channels",
  description:
    "List or find alerts of every channel seen, newest first; with query, from, to, order or writer by sent_at, send_at or created_at, scheduled soonest first. Next page: meta.next_before as before, all else the same.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/alerts", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({ ...alertListInput, view: alertViewParameter }),
  output: alertList,
  brief: briefAlertList,
  pagedBy: "created_at",
  placeAfter: (row, next, input) => getAlertCursor(row, next, input, null),
  handler: (input, ctx) => listAlertPage(input, ctx, null),
});
