// Markup as a tagged template that escapes everything. Nothing is raw but what this file made itself, so a page cannot
// forget to escape. Values go between tags or into quoted attributes, nowhere else.

import { hasRightToLeftCharacter } from "../model/domain/text_isolation.ts";

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

class Markup {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;
export type HtmlContent = Html | string | number | null | undefined | false | readonly HtmlContent[];

/**
 * A text by a person or a program inside of a line of ours: it has its own direction, and changes no order around it.
 */
export const isolate = (text: string | null): Html => new Markup(text === null ? "" : `<bdi>${show(text)}</bdi>`);

function show(value: HtmlContent): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(show).join("");
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** Elements that contain text only, or texts of drawings. */
const TEXT_ONLY = /<(?:title|textarea|option|script|style|text|tspan)\b[^<]*$/i;
const IN_TAG = /<[^<>]*$|=\s*"[^"<>]*$/;
const ISOLATED = /<bdi[^<>]*>$|<[^<>]*\bdir="auto"[^<>]*>\s*$/;

/** Our pages are written from left to right, so a text with right-to-left letters is foreign and keeps its order. */
function showIn(before: string, value: HtmlContent): string {
  if (Array.isArray(value)) return value.map((part) => showIn(before, part)).join("");
  const isForeign = typeof value === "string" && hasRightToLeftCharacter(value);
  if (!isForeign || IN_TAG.test(before) || TEXT_ONLY.test(before) || ISOLATED.test(before)) return show(value);
  return isolate(value).toString();
}

/**
 * Markup with every value escaped; null, undefined and false show nothing. A text with right-to-left letters between
 * tags is isolated.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlContent[]): Html {
  let text = strings[0] ?? "";
  values.forEach((value, i) => {
    text += showIn(text, value) + strings[i + 1];
  });
  return new Markup(text);
}

/** The same for documents that are not pages, such as feeds: values are escaped, and nothing is added. */
export const xml = (strings: TemplateStringsArray, ...values: HtmlContent[]): Html =>
  new Markup(strings.reduce((text, part, i) => text + show(values[i - 1]) + part));
