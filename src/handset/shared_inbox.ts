// First pages of inboxes. Those that are asked for at the same moment are read by one statement, and made once for the devices that
// have the same channels in its snapshot. The newest are kept as bytes: whoever asks next gets them once the database has said, after
// that, that its channels are those of the page, each at the same revision. So a page is never from before anybody asked.

import type { AssetAddresses } from "../model/domain/assets.ts";
import type { InboxView, Services, Shared } from "../store/context.ts";
import { batched, batchedByPosition, LOOK_UPS } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { inboxChannels, inboxPages } from "../store/queries/inbox.ts";
import { pagesIn, sharedBounds, sharedPage } from "./inbox_page.ts";

/** Of all pages, and of one that is kept at all. */
const BYTES = 4 * 1024 * 1024;
const BYTES_OF_ONE = BYTES / 16;

interface Kept {
  page: Shared;
  /** What the page follows from, as the statement says it that read it. */
  channelsAt: string;
}

/**
 * First pages of inboxes as bytes, the newest of them: an answer is written once for as long as its channels do not change. Pages by
 * their validators, since pages of one state differ by limit and view.
 */
export class KeptPages {
  /** What was used last comes last. */
  readonly #pages = new Map<string, Kept>();
  #bytes = 0;

  get(tag: string): Kept | undefined {
    return this.#pages.get(tag);
  }

  /** `channelsAt`: null of a page without alerts, which is as soon read. */
  keep(tag: string, page: Shared, channelsAt: string | null | undefined): void {
    this.#drop(tag);
    if (!channelsAt || page.json.length > BYTES_OF_ONE) return;
    this.#pages.set(tag, { page, channelsAt });
    this.#bytes += page.json.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(tag: string): void {
    this.#bytes -= this.#pages.get(tag)?.page.json.length ?? 0;
    this.#pages.delete(tag);
  }
}

interface Page {
  shown: Record<InboxView, Shared>;
  channelsAt: string | null;
}

/** The set of a device was not read along with others. */
const LATER = Symbol("later");

export function createSharedInbox(orm: Orm, assets: AssetAddresses): Services["sharedInbox"] {
  const kysely = databaseOf(orm);
  const kept = new KeptPages();
  const channelsOf = batchedByPosition(
    (devices: string[]) => run(kysely, inboxChannels, { devices }),
    LOOK_UPS,
  );

  const pagesOf = (limit: number) =>
    batched<string, Page | null | typeof LATER>(async (devices) => {
      // Alone it is read by the statement for one.
      if (devices.length === 1) return [null];
      const rows = await run(kysely, inboxPages, {
        devices: [...new Set(devices)],
        ...sharedBounds(limit),
      });
      const found = new Map<string, Page | null | typeof LATER>();
      for (const { first, page } of pagesIn(rows)) {
        const shown = first.read ? sharedPage(page, limit, assets) : null;
        const made = shown && { shown, channelsAt: first.channels_at };
        for (const device of first.devices ?? []) found.set(device, first.read ? made : LATER);
      }
      return devices.map((device) => found.get(device) ?? null);
    }, LOOK_UPS);

  /** As many as there are limits. */
  const byLimit = new Map<number, ReturnType<typeof pagesOf>>();

  async function find(device: string, { limit, view, tag }: Parameters<Services["sharedInbox"]["find"]>[1]) {
    const known = kept.get(tag);
    if (known && (await channelsOf(device))?.channels_at === known.channelsAt) {
      kept.keep(tag, known.page, known.channelsAt);
      return known.page;
    }
    const pages = byLimit.get(limit) ?? pagesOf(limit);
    byLimit.set(limit, pages);
    for (;;) {
      const page = await pages(device);
      if (page === LATER) continue;
      if (page) kept.keep(tag, page.shown[view], page.channelsAt);
      return page?.shown[view] ?? null;
    }
  }
  return { find, keep: (tag, page, channelsAt) => kept.keep(tag, page, channelsAt) };
}
