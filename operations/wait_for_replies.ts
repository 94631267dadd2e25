import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { choiceCountsSchema, pairReplyChoicesWithCounts } from "../src/model/fields/alert_actions.ts";
import { getReplyQuestion } from "../src/model/fields/split_alert_actions.ts";
import { LIMITS } from "../src/model/limits.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import { parseAlertPathIds } from "../src/operation/alerts/alert_verb_helpers.ts";
import { publishDueAlertsInRows } from "../src/operation/alerts/format_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { listCurrentAlertVersions, readAlert } from "../src/store/queries/alerts.ts";
import {
  channelIdParameter,
  pathId,
  waitSecondsParameter,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

const NOTES = {
  nothing: "This alert has no question. Add an action of type reply while it is a draft.",
  unsent: "Handsets can only reply after the alert becomes visible.",
  open: "Only the latest choice of each handset is counted. Pass `seen` to wait until the counts change.",
  over: "The alert has expired, so these counts are final.",
};

export default defineOperation({
  name: "wait_for_replies",
  title: "Wait for replies",
  description: "Count an alert's replies per choice; with `seen`, wait until the counts change.",
  scope: "stats:read",
  waits: true,
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/replies", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    seconds: waitSecondsParameter(),
    seen: z.string().optional().describe("`seen` from the previous response."),
  }),
  returnsText: true,
  output: z.object({
    question: z.string().nullable(),
    replies: choiceCountsSchema.describe("The choices, in the order of the question."),
    total: z.int().describe("Number of handsets that replied."),
    open: z.boolean().describe("If true, handsets can still reply."),
    seen: z.string(),
    note: z.string(),
  }),
  async handler(input, ctx) {
    const { pusherId, alertId } = parseAlertPathIds(input);
    const find = async () => {
      const [alert] = await ctx.sql(readAlert, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
      const [counted] = await ctx.sql(listCurrentAlertVersions, { ids: [alertId] });
      if (!alert || !counted) throw notFound("alert");
      const replies = pairReplyChoicesWithCounts(alert, counted.replies);
      const total = replies.reduce((sum, { count }) => sum + count, 0);
      const left =
        alert.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(alert.expires_at) - ctx.now().getTime();
      return { alert, counted, replies, total, left, seen: replies.map(({ count }) => count).join(".") };
    };
    let found = await find();
    const { seconds = LIMITS.review_held_seconds, seen } = input;
    const { alert, counted, left } = found;
    const over = () => found.alert.status === "cancelled" || found.left <= 0;
    const isNews = seen === undefined ? found.total > 0 : seen !== found.seen;
    if (getReplyQuestion(alert) && !isNews && !over()) {
      const { id: subject } = ctx.caller.credential;
      const { signal, rest } = ctx.wait;
      const wait = { pusherId, alertId, version: alert.updated_at, replies: counted.replies, subject, signal };
      await rest(ctx.services.waitForChange({ ...wait, ms: Math.min(seconds * 1000, left) }));
      found = await find();
    }
    await publishDueAlertsInRows([found.alert], ctx);
    const { replies, total } = found;
    const question = getReplyQuestion(found.alert)?.label ?? null;
    const state = question === null ? "nothing" : over() ? "over" : found.alert.status === "sent" ? "open" : "unsent";
    return { question, replies, total, open: state === "open", seen: found.seen, note: NOTES[state] };
  },
});
