// Addresses, e-mail addresses and phone numbers in the plain text of an alert, as parts of that text. Nothing of the
// text is parsed as markup, and no other scheme than https, http, mailto and tel becomes a link. Pure.

import { LinkifyIt, type Match } from "linkify-it";

interface TextPart {
  /** The characters of the text, unchanged. */
  text: string;
  /** The target of a link; null for plain text. */
  href: string | null;
}

/** Digits of a number in international format (E.164), without its prefix. */
const INTERNATIONAL_DIGITS = { from: 7, upTo: 15 };
/** Digits of a national number, which starts with a zero or a bracket. Fewer are dates, times and amounts. */
const NATIONAL_DIGITS = { from: 9, upTo: 14 };

/** Digits, with single separators or brackets between them. A line break ends a number. */
const NUMBER = /^[\d(](?:[ \u00a0\u2009\u202f./-]?[\d()]|[ \u00a0]?[-\u2010-\u2013/][ \u00a0]?[\d(])*/;
/** Dates, and counters with leading zeros. */
const NOT_A_NUMBER = /^0\d[./-]\d\d?[./-]\d{2,4}|^000/;

/** Characters of a phone number at the beginning of a text; 0 for none. */
function measureNumber(text: string, { from, upTo }: typeof NATIONAL_DIGITS): number {
  const found = NUMBER.exec(text)?.[0].replace(/[^\d)]+$/, "") ?? "";
  const digits = found.replace(/\D/g, "").length;
  const next = text.slice(found.length, found.length + 2);
  // A longer word, a decimal fraction, a time of day or a price is not a phone number.
  const ends = !/^[\p{L}\d_@%€$£]|^[.,:]\d/u.test(next);
  return ends && digits >= from && digits <= upTo ? found.length : 0;
}

/** A schema of phone numbers that start with `prefix`. */
const phone = (prefix: string, limits: typeof NATIONAL_DIGITS) => ({
  validate(text: string, at: number) {
    const rest = text.slice(at, at + 40);
    if (prefix === "tel:") {
      const plus = rest.startsWith("+") ? 1 : 0;
      const length = measureNumber(rest.slice(plus), limits);
      return length && length + plus;
    }
    if (prefix === "+") return measureNumber(rest, limits);
    const whole = prefix + rest;
    return NOT_A_NUMBER.test(whole) ? 0 : Math.max(0, measureNumber(whole, limits) - prefix.length);
  },
  normalize(match: Match) {
    match.url = `tel:${match.raw
      .replace(/^tel:/i, "")
      .replace(/^(\+\d+[\s\S]*?)\(0\)/, "$1")
      .replace(/[^\d+]/g, "")}`;
  },
});

const linkifier = new LinkifyIt({ fuzzyLink: true })
  .add("ftp:", null)
  .add("//", null)
  .add("+", phone("+", INTERNATIONAL_DIGITS))
  .add("0", phone("0", NATIONAL_DIGITS))
  .add("tel:", phone("tel:", { ...INTERNATIONAL_DIGITS, from: 3 }));

for (let digit = 0; digit < 10; digit++) linkifier.add(`(${digit}`, phone(`(${digit}`, NATIONAL_DIGITS));

/** Endings of file names that are also top-level domains. */
const FILE_ENDINGS = /\.(?:cc|cs|gz|js|md|mk|mm|pl|pm|po|ps|py|rb|rs|sc|sh|so|tf|ts|vi)$/i;

function isWanted({ schema, raw, url }: Match): boolean {
  if (!/^(?:https?|mailto|tel):/i.test(url)) return false;
  if (schema !== "" || url.startsWith("mailto:") || /^www\./i.test(raw)) return true;
  // A file name is not a site, and neither are two sentences without a space.
  return !FILE_ENDINGS.test(raw) && !/^[^/:]*\.\p{Lu}/u.test(raw);
}

/** The target, as the browser's address bar shows it; null for one that a browser cannot open. */
function targetOf({ schema, url }: Match): string | null {
  try {
    // Sites without a scheme get https.
    return new URL(schema === "" ? url.replace(/^http:/, "https:") : url).href;
  } catch {
    return null;
  }
}

/** The parts of a text, in its order. Joined, their texts are the whole text (rules#app-text-links). */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of linkifier.match(text) ?? []) {
    const href = isWanted(match) ? targetOf(match) : null;
    if (href === null) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: text.slice(match.index, match.lastIndex), href });
    end = match.lastIndex;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}
