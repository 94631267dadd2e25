// Reads HTML into a flat run of events, the way a browser's tokenizer does: htmlparser2's tokenizer, plus what it
// leaves to its caller (foreign content, character data sections, a tag that never ends). Judges nothing.

import { Tokenizer } from "htmlparser2";
import { VOID_ELEMENTS, words } from "./allow_list.ts";

export interface Events {
  text(text: string): void;
  /**
   * `attributes` in their order, names in lower case, a repeated name repeated. `source` is the tag as it was written,
   * and `before` the character in front of it ("" at the beginning).
   */
  open(
    name: string,
    attributes: ReadonlyArray<readonly [string, string]>,
    source: string,
    before: string,
  ): void;
  close(name: string): void;
  /**
   * Anything that is neither text nor tag: "#comment", "#doctype", "#cdata", "#instruction"; and the name of a start tag that the
   * end of the input cuts off, which browsers drop as well.
   */
  other(name: string): void;
}

/** Start tags that end SVG and MathML content: "any other start tag" rules of the HTML standard, foreign content. */
const BREAKS_OUT = words(`
  b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta
  nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
`);
/** Within these, foreign content holds HTML again. */
const INTEGRATION_POINTS = words("foreignobject desc title mi mo mn ms mtext");

/** ASCII only, as the standard says: the Kelvin sign is not a k. */
function lower(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()) : name;
}

type Space = "html" | "foreign" | "integration";

/**
 * The elements that are open, only to know whether the tokenizer is in foreign content: there `<style>` and
 * `<title>` hold markup, and `/>` closes. Every operation is constant or amortised, whatever the nesting.
 */
class OpenElements {
  readonly #names: string[] = [];
  readonly #spaces: Space[] = [];
  readonly #counts = new Map<string, number>();

  get foreign(): boolean {
    return this.#spaces.at(-1) === "foreign";
  }

  push(name: string, attributes: ReadonlyArray<readonly [string, string]>): void {
    let space: Space = name === "svg" || name === "math" || this.foreign ? "foreign" : "html";
    if (space === "foreign" && this.foreign) {
      const encoding = attributes.find(([key]) => key === "encoding")?.[1].toLowerCase();
      const html = encoding === "text/html" || encoding === "application/xhtml+xml";
      if (INTEGRATION_POINTS.has(name) || (name === "annotation-xml" && html)) space = "integration";
    }
    this.#names.push(name);
    this.#spaces.push(space);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  pop(): string | undefined {
    const name = this.#names.pop();
    this.#spaces.pop();
    if (name !== undefined) this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1);
    return name;
  }

  close(name: string): void {
    if (!this.#counts.get(name)) return;
    while (this.pop() !== name);
  }
}

const CDATA = "<![CDATA[";

export function scan(html: string, events: Events): void {
  const elements = new OpenElements();
  let name = "";
  let nameStart = 0;
  let attributes: [string, string][] = [];
  let attribute = "";
  let value = "";
  /** Up to here the input has been turned into events. */
  let consumed = 0;
  let ending = false;

  /** A tag of the surrounding HTML ends foreign content, as in a browser, instead of vanishing in it. */
  function breakOut(): void {
    while (elements.foreign) {
      const closed = elements.pop();
      if (closed === "svg" || closed === "math") events.close(closed);
    }
  }

  function openTag(end: number, selfClosing: boolean): void {
    consumed = end + 1;
    const font =
      name === "font" && attributes.some(([key]) => key === "color" || key === "face" || key === "size");
    if (elements.foreign && (font || BREAKS_OUT.has(name))) breakOut();
    events.open(name, attributes, html.slice(nameStart - 1, end + 1), html.charAt(nameStart - 2));
    const foreign = elements.foreign || name === "svg" || name === "math";
    if (foreign && selfClosing) events.close(name);
    else if (foreign || !VOID_ELEMENTS.has(name)) elements.push(name, attributes);
    attributes = [];
  }

  function comment(start: number, end: number): void {
    consumed = end + 1;
    const lead = html.slice(start, start + 7);
    events.other(lead === "[CDATA[" ? "#cdata" : lead.startsWith("?") ? "#instruction" : "#comment");
  }

  const tokenizer = new Tokenizer(
    {},
    {
      isInForeignContext: () => elements.foreign,
      ontext(start, end) {
        // At the very end the tokenizer hands over the pieces of a tag that is cut off; they are not text.
        if (ending && (start < 0 || (start > 0 && html[start - 1] === "<"))) return;
        consumed = end;
        events.text(html.slice(start, end));
      },
      ontextentity(codepoint, end) {
        consumed = end;
        events.text(String.fromCodePoint(codepoint));
      },
      onopentagname(start, end) {
        name = lower(html.slice(start, end));
        nameStart = start;
      },
      onattribname(start, end) {
        attribute = lower(html.slice(start, end));
        value = "";
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend() {
        attributes.push([attribute, value]);
      },
      onopentagend: (end) => openTag(end, false),
      onselfclosingtag: (end) => openTag(end, true),
      onclosetag(start, end) {
        // `end` is that of the name; the tag goes on to its ">".
        const bracket = html.indexOf(">", end);
        consumed = bracket < 0 ? html.length : bracket + 1;
        const closed = lower(html.slice(start, end));
        if (elements.foreign && (closed === "p" || closed === "br")) breakOut();
        elements.close(closed);
        events.close(closed);
      },
      oncomment: comment,
      oncdata(start, end, offset) {
        consumed = end + 1;
        events.text(html.slice(start, end - offset));
      },
      ondeclaration(_start, end) {
        consumed = end + 1;
        events.other("#doctype");
      },
      onprocessinginstruction: comment,
      onend() {},
    },
  );

  // Outside foreign content a character data section is a comment up to the next ">", but the tokenizer reads on to
  // "]]>". It is given a spelling that it takes for a comment; the events slice the original.
  let from = 0;
  while (from < html.length) {
    const next = html.indexOf(CDATA, from + 1);
    const to = next < 0 ? html.length : next;
    const chunk = html.slice(from, to);
    tokenizer.write(!elements.foreign && chunk.startsWith(CDATA) ? `<!|${chunk.slice(3)}` : chunk);
    from = to;
  }
  ending = true;
  tokenizer.end();

  const rest = html.slice(consumed, consumed + 64);
  const cutOff = /^<([a-z][^\t\n\f\r />]*)/i.exec(rest);
  if (cutOff) events.other(lower(cutOff[1] ?? ""));
  else if (/^<!doctype/i.test(rest)) events.other("#doctype");
}
