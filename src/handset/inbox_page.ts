// What a page of an inbox says: of the rows that were read, those that fit, as the wire shows them.

import { z } from "zod";
import type { AssetAddresses } from "../domain/assets.ts";
import { toIsoMicros } from "../fields/columns.ts";
import type { Bounded } from "../operation/page.ts";
import type { InboxRecord } from "../queries/inbox.ts";
import { pageMeta, showPlace } from "../shapes/fields.ts";
import { inboxItem, showInboxItem } from "./shapes.ts";

/** Bytes of one page (docs/rules.md#inbox-pages). An alert that is larger comes alone. */
const MAX_BYTES = 1024 * 1024;
/** Bytes of `{"data":[],"meta":{…}}`. */
const FRAME = 256;
/** How many bytes JSON may make of one. */
const WIDEST = 6;

/** Unescaped bytes that the statements read for a page. */
export const MAX_ROW_BYTES = MAX_BYTES - FRAME;

export const inboxBody = z.object({ data: z.array(inboxItem), meta: pageMeta });
export type InboxBody = z.input<typeof inboxBody>;

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

export function showInbox({ rows, next }: Bounded<InboxRecord>, assets: AssetAddresses): InboxBody {
  return {
    data: rows.map((row) => showInboxItem(row, assets)),
    meta: {
      next_before:
        next && showPlace({ at: toIsoMicros(next.after.sent_at), id: next.inside ? next.after.id : null }),
    },
  };
}
