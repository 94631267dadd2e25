// Pages of an inbox: the rows that fit, in their form on the wire.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { assertDefined } from "../model/assert.ts";
import type { AssetUrlResolver } from "../model/domain/asset_rules.ts";
import {
  BEFORE_JOINING_MARK_CHAR,
  hasHiddenAlertMark,
  type JoinTimes,
  markAlertsByJoinTime,
  SENT_AFTER_JOINING_MARK,
  type SentAlertTime,
  toSentAlertTimes,
} from "../model/domain/prejoin_alert_marks.ts";
import { registerSchemaName } from "../model/fields/schema_names.ts";
import { toIsoMicros } from "../model/fields/sql_statement_types.ts";
import { LIMITS } from "../model/limits.ts";
import { type PageSlice, trimPage } from "../operation/read_keyset_page.ts";
import type { InboxViewMode } from "../store/handler_context.ts";
import type { InboxPageRow, InboxRecord } from "../store/queries/inbox.ts";
import {
  DEFAULT_PAGE_SIZE,
  formatPagePosition,
  MAX_PAGE_SIZE,
  paginationMetaSchema,
} from "../store/response_schemas/shared_parameters_and_pages.ts";
import { inboxItem, inboxItemWithoutDefaults, omitInboxItemDefaults, toInboxItem } from "./handset_schemas.ts";

/** Incremented when the format of inbox rows changes. */
const FORMAT = 9;

/** About how many rows of the index, and bytes of alerts, a statement reads that reads several pages. */
const MAX_ROWS = 20_000;
const MAX_TOTAL = 32 * 1024 * 1024;

/** Bytes of one page (rules#inbox-pages). An alert that is larger comes alone. */
const MAX_BYTES = LIMITS.inbox;
/** Bytes of `{"data":[],"meta":{…}}`. */
const FRAME = 256;
/** The maximum number of JSON bytes for one byte of text. */
const WIDEST = 6;

/** Unescaped bytes that the statements read for a page. */
export const MAX_PAGE_ROWS_BYTES = MAX_BYTES - FRAME;

export const inboxBody = z.object({ data: z.array(inboxItem), meta: paginationMetaSchema });
export const leanInboxBodySchema = registerSchemaName(
  "LeanInbox",
  z.object({ data: z.array(inboxItemWithoutDefaults), meta: paginationMetaSchema }),
);

export const viewParameter = z
  .enum(["full", "lean"])
  .optional()
  .describe("lean omits null values, empty lists and default values from each alert. Default: full.");

/** The request for a first page. */
interface FirstInboxPageRequest {
  limit: number;
  view: InboxViewMode;
}

/** Returns the rows that fit as JSON, at least one. Rows that fit in any encoding are not measured. */
export function limitInboxRowsByBytes(rows: InboxRecord[], assets: AssetUrlResolver): InboxRecord[] {
  if ((rows.at(-1)?.so_far ?? 0) * WIDEST <= MAX_PAGE_ROWS_BYTES) return rows;
  let bytes = FRAME;
  const over = rows.findIndex((row, i) => {
    bytes += Buffer.byteLength(JSON.stringify(toInboxItem(row, assets))) + 1;
    return bytes > MAX_BYTES && i > 0;
  });
  return over < 0 ? rows : rows.slice(0, over);
}

/** The page with what only this handset is shown, among the others by its time, beyond the limit. */
export const addTestAlertToInboxPage = (
  page: PageSlice<InboxRecord>,
  test: InboxRecord | undefined,
): PageSlice<InboxRecord> =>
  test ? { ...page, rows: [...page.rows, test].sort((a, b) => Number(b.sent_at > a.sent_at) || -1) } : page;

const metaOf = ({ next }: PageSlice<InboxRecord>) => ({
  next_before:
    next && formatPagePosition({ at: toIsoMicros(next.after.sent_at), id: next.inside ? next.after.id : null }),
});

/**
 * Returns all inputs of a response, for its validator.
 * @param also a shown test or unpublished due alerts
 * @param place the start of a later page
 */
export const formatInboxState = (
  revision: string,
  { limit, view }: FirstInboxPageRequest,
  place = "",
  also: readonly string[] = [],
): string => [revision, `${FORMAT}-${view}-${limit}-${Buffer.from(place).toString("base64url")}`, ...also].join(" ");

/** The validator of a state: opaque, because the number of changes per channel would reveal scheduled alerts. */
export function createInboxEtagger(secret: string): (state: string) => string {
  return (state) => `"${createHmac("sha256", secret).update(`inbox ${state}`).digest("base64url").slice(0, 22)}"`;
}

/** Parses the query of a URL; null unless it clearly requests a first page. */
export function parseFirstInboxPageQuery(search: string): FirstInboxPageRequest | null {
  const plain = /^(?:\?limit=([1-9]\d{0,2}))?(?:(?:^\?|\b&)view=(full|lean))?$/.exec(search);
  const limit = Number(plain?.[1] ?? DEFAULT_PAGE_SIZE);
  return plain && limit <= MAX_PAGE_SIZE ? { limit, view: (plain[2] ?? "full") as InboxViewMode } : null;
}

/** Returns the limits for a statement that reads pages for several handsets. */
export const getInboxPagesQueryLimits = (limit: number) => ({
  limit: limit + 1,
  max_bytes: MAX_PAGE_ROWS_BYTES,
  max_channels: Math.ceil(MAX_ROWS / limit),
  max_total: MAX_TOTAL,
});

/** A page of a statement for several handsets; cards that pages have in common are one. */
interface InboxPageWithSerializers {
  rows: InboxRecord[];
  cards: SerializedInboxAlert[];
}

/** An alert in its form on the wire. It is validated and serialized once for each view. */
export class SerializedInboxAlert {
  readonly #row: CardRow;
  readonly #json = new Map<string, string>();

  constructor(row: CardRow) {
    this.#row = row;
  }

  json(view: InboxViewMode, assets: AssetUrlResolver, before_joining = false): string {
    const key = `${view}${before_joining}`;
    const known = this.#json.get(key);
    if (known !== undefined) return known;
    const whole = inboxItem.parse(toInboxItem({ ...this.#row, before_joining }, assets));
    const json = JSON.stringify(view === "lean" ? omitInboxItemDefaults(whole) : whole);
    this.#json.set(key, json);
    return json;
  }
}

type CardRow = Omit<InboxRecord, "following" | "so_far">;
type PageAlert = Extract<InboxPageRow, { id: string }>;

/** Groups the rows of such a statement by their set: the first row and the page. */
export function groupRowsBySharedPage(
  rows: readonly InboxPageRow[],
): { first: InboxPageRow; page: InboxPageWithSerializers }[] {
  const sets: { first: InboxPageRow; page: InboxPageWithSerializers }[] = [];
  const alerts = new Map<string, { row: PageAlert; card: SerializedInboxAlert }>();
  for (const row of rows) {
    if (sets.at(-1)?.first.set !== row.set) sets.push({ first: row, page: { rows: [], cards: [] } });
    if (row.id !== null) alerts.set(row.id, { row, card: new SerializedInboxAlert(row) });
    if (row.alert === null) continue;
    const { row: shown, card } = assertDefined(alerts.get(row.alert), "an alert precedes the rows that refer to it");
    const { page } = assertDefined(sets.at(-1), "the first row of a set starts the set");
    page.rows.push(row.id === null ? { ...shown, following: row.following, so_far: row.so_far ?? 0 } : placed(row));
    page.cards.push(card);
  }
  return sets;
}

/** Returns a row with its position in the page. */
const placed = (row: PageAlert): InboxRecord => row as PageAlert & { so_far: number };

/** A page as some devices see it. */
export interface RenderableInboxPage {
  render: InboxPageRenderer;
  /** The marks of its alerts; null if the page lacks alerts that other devices see. */
  marks: string | null;
  sent: readonly SentAlertTime[];
}

/**
 * A first page for several handsets, which is made once for those that see the same of it. `channels`: how many they
 * joined.
 */
export function createSharedInboxPage(
  page: InboxPageWithSerializers,
  limit: number,
  channels: number,
  assets: AssetUrlResolver,
) {
  const sent = toSentAlertTimes(page.rows);
  const made = new Map<string, RenderableInboxPage | null>();

  function make(marks: string): RenderableInboxPage | null {
    const isShown = (_: unknown, i: number) =>
      marks[i] === BEFORE_JOINING_MARK_CHAR || marks[i] === SENT_AFTER_JOINING_MARK;
    const cards = page.cards.filter(isShown);
    const rows = page.rows
      .map((row, i) => ({ ...row, before_joining: marks[i] === BEFORE_JOINING_MARK_CHAR }))
      .filter(isShown);
    const hides = hasHiddenAlertMark(marks);
    if (hides) {
      // Alerts of other channels may come after what was read.
      if (channels > 1 && page.rows.at(-1)?.following !== null) return null;
      for (const [i, row] of rows.entries()) row.following = rows[i + 1]?.sent_at ?? null;
    }
    const bounded = trimPage(limitInboxRowsByBytes(rows, assets), limit);
    if (!bounded) return null;
    const count = bounded.rows.length;
    return {
      render: createInboxPageRenderer(bounded, cards, assets),
      marks: hides ? null : marks.slice(0, count),
      sent: sent.slice(0, count),
    };
  }

  /** Null where a device has to look further to know where its page ends. */
  return (joined: JoinTimes): RenderableInboxPage | null => {
    const marks = markAlertsByJoinTime(sent, joined);
    const known = made.get(marks);
    if (known !== undefined) return known;
    const marked = make(marks);
    made.set(marks, marked);
    return marked;
  };
}

/** Returns the JSON of a page in a view. */
type InboxPageRenderer = (view: InboxViewMode) => Buffer;

/** Renders a page from its cards, once for each view, when it is first needed. */
export function createInboxPageRenderer(
  page: PageSlice<InboxRecord>,
  cards: readonly SerializedInboxAlert[],
  assets: AssetUrlResolver,
): InboxPageRenderer {
  const rendered: Partial<Record<InboxViewMode, Buffer>> = {};
  const render = (view: InboxViewMode) => {
    const data = page.rows.map(({ before_joining }, i) => cards[i]?.json(view, assets, before_joining));
    return Buffer.from(`{"data":[${data.join()}],"meta":${JSON.stringify(paginationMetaSchema.parse(metaOf(page)))}}`);
  };
  return (view) => {
    rendered[view] ??= render(view);
    return rendered[view];
  };
}
