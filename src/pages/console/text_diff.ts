// Compares two versions of a text word by word: unchanged, removed and added parts. The work is limited for any text,
// since drafts can be hostile. Above the limit both texts are shown without a comparison.

export interface DiffPiece {
  kind: "same" | "gone" | "new";
  text: string;
}

/** The cost limit of all comparisons of one page. */
export interface DiffBudget {
  /** Characters that are compared, since they differ in some way. */
  left: number;
  /** Characters that are shown. Escaped they may be five times as many. */
  room: number;
}

export const createDiffBudget = (): DiffBudget => ({ left: 60_000, room: 15_000 });

/**
 * The number of removed and added terms above which two texts count as different. The cost grows with its square
 * and stays below a tenth of a second. A limit in time would depend on the other work of the machine.
 */
const MAX_EDITS = 600;
/** Characters of equal text before the first change that are searched for the start of a word. */
const WORD = 80;

let words: Intl.Segmenter | undefined;

/** Tokens: terms of any script, and the characters between them. A letter keeps its combining marks. */
function wordsOf(text: string): string[] {
  words ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(words.segment(text), ({ segment }) => segment);
}

/** The first characters up to the limit, one less where it would split a character. */
export const truncateBetweenCharacters = (text: string, length: number): string =>
  text.slice(0, Math.max(0, /[\udc00-\udfff]/.test(text[length] ?? "") ? length - 1 : length));

/** The length of the common prefix, up to the end of a word. */
function sameStart(a: string, b: string): number {
  let end = 0;
  while (end < a.length && end < b.length && a[end] === b[end]) end++;
  if (end === a.length && end === b.length) return end;
  const near = a.slice(Math.max(0, end - WORD), end);
  const space = near.search(/\s\S*$/);
  return space < 0 ? truncateBetweenCharacters(a, end - WORD).length : end - near.length + space + 1;
}

/** The length of the common suffix, from the beginning of a word. */
function sameEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++;
  const near = a.slice(a.length - length, a.length - length + WORD);
  const space = near.search(/\s/);
  return space < 0
    ? a.length - truncateBetweenCharacters(a, a.length - Math.max(0, length - WORD)).length
    : length - space;
}

/**
 * Pieces in the order of the text, with removed parts before added ones. Null for texts with too little in common, or
 * above the limit. The library is loaded with the first comparison.
 */
export async function diffTexts(before: string, after: string, effort: DiffBudget): Promise<DiffPiece[] | null> {
  const start = sameStart(before, after);
  const [a, b] = [before.slice(start), after.slice(start)];
  const end = sameEnd(a, b);
  const [gone, come] = [a.slice(0, a.length - end), b.slice(0, b.length - end)];
  const cost = gone.length + come.length;
  if (cost > effort.left) return null;
  effort.left -= cost;
  const { diffArrays } = await import("diff");
  const changes = diffArrays(wordsOf(gone), wordsOf(come), { maxEditLength: MAX_EDITS });
  if (!changes) return null;
  const pieces = changes.map(
    ({ value, added, removed }): DiffPiece => ({
      kind: added ? "new" : removed ? "gone" : "same",
      text: value.join(""),
    }),
  );
  const same = (text: string): DiffPiece => ({ kind: "same", text });
  return readable([same(before.slice(0, start)), ...pieces, same(a.slice(a.length - end))]);
}

/** Whole phrases in place of every other word: a space between two changes is part of both. */
function readable(pieces: readonly DiffPiece[]): DiffPiece[] {
  const made: DiffPiece[] = [];
  let gone = "";
  let come = "";
  const close = () => {
    if (gone) made.push({ kind: "gone", text: gone });
    if (come) made.push({ kind: "new", text: come });
    gone = come = "";
  };
  pieces.forEach(({ kind, text }, i) => {
    if (kind === "gone") gone += text;
    else if (kind === "new") come += text;
    else if (text === "") return;
    else if (gone + come !== "" && /^\s{1,2}$/.test(text) && (pieces[i + 1]?.kind ?? "same") !== "same") {
      gone += text;
      come += text;
    } else {
      close();
      const last = made.at(-1);
      if (last?.kind === "same") last.text += text;
      else made.push({ kind, text });
    }
  });
  close();
  return made;
}
