// First pages of inboxes that are asked for at the same moment: read by one statement, and made once for the devices that
// have the same channels in its snapshot. Nothing is kept: a page is read after everybody who is answered with it has asked.

import { type Outside, Shared } from "../context.ts";
import { batched } from "../db/batch.ts";
import type { Orm } from "../db/orm.ts";
import type { RowOf } from "../db/statement.ts";
import { databaseOf, run } from "../db/statement.ts";
import type { AssetAddresses } from "../domain/assets.ts";
import { pageOf } from "../operation/page.ts";
import { type InboxRecord, inboxPages } from "../queries/inbox.ts";
import { type InboxBody, inboxBody, MAX_ROW_BYTES, showInbox, withinBytes } from "./inbox_page.ts";

/** About how many rows of the index, and bytes of alerts, one statement reads. */
const MAX_ROWS = 20_000;
const MAX_TOTAL = 32 * 1024 * 1024;

type Page = Shared<InboxBody> | null;

/** The set of a device was not read along with others. */
const LATER = Symbol("later");

export function createSharedInbox(orm: Orm, assets: AssetAddresses): Outside["sharedInbox"] {
  const kysely = databaseOf(orm);

  const pagesOf = (limit: number) =>
    batched<string, Page | typeof LATER>(async (devices) => {
      // Alone it is read by the statement for one.
      if (devices.length === 1) return [null];
      const rows = await run(kysely, inboxPages, {
        devices: [...new Set(devices)],
        limit: limit + 1,
        max_bytes: MAX_ROW_BYTES,
        max_channels: Math.ceil(MAX_ROWS / limit),
        max_total: MAX_TOTAL,
      });
      const found = new Map<string, Page | typeof LATER>();
      for (const set of setsIn(rows)) {
        const page = set.read ? made(set.rows, limit) : LATER;
        for (const device of set.devices) found.set(device, page);
      }
      return devices.map((device) => found.get(device) ?? null);
    });

  /** Null where one has to look further to know where it ends. */
  const made = (rows: InboxRecord[], limit: number): Page => {
    const page = pageOf(withinBytes(rows, assets), limit);
    return page && new Shared(showInbox(page, assets), (body) => inboxBody.parse(body));
  };

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

interface DeviceSet {
  read: boolean;
  devices: string[];
  rows: InboxRecord[];
}

/** The sets as the rows of the statement spell them. */
function setsIn(rows: RowOf<typeof inboxPages>[]): DeviceSet[] {
  const sets: DeviceSet[] = [];
  const alerts = new Map<string, Extract<(typeof rows)[number], { id: string }>>();
  for (const row of rows) {
    if (row.devices) sets.push({ read: row.read, devices: row.devices, rows: [] });
    if (row.id !== null) alerts.set(row.id, row);
    if (row.alert === null) continue;
    const { set: _, read: __, devices: ___, alert, ...shown } = alerts.get(row.alert)!;
    sets.at(-1)!.rows.push({ ...shown, following: row.following, so_far: row.so_far! });
  }
  return sets;
}
