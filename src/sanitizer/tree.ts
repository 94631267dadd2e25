// Writes the allowed part of a run of HTML events as balanced HTML and reports the rest. Decides what is kept,
// unwrapped and dropped; what it writes reads back as exactly the same run, so a second pass changes nothing.

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
import type { Report } from "./report.ts";
import type { Events } from "./scan.ts";

const TABLE_SCOPE = words("table td th caption");

/**
 * Two stacks. `kept` holds the elements that have been written and are still open; it changes only with what is
 * written, which is why the output is stable. `shadow` holds what is open inside a dropped element or below the
 * depth limit, so that end tags find their own start tags there. All work per event is constant, amortised, or
 * bounded by MAX_DEPTH.
 */
export class Tree implements Events {
  readonly #report: Report;
  readonly #out: string[] = [];
  readonly #kept: string[] = [];
  readonly #shadow: string[] = [];
  readonly #shadowCounts = new Map<string, number>();
  /** Index in `shadow` of the outermost element that is dropped with its content; -1 when text is written. */
  #dropAt = -1;
  /** Unwrapped elements that are open, to tell their end tags from stray ones. */
  readonly #unwrapped = new Map<string, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  text(text: string): void {
    if (this.#dropAt < 0) this.#out.push(escapeText(text));
  }

  other(name: string): void {
    this.#report.add("element", name);
  }

  unfinished(name: string): void {
    this.#report.add("element", name);
  }

  open(name: string, attributes: ReadonlyArray<readonly [string, string]>): void {
    const drops = DROPPED_WITH_CONTENT.has(name);
    if (this.#dropAt >= 0 || drops) {
      this.#hide(name, drops);
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
    if (row) this.#push("tr", "");
    this.#push(name, writeAttributes(name, attributes, this.#report));
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

  /** Everything written, with what is still open closed. */
  finish(): string {
    while (this.#kept.length > 0) this.#pop();
    return this.#out.join("");
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
    const name = this.#shadow.pop()!;
    this.#shadowCounts.set(name, this.#shadowCounts.get(name)! - 1);
    if (this.#shadow.length <= this.#dropAt) this.#dropAt = -1;
    return name;
  }

  #push(name: string, attributes: string): void {
    if (VOID_ELEMENTS.has(name)) this.#out.push(`<${name}${attributes} />`);
    else {
      this.#out.push(`<${name}${attributes}>`);
      this.#kept.push(name);
    }
  }

  #pop(): void {
    this.#out.push(`</${this.#kept.pop()}>`);
  }

  #closeImplied(name: string): void {
    const closes = CLOSES.get(name);
    while (closes?.has(this.#kept.at(-1) ?? "")) this.#pop();
    if (name === "table") {
      // A table directly inside a table, not in a cell of it, replaces it.
      const at = this.#kept.findLastIndex((open) => TABLE_SCOPE.has(open));
      while (this.#kept[at] === "table" && this.#kept.length > at) this.#pop();
    }
    const context = CLEARS_BACK_TO.get(name);
    while (context && !context.has(this.#kept.at(-1)!)) this.#pop();
  }

  /** Where in `kept` the element is that an end tag closes; cells keep the end tags of their content to themselves. */
  #find(name: string): number {
    const table = name === "table" || TABLE_PARTS.has(name);
    for (let at = this.#kept.length - 1; at >= 0; at--) {
      const open = this.#kept[at]!;
      if (open === name) return at;
      if (table ? open === "table" : TABLE_SCOPE.has(open)) return -1;
    }
    return -1;
  }
}
