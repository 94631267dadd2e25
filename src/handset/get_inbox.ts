import { z } from "zod";
import { NOT_MODIFIED } from "../context.ts";
import { toIsoMicros } from "../entities/columns.ts";
import { keysetPage } from "../page.ts";
import { inboxPage } from "../queries/inbox.ts";
import { DEFAULT_LIMIT, instant, limit, pageMeta } from "../shapes/fields.ts";
import { defineHandsetOperation } from "../tool.ts";
import { inboxItem, showInboxItem } from "./shapes.ts";

/** Goes up when the rows of an unchanged inbox are shown in another form. */
const FORMAT = 4;

export default defineHandsetOperation({
  name: "get_inbox",
  title: "Inbox",
  description:
    "The visible alerts of the handset's channels, newest first. An answer of state, not of news: cancelled alerts are gone from it. Poll with If-None-Match.",
  auth: "revision",
  writes: false,
  http: { method: "GET", path: "/handset/v1/inbox", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit().optional(), before: instant().optional() }),
  output: z.object({ data: z.array(inboxItem), meta: pageMeta }),
  async handler({ limit: wanted = DEFAULT_LIMIT, before }, ctx) {
    const { id, revision } = ctx.caller;
    const page = `${FORMAT}-${wanted}-${Buffer.from(before ?? "").toString("base64url")}`;
    const tag = ctx.surroundings.inboxTag(id, `${revision} ${page}`);
    // The revision is older than any part of the answer, as a validator must be.
    ctx.validator.current = tag;
    if (ctx.validator.presented?.match(/"[^"]*"/g)?.includes(tag)) return NOT_MODIFIED;
    const { rows, next_before } = await keysetPage(
      wanted,
      (n) => ctx.sql(inboxPage, [id, before ?? null, n]),
      (row) => row.sent_at!,
    );
    return {
      data: rows.map((row) => showInboxItem(row, ctx.surroundings.assets)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
