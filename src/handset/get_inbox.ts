import { z } from "zod";
import { NOT_MODIFIED } from "../context.ts";
import { toIsoMicros } from "../entities/columns.ts";
import { keysetPage } from "../page.ts";
import { type InboxRecord, inboxPage } from "../queries/inbox.ts";
import { DEFAULT_LIMIT, instant, limit, pageMeta } from "../shapes/fields.ts";
import { defineHandsetOperation } from "../tool.ts";
import { inboxItem, showInboxItem } from "./shapes.ts";

/** Goes up when the rows of an unchanged inbox are shown in another form. */
const FORMAT = 2;

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
    const { id, revision, now } = ctx.caller;
    const page = `${FORMAT}-${wanted}-${Buffer.from(before ?? "").toString("base64url")}`;
    const held = stillValid(ctx.validator.presented, revision, page, Number(now));
    if (held) {
      ctx.validator.current = held;
      return NOT_MODIFIED;
    }
    let nextAt: string | null | undefined;
    const { rows, next_before } = await keysetPage(
      wanted,
      async (n) => {
        const found = await ctx.sql(inboxPage, [id, before ?? null, n]);
        // The first reading is the oldest, and a validator must not be younger than any part of the answer.
        if (nextAt === undefined) nextAt = found[0]!.next_at;
        return found.filter((row): row is InboxRecord & { next_at: string | null } => row.id !== null);
      },
      (row) => row.sent_at!,
    );
    ctx.validator.current = `"${revision}.${nextAt ?? ""}.${page}"`;
    return {
      data: rows.map((row) => showInboxItem(row, ctx.surroundings.assets)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});

/**
 * The validator `"revision.next_at.page"` among those presented that still holds: the same rows, and the instant at
 * which time alone changes them has not come.
 */
function stillValid(presented: string | null, revision: string, page: string, now: number): string | null {
  for (const tag of presented?.match(/"[^"]*"/g) ?? []) {
    if (!tag.startsWith(`"${revision}.`) || !tag.endsWith(`.${page}"`)) continue;
    const nextAt = tag.slice(revision.length + 2, -page.length - 2);
    if (/^\d*$/.test(nextAt) && (nextAt === "" || now < Number(nextAt))) return tag;
  }
  return null;
}
