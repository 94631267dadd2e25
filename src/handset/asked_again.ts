// Inboxes by held polls, many at once: one statement says of each whether it is unchanged, and reads the pages that devices with
// the same channels share. Whatever is not as it was known, or not that plain, is left to the ordinary way.

import type { AssetAddresses } from "../model/domain/assets.ts";
import { joinTimes } from "../model/domain/before_joining.ts";
import { need } from "../model/need.ts";
import type { Services } from "../store/context.ts";
import { batched, IN_BURSTS } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { askedAgain } from "../store/queries/held.ts";
import type { Seen } from "./authenticate.ts";
import {
  inboxState,
  type MarkedPage,
  type PageAsked,
  pagesIn,
  sharedBounds,
  sharedPage,
} from "./inbox_page.ts";

/** One poll of a first page, and what is known of its device. */
export interface AskedInbox extends PageAsked {
  /** The validators that the handset holds. */
  tags: readonly string[];
  device: {
    readonly id: string;
    /** In hex, of its token. */
    readonly hash: string;
    /** How often its subscriptions had changed when its channels were read. */
    readonly rev: string;
    /** Devices with the same channels have the same list. */
    readonly channels: readonly string[];
    /** When it joined each of them, in microseconds since 1970, and the latest of these times. */
    readonly since: readonly number[];
    readonly newest: number;
    /** The end of the first part of its validators. */
    readonly leaves: string;
    /** The sum of its channels' marks. */
    sum: string;
  };
}

/**
 * The answer: null for one that the handset holds. Or why there is none: the device is not there with these channels any more
 * (stale), or only the ordinary way can tell (ask).
 */
export type AgainAnswer = { tag: string; json: Uint8Array | null } | "stale" | "ask";

/** Handsets in one statement: few enough that the first of many are answered soon, and that other work has its turn. */
const TOGETHER = 250;

type Looked = AgainAnswer | { due: string[] } | typeof LATER;

/** The page of a set was not read along with others. */
const LATER = Symbol("later");

export interface AgainDeps extends Pick<Services, "inboxTag" | "settle"> {
  orm: Orm;
  assets: AssetAddresses;
  seen: Pick<Seen, "note">;
}

export function createAskedAgain({ orm, assets, seen, inboxTag, settle }: AgainDeps) {
  const kysely = databaseOf(orm);

  async function lookAt(limit: number, polls: readonly AskedInbox[]): Promise<Looked[]> {
    const { sets, parameters } = inSets(polls);
    const rows = await run(kysely, askedAgain, { ...parameters, ...sharedBounds(limit) });
    const looked: Looked[] = polls.map(() => "stale");
    for (const { first, page } of pagesIn(rows)) {
      for (const id of first.unseen ?? []) seen.note(id);
      const changed = first.sum !== sets[first.set - 1]?.sum;
      const channels = sets[first.set - 1]?.channels.length ?? 0;
      const shared = first.read ? sharedPage(page, limit, channels, assets) : null;
      const unread = changed && !first.read ? LATER : "ask";
      const tags = new Map<string, string>();
      for (const position of first.positions ?? []) {
        const poll = need(polls[position - 1], "the statement numbers the polls that it was given");
        const { leaves, channels: ids, since, newest } = poll.device;
        const key = `${poll.view}${leaves}`;
        const tag = tags.get(key) ?? inboxTag(inboxState(`${first.epoch}${leaves}.${first.sum}`, poll));
        tags.set(key, tag);
        const found = first.due
          ? { due: first.due }
          : (tell(poll, tag, shared?.(joinTimes(ids, since, newest))) ?? unread);
        looked[position - 1] = found;
        if (found !== LATER) poll.device.sum = first.sum ?? "";
      }
    }
    return looked;
  }

  /** Null where it takes a page that was not read. */
  function tell(
    { view, tags }: AskedInbox,
    tag: string,
    page: MarkedPage | null | undefined,
  ): AgainAnswer | null {
    if (tags.includes(tag)) return { tag, json: null };
    return page ? { tag, json: page.views[view].json } : null;
  }

  const looks = new Map<number, (poll: AskedInbox) => Promise<Looked>>();
  /** As many as there are limits. */
  const lookBy = (limit: number) => {
    const look =
      looks.get(limit) ??
      batched((polls: AskedInbox[]) => lookAt(limit, polls), { ...IN_BURSTS, max: TOGETHER });
    looks.set(limit, look);
    return look;
  };

  return async (poll: AskedInbox): Promise<AgainAnswer> => {
    for (let settled = false; ; ) {
      const found = await lookBy(poll.limit)(poll);
      if (found === LATER) continue;
      if (typeof found === "string" || "tag" in found) return found;
      if (settled || !(await settle(found.due))) return "ask";
      settled = true;
    }
  };
}

/** The polls as the statement takes them: those with the same channels and the same sum of revisions are a set. */
function inSets(polls: readonly AskedInbox[]) {
  const numbers = new Map<readonly string[], Map<string, number>>();
  const sets: { channels: readonly string[]; sum: string }[] = [];
  const of = polls.map(({ device: { channels, sum } }) => {
    const bySum = numbers.get(channels) ?? new Map<string, number>();
    numbers.set(channels, bySum);
    const number = bySum.get(sum) ?? sets.push({ channels, sum });
    bySum.set(sum, number);
    return number;
  });
  const parameters = {
    hashes: polls.map(({ device }) => device.hash),
    revs: polls.map(({ device }) => device.rev),
    sets: of,
    sums: sets.map(({ sum }) => sum),
    channels: sets.flatMap(({ channels }) => channels),
    channel_sets: sets.flatMap(({ channels }, i) => channels.map(() => i + 1)),
  };
  return { sets, parameters };
}
