// Places where a text may be cut: at the end of a word, and never inside a character that people see as one.

import { countCodePoints } from "../../model/fields/value_schemas.ts";

/**
 * The distance from the limit within which a word or a character may begin, in UTF-16 code units. A longer one is cut.
 */
const MAX_BOUNDARY_DISTANCE = 200;

const WORD_SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });
const CHARACTER_SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The index in UTF-16 code units behind `count` code points. */
function findIndexAfterCharacters(text: string, count: number): number {
  let index = 0;
  for (let n = 0; n < count && index < text.length; n++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

/** The last index, in UTF-16 code units, at which a text of more than `most` code points may be cut. */
export function findWordBoundary(text: string, most: number): number {
  const end = findIndexAfterCharacters(text, most);
  // The segmenter copies its text.
  const start = Math.max(0, end - 2 * MAX_BOUNDARY_DISTANCE);
  const near = text.slice(start, end + MAX_BOUNDARY_DISTANCE);
  // A word that is a large part of a short text is also cut.
  for (const [segmenter, farthest] of [
    [WORD_SEGMENTER, Math.min(MAX_BOUNDARY_DISTANCE, end / 4)],
    [CHARACTER_SEGMENTER, MAX_BOUNDARY_DISTANCE],
  ] as const) {
    const at = start + (segmenter.segment(near).containing(end - start)?.index ?? 0);
    if (end - at <= farthest && at > 0) return at;
  }
  return end;
}

/**
 * A text of at most `most` code points, cut at a word; it ends with how many code points were left out, which are
 * `left`.
 */
export function truncateTextWithOmittedCount(text: string, most: number): { text: string; left: number } {
  const total = countCodePoints(text);
  if (total <= most) return { text, left: 0 };
  const ending = (left: number) => `… (${left} more characters)`;
  const kept = text.slice(0, findWordBoundary(text, most - ending(total).length)).trimEnd();
  const left = total - countCodePoints(kept);
  return { text: kept + ending(left), left };
}
