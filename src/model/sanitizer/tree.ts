// Writes the allowed part of a run of HTML events as balanced HTML and reports the rest. Decides what is kept,
// unwrapped and dropped; what it writes reads back as exactly the same run, so a second pass changes nothing.

import { cleanText, holdsRightToLeft } from "../fields/characters.ts";
import {
  CLEARS_BACK_TO,
  CLOSES,
  DROPPED_WITH_CONTENT,
  ELEMENTS,
  MAX_DEPTH,
  TABLE_PARTS,
  VOID_ELEMENTS,
  words,
} from "./allow_list.ts";
import { escapeText, writeAttributes } from "./attributes.ts";
import { type Look, MARKED, MIN_FONT_SIZE, PLAIN, SHRINK } from "./hidden.ts";
import { isKnownAttribute, type Report } from "./report.ts";
import type { Events } from "./scan.ts";

const BRACKET = /^\s*[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]?\s*$/u;
const SHRINKING = words("small sub sup");

/**
 * `if a<b and c>d then`: to a browser a tag, to its author none. It directly follows a word and has nothing but words
 * of no meaning in it, so the author's words are kept as such, and nothing is removed.
 */
function isComparison(
  attributes: ReadonlyArray<readonly [string, string]>,
  source: string,
  before: string,
): boolean {
  return (
    attributes.length > 0 &&
    /[\p{L}\p{N})\]_]/u.test(before) &&
    !/[="'/]|&\w|.</.test(source) &&
    attributes.every(([name]) => !isKnownAttribute(name))
  );
}

/** What an element alone makes of the look that it inherits. */
function lookOf(name: string, inherited: Look): Look {
  if (name === "mark") return { ...inherited, ...MARKED };
  return SHRINKING.has(name) ? { ...inherited, fontSize: inherited.fontSize * SHRINK } : inherited;
}

const TABLE_SCOPE = words("table td th caption");

/**
 * Two stacks. `kept` holds the elements that have been written and are still open; it changes only with what is
 * written, which is why the output is stable. `shadow` holds what is open inside a dropped element or below the
 * depth limit, so that end tags find their own start tags there. All work per event is constant, amortised, or
 * bounded by MAX_DEPTH.
 */
export class Tree implements Events {
  readonly #report: Report;
  /** Tags as they are written, and runs of text, which are judged when all of them are known. */
  readonly #out: (string | { text: string })[] = [];
  readonly #kept: string[] = [];
  /** What the text of each of them looks like. */
  readonly #looks: Look[] = [];
  readonly #shadow: string[] = [];
  readonly #shadowCounts = new Map<string, number>();
  /** Index in `shadow` of the outermost element that is dropped with its content; -1 when text is written. */
  #dropAt = -1;
  /** Unwrapped elements that are open, to tell their end tags from stray ones. */
  readonly #unwrapped = new Map<string, number>();
  /** Where in `out` the open `rp` begin: browsers show nothing of them, so only brackets may stand in them. */
  readonly #parentheses: number[] = [];
  /** Text since the last tag that was written: a character is judged beside its neighbours. */
  #run = "";

  constructor(report: Report) {
    this.#report = report;
  }

  text(text: string): void {
    if (this.#dropAt < 0) this.#run += text;
  }

  other(name: string): void {
    this.#report.add("element", name);
  }

  open(name: string, attributes: ReadonlyArray<readonly [string, string]>, source = "", before = ""): void {
    const drops = DROPPED_WITH_CONTENT.has(name);
    if (this.#dropAt >= 0 || drops) {
      this.#hide(name, drops);
      return;
    }
    if (isComparison(attributes, source, before)) {
      this.text(source);
      return;
    }
    if (!ELEMENTS.has(name)) {
      this.#report.add("element", name);
      if (!VOID_ELEMENTS.has(name)) this.#unwrapped.set(name, (this.#unwrapped.get(name) ?? 0) + 1);
      return;
    }
    if (this.#shadow.length > 0) {
      this.#hide(name, false);
      return;
    }
    if (TABLE_PARTS.has(name) && !this.#kept.includes("table")) {
      this.#report.add("element", name);
      return;
    }
    this.#closeImplied(name);
    const row = (name === "td" || name === "th") && this.#kept.at(-1) !== "tr";
    if (this.#kept.length + (row ? 1 : 0) >= MAX_DEPTH) {
      this.#hide(name, false);
      return;
    }
    // A cell outside a row gets the row that a browser would make up.
    if (row) this.#push("tr", "", this.#look);
    const inherited = lookOf(name, this.#look);
    if (inherited.fontSize < MIN_FONT_SIZE) {
      this.#hide(name, false);
      return;
    }
    const { written, look } = writeAttributes(name, attributes, this.#report, inherited);
    this.#push(name, written, look);
  }

  close(name: string): void {
    if ((this.#shadowCounts.get(name) ?? 0) > 0) {
      while (this.#popShadow() !== name);
      return;
    }
    if (name === "br") {
      // Browsers read </br> as <br>.
      this.open(name, []);
      return;
    }
    const at = this.#find(name);
    if (at >= 0) {
      while (this.#shadow.length > 0) this.#popShadow();
      while (this.#kept.length > at) this.#pop();
      return;
    }
    if (ELEMENTS.has(name)) return;
    const open = this.#unwrapped.get(name) ?? 0;
    if (open > 0) this.#unwrapped.set(name, open - 1);
    else if (this.#dropAt < 0) this.#report.add("element", name);
  }

  finish(): string {
    while (this.#kept.length > 0) this.#pop();
    this.#endRun();
    // Marks of direction have a meaning beside letters of either direction, also of another paragraph.
    const rightToLeft = this.#out.some((part) => typeof part !== "string" && holdsRightToLeft(part.text));
    return this.#out
      .map((part) => (typeof part === "string" ? part : this.#write(part.text, rightToLeft)))
      .join("");
  }

  #endRun(): void {
    if (this.#run !== "") this.#out.push({ text: this.#run });
    this.#run = "";
  }

  #write(run: string, rightToLeft: boolean): string {
    const { text, removed } = cleanText(run, { rightToLeft });
    this.#report.addCharacters(removed);
    return escapeText(text);
  }

  /** Removes an element whose end tag still has to be recognised; with its content when `drops`. */
  #hide(name: string, drops: boolean): void {
    this.#report.add("element", name);
    if (VOID_ELEMENTS.has(name)) return;
    if (drops && this.#dropAt < 0) this.#dropAt = this.#shadow.length;
    this.#shadow.push(name);
    this.#shadowCounts.set(name, (this.#shadowCounts.get(name) ?? 0) + 1);
  }

  #popShadow(): string {
    const name = this.#shadow.pop() ?? "";
    this.#shadowCounts.set(name, (this.#shadowCounts.get(name) ?? 1) - 1);
    if (this.#shadow.length <= this.#dropAt) this.#dropAt = -1;
    return name;
  }

  get #look(): Look {
    return this.#looks.at(-1) ?? PLAIN;
  }

  #push(name: string, attributes: string, look: Look): void {
    this.#endRun();
    if (VOID_ELEMENTS.has(name)) this.#out.push(`<${name}${attributes} />`);
    else {
      this.#out.push(`<${name}${attributes}>`);
      if (name === "rp") this.#parentheses.push(this.#out.length - 1);
      this.#kept.push(name);
      this.#looks.push(look);
    }
  }

  #pop(): void {
    this.#endRun();
    const name = this.#kept.pop();
    this.#looks.pop();
    const start = name === "rp" ? (this.#parentheses.pop() ?? -1) : -1;
    if (
      start >= 0 &&
      this.#out.slice(start).some((part) => typeof part !== "string" && !BRACKET.test(part.text))
    ) {
      this.#report.add("element", "rp");
      this.#out[start] = "";
    } else this.#out.push(`</${name}>`);
  }

  #closeImplied(name: string): void {
    const closes = CLOSES.get(name);
    // Only brackets may stand in it. It may go at its end, and then nothing shall have been in it that closes what is around it.
    if (this.#kept.at(-1) === "rp" && !closes?.has("rp")) {
      this.#pop();
      if (this.#out.at(-1) === "</rp>") this.#report.add("element", "rp");
    }
    while (closes?.has(this.#kept.at(-1) ?? "")) this.#pop();
    if (name === "table") {
      // A table directly inside a table, not in a cell of it, replaces it.
      const at = this.#kept.findLastIndex((open) => TABLE_SCOPE.has(open));
      while (this.#kept[at] === "table" && this.#kept.length > at) this.#pop();
    }
    const context = CLEARS_BACK_TO.get(name);
    while (context && !context.has(this.#kept.at(-1) ?? "")) this.#pop();
  }

  /** Where in `kept` the element is that an end tag closes; cells keep the end tags of their content to themselves. */
  #find(name: string): number {
    const table = name === "table" || TABLE_PARTS.has(name);
    for (let at = this.#kept.length - 1; at >= 0; at--) {
      const open = this.#kept[at] ?? "";
      if (open === name) return at;
      if (table ? open === "table" : TABLE_SCOPE.has(open)) return -1;
    }
    return -1;
  }
}
