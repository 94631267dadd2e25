// The inbox as a handset asks for it, and the stream that tells it what changes.

import { z } from "zod";
import { marksOfRows, sentOf } from "../model/domain/before_joining.ts";
import { parseId } from "../model/domain/ids.ts";
import { notFound } from "../model/errors.ts";
import { said } from "../model/limits.ts";
import { boundedPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { NOT_MODIFIED, Validated } from "../store/context.ts";
import { findDevicesWithInbox } from "../store/queries/handset.ts";
import { inboxPage, inboxPageWithDue } from "../store/queries/inbox.ts";
import { inboxAlert, ownTest, wholeTest } from "../store/queries/inbox_alert.ts";
import { DEFAULT_LIMIT, limit, pathId, place, showPlace } from "../store/shapes/fields.ts";
import {
  Card,
  inboxBody,
  inboxState,
  leanBody,
  MAX_ROW_BYTES,
  showPage,
  view,
  withinBytes,
  withTest,
} from "./inbox_page.ts";
import { inboxItem, showInboxItem } from "./shapes.ts";

export const get_inbox = defineHandsetOperation({
  name: "get_inbox",
  title: "Inbox",
  description: `The visible alerts of the handset's channels, newest first. An answer of state, not of news: cancelled alerts are gone from it. A page ends at ${said("inbox")} as well. Poll with If-None-Match, and with Prefer: wait=50 to be answered as soon as something changes.`,
  lookUp: findDevicesWithInbox,
  writes: "nothing",
  validated: true,
  http: { method: "GET", path: "/handset/v1/inbox", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit(), before: place().optional(), view }),
  output: inboxBody,
  brief: { output: leanBody },
  async handler({ limit: wanted = DEFAULT_LIMIT, before, view = "full" }, ctx) {
    const { id } = ctx.caller;
    const { revision, testing, due } = await ctx.services.settledInbox(ctx.caller, ctx.caller);
    const place = before && showPlace(before);
    const [test] = testing && !before ? await ctx.sql(ownTest, { device_id: id }) : [];
    const also = test ? [...due, test.id] : due;
    const tag = ctx.services.inboxTag(inboxState(revision, { limit: wanted, view }, place, also));
    if (ctx.conditions.held(tag)) return new Validated(tag, NOT_MODIFIED);
    // As others have it; what is settled only for this poll, and what is further back, is read for it alone.
    const alike = !before && !test && due.length === 0;
    const shared = alike && (await ctx.services.sharedInbox.find(id, { limit: wanted, view, tag }));
    if (shared) return new Validated(tag, shared);
    let channelsAt: string | null | undefined;
    const page = await boundedPage(wanted, async (n) => {
      const from = {
        device_id: id,
        before: before?.at ?? null,
        inside: before?.id ?? null,
        limit: n,
        max_bytes: MAX_ROW_BYTES,
      };
      const found = await (due.length === 0 ? ctx.sql(inboxPage, from) : ctx.sql(inboxPageWithDue, { ...from, due }));
      channelsAt = found[0]?.channels_at;
      return withinBytes(found, ctx.services.assets);
    });
    const whole = withTest(page, test);
    const cards = whole.rows.map((row) => new Card(row));
    const shown = showPage(whole, cards, ctx.services.assets)[view];
    const marks = marksOfRows(page.rows);
    if (alike && marks !== null)
      ctx.services.sharedInbox.keep(tag, { page: shown, channelsAt, marks, sent: sentOf(page.rows) });
    return new Validated(tag, shown);
  },
});

export const get_inbox_alert = defineHandsetOperation({
  name: "get_inbox_alert",
  title: "One alert of the inbox",
  description: `The card of an alert with its whole text. Cards of the inbox carry at most ${said("card_body")} characters of it, and body_length where there are more.`,
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/alerts/{alert_id}", status: 200 },
  errors: ["invalid_request", "unauthorized", "not_found"],
  input: z.strictObject({ alert_id: pathId("The id of the alert.") }),
  output: inboxItem,
  async handler({ alert_id }, ctx) {
    const id = parseId("alr", alert_id);
    const wanted = id && { device_id: ctx.caller.id, id };
    const [found] = wanted ? [...(await ctx.sql(inboxAlert, wanted)), ...(await ctx.sql(wholeTest, wanted))] : [];
    if (!found) throw notFound("alert");
    return showInboxItem(found, ctx.services.assets);
  },
});

export const follow_inbox = defineHandsetOperation({
  name: "follow_inbox",
  title: "Follow the inbox",
  description:
    "Server-sent events that tell what changes in the inbox: `alert` with a card, `removed` with ids, `look` for poll now, `ended` with a reason. Open it with the ETag of the last poll as Last-Event-ID, and with the same limit and view; the id of an event is the ETag that the handset then holds. Nothing depends on it: after any gap the handset polls.",
  writes: "nothing",
  streams: true,
  http: { method: "GET", path: "/handset/v1/inbox/stream", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit(), view }),
  output: z.string(),
  // What follows is told on the connection (see program/boot/polls.ts); where none can stay, this is all.
  handler: async () => "event: look\ndata: {}\n\n",
});
