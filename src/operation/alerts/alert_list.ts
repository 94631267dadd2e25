// Shared parts of the lists of alerts: their arguments, the choice between search and plain history, and pages of rows.
// A cursor of a search is not valid in another one.

import { createHash } from "node:crypto";
import { z } from "zod";
import { createApiAndUiText, createZodRefineParams } from "../../model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { parseQueryWords } from "../../model/domain/search_terms.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { TIME_RANGE_DESCRIPTIONS, textSchema, timestampSchema } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import { ALERT_STATUSES } from "../../model/tables/alert.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { countAlertsByStatus, FIRST_INEXACT_COUNT, listAlertsByReports } from "../../store/queries/alert_counts.ts";
import { listAlerts } from "../../store/queries/alert_lists.ts";
import {
  countAlertSearchResults,
  type SearchTimeOrder,
  searchAlertsByOrder,
} from "../../store/queries/alert_search.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { type alertList, toAlertView } from "../../store/response_schemas/alert_schemas.ts";
import {
  BEFORE_PARAMETER_DESCRIPTION,
  DEFAULT_PAGE_SIZE,
  formatPagePosition,
  limitParameter,
  pagePositionSchema,
} from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { visibilityParameters } from "../access_checks.ts";
import type { ListResponseRow } from "../define_operation.ts";
import { checkTimeRange, readKeysetPage } from "../read_keyset_page.ts";
import { findWriterOrigins } from "./alert_origins.ts";
import { publishDueAlertsInRows } from "./format_alert.ts";
import { buildAlertFullTextQuery } from "./full_text_query.ts";

const WRITERS = ["key", "con", "mem"] as const;

/** Counts the terms of a search. The value is a text, because a search without a term would find everything. */
const sought = (query: string) => parseQueryWords(query).length;

export const alertListInput = {
  status: z.enum(ALERT_STATUSES).optional().describe("Default: all."),
  // Terms have no invisible characters, so none is refused.
  query: textSchema(1, LIMITS.search, { cleaned: true })
    .refine(
      (query) => sought(query) > 0,
      createZodRefineParams("invalid_format", "must contain at least one letter or digit"),
    )
    .refine(
      (query) => sought(query) <= LIMITS.search_words,
      createZodRefineParams("too_long", `must be at most ${LIMITS.search_words} words long`),
    )
    .optional()
    .describe("Words or prefixes in title, text or tags; all must match."),
  from: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.from),
  to: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.to),
  order: z.enum(["newest", "oldest"]).optional().describe("Default: newest (scheduled: oldest)."),
  writer: z
    .string()
    .refine(
      (id) => WRITERS.some((kind) => parseIdOrNull(kind, id)),
      createZodRefineParams("invalid_format", "must be the id of a key, connection or member"),
    )
    .optional()
    .describe("key_…, con_… or mem_…"),
  reports: z
    .enum(["unacked", "most_read", "most_acked"])
    .optional()
    .describe(
      `Considers only the newest ${LIMITS.list_reports} sent alerts; requires \`from\`, \`to\` and ` +
        "the scope stats:read.",
    ),
  limit: limitParameter(),
  before: pagePositionSchema().optional().describe(BEFORE_PARAMETER_DESCRIPTION),
};

type AlertListInput = z.output<z.ZodObject<typeof alertListInput>>;

/** Returns the search of a list's arguments; undefined for the plain history, by created_at. */
function searchOf({ status, query, from, to, order, writer }: AlertListInput, channel: string | null) {
  if ([query, from, to, order, writer].every((value) => value === undefined)) return undefined;
  const usual: SearchTimeOrder = status === "scheduled" ? "oldest" : "newest";
  const range = { from: from ?? null, to: to ?? null };
  const filter = { words: parseQueryWords(query ?? ""), writer: writer ?? null, ...range };
  const side = order ?? usual;
  const hash = createHash("sha256")
    .update(JSON.stringify([channel, status, side, filter]))
    .digest();
  return { range, side, name: hash.readUInt32BE().toString().padStart(10, "0") };
}

/** Returns the timestamp of a row by which a search is sorted. */
const instantOf = (
  { status }: AlertListInput,
  row: { created_at: string; sent_at: string | null; send_at: string | null },
): string =>
  status === "sent" || status === "scheduled"
    ? assertDefined(row.sent_at ?? row.send_at, "a sent or scheduled alert has a time")
    : row.created_at;

/** Returns the cursor between a row and `next`. `channel` is set for a list of one channel. */
export function getAlertCursor(
  row: ListResponseRow,
  next: ListResponseRow,
  input: AlertListInput,
  channel: string | null,
): string {
  const shown = row as { id: string; created_at: string; sent_at: string | null; send_at: string | null };
  const search = searchOf(input, channel);
  const id = assertDefined(parseIdOrNull("alr", shown.id), "each alert in a list has an id");
  if (search) return formatPagePosition({ at: instantOf(input, shown), id, of: search.name });
  const at = shown.created_at;
  return formatPagePosition({ at, id: next.created_at === at ? id : null });
}

const ELSEWHERE = createApiAndUiText(
  "The value of “before” is from a different list. Pass it with that list's query, status, from, " +
    "to, order and writer, or omit it.",
  "This page belongs to a different list. Start at the first page.",
);

/** A page of the alerts of every channel that the caller sees, or of one (its uuid). */
export async function listAlertPage(
  input: AlertListInput,
  ctx: HandlerContext,
  pusherId: string | null,
): Promise<z.input<typeof alertList>> {
  const { status = "any", limit: wanted = DEFAULT_PAGE_SIZE, before } = input;
  const channel = pusherId && formatId("psh", pusherId);
  const search = searchOf(input, channel);
  checkTimeRange(input);
  if (input.reports !== undefined) return listByReports(input, ctx, pusherId);
  if (before && (before.of ?? null) !== (search?.name ?? null))
    throw invalidRequest("invalid_cursor", ELSEWHERE, "before");
  const { workspace_id, pusher_ids } = visibilityParameters(ctx.caller);
  const seen = { workspace_id, pusher_ids: pusherId ? [pusherId] : pusher_ids };
  const at = { ...seen, before: before?.at ?? null, inside: before?.id ?? null };
  if (search) {
    const query = { ...(await buildAlertFullTextQuery(input, seen, ctx)), ...search.range };
    const rows = await ctx.sql(searchAlertsByOrder[search.side][status], { ...at, ...query, limit: wanted + 1 });
    const count = () =>
      ctx.sql(countAlertSearchResults[status], {
        ...seen,
        ...query,
        before: null,
        inside: null,
        limit: FIRST_INEXACT_COUNT,
      });
    const page = await showPage(rows.slice(0, wanted), null, ctx);
    const last = page.data.at(-1);
    if (last && rows.length > wanted) page.meta.next_before = getAlertCursor(last, {}, input, channel);
    return before ? page : withTotal(page, count);
  }
  const { rows, meta } = await readKeysetPage({ limit: wanted, before: at.before }, "created_at", (asked) =>
    ctx.sql(listAlerts[status], { ...at, ...asked }),
  );
  const page = await showPage(rows, meta.next_before, ctx);
  return before || status === "any" ? page : withTotal(page, () => ctx.sql(countAlertsByStatus[status], seen));
}

type AlertPage = z.input<typeof alertList>;

async function showPage(rows: AlertRecord[], next_before: string | null, ctx: HandlerContext): Promise<AlertPage> {
  await publishDueAlertsInRows(rows, ctx);
  const origins = await findWriterOrigins(
    rows.map(({ writer }) => writer),
    ctx,
  );
  const data = rows.map((row, i) => ({
    ...toAlertView(row, ctx.services.assets),
    handle: assertDefined(row.handle, "lists select the handle"),
    via: origins[i] ?? null,
  }));
  return { data, meta: { next_before } };
}

/** The page with the number of alerts of all pages, exact up to a limit (rules#list-total). */
async function withTotal(page: AlertPage, count: () => Promise<{ total: number }[]>): Promise<AlertPage> {
  const { next_before } = page.meta;
  const total = next_before === null ? page.data.length : ((await count())[0]?.total ?? 0);
  return { ...page, meta: { next_before, ...limitTotal(total) } };
}

const limitTotal = (total: number) =>
  total < FIRST_INEXACT_COUNT ? { total } : { total: LIMITS.list_total, at_least: true as const };

const RANKS = { unacked: "none", most_read: "reads", most_acked: "acks" } as const;

/** The only other arguments of a list by reports. */
const WITH_REPORTS = ["reports", "pusher_id", "from", "to", "limit"];

/** Sent alerts without an acknowledgement, or with the most reports (rules#list-by-reports). @throws 422 */
async function listByReports(input: AlertListInput, ctx: HandlerContext, pusherId: string | null): Promise<AlertPage> {
  const { reports = "unacked", limit = DEFAULT_PAGE_SIZE, from = null, to = null, status } = input;
  const others = Object.entries(input).filter(([name, value]) => value !== undefined && !WITH_REPORTS.includes(name));
  const wrong = others.find(([name]) => name !== "status" || status !== "sent")?.[0];
  if (wrong)
    throw invalidRequest(
      "mutually_exclusive_fields",
      `${wrong} cannot be combined with reports. Omit one of them.`,
      wrong,
    );
  const { workspace_id, pusher_ids } = visibilityParameters(ctx.caller);
  const rows = await ctx.sql(listAlertsByReports, {
    workspace_id,
    pusher_ids: pusherId ? [pusherId] : pusher_ids,
    from,
    to,
    unacked: reports === "unacked",
    rank: RANKS[reports],
    limit,
  });
  const page = await showPage(rows, null, ctx);
  return {
    data: page.data.map((row, i) => ({ ...row, reads: rows[i]?.reads, acks: rows[i]?.acks })),
    meta: { next_before: null, ...limitTotal(rows[0]?.total ?? 0) },
  };
}
