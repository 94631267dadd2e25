// A handset reads its inbox, once or as it goes on, and says what became of alerts.

import { z } from "zod";
import { parseId } from "../model/domain/ids.ts";
import { REPORT_KINDS } from "../model/entities/handset.ts";
import { instant } from "../model/fields/accepts.ts";
import { LIMITS, said } from "../model/limits.ts";
import { boundedPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { NOT_MODIFIED, Validated } from "../store/context.ts";
import { findDevicesWithInbox } from "../store/queries/handset.ts";
import { inboxPage, inboxPageWithDue, ownTest } from "../store/queries/inbox.ts";
import { pruneReports } from "../store/queries/reports.ts";
import { DEFAULT_LIMIT, limit, place, showPlace } from "../store/shapes/fields.ts";
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

export const get_inbox = defineHandsetOperation({
  name: "get_inbox",
  title: "Inbox",
  description: `The visible alerts of the handset's channels, newest first. An answer of state, not of news: cancelled alerts are gone from it. A page ends at ${said("inbox")} as well. Poll with If-None-Match, and with Prefer: wait=50 to be answered as soon as something changes.`,
  auth: "device",
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
    if (ctx.clientHolds(tag)) return new Validated(tag, NOT_MODIFIED);
    // With others that ask now; what is settled only for this poll, and what is further back, is read for it alone.
    const shared = before || test || due.length > 0 ? null : await ctx.services.sharedInbox(id, wanted);
    if (shared) return new Validated(tag, shared[view]);
    const page = await boundedPage(wanted, async (n) => {
      const from = {
        device_id: id,
        before: before?.at ?? null,
        inside: before?.id ?? null,
        limit: n,
        max_bytes: MAX_ROW_BYTES,
      };
      const found = await (due.length === 0
        ? ctx.sql(inboxPage, from)
        : ctx.sql(inboxPageWithDue, { ...from, due }));
      return withinBytes(found, ctx.services.assets);
    });
    const whole = withTest(page, test);
    const cards = whole.rows.map((row) => new Card(row));
    return new Validated(tag, showPage(whole, cards, ctx.services.assets)[view]);
  },
});

export const follow_inbox = defineHandsetOperation({
  name: "follow_inbox",
  title: "Follow the inbox",
  description:
    "Server-sent events that tell what changes in the inbox: `alert` with a card, `removed` with ids, `look` for poll now, `ended` with a reason. Open it with the ETag of the last poll as Last-Event-ID, and with the same limit and view; the id of an event is the ETag that the handset then holds. Nothing depends on it: after any gap the handset polls.",
  auth: "device",
  writes: "nothing",
  streams: true,
  http: { method: "GET", path: "/handset/v1/inbox/stream", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit(), view }),
  output: z.string(),
  // What follows is told on the connection (see program/boot/streams.ts); where none can stay, this is all.
  handler: async () => "event: look\ndata: {}\n\n",
});

const KINDS = Object.keys(REPORT_KINDS) as (keyof typeof REPORT_KINDS)[];

const BATCH = `must hold 1 to ${LIMITS.reports} reports`;

export const post_reports = defineHandsetOperation({
  name: "post_reports",
  title: "Report reads, acks and replies",
  description:
    "Report what the person chose to report: alerts read and acknowledged, and the reply that was chosen, of which the last counts. Repeats count nothing; rows that the handset cannot see are skipped, and so are replies that the alert does not offer or that come when it is over.",
  auth: "device",
  writes: "shared",
  http: { method: "POST", path: "/handset/v1/reports", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({
    reports: z
      .array(
        z
          .strictObject({
            alert_id: z.string(),
            kind: z.enum(KINDS),
            choice: z
              .string()
              .max(LIMITS.alert_action_label * 2)
              .optional()
              .describe("Of a reply: one of its choices."),
          })
          .refine(({ kind, choice }) => (kind === "reply") === (choice !== undefined), {
            error: "belongs to a reply, which needs it",
            path: ["choice"],
          }),
      )
      .min(1, BATCH)
      .max(LIMITS.reports, BATCH),
  }),
  output: z.object({ accepted: z.int() }),
  async handler({ reports }, ctx) {
    const rows = reports.flatMap(({ alert_id, kind, choice = "" }) => {
      const alertId = parseId("alr", alert_id);
      return alertId ? [{ alertId, kind: REPORT_KINDS[kind], choice }] : [];
    });
    return {
      accepted: rows.length === 0 ? 0 : await ctx.services.takeReports({ deviceId: ctx.caller.id, rows }),
    };
  },
});

export const prune_reports = defineHandsetOperation({
  name: "prune_reports",
  title: "Prune own reports",
  description: "Forget when this handset reported what, before an instant. Totals stay; timelines thin out.",
  auth: "device",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/reports", status: 204 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ before: instant() }),
  output: z.object({}),
  async handler({ before }, ctx) {
    await ctx.sql(pruneReports, { device_id: ctx.caller.id, before });
    return {};
  },
});
