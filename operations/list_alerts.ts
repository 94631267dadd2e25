import { z } from "zod";
import { alertListInput, getAlertCursor, listAlertPage } from "../src/operation/alerts/alert_list.ts";
import { findVisibleChannelId } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { findTimeRangeProblem } from "../src/operation/read_keyset_page.ts";
import {
  alertList,
  alertListBriefAnswer,
  alertListViewParameter,
  alertTitleListAnswer,
} from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "list_alerts",
  title: "List alerts",
  description: "List or search one channel's alerts by status, text, dates or writer.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: channelIdParameter(), ...alertListInput, view: alertListViewParameter }),
  returnsText: true,
  output: alertList,
  brief: alertListBriefAnswer,
  titles: alertTitleListAnswer,
  alsoRequires: { "stats:read": ({ reports }) => reports !== undefined },
  pagedBy: "created_at",
  contentProblem: findTimeRangeProblem,
  placeAfter: (row, next, input) => getAlertCursor(row, next, input, row.pusher_id as string),
  handler: async (input, ctx) => listAlertPage(input, ctx, await findVisibleChannelId(input, ctx)),
});
