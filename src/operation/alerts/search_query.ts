// What a search of alerts asks of PostgreSQL's full text: words and their beginnings, without those that a tag of the
// channel has.

import {
  getSearchWords,
  hasSearchWord,
  isShortWord,
  parseQueryWords,
  toTsqueryTerm,
} from "../../model/domain/search_terms.ts";
import type { Context } from "../../store/handler_context.ts";
import { type TaggedSearch, taggedChannels } from "../../store/queries/alert_search.ts";
import { ID_SUFFIX_LENGTH, TERM_PREFIXES } from "../../store/queries/alert_search_terms.ts";

/** Channels that one query of the index names: a deeper one costs more than several. */
const CHANNELS_IN_QUERY = 64;

interface InSight {
  workspace_id: string;
  pusher_ids: readonly string[] | null;
}

export interface SearchQuery {
  /** For channels without a tag that begins with one of the words; null: all of their alerts are found. */
  sought: string | null;
  tagged: TaggedSearch[];
  /** Queries of the index that find at least the same, each within the channels in sight. */
  scans: string[];
  /** Whether they find more. */
  recheck: boolean;
}

const join = (terms: readonly string[]): string | null => (terms.length === 0 ? null : terms.join(" & "));
const mark = (sign: string, id: string): string => `'${sign}${id.slice(-ID_SUFFIX_LENGTH)}'`;

/** The query for words of which all have to be there, and for what one writer wrote. */
export async function buildSearchQuery(
  { query, writer }: { query?: string | undefined; writer?: string | undefined },
  seen: InSight,
  ctx: Context,
): Promise<SearchQuery> {
  const words = parseQueryWords(query ?? "");
  const by = writer === undefined ? [] : [`'${TERM_PREFIXES.writer}${writer}'`];
  const termsOf = (some: readonly string[]) => [...some.map(toTsqueryTerm), ...by];
  const groups = words.length > 0 ? groupByTags(words, await ctx.sql(taggedChannels, seen)) : [];
  /** The index is not asked for a beginning of two letters beside other terms: half of all words may begin so. */
  const scan = (some: readonly string[], within: string): string[] => {
    const long = termsOf(some.filter((word) => !isShortWord(word)));
    const terms = join(long.length > 0 ? long : termsOf(some));
    return terms === null ? [] : [`${terms} & (${within})`];
  };
  const scanChannels = (some: readonly string[], ids: readonly string[]) =>
    chunks(ids).flatMap((part) => scan(some, part.map((id) => mark(TERM_PREFIXES.channel, id)).join(" | ")));
  return {
    sought: join(termsOf(words)),
    tagged: groups.map((group) => ({ ids: group.ids, sought: join(termsOf(group.words)) })),
    scans: [
      ...(seen.pusher_ids === null
        ? scan(words, mark(TERM_PREFIXES.workspace, seen.workspace_id))
        : scanChannels(words, seen.pusher_ids)),
      ...groups.flatMap((group) => scanChannels(group.words, group.ids)),
    ],
    recheck: groups.length > 0 || words.some(isShortWord),
  };
}

/** Channels of which a tag begins with some of the words, by the words that are left. */
function groupByTags(words: readonly string[], channels: readonly { id: string; tags: string[] }[]) {
  const groups = new Map<string, { words: string[]; ids: string[] }>();
  for (const { id, tags } of channels) {
    const tagWords = getSearchWords(...tags);
    const left = words.filter((word) => !hasSearchWord(tagWords, word));
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
