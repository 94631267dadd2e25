// What a page of an inbox says: of the rows that were read, those that fit, as the wire shows them.

import { z } from "zod";
import type { AssetAddresses } from "../model/domain/assets.ts";
import { toIsoMicros } from "../model/fields/columns.ts";
import { named } from "../model/fields/named.ts";
import { LIMITS } from "../model/limits.ts";
import { need } from "../model/need.ts";
import { type Bounded, pageOf } from "../operation/page.ts";
import { type InboxView, Shared } from "../store/context.ts";
import type { InboxRecord, PageRow } from "../store/queries/inbox.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, pageMeta, showPlace } from "../store/shapes/fields.ts";
import { inboxItem, leanItem, leanOf, showInboxItem } from "./shapes.ts";

/** Goes up when the rows of an unchanged inbox are shown in another form. */
const FORMAT = 8;

/** About how many rows of the index, and bytes of alerts, a statement reads that reads several pages. */
const MAX_ROWS = 20_000;
const MAX_TOTAL = 32 * 1024 * 1024;

/** Bytes of one page (docs/rules.md#inbox-pages). An alert that is larger comes alone. */
const MAX_BYTES = LIMITS.inbox;
/** Bytes of `{"data":[],"meta":{…}}`. */
const FRAME = 256;
/** How many bytes JSON may make of one. */
const WIDEST = 6;

/** Unescaped bytes that the statements read for a page. */
export const MAX_ROW_BYTES = MAX_BYTES - FRAME;

export const inboxBody = z.object({ data: z.array(inboxItem), meta: pageMeta });
export const leanBody = named("LeanInbox", z.object({ data: z.array(leanItem), meta: pageMeta }));

export const view = z
  .enum(["full", "lean"])
  .optional()
  .describe(
    "lean leaves out of each alert what says nothing: null, an empty list, the usual. full when absent.",
  );

/** A first page as it is asked for. */
export interface PageAsked {
  limit: number;
  view: InboxView;
}

/** The rows that fit as JSON, and at least one. Those whose bytes fit whatever JSON makes of them are not measured. */
export function withinBytes(rows: InboxRecord[], assets: AssetAddresses): InboxRecord[] {
  if ((rows.at(-1)?.so_far ?? 0) * WIDEST <= MAX_ROW_BYTES) return rows;
  let bytes = FRAME;
  const over = rows.findIndex((row, i) => {
    bytes += Buffer.byteLength(JSON.stringify(showInboxItem(row, assets))) + 1;
    return bytes > MAX_BYTES && i > 0;
  });
  return over < 0 ? rows : rows.slice(0, over);
}

/** The page with what only this handset is shown, among the others by its time, beyond the limit. */
export const withTest = (page: Bounded<InboxRecord>, test: InboxRecord | undefined): Bounded<InboxRecord> =>
  test ? { ...page, rows: [...page.rows, test].sort((a, b) => Number(b.sent_at > a.sent_at) || -1) } : page;

const metaOf = ({ next }: Bounded<InboxRecord>) => ({
  next_before:
    next && showPlace({ at: toIsoMicros(next.after.sent_at), id: next.inside ? next.after.id : null }),
});

/**
 * All that an answer depends on, for its validator. `also` names what is shown beside it, a test or what could not be settled, and `place` where the
 * page begins that is not the first.
 */
export const inboxState = (
  revision: string,
  { limit, view }: PageAsked,
  place = "",
  also: readonly string[] = [],
): string =>
  [revision, `${FORMAT}-${view}-${limit}-${Buffer.from(place).toString("base64url")}`, ...also].join(" ");

/** What the query of an address asks for; null unless it is plainly a first page. */
export function firstPage(search: string): PageAsked | null {
  const plain = /^(?:\?limit=([1-9]\d{0,2}))?(?:(?:^\?|\b&)view=(full|lean))?$/.exec(search);
  const limit = Number(plain?.[1] ?? DEFAULT_LIMIT);
  return plain && limit <= MAX_LIMIT ? { limit, view: (plain[2] ?? "full") as InboxView } : null;
}

/** What a statement takes that reads pages for several handsets at once. */
export const sharedBounds = (limit: number) => ({
  limit: limit + 1,
  max_bytes: MAX_ROW_BYTES,
  max_channels: Math.ceil(MAX_ROWS / limit),
  max_total: MAX_TOTAL,
});

/** A page of a statement for several handsets; cards that pages have in common are one. */
export interface CardPage {
  rows: InboxRecord[];
  cards: Card[];
}

/** An alert as the wire shows it. It is held against its declared shape, and written, once in each view. */
export class Card {
  readonly #row: CardRow;
  readonly #json: Partial<Record<InboxView, string>> = {};

  constructor(row: CardRow) {
    this.#row = row;
  }

  json(view: InboxView, assets: AssetAddresses): string {
    if (this.#json[view] === undefined) {
      const whole = inboxItem.parse(showInboxItem(this.#row, assets));
      this.#json[view] = JSON.stringify(view === "lean" ? leanOf(whole) : whole);
    }
    return this.#json[view];
  }
}

type CardRow = Omit<InboxRecord, "following" | "so_far">;
type PageAlert = Extract<PageRow, { id: string }>;

/** Of the rows of such a statement, set by set, the first one and the page. */
export function pagesIn<Row extends PageRow>(rows: readonly Row[]): { first: Row; page: CardPage }[] {
  const sets: { first: Row; page: CardPage }[] = [];
  const alerts = new Map<string, { row: PageAlert; card: Card }>();
  for (const row of rows) {
    if (sets.at(-1)?.first.set !== row.set) sets.push({ first: row, page: { rows: [], cards: [] } });
    if (row.id !== null) alerts.set(row.id, { row, card: new Card(row) });
    if (row.alert === null) continue;
    const { row: shown, card } = need(alerts.get(row.alert), "an alert stands before the rows that name it");
    const { page } = need(sets.at(-1), "the first row of a set opens it");
    page.rows.push(
      row.id === null ? { ...shown, following: row.following, so_far: row.so_far ?? 0 } : placed(row),
    );
    page.cards.push(card);
  }
  return sets;
}

/** A row that stands in its page already. */
const placed = (row: PageAlert): InboxRecord => row as PageAlert & { so_far: number };

/** A first page for several handsets. Null where one has to look further to know where it ends. */
export function sharedPage({ rows, cards }: CardPage, limit: number, assets: AssetAddresses) {
  const page = pageOf(withinBytes(rows, assets), limit);
  return page && showPage(page, cards, assets);
}

/** A page in each view; of the cards those that stand on it. */
export function showPage(
  page: Bounded<InboxRecord>,
  cards: readonly Card[],
  assets: AssetAddresses,
): Record<InboxView, Shared> {
  const shown = (view: InboxView) =>
    new Shared(() => {
      const data = cards.slice(0, page.rows.length).map((card) => card.json(view, assets));
      return `{"data":[${data.join()}],"meta":${JSON.stringify(pageMeta.parse(metaOf(page)))}}`;
    });
  return { full: shown("full"), lean: shown("lean") };
}
