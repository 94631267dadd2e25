// Detection of invisible characters. A text needs some of them: joiners of Persian and Indic scripts, emoji, and
// direction marks next to right-to-left letters. Others only hide or reorder text. The field tables decide if a text is
// refused or cleaned.

/** The kinds that are reported, by the class of the character. */
type InvisibleCharacterKind =
  | "bidi-control"
  | "control"
  | "filler"
  | "format"
  | "line-separator"
  | "soft-hyphen"
  | "tag"
  | "variation-selector"
  | "zero-width";

const CONTROL = /[\p{Cc}]/gu;
/** Everything that Unicode lets a renderer leave out, and what breaks or annotates a line without being seen. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
const ANY_INVISIBLE = new RegExp(INVISIBLE.source, "u");
/** Finds any character that may be removed. */
const SUSPECT = new RegExp(`[^\\P{Cc}\\t\\n\\r]|${INVISIBLE.source}`, "u");
const NOTHING: RemovedCharacterCounts = new Map();
/** The three flags that are written in tags: England, Scotland, Wales. */
const FLAG = new RegExp(
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:${[
    String.raw`\u{e0065}\u{e006e}\u{e0067}`,
    String.raw`\u{e0073}\u{e0063}\u{e0074}`,
    String.raw`\u{e0077}\u{e006c}\u{e0073}`,
  ].join("|")})\u{e007f}`,
  "gu",
);

const scripts = (names: string) =>
  new RegExp(
    `[${names
      .trim()
      .split(/\s+/)
      .map((name) => `\\p{Script_Extensions=${name}}`)
      .join("")}]`,
    "u",
  );

const RIGHT_TO_LEFT = scripts(`Hebrew Arabic Syriac Thaana Nko Samaritan Mandaic Adlam Hanifi_Rohingya Yezidi
  Cypriot Phoenician Lydian Imperial_Aramaic Avestan Old_South_Arabian Mende_Kikakui`);
/** Cursive scripts, and those of India and its neighbours: both joiners choose between forms of a letter there. */
const JOINING = scripts(`Arabic Syriac Mandaic Mongolian Nko Phags_Pa Adlam Hanifi_Rohingya Devanagari Bengali Gurmukhi
  Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese Sundanese Cham Grantha
  Meetei_Mayek Newa Tirhuta Kaithi Modi Sharada Chakma Brahmi Limbu Lepcha Tai_Tham Saurashtra Syloti_Nagri`);
/** Scripts without spaces: a zero-width space marks a possible line break. */
const UNSPACED = scripts("Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Javanese Balinese");
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const PICTURE = /\p{Extended_Pictographic}/u;
const LETTER = /\p{L}/u;
const LETTER_OR_MARK = /[\p{L}\p{M}]/u;
const MARK = /\p{M}/u;

/** Decides about a character by the visible or kept characters before and after it, or "" at an end. */
type Judge = (before: string, after: string) => boolean;

const never: Judge = () => false;
const joiner: Judge = (before) => JOINING.test(before);

/** Ranges of invisible characters: what they are called, and where they are needed. First match counts. */
const RULES: [from: number, to: number, name: InvisibleCharacterKind, needed: Judge][] = [
  [0x00ad, 0x00ad, "soft-hyphen", (before, after) => LETTER.test(before) && LETTER.test(after)],
  [0x034f, 0x034f, "format", (before, after) => LETTER_OR_MARK.test(before) && MARK.test(after)],
  [0x115f, 0x1160, "filler", (before, after) => /[\u1100-\u115e\u1161-\u11ff]/.test(before + after)],
  [0x180b, 0x180d, "variation-selector", (before) => /\p{Script=Mongolian}/u.test(before)],
  [0x180f, 0x180f, "variation-selector", (before) => /\p{Script=Mongolian}/u.test(before)],
  [0x180e, 0x180e, "zero-width", (before) => /\p{Script=Mongolian}/u.test(before)],
  [0x200b, 0x200b, "zero-width", (before) => UNSPACED.test(before)],
  [0x200c, 0x200c, "zero-width", joiner],
  [
    0x200d,
    0x200d,
    "zero-width",
    (before, after) => JOINING.test(before) || (EMOJI.test(before) && PICTURE.test(after)),
  ],
  [0x2028, 0x2029, "line-separator", never],
  [0x2060, 0x2064, "zero-width", never],
  [0x3164, 0x3164, "filler", never],
  [
    0xfe00,
    0xfe0d,
    "variation-selector",
    (before) => /[\p{Script=Han}\p{Sm}\p{P}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Mongolian}]/u.test(before),
  ],
  [
    0xfe0e,
    0xfe0f,
    "variation-selector",
    (before, after) => /\p{Emoji}/u.test(before) && (!/[0-9#*]/.test(before) || after === "\u20e3"),
  ],
  [0xfeff, 0xfeff, "zero-width", never],
  [0xffa0, 0xffa0, "filler", never],
  [0xe0100, 0xe01ef, "variation-selector", (before) => /\p{Unified_Ideograph}/u.test(before)],
  [0xe0000, 0xe007f, "tag", never],
];

const BIDI_MARKS = "\u200e\u200f\u061c";
/** Opening control → the one that ends it. */
const BIDI_PAIRS = new Map([
  ["\u2066", "\u2069"],
  ["\u2067", "\u2069"],
  ["\u2068", "\u2069"],
  ["\u202a", "\u202c"],
  ["\u202b", "\u202c"],
  // Overrides show letters in an order that is not theirs: they and their ends always go.
  ["\u202d", "\u202c"],
  ["\u202e", "\u202c"],
]);
const BIDI_OVERRIDES = "\u202d\u202e";
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const MAX_BIDI_DEPTH = 60;

/** The number of removed characters by kind. */
export type RemovedCharacterCounts = ReadonlyMap<InvisibleCharacterKind, number>;

/** Checks for forbidden control characters. A text of several lines may have line ends and tabs. */
export function hasControlCharacters(text: string, { lines }: { lines: boolean }): boolean {
  return lines ? /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/.test(text) : /[\0-\x1f\x7f-\x9f]/.test(text);
}

/** Checks for visible characters. An empty Braille cell counts as a space. */
export const hasVisibleText = (text: string): boolean =>
  /[^\s\u2800]/u.test(text.replace(CONTROL, "").replace(INVISIBLE, ""));

/** Checks for right-to-left letters, next to which direction marks have a meaning. */
export const hasRightToLeftText = (text: string): boolean => RIGHT_TO_LEFT.test(text.replace(INVISIBLE, ""));

/**
 * The text without the invisible characters that nothing in it needs, and without control characters but tab and line
 * ends. A second pass changes nothing; the cost is linear. `rightToLeft` for a part of a text: what the whole one is.
 */
export function removeInvisibleCharacters(
  text: string,
  { rightToLeft }: { rightToLeft?: boolean } = {},
): { text: string; removed: RemovedCharacterCounts } {
  if (!SUSPECT.test(text)) return { text, removed: NOTHING };
  const removed = new Map<InvisibleCharacterKind, number>();
  const count = (name: InvisibleCharacterKind) => void removed.set(name, (removed.get(name) ?? 0) + 1);
  const visible = text.replace(CONTROL, (control) => {
    if (control === "\t" || control === "\n" || control === "\r") return control;
    count("control");
    return "";
  });
  if (!ANY_INVISIBLE.test(visible)) return { text: visible, removed };

  const flags = new Set([...visible.matchAll(FLAG)].flatMap(({ index, 0: flag }) => tagsOf(index, flag)));
  const mixed = rightToLeft ?? hasRightToLeftText(text);
  const directions = mixed ? neededDirections(visible) : new Set<number>();
  const kept: string[] = [];
  let from = 0;
  let before = "";
  for (const { index, 0: char } of visible.matchAll(INVISIBLE)) {
    const end = index + char.length;
    const between = visible.slice(from, index);
    if (between !== "") before = lastOf(between);
    kept.push(between);
    from = end;
    const { name, needed } = ruleOf(char);
    const keep = BIDI.test(char)
      ? directions.has(index) || (mixed && BIDI_MARKS.includes(char) && !BIDI.test(before))
      : flags.has(index) || needed(before, visibleAt(visible, end));
    if (keep) {
      kept.push(char);
      before = char;
    } else {
      count(name);
      // A line that ended there does not run into the next one.
      if (name === "line-separator") {
        before = " ";
        kept.push(before);
      }
    }
  }
  kept.push(visible.slice(from));
  return { text: kept.join(""), removed };
}

/** Returns the kind of the first unneeded invisible character, or null. */
export function findNeedlessInvisibleKind(text: string): InvisibleCharacterKind | null {
  if (!ANY_INVISIBLE.test(text)) return null;
  return [...removeInvisibleCharacters(text).removed.keys()].find((name) => name !== "control") ?? null;
}

function ruleOf(char: string): { name: InvisibleCharacterKind; needed: Judge } {
  if (BIDI.test(char)) return { name: "bidi-control", needed: never };
  const code = char.codePointAt(0) ?? 0;
  const rule = RULES.find(([first, last]) => code >= first && code <= last);
  return rule ? { name: rule[2], needed: rule[3] } : { name: "format", needed: never };
}

/** The positions of the tags of a flag, behind its two units of picture. */
function tagsOf(index: number, flag: string): number[] {
  return Array.from({ length: (flag.length - 2) / 2 }, (_, i) => index + 2 + 2 * i);
}

/** The opening controls that something visible follows and that are closed in their line, and what closes them. */
function neededDirections(text: string): Set<number> {
  const needed = new Set<number>();
  let open: { at: number; char: string }[] = [];
  for (const { index, 0: char } of text.matchAll(/[\n\u202a-\u202e\u2066-\u2069]/g)) {
    if (char === "\n") open = [];
    else if (BIDI_PAIRS.has(char)) {
      if (open.length < MAX_BIDI_DEPTH) open.push({ at: index, char });
    } else {
      const opening = open.at(-1);
      if (!opening || BIDI_PAIRS.get(opening.char) !== char) continue;
      open.pop();
      if (BIDI_OVERRIDES.includes(opening.char) || visibleAt(text, opening.at + 1) === "") continue;
      needed.add(opening.at).add(index);
    }
  }
  return needed;
}

/** The last code point. */
function lastOf(text: string): string {
  const last = text.slice(-2);
  return [...last].at(-1) ?? "";
}

/** The code point at a position; "" at the end, and for one that may go itself: nothing is needed for its sake. */
function visibleAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  const char = code === undefined ? "" : String.fromCodePoint(code);
  return ANY_INVISIBLE.test(char) ? "" : char;
}
