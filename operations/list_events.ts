import { z } from "zod";
import { assertDefined } from "../src/model/assert.ts";
import { LIMITS } from "../src/model/limits.ts";
import { visibilityParameters } from "../src/operation/access_checks.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import {
  assignEventNumbers,
  type EventRecord,
  listEvents,
  readEventFeedEnd,
} from "../src/store/queries/audit_and_events.ts";
import { DEFAULT_PAGE_SIZE, limitParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import {
  eventFeedPositionParameter,
  eventSchema,
  formatEventFeedPosition,
  toEventView,
} from "../src/store/response_schemas/webhook_schemas.ts";

/** Events that one call gives their places at most. */
const NUMBERED = 1000;
const DAY_MS = 86_400_000;

/** The response around the events. */
const AROUND = 300;

/** The number of rows, one at least, that fit in a response over MCP: over REST a page ends there too. */
function fitting(rows: readonly EventRecord[]): number {
  let room = LIMITS.mcp_answer - AROUND;
  const end = rows.findIndex((row) => {
    room -= Buffer.byteLength(JSON.stringify(toEventView(row))) + 1;
    return room < 0;
  });
  return end < 0 ? rows.length : Math.max(1, end);
}

export default defineOperation({
  name: "list_events",
  title: "List events",
  description: `List the events sent to webhooks in the last ${LIMITS.events_days} days, oldest first.`,
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/events", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({
    after: eventFeedPositionParameter()
      .optional()
      .describe("next_after of the last response. Default: the oldest event."),
    limit: limitParameter(),
  }),
  returnsText: true,
  output: z.object({
    data: z.array(eventSchema),
    meta: z.object({
      next_after: z.string().describe("Always present, even on the last page. To continue, pass it as `after`."),
      more: z.boolean().describe("If true, more events are available; call again immediately."),
      missed: z.boolean().describe("If true, `after` is so old that later events may have been deleted."),
    }),
  }),
  async handler({ after, limit: wanted = DEFAULT_PAGE_SIZE }, ctx) {
    const { workspace_id, pusher_ids } = visibilityParameters(ctx.caller);
    const [{ numbered } = { numbered: 0 }] = await ctx.sql(assignEventNumbers, { workspace_id, limit: NUMBERED });
    // A page ends at a complete position: positions become visible in their order.
    const [{ last_event_position: end } = { last_event_position: "0" }] = await ctx.sql(readEventFeedEnd, {
      workspace_id,
    });
    const at = ctx.now().getTime();
    const tooOld = after !== undefined && at - after.at > LIMITS.events_days * DAY_MS;
    // The database may have been set back to an earlier day.
    const ahead = after !== undefined && BigInt(after.position) > BigInt(end);
    const from = after === undefined || ahead ? "0" : after.position;
    const rows = await ctx.sql(listEvents, { workspace_id, pusher_ids, after: from, end, limit: wanted + 1 });
    const data = rows.slice(0, Math.min(wanted, fitting(rows)));
    const further = rows.length > data.length;
    const position = further ? assertDefined(data.at(-1), "more rows than the limit were read").position : end;
    return {
      data: data.map(toEventView),
      meta: {
        next_after: formatEventFeedPosition({ position, at }),
        more: further || numbered === NUMBERED,
        missed: tooOld || ahead,
      },
    };
  },
});
