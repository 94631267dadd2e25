import { z } from "zod";
import { alertListInput, getAlertCursor, listAlertPage } from "../src/operation/alerts/alert_list.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { findTimeRangeProblem } from "../src/operation/read_keyset_page.ts";
import {
  alertList,
  alertListBriefAnswer,
  alertListViewParameter,
  alertTitleListAnswer,
} from "../src/store/response_schemas/alert_schemas.ts";

export default defineOperation({
  name: "list_account_alerts",
  title: "List alerts on all channels",
  description:
    "List or search alerts on all channels by status, text, dates or writer. Filtered lists sort by sent_at, send_at " +
    "or created_at.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/alerts", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({ ...alertListInput, view: alertListViewParameter }),
  returnsText: true,
  output: alertList,
  brief: alertListBriefAnswer,
  titles: alertTitleListAnswer,
  alsoRequires: { "stats:read": ({ reports }) => reports !== undefined },
  pagedBy: "created_at",
  contentProblem: findTimeRangeProblem,
  placeAfter: (row, next, input) => getAlertCursor(row, next, input, null),
  handler: (input, ctx) => listAlertPage(input, ctx, null),
});
