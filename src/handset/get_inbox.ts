import { z } from "zod";
import { NOT_MODIFIED, Validated } from "../context.ts";
import { toIsoMicros } from "../fields/columns.ts";
import { boundedPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { findDevicesWithInbox } from "../queries/handset.ts";
import { inboxPage, inboxPageWithDue } from "../queries/inbox.ts";
import { DEFAULT_LIMIT, limit, pageMeta, place, showPlace } from "../shapes/fields.ts";
import { inboxItem, showInboxItem } from "./shapes.ts";

/** Goes up when the rows of an unchanged inbox are shown in another form. */
const FORMAT = 6;

/** Bytes of one page (docs/rules.md#inbox-pages). An alert that is larger comes alone. */
const MAX_BYTES = 1024 * 1024;
/** Bytes of `{"data":[],"meta":{…}}`. */
const FRAME = 256;
/** How many bytes JSON may make of one. */
const WIDEST = 6;

export default defineHandsetOperation({
  name: "get_inbox",
  title: "Inbox",
  description:
    "The visible alerts of the handset's channels, newest first. An answer of state, not of news: cancelled alerts are gone from it. A page ends at 1 MiB as well. Poll with If-None-Match, and with Prefer: wait=50 to be answered as soon as something changes.",
  auth: "device",
  lookUp: findDevicesWithInbox,
  writes: "nothing",
  validated: true,
  http: { method: "GET", path: "/handset/v1/inbox", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit().optional(), before: place().optional() }),
  output: z.object({ data: z.array(inboxItem), meta: pageMeta }),
  async handler({ limit: wanted = DEFAULT_LIMIT, before }, ctx) {
    const { id } = ctx.caller;
    const { revision, due } = await ctx.outside.settledInbox(ctx.caller, ctx.caller);
    const page = `${FORMAT}-${wanted}-${Buffer.from(before ? showPlace(before) : "").toString("base64url")}`;
    const tag = ctx.outside.inboxTag(id, [revision, page, ...due].join(" "));
    if (ctx.clientHolds(tag)) return new Validated(tag, NOT_MODIFIED);
    const { rows, next } = await boundedPage(wanted, async (n) => {
      const place = {
        device_id: id,
        before: before?.at ?? null,
        inside: before?.id ?? null,
        limit: n,
        max_bytes: MAX_BYTES - FRAME,
      };
      const found = await (due.length === 0
        ? ctx.sql(inboxPage, place)
        : ctx.sql(inboxPageWithDue, { ...place, due }));
      return withinBytes(found, (row) => showInboxItem(row, ctx.outside.assets));
    });
    return new Validated(tag, {
      data: rows.map((row) => showInboxItem(row, ctx.outside.assets)),
      meta: {
        next_before:
          next && showPlace({ at: toIsoMicros(next.after.sent_at), id: next.inside ? next.after.id : null }),
      },
    });
  },
});

/** The rows that fit as JSON, and at least one. Those whose bytes fit whatever JSON makes of them are not measured. */
function withinBytes<Row extends { so_far: number }>(rows: Row[], show: (row: Row) => object): Row[] {
  if ((rows.at(-1)?.so_far ?? 0) * WIDEST <= MAX_BYTES - FRAME) return rows;
  let bytes = FRAME;
  const over = rows.findIndex((row, i) => {
    bytes += Buffer.byteLength(JSON.stringify(show(row))) + 1;
    return bytes > MAX_BYTES && i > 0;
  });
  return over < 0 ? rows : rows.slice(0, over);
}
