// What has changed in a channel since its newest alerts were last looked at, as the events of a stream (docs/rules.md#stream). Only
// what is certain is said: each change of what handsets see raises the channel's revision by one, so as many changes as the
// revision has grown are all of them. Fewer or more is no news, and whoever follows the channel has to look.

import type { AssetAddresses } from "../model/domain/assets.ts";
import { showId } from "../model/domain/ids.ts";
import type { InboxView } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { channelNews } from "../store/queries/held.ts";
import type { Head, ReadChannel, ReadNews } from "./held/followed.ts";
import { Card } from "./inbox_page.ts";

/** So many of a channel's newest alerts are looked at: more are rarely sent, and withdrawn, in one moment. */
const NEWEST = 32;
/** Unescaped bytes of one alert that is told: what is larger is looked for, so that a stream never holds much. */
const MAX_BYTES = 8 * 1024;

export function createReadNews(orm: Orm, assets: AssetAddresses): ReadNews {
  const kysely = databaseOf(orm);
  return async (heads, devices) => {
    const known = [...heads.values()].flatMap((head) => head?.ids ?? []);
    const rows = await run(kysely, channelNews, {
      channels: [...heads.keys()],
      known,
      cards: [...heads.values()].some((head) => head !== null),
      limit: NEWEST,
      max_bytes: MAX_BYTES,
      devices: [...devices.keys()],
      device_revs: [...devices.values()],
    });
    const channels = new Map<string, ReadChannel>();
    for (const [id, found] of Map.groupBy(rows, ({ channel }) => channel)) {
      const [{ rev, mark, due_in }] = found as [(typeof found)[number]];
      const ids = found.flatMap(({ newest }) => newest ?? []);
      const sent = found.flatMap(({ newest_sent }) => (newest_sent === null ? [] : [newest_sent]));
      const head = { rev: BigInt(rev), mark: BigInt(mark), ids, sent };
      const cards = new Map(found.flatMap((row) => (row.id === null ? [] : [[row.id, new Card(row)]])));
      const before = heads.get(id);
      const { say, oldest } = before ? said(before, head, cards, assets) : { say: null, oldest: Infinity };
      channels.set(id, { head, dueIn: due_in, say, oldest });
    }
    return { channels, moved: new Set(rows[0]?.moved) };
  };
}

/** What of `list` the `other` lacks. The end of a list is left out where the other one did not reach so far. */
function lacking(list: readonly string[], other: readonly string[]): string[] {
  const there = new Set(other);
  const end = other.length < NEWEST ? list.length : list.findLastIndex((id) => there.has(id)) + 1;
  return list.slice(0, end).filter((id) => !there.has(id));
}

/** The events, the oldest alert first; `say` is null where they would not report everything. */
function said(
  before: Head,
  now: Head,
  cards: ReadonlyMap<string, Card>,
  assets: AssetAddresses,
): Pick<ReadChannel, "say" | "oldest"> {
  const come = lacking(now.ids, before.ids).toReversed();
  const gone = lacking(before.ids, now.ids);
  const shown = come.flatMap((id) => cards.get(id) ?? []);
  const sentAt = ({ ids, sent }: Head, id: string) => sent[ids.indexOf(id)] ?? 0;
  const oldest = Math.min(...come.map((id) => sentAt(now, id)), ...gone.map((id) => sentAt(before, id)));
  if (BigInt(come.length + gone.length) !== now.rev - before.rev || shown.length < come.length)
    return { say: null, oldest };
  const removed = gone.length > 0 ? [["removed", JSON.stringify(gone.map((id) => showId("alr", id)))]] : [];
  const say = (view: InboxView) =>
    [...removed, ...shown.map((card) => ["alert", card.json(view, assets)])].map(
      ([event, data]) => `event: ${event}\ndata: ${data}\n`,
    );
  return { say, oldest };
}
