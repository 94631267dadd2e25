// The first place at which a text stops being JSON, for refusals: an engine's own message repeats the text, or has no
// place.

interface JsonPosition {
  /** From 1. */
  line: number;
  /** In UTF-16 code units, from 1. */
  column: number;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const HEX = /[0-9a-fA-F]{4}/y;
/** Texts may be megabytes, so their characters are compared as numbers. */
const [QUOTE = 0, BACKSLASH = 0, U = 0, ...BLANKS] = Buffer.from('"\\u \t\n\r');
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const SPACE = 0x20;

const [BLANK, TAB, LINE, RETURN] = BLANKS;
const isBlank = (code: number) => code === BLANK || code === LINE || code === TAB || code === RETURN;

/** The length of what a sticky pattern matches at an index; 0 for none. */
function matched(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
}

/** The index behind the string that begins at `at`, or, below zero, where it is wrong (as `-1 - index`). */
function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code < SPACE) return -1 - i;
    if (code !== BACKSLASH) continue;
    const escaped = text.charCodeAt(i + 1);
    const length = escaped === U ? 1 + matched(HEX, text, i + 2) : Number(ESCAPED.has(escaped));
    if (length === 0 || (escaped === U && length === 1)) return -1 - i;
    i += length;
  }
  return -1 - text.length;
}

function errorIndex(text: string): number | null {
  /** The open brackets, and what may come next. */
  const open: string[] = [];
  let next: "value" | "first" | "key" | "colon" | "end" = "value";
  let i = 0;
  for (;;) {
    while (isBlank(text.charCodeAt(i))) i++;
    const character = text[i];
    const isObject = open.at(-1) === "{";
    if (character === undefined) return next === "end" && open.length === 0 ? null : i;
    const closes = character === (isObject ? "}" : "]") && open.length > 0;
    if (closes && (next === "end" || next === "first")) {
      open.pop();
      next = "end";
      i++;
    } else if (next === "end") {
      if (character !== "," || open.length === 0) return i;
      next = isObject ? "key" : "value";
      i++;
    } else if (next === "colon") {
      if (character !== ":") return i;
      next = "value";
      i++;
    } else if (next === "key" || (next === "first" && isObject)) {
      if (character !== '"') return i;
      i = stringEnd(text, i);
      if (i < 0) return -1 - i;
      next = "colon";
    } else if (character === "{" || character === "[") {
      open.push(character);
      next = "first";
      i++;
    } else {
      const end = character === '"' ? stringEnd(text, i) : i + (matched(NUMBER, text, i) || matched(WORD, text, i));
      if (end < 0) return -1 - end;
      if (end === i) return i;
      i = end;
      next = "end";
    }
  }
}

/** Where the text is not JSON; null for JSON. */
export function findJsonError(text: string): JsonPosition | null {
  const index = errorIndex(text);
  if (index === null) return null;
  let line = 1;
  for (let i = 0; i < index; i++) if (text.charCodeAt(i) === LINE) line++;
  const start = index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
  return { line, column: index - start + 1 };
}
