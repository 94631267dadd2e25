import { z } from "zod";
import { need } from "../../model/need.ts";
import { listPage } from "../../operation/alerts/list.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listByTime } from "../../store/queries/alerts.ts";
import { sight } from "../../store/queries/channels.ts";
import { alertList } from "../../store/shapes/alert.ts";
import { before, limit } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "list_alert_times",
  title: "List alerts by their time",
  description:
    "The alerts of all channels that the member sees, in the order in which phones see them: what is scheduled, the soonest first, or what was sent, the newest first. before: meta.next_before of the page before.",
  auth: "member",
  role: "viewer",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ status: z.enum(["scheduled", "sent"]), limit: limit(), before: before() }),
  output: alertList,
  handler: (input, ctx) =>
    listPage(
      input,
      ctx,
      (before, n) => ctx.sql(listByTime[input.status], { ...sight(ctx.caller), before, limit: n }),
      (row) => need(row.sent_at ?? row.send_at, "phones see it at some time"),
    ),
});
