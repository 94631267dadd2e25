// The allowed part of a tree as HTML, and a report of the elements that are unwrapped or dropped.

import { hasRightToLeftText, removeInvisibleCharacters } from "../fields/invisible_characters.ts";
import {
  ALLOWED_ELEMENTS,
  DROPPED_WITH_CONTENT,
  MAX_NESTING_DEPTH,
  parseSpaceSeparatedSet,
  VOID_ELEMENTS,
} from "./allow_list.ts";
import { escapeText, serializeAllowedAttributes } from "./attributes.ts";
import {
  MARK_ELEMENT_APPEARANCE,
  MIN_READABLE_FONT_SIZE,
  SMALL_ELEMENT_FONT_FACTOR,
  type TextAppearance,
  UNSTYLED_TEXT_APPEARANCE,
} from "./hidden_by_style.ts";
import type { HtmlParent, ParsedElement } from "./parse_html.ts";
import { SanitizerReport } from "./sanitizer_report.ts";

const BRACKET = /^\s*[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]?\s*$/u;
const SHRINKING = parseSpaceSeparatedSet("small sub sup");
/** Siblings in a ruby. Outside a ruby they nest in browsers, and in sanitize-html they do not. */
const ANNOTATIONS = parseSpaceSeparatedSet("rt rp");

/** The look of an element's text before its attributes. */
function lookOf(name: string, inherited: TextAppearance): TextAppearance {
  if (name === "mark") return { ...inherited, ...MARK_ELEMENT_APPEARANCE };
  return SHRINKING.has(name) ? { ...inherited, fontSize: inherited.fontSize * SMALL_ELEMENT_FONT_FACTOR } : inherited;
}

function isNestedAnnotation({ tagName, parentNode }: ParsedElement): boolean {
  return (
    ANNOTATIONS.has(tagName) && parentNode !== null && "tagName" in parentNode && ANNOTATIONS.has(parentNode.tagName)
  );
}

class Writer {
  readonly #report: SanitizerReport;
  readonly #tags: string[] = [];
  /** The text before each tag. It is cleaned at the end, since the whole text decides about marks of direction. */
  readonly #texts: string[] = [];
  /** The text since the last tag. */
  #text = "";
  /** Attributes that were reported before. An element and its copies share them. */
  readonly #reported = new Set<ParsedElement["attrs"]>();

  constructor(report: SanitizerReport) {
    this.#report = report;
  }

  /**
   * `depth` counts the written elements around `parent`, `look` is that of their text; `dropped` content is counted
   * only.
   */
  children(parent: HtmlParent, depth: number, look: TextAppearance, dropped: boolean): void {
    for (const child of parent.childNodes) {
      if ("tagName" in child) this.#element(child as ParsedElement, depth, look, dropped);
      else if ("value" in child && !dropped) this.#text += child.value;
    }
  }

  #element(element: ParsedElement, depth: number, inherited: TextAppearance, inDropped: boolean): void {
    const { tagName: name, attrs, first } = element;
    const dropped = inDropped || DROPPED_WITH_CONTENT.has(name);
    const own = lookOf(name, inherited);
    const fits = depth < MAX_NESTING_DEPTH && own.fontSize >= MIN_READABLE_FONT_SIZE && !isNestedAnnotation(element);
    if (dropped || !fits || !ALLOWED_ELEMENTS.has(name)) {
      if (first) this.#report.add("element", name.toLowerCase());
      const content = "content" in element ? (element.content as HtmlParent) : element;
      this.children(content, depth, inherited, dropped);
      return;
    }
    const report = this.#reported.has(attrs) ? new SanitizerReport() : this.#report;
    if (attrs.length > 0) this.#reported.add(attrs);
    const { written, look } = serializeAllowedAttributes(name, attrs, report, own);
    if (VOID_ELEMENTS.has(name)) {
      this.#tag(`<${name}${written} />`);
      return;
    }
    this.#tag(`<${name}${written}>`);
    const start = this.#tags.length;
    this.children(element, depth + 1, look, dropped);
    this.#tag(`</${name}>`);
    if (name === "rp" && !this.#texts.slice(start).every((text) => BRACKET.test(text))) {
      // Browsers hide an rp, so its text is kept without it.
      if (first) this.#report.add("element", name);
      this.#tags[start - 1] = "";
      this.#tags[this.#tags.length - 1] = "";
    }
    // Browsers skip a line feed at the start of a pre.
    if (name === "pre" && this.#texts[start]?.startsWith("\n")) this.#tags[start - 1] += "\n";
  }

  finish(): string {
    this.#tag("");
    // Direction marks have a meaning next to letters of either direction, also of another paragraph.
    const rightToLeft = hasRightToLeftText(this.#texts.join(""));
    let html = "";
    for (let i = 0; i < this.#texts.length; i++) {
      const clean = removeInvisibleCharacters(this.#texts[i] ?? "", { rightToLeft });
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
export function serializeAllowedHtml(root: HtmlParent, report: SanitizerReport): string {
  const writer = new Writer(report);
  writer.children(root, 0, UNSTYLED_TEXT_APPEARANCE, false);
  return writer.finish();
}
