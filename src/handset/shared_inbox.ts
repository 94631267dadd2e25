// First pages of inboxes that are asked for at the same moment: read by one statement, and made once for the devices that
// have the same channels in its snapshot. Nothing is kept: a page is read after everybody who is answered with it has asked.

import type { AssetAddresses } from "../model/domain/assets.ts";
import type { InboxView, Services, Shared } from "../store/context.ts";
import { batched, LOOK_UPS } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { inboxPages } from "../store/queries/inbox.ts";
import { pagesIn, sharedBounds, sharedPage } from "./inbox_page.ts";

type Page = Record<InboxView, Shared> | null;

/** The set of a device was not read along with others. */
const LATER = Symbol("later");

export function createSharedInbox(orm: Orm, assets: AssetAddresses): Services["sharedInbox"] {
  const kysely = databaseOf(orm);

  const pagesOf = (limit: number) =>
    batched<string, Page | typeof LATER>(async (devices) => {
      // Alone it is read by the statement for one.
      if (devices.length === 1) return [null];
      const rows = await run(kysely, inboxPages, {
        devices: [...new Set(devices)],
        ...sharedBounds(limit),
      });
      const found = new Map<string, Page | typeof LATER>();
      for (const { first, page } of pagesIn(rows)) {
        const made = first.read ? sharedPage(page, limit, assets) : LATER;
        for (const device of first.devices ?? []) found.set(device, made);
      }
      return devices.map((device) => found.get(device) ?? null);
    }, LOOK_UPS);

  /** As many as there are limits. */
  const byLimit = new Map<number, ReturnType<typeof pagesOf>>();
  return async (device, limit) => {
    const pages = byLimit.get(limit) ?? pagesOf(limit);
    byLimit.set(limit, pages);
    for (;;) {
      const page = await pages(device);
      if (page !== LATER) return page;
    }
  };
}
