// The direction of texts by people and programs inside of our own sentences, where no markup can isolate them.

/** U+2068 and U+2069: what is between them has its own direction, and does not change the order of the rest. */
const ISOLATE = "\u2068";
/** Around parts that are isolated themselves, from which the direction is not taken. */
const RIGHT_TO_LEFT_ISOLATE = "\u2067";
const POP = "\u2069";

/** A letter of a script that is written from right to left, or a control character of the direction. */
const RIGHT_TO_LEFT = new RegExp(
  [
    String.raw`[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc`,
    String.raw`\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]`,
  ].join(""),
  "u",
);

export const hasRightToLeftCharacter = (text: string): boolean => RIGHT_TO_LEFT.test(text);

const RTL_LANGUAGES = /^(ar|he|iw)\b/i;

/**
 * The text between isolates, where it could disturb the order of a sentence in `locale`. Languages from right to left
 * isolate every text, the others a text with right-to-left letters or controls. Isolates of the text that do not match
 * are removed, so that it cannot end ours.
 */
export function isolateText(text: string, locale = "en"): string {
  if (text === "" || !(RTL_LANGUAGES.test(locale) || hasRightToLeftCharacter(text))) return text;
  const open = text.startsWith(ISOLATE) && RTL_LANGUAGES.test(locale) ? RIGHT_TO_LEFT_ISOLATE : ISOLATE;
  return open + (areIsolatesMatched(text) ? text : text.replace(/[\u2066-\u2069]/g, "")) + POP;
}

function areIsolatesMatched(text: string): boolean {
  let open = 0;
  for (const [mark] of text.matchAll(/[\u2066-\u2069]/g)) {
    open += mark === POP ? -1 : 1;
    if (open < 0) return false;
  }
  return open === 0;
}
