// The search terms of alerts. They are created here and not in the database (docs/decisions/0056). Its locale may fold
// letters differently on another machine. Its parser treats "bus/ferry" as a file name. `unaccent` needs a privilege
// that many roles lack.

import { LIMITS } from "../limits.ts";

/** A text as searches of the directory and of the console's lists compare it: in lower case, its letters composed. */
export const toLowerCaseNfc = (text: string): string => text.toLowerCase().normalize("NFC");

/** Characters without a width: joiners, soft hyphens, selectors of an emoji's or an ideograph's variant. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Accents of Latin, Greek and Cyrillic letters, and what encloses a symbol. Marks of other scripts are part of the
 * word: vowels of India, voiced kana.
 */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** Letters that have no decomposition, and the sigma at the end of a word. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ħ: "h", ı: "i", ł: "l", ŧ: "t", þ: "th", ς: "σ" },
};
const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

/** One form for a letter in either case, with or without its accents, composed or decomposed, of any width. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(SPECIAL, (letter) => PLAIN[letter] ?? letter);

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const ascii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Runs of letters and digits in one form, each once; of a very long one only its beginning. */
function runsOf(texts: readonly string[]): string[] {
  const runs = texts.flatMap((text) => (ascii(text) ? text.toLowerCase() : plain(text)).match(WORD) ?? []);
  return [...new Set(runs.map(beginning))];
}

const beginning = (word: string): string =>
  word.length > LIMITS.search_word ? [...word].slice(0, LIMITS.search_word).join("") : word;

/**
 * Returns the search terms of these texts. A term with an invisible character is found as a whole and by its parts,
 * since some scripts use one between terms.
 */
export function getSearchWords(...texts: readonly (string | null)[]): string[] {
  const given = texts.map((text) => text ?? "");
  const split = given.filter((text) => text.search(INVISIBLE) >= 0).map((text) => text.replace(INVISIBLE, " "));
  return runsOf([...given.map((text) => text.replace(INVISIBLE, "")), ...split]);
}

/** Returns the terms of a query, without invisible characters. */
export const parseQueryWords = (query: string): string[] => runsOf([query.replace(INVISIBLE, "")]);

/** A single letter or digit of a script with spaces. It only matches a whole term. */
const ALONE = /^[\0-\u052f]$/;

/** Checks that one of `words` is `sought` or starts with it. */
export const matchesSearchWord = (words: readonly string[], sought: string): boolean =>
  words.some((word) => (ALONE.test(sought) ? word === sought : word.startsWith(sought)));

/**
 * Returns a term as a query of PostgreSQL's full-text search. Terms only have letters and digits, so they contain no
 * operators.
 */
export const toTsqueryTerm = (word: string): string => `'${word}'${ALONE.test(word) ? "" : ":*"}`;

/** Checks for two letters of such a script. Very many terms start with them. */
export const isTwoLetterSearchWord = (word: string): boolean => /^[\0-\u052f]{2}$/.test(word);
