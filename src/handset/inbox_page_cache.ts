// The cache of first inbox pages. One statement reads the pages of simultaneous requests, and renders them once for
// devices with the same channels in its snapshot. The newest are kept as bytes. A later request gets one if the
// database then reports the same channels at the same revisions. So a page is never older than its request.

import type { AssetUrlResolver } from "../model/domain/asset_rules.ts";
import {
  createJoinTimeLookup,
  type InboxPageCacheInputs,
  type JoinTimes,
  markAlertsByJoinTime,
  type SentAlertTime,
} from "../model/domain/prejoin_alert_marks.ts";
import { createBatcher, createPositionedRowBatcher, LOOKUP_BATCH_OPTIONS } from "../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement } from "../store/db/statement.ts";
import type { Services } from "../store/handler_context.ts";
import { readInboxChannelsOfDevices, readInboxPages } from "../store/queries/inbox.ts";
import {
  createSharedInboxPage,
  getInboxPagesQueryLimits,
  groupRowsBySharedPage,
  type RenderableInboxPage,
} from "./inbox_page.ts";

/** The size limit of all pages, and of a single one. */
const BYTES = 4 * 1024 * 1024;
const BYTES_OF_ONE = BYTES / 16;
/** The maximum of pages of one state with different marks, counted in largest pages. */
const MOST_MARKED = 2;

interface CachedPages {
  /** The pages by their marks. */
  readonly pages: Map<string, Buffer>;
  readonly sent: readonly SentAlertTime[];
  /** The channels and revisions of the pages, from the statement that read them. */
  readonly channelsAt: string;
}

/**
 * First pages of inboxes as bytes, the most recent ones. A page is built once for as long as its channels do not
 * change. The key is the validator, since pages of one state differ by limit and view, and by alerts that are marked as
 * sent before joining.
 */
export class InboxPageLruCache {
  /** In order of use, the latest last. */
  readonly #kept = new Map<string, CachedPages>();
  #bytes = 0;

  get(tag: string): CachedPages | undefined {
    return this.#kept.get(tag);
  }

  /** A page without alerts is as soon read. */
  put(tag: string, { page, channelsAt, marks, sent }: { page: Buffer } & InboxPageCacheInputs): void {
    const before = this.#drop(tag);
    if (!channelsAt || page.length > BYTES_OF_ONE) return;
    const same = before?.channelsAt === channelsAt && before.sent.length === sent.length;
    const pages = new Map(same ? before.pages : []).set(marks, page);
    // A device that joined a moment ago differs from all others: their pages are not kept without end.
    for (const oldest of pages.keys()) {
      if (bytesOf(pages) <= BYTES_OF_ONE * MOST_MARKED) break;
      pages.delete(oldest);
    }
    this.#kept.set(tag, { pages, sent, channelsAt });
    this.#bytes += bytesOf(pages);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= BYTES) break;
      this.#drop(oldest);
    }
  }

  /** Counts as used last. */
  markUsed(tag: string): void {
    const kept = this.#kept.get(tag);
    if (!kept) return;
    this.#kept.delete(tag);
    this.#kept.set(tag, kept);
  }

  #drop(tag: string): CachedPages | undefined {
    const kept = this.#kept.get(tag);
    if (!kept) return undefined;
    this.#bytes -= bytesOf(kept.pages);
    this.#kept.delete(tag);
    return kept;
  }
}

const bytesOf = (pages: ReadonlyMap<string, Buffer>) =>
  [...pages.values()].reduce((sum, { length }) => sum + length, 0);

interface Page {
  shown: RenderableInboxPage;
  channelsAt: string | null;
}

/** The channels of a device as a page is kept with them, and when it joined each. */
function timesOf({ channels_at, since }: { channels_at: string | null; since: number[] | null }): JoinTimes {
  const channels = (channels_at ?? "").split(" ").map((one) => one.split(".", 1)[0] ?? "");
  return createJoinTimeLookup(channels, since ?? []);
}

/** A device as the statement for several names it: its id, and the channels that it joined a short time ago. */
function deviceIn(text: string): { device: string; joined: JoinTimes } {
  const [device = "", ...rest] = text.split(" ");
  const channels = rest.filter((_, i) => i % 2 === 0);
  const since = rest.filter((_, i) => i % 2 === 1).map(Number);
  return { device, joined: createJoinTimeLookup(channels, since) };
}

/** The set of a device was not read along with others. */
const NOT_IN_BATCH = Symbol("later");

export function createInboxPageCache(orm: Orm, assets: AssetUrlResolver): Services["inboxPageCache"] {
  const kysely = getKysely(orm);
  const kept = new InboxPageLruCache();
  const channelsOf = createPositionedRowBatcher(
    (devices: string[]) => runStatement(kysely, readInboxChannelsOfDevices, { devices }),
    LOOKUP_BATCH_OPTIONS,
  );

  const pagesOf = (limit: number) =>
    createBatcher<string, Page | null | typeof NOT_IN_BATCH>(async (devices) => {
      // Alone it is read by the statement for one.
      if (devices.length === 1) return [null];
      const rows = await runStatement(kysely, readInboxPages, {
        devices: [...new Set(devices)],
        ...getInboxPagesQueryLimits(limit),
      });
      const found = new Map<string, Page | null | typeof NOT_IN_BATCH>();
      for (const { first, page } of groupRowsBySharedPage(rows)) {
        const channels = first.channels_at?.split(" ").length ?? 0;
        const shared = first.read ? createSharedInboxPage(page, limit, channels, assets) : null;
        for (const text of first.devices ?? []) {
          const { device, joined } = deviceIn(text);
          const shown = shared?.(joined) ?? null;
          found.set(device, shared ? shown && { shown, channelsAt: first.channels_at } : NOT_IN_BATCH);
        }
      }
      return devices.map((device) => found.get(device) ?? null);
    }, LOOKUP_BATCH_OPTIONS);

  /** As many as there are limits. */
  const byLimit = new Map<number, ReturnType<typeof pagesOf>>();

  async function find(device: string, { limit, view, tag }: Parameters<Services["inboxPageCache"]["find"]>[1]) {
    const known = kept.get(tag);
    const now = known && (await channelsOf(device));
    if (known && now?.channels_at === known.channelsAt) {
      const page = known.pages.get(markAlertsByJoinTime(known.sent, timesOf(now)));
      kept.markUsed(tag);
      if (page) return page;
    }
    const pages = byLimit.get(limit) ?? pagesOf(limit);
    byLimit.set(limit, pages);
    for (;;) {
      const found = await pages(device);
      if (found === NOT_IN_BATCH) continue;
      if (!found) return null;
      const { shown, channelsAt } = found;
      const page = shown.render(view);
      if (shown.marks !== null) kept.put(tag, { page, channelsAt, marks: shown.marks, sent: shown.sent });
      return page;
    }
  }
  return { find, put: (tag, page) => kept.put(tag, page) };
}
