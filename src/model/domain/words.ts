// What a search compares: letters in one case, and the words of a text. Made here and nowhere in the database, whose locale would
// fold other letters on another machine and whose parser takes "bus/ferry" for the name of a file.

import { LIMITS } from "../limits.ts";

/** A text as searches compare it. */
export const fold = (text: string): string => text.toLowerCase();

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of texts, folded, each once: runs of letters and digits, of which the beginning counts where they are very long. */
export function wordsOf(...texts: readonly (string | null)[]): string[] {
  const found = texts.flatMap((text) => fold(text ?? "").match(WORD) ?? []);
  return [...new Set(found.map(beginning))];
}

const beginning = (word: string): string =>
  word.length > LIMITS.search_word ? [...word].slice(0, LIMITS.search_word).join("") : word;
