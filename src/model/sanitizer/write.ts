// The allowed part of a tree as HTML, and a report of the elements that are unwrapped or dropped.

import { cleanText, holdsRightToLeft } from "../fields/characters.ts";
import { DROPPED_WITH_CONTENT, ELEMENTS, MAX_DEPTH, VOID_ELEMENTS, words } from "./allow_list.ts";
import { escapeText, writeAttributes } from "./attributes.ts";
import { type Look, MARKED, MIN_FONT_SIZE, PLAIN, SHRINK } from "./hidden.ts";
import type { Element, Parent } from "./read.ts";
import { Report } from "./report.ts";

const BRACKET = /^\s*[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]?\s*$/u;
const SHRINKING = words("small sub sup");
/** Siblings in a ruby. Outside a ruby they nest in browsers, and in sanitize-html they do not. */
const ANNOTATIONS = words("rt rp");

/** The look of an element's text before its attributes. */
function lookOf(name: string, inherited: Look): Look {
  if (name === "mark") return { ...inherited, ...MARKED };
  return SHRINKING.has(name) ? { ...inherited, fontSize: inherited.fontSize * SHRINK } : inherited;
}

function isNestedAnnotation({ tagName, parentNode }: Element): boolean {
  return (
    ANNOTATIONS.has(tagName) && parentNode !== null && "tagName" in parentNode && ANNOTATIONS.has(parentNode.tagName)
  );
}

class Writer {
  readonly #report: Report;
  readonly #tags: string[] = [];
  /** The text before each tag. It is cleaned at the end, since the whole text decides about marks of direction. */
  readonly #texts: string[] = [];
  /** The text since the last tag. */
  #text = "";
  /** Attributes that were reported before. An element and its copies share them. */
  readonly #reported = new Set<Element["attrs"]>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** `depth` counts the written elements around `parent`, `look` is that of their text; `dropped` content is counted only. */
  children(parent: Parent, depth: number, look: Look, dropped: boolean): void {
    for (const child of parent.childNodes) {
      if ("tagName" in child) this.#element(child as Element, depth, look, dropped);
      else if ("value" in child && !dropped) this.#text += child.value;
    }
  }

  #element(element: Element, depth: number, inherited: Look, inDropped: boolean): void {
    const { tagName: name, attrs, first } = element;
    const dropped = inDropped || DROPPED_WITH_CONTENT.has(name);
    const own = lookOf(name, inherited);
    const fits = depth < MAX_DEPTH && own.fontSize >= MIN_FONT_SIZE && !isNestedAnnotation(element);
    if (dropped || !fits || !ELEMENTS.has(name)) {
      if (first) this.#report.add("element", name.toLowerCase());
      const content = "content" in element ? (element.content as Parent) : element;
      this.children(content, depth, inherited, dropped);
      return;
    }
    const report = this.#reported.has(attrs) ? new Report() : this.#report;
    if (attrs.length > 0) this.#reported.add(attrs);
    const { written, look } = writeAttributes(name, attrs, report, own);
    if (VOID_ELEMENTS.has(name)) {
      this.#tag(`<${name}${written} />`);
      return;
    }
    this.#tag(`<${name}${written}>`);
    const start = this.#tags.length;
    this.children(element, depth + 1, look, dropped);
    this.#tag(`</${name}>`);
    if (name === "rp" && !this.#texts.slice(start).every((text) => BRACKET.test(text))) {
      // Browsers hide an rp, so words in it are kept without it.
      if (first) this.#report.add("element", name);
      this.#tags[start - 1] = "";
      this.#tags[this.#tags.length - 1] = "";
    }
    // Browsers skip a line feed at the start of a pre.
    if (name === "pre" && this.#texts[start]?.startsWith("\n")) this.#tags[start - 1] += "\n";
  }

  finish(): string {
    this.#tag("");
    // Marks of direction have a meaning beside letters of either direction, also of another paragraph.
    const rightToLeft = holdsRightToLeft(this.#texts.join(""));
    let html = "";
    for (let i = 0; i < this.#texts.length; i++) {
      const clean = cleanText(this.#texts[i] ?? "", { rightToLeft });
      this.#report.addCharacters(clean.removed);
      html += escapeText(clean.text) + this.#tags[i];
    }
    return html;
  }

  #tag(tag: string): void {
    this.#tags.push(tag);
    this.#texts.push(this.#text);
    this.#text = "";
  }
}

/** Writes the allowed part of a tree, and counts the rest in `report`. */
export function writeHtml(root: Parent, report: Report): string {
  const writer = new Writer(report);
  writer.children(root, 0, PLAIN, false);
  return writer.finish();
}
