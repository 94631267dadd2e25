// The inbox of a handset, and the stream of its changes.

import { z } from "zod";
import { notFound } from "../model/api_error.ts";
import { buildJoiningMarksFromAlerts, toSentAlertTimes } from "../model/domain/prejoin_alert_marks.ts";
import { parseIdOrNull } from "../model/domain/type_ids.ts";
import { formatLimit } from "../model/limits.ts";
import { defineHandsetOperation } from "../operation/define_operation.ts";
import { readBoundedPage } from "../operation/read_keyset_page.ts";
import { NOT_MODIFIED } from "../store/handler_context.ts";
import { readInboxPage, readInboxPageWithDueAlerts } from "../store/queries/inbox.ts";
import { findInboxTestDraft, readInboxAlert, readInboxTestAlert } from "../store/queries/inbox_alert.ts";
import { findDevicesWithInboxState } from "../store/queries/subscriptions_and_directory.ts";
import {
  DEFAULT_PAGE_SIZE,
  formatPagePosition,
  limitParameter,
  pagePositionSchema,
  pathId,
} from "../store/response_schemas/shared_parameters_and_pages.ts";
import { inboxItem, toInboxItem } from "./handset_schemas.ts";
import {
  addTestAlertToInboxPage,
  createInboxPageRenderer,
  formatInboxState,
  inboxBody,
  leanInboxBodySchema,
  limitInboxRowsByBytes,
  MAX_PAGE_ROWS_BYTES,
  SerializedInboxAlert,
  viewParameter,
} from "./inbox_page.ts";

export const get_inbox = defineHandsetOperation({
  name: "get_inbox",
  title: "Get the inbox",
  description:
    "The visible alerts on the handset's channels, newest first. Returns the current state, not a queue of new " +
    `items, so cancelled alerts are not included. A page contains at most ${formatLimit("inbox")}. Poll with ` +
    "If-None-Match, and add Prefer: wait=50 to get the response as soon as something changes.",
  lookUp: findDevicesWithInboxState,
  writes: "nothing",
  validated: true,
  http: { method: "GET", path: "/handset/v1/inbox", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limitParameter(), before: pagePositionSchema().optional(), view: viewParameter }),
  output: inboxBody,
  brief: { output: leanInboxBodySchema },
  async handler({ limit: wanted = DEFAULT_PAGE_SIZE, before, view = "full" }, ctx) {
    const { caller } = ctx;
    const { id } = caller;
    const { revision, testing, due } = caller.due.length === 0 ? caller : await ctx.services.readInboxState(caller);
    const place = before && formatPagePosition(before);
    const [test] = testing && !before ? await ctx.sql(findInboxTestDraft, { device_id: id }) : [];
    const also = test ? [...due, test.id] : due;
    const tag = ctx.services.inboxTag(formatInboxState(revision, { limit: wanted, view }, place, also));
    if (ctx.conditions.clientHolds(tag)) return { validator: tag, body: NOT_MODIFIED };
    // Shared with other devices. Alerts that are published only for this poll, and later pages, are read separately.
    const alike = !before && !test && due.length === 0;
    const shared = alike && (await ctx.services.inboxPageCache.find(id, { limit: wanted, view, tag }));
    if (shared) return { validator: tag, body: shared };
    let channelsAt: string | null | undefined;
    const page = await readBoundedPage(wanted, async (n) => {
      const from = {
        device_id: id,
        before: before?.at ?? null,
        inside: before?.id ?? null,
        limit: n,
        max_bytes: MAX_PAGE_ROWS_BYTES,
      };
      const found = await (due.length === 0
        ? ctx.sql(readInboxPage, from)
        : ctx.sql(readInboxPageWithDueAlerts, { ...from, due }));
      channelsAt = found[0]?.channels_at;
      return limitInboxRowsByBytes(found, ctx.services.assets);
    });
    const whole = addTestAlertToInboxPage(page, test);
    const cards = whole.rows.map((row) => new SerializedInboxAlert(row));
    const shown = createInboxPageRenderer(whole, cards, ctx.services.assets)(view);
    const marks = buildJoiningMarksFromAlerts(page.rows);
    if (alike && marks !== null)
      ctx.services.inboxPageCache.put(tag, { page: shown, channelsAt, marks, sent: toSentAlertTimes(page.rows) });
    return { validator: tag, body: shown };
  },
});

export const get_inbox_alert = defineHandsetOperation({
  name: "get_inbox_alert",
  title: "Get an alert",
  description: `An alert card with its full text. Inbox cards contain at most ${formatLimit(
    "card_body",
  )} characters of the text, and body_length if the text is longer.`,
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/alerts/{alert_id}", status: 200 },
  errors: ["invalid_request", "unauthorized", "not_found"],
  input: z.strictObject({ alert_id: pathId("Alert id.") }),
  output: inboxItem,
  async handler({ alert_id }, ctx) {
    const id = parseIdOrNull("alr", alert_id);
    const wanted = id && { device_id: ctx.caller.id, id };
    const [found] = wanted
      ? [...(await ctx.sql(readInboxAlert, wanted)), ...(await ctx.sql(readInboxTestAlert, wanted))]
      : [];
    if (!found) throw notFound("alert");
    return toInboxItem(found, ctx.services.assets);
  },
});

export const follow_inbox = defineHandsetOperation({
  name: "follow_inbox",
  title: "Follow the inbox",
  description:
    "Server-sent events for changes to the inbox: `alert` with a card, `removed` with ids, `look` to request a poll " +
    "now, and `ended` with a reason. Open the stream with the ETag of the last poll as Last-Event-ID, and with the " +
    "same limit and view. Each event's id is the handset's new ETag. The stream is optional: after any interruption, " +
    "poll.",
  writes: "nothing",
  streams: true,
  http: { method: "GET", path: "/handset/v1/inbox/stream", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limitParameter(), view: viewParameter }),
  output: z.string(),
  // Changes are sent on the connection (see program/boot/inbox_long_poll_handler.ts). Without one, this is all of the
  // response.
  handler: async () => "event: look\ndata: {}\n\n",
});
