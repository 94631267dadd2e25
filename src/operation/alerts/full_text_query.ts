// The full-text query of a search for alerts: terms and their prefixes, without those that a tag of the channel
// matches.

import {
  getSearchWords,
  isTwoLetterSearchWord,
  matchesSearchWord,
  parseQueryWords,
  toTsqueryTerm,
} from "../../model/domain/search_terms.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { type AlertTextQueryOfChannels, listVisibleChannelTags } from "../../store/queries/alert_search.ts";
import { ID_SUFFIX_LENGTH, METADATA_TERM_PREFIXES } from "../../store/queries/alert_search_index.ts";

/** Channels that one query of the index names: a deeper one costs more than several. */
const CHANNELS_IN_QUERY = 64;

interface InSight {
  workspace_id: string;
  pusher_ids: readonly string[] | null;
}

interface AlertFullTextQuery {
  /** The query for channels without a matching tag; null means that all their alerts match. */
  sought: string | null;
  tagged: AlertTextQueryOfChannels[];
  /** Queries of the index that find at least the same, each within the channels in sight. */
  scans: string[];
  /** True if the prefixes may find more. */
  recheck: boolean;
}

const join = (terms: readonly string[]): string | null => (terms.length === 0 ? null : terms.join(" & "));
const mark = (sign: string, id: string): string => `'${sign}${id.slice(-ID_SUFFIX_LENGTH)}'`;

/** Builds the query for terms that must all match, and for one author. */
export async function buildAlertFullTextQuery(
  { query, writer }: { query?: string | undefined; writer?: string | undefined },
  seen: InSight,
  ctx: HandlerContext,
): Promise<AlertFullTextQuery> {
  const words = parseQueryWords(query ?? "");
  const by = writer === undefined ? [] : [`'${METADATA_TERM_PREFIXES.writer}${writer}'`];
  const termsOf = (some: readonly string[]) => [...some.map(toTsqueryTerm), ...by];
  const groups = words.length > 0 ? groupByTags(words, await ctx.sql(listVisibleChannelTags, seen)) : [];
  /** The index is not used for a prefix of two letters with other terms: half of all terms may match. */
  const scan = (some: readonly string[], within: string): string[] => {
    const long = termsOf(some.filter((word) => !isTwoLetterSearchWord(word)));
    const terms = join(long.length > 0 ? long : termsOf(some));
    return terms === null ? [] : [`${terms} & (${within})`];
  };
  const scanChannels = (some: readonly string[], ids: readonly string[]) =>
    chunks(ids).flatMap((part) => scan(some, part.map((id) => mark(METADATA_TERM_PREFIXES.channel, id)).join(" | ")));
  return {
    sought: join(termsOf(words)),
    tagged: groups.map((group) => ({ ids: group.ids, sought: join(termsOf(group.words)) })),
    scans: [
      ...(seen.pusher_ids === null
        ? scan(words, mark(METADATA_TERM_PREFIXES.workspace, seen.workspace_id))
        : scanChannels(words, seen.pusher_ids)),
      ...groups.flatMap((group) => scanChannels(group.words, group.ids)),
    ],
    recheck: groups.length > 0 || words.some(isTwoLetterSearchWord),
  };
}

/** Groups channels by the terms that their tags do not match. */
function groupByTags(words: readonly string[], channels: readonly { id: string; tags: string[] }[]) {
  const groups = new Map<string, { words: string[]; ids: string[] }>();
  for (const { id, tags } of channels) {
    const tagWords = getSearchWords(...tags);
    const left = words.filter((word) => !matchesSearchWord(tagWords, word));
    if (left.length === words.length) continue;
    const group = groups.get(left.join(" ")) ?? { words: left, ids: [] };
    groups.set(left.join(" "), group);
    group.ids.push(id);
  }
  return [...groups.values()];
}

function chunks(ids: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let i = 0; i < ids.length; i += CHANNELS_IN_QUERY) parts.push(ids.slice(i, i + CHANNELS_IN_QUERY));
  return parts;
}
