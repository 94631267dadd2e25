// The beginning of a long text, which is shown until the reader opens the rest. Pure.

/** Characters and lines up to which a text is shown whole. */
const WHOLE = { characters: 1_000, lines: 16 };
/** Shown of a longer one: less, so that opening it shows more than a line. */
const FOLDED = { characters: 700, lines: 12 };

/** Without the space and the full stop before an ellipsis. */
const trimmed = (text: string): string => text.replace(/[\s.,;:…]+$/, "");

/** The beginning of a long text, up to the end of a word; null for a short one. */
export function truncateLongText(text: string): string | null {
  const lines = text.split("\n");
  const letters = [...text];
  if (letters.length <= WHOLE.characters && lines.length <= WHOLE.lines) return null;
  const start = [...lines.slice(0, FOLDED.lines).join("\n")];
  if (start.length <= FOLDED.characters) return trimmed(start.join(""));
  const cut = start.slice(0, FOLDED.characters).join("");
  // Chinese and Japanese have no spaces: there every character may be the last one.
  const words = cut.replace(/\s+\S*$/, "");
  return trimmed(words.length > cut.length - 60 ? words : cut);
}
