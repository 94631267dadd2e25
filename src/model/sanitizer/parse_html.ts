// The tree that a browser builds from a fragment of HTML, by parse5, and a report of the tags that are not in it.

import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html as names,
  Parser,
  Token,
  type TokenHandler,
  Tokenizer,
} from "parse5";
import { ALLOWED_ELEMENTS, DROPPED_WITH_CONTENT, parseSpaceSeparatedSet, VOID_ELEMENTS } from "./allow_list.ts";
import type { SanitizerReport } from "./sanitizer_report.ts";

export type HtmlParent = DefaultTreeAdapterTypes.ParentNode;

/** An element of the tree. `first` is false for copies and for elements that the parser added without a tag. */
export interface ParsedElement extends DefaultTreeAdapterTypes.Element {
  first: boolean;
}

/** Elements that may be open at a start tag; at more, the tag is ignored. Browsers flatten the tree at 512. */
const MAX_OPEN = 256;
/** Elements that have no child elements, so that they never make a tree deeper. */
const LEAVES = new Set([
  ...VOID_ELEMENTS,
  ...parseSpaceSeparatedSet("script style textarea title xmp iframe noembed noframes"),
]);
/** Elements that the standard copies into the next block when a block ends before they do. */
const FORMATTING = parseSpaceSeparatedSet("a b big code em font i nobr s small strike strong tt u");
/** Cost of a copy in characters, on top of its attributes. */
const COPY = 50;
/** Characters that copies may add. Without a limit, markup may grow with the square of its length. */
const MAX_COPIED = 50_000;

/** The default tree of parse5, with counts of what is made. */
function createAdapter() {
  const adapter = {
    ...defaultTreeAdapter,
    /** Attributes of the current start tag; null once the tag has made its element. */
    pending: null as Token.Attribute[] | null,
    /** Characters that copies have added. */
    copied: 0,
    scripts: 0,
    /** Number of open elements whose content is dropped. */
    dropping: 0,
    onItemPush: ({ tagName }: DefaultTreeAdapterTypes.Element) =>
      void (DROPPED_WITH_CONTENT.has(tagName) && adapter.dropping++),
    onItemPop: ({ tagName }: DefaultTreeAdapterTypes.Element) =>
      void (DROPPED_WITH_CONTENT.has(tagName) && adapter.dropping--),
    createElement(tag: string, space: names.NS, attributes: Token.Attribute[]): ParsedElement {
      const first = attributes === adapter.pending;
      if (first) {
        adapter.pending = null;
        if (tag === "script") adapter.scripts++;
      } else if (FORMATTING.has(tag)) {
        adapter.copied += COPY;
        for (const { name, value } of attributes) adapter.copied += name.length + value.length;
      }
      return {
        nodeName: tag,
        tagName: tag,
        namespaceURI: space,
        attrs: attributes,
        childNodes: [],
        parentNode: null,
        first,
      };
    },
  };
  return adapter;
}

/** A tokenizer that also keeps repeated attributes and a start tag without its end. Browsers drop both. */
class LosslessTokenizer extends Tokenizer {
  repeated: Token.Attribute[] = [];
  cutOff: string | null = null;

  protected override _leaveAttrName(): void {
    const { attrs } = this.currentToken as Token.TagToken;
    const count = attrs.length;
    super._leaveAttrName();
    if (attrs.length === count) this.repeated.push(this.currentAttr);
  }

  protected override _emitEOFToken(): void {
    const token = this.currentToken;
    if (token?.type === Token.TokenType.START_TAG) this.cutOff = (token as Token.TagToken).tagName;
    super._emitEOFToken();
  }
}

/** Passes each token on to the parser, and reports a token that changes nothing in the tree. */
class Reader implements TokenHandler {
  readonly onParseError = null;
  readonly adapter = createAdapter();
  readonly #options = { scriptingEnabled: false, treeAdapter: this.adapter };
  readonly #parser: Parser<DefaultTreeAdapterMap> = Parser.getFragmentParser(BODY, this.#options);
  readonly #tokenizer = new LosslessTokenizer({}, this);
  readonly #report: SanitizerReport;
  /** Start tags without an element, by name. Their end tags are not reported again. */
  readonly #ignored = new Map<string, number>();

  constructor(html: string, report: SanitizerReport) {
    this.#report = report;
    this.#parser.tokenizer = this.#tokenizer;
    this.#tokenizer.write(html, true);
  }

  get root(): HtmlParent {
    // parse5 reads a fragment into an html element of its own.
    return defaultTreeAdapter.getFirstChild(this.#parser.document) as HtmlParent;
  }

  onStartTag(token: Token.TagToken): void {
    const { adapter } = this;
    const { tagName, attrs } = token;
    for (const again of this.#beginTag()) attrs.push(again);
    adapter.pending = attrs;
    if (this.#parser.openElements.depth < MAX_OPEN || LEAVES.has(tagName)) this.#parser.onStartTag(token);
    if (adapter.pending === null) return;
    adapter.pending = null;
    this.#report.add("element", tagName);
    this.#ignored.set(tagName, (this.#ignored.get(tagName) ?? 0) + 1);
  }

  /** Reports an end tag that closes nothing, unless alerts may have its element or its content is dropped anyway. */
  onEndTag(token: Token.TagToken): void {
    const { tagName } = token;
    const { openElements } = this.#parser;
    const { depth } = openElements;
    const { dropping } = this.adapter;
    this.#beginTag();
    this.#parser.onEndTag(token);
    if (dropping > 0 || ALLOWED_ELEMENTS.has(tagName) || openElements.depth < depth) return;
    const ignored = this.#ignored.get(tagName) ?? 0;
    if (ignored > 0) this.#ignored.set(tagName, ignored - 1);
    else this.#report.add("element", tagName);
  }

  onComment(token: Token.CommentToken): void {
    const { data } = token;
    const kind = data.startsWith("[CDATA[") ? "#cdata" : data.startsWith("?") ? "#instruction" : "#comment";
    this.#report.add("element", kind);
    this.#parser.onComment(token);
  }

  onDoctype(token: Token.DoctypeToken): void {
    this.#report.add("element", "#doctype");
    this.#parser.onDoctype(token);
  }

  onEof(token: Token.EOFToken): void {
    const { cutOff } = this.#tokenizer;
    if (cutOff !== null) this.#report.add("element", cutOff);
    this.#parser.onEof(token);
  }

  onCharacter(token: Token.CharacterToken): void {
    this.#parser.onCharacter(token);
  }

  onNullCharacter(token: Token.CharacterToken): void {
    this.#parser.onNullCharacter(token);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.#parser.onWhitespaceCharacter(token);
  }

  /** Applies the limit on copies. Returns the attributes of the current tag that repeat a name. */
  #beginTag(): Token.Attribute[] {
    if (this.adapter.copied > MAX_COPIED) this.#endCopies();
    const { repeated } = this.#tokenizer;
    if (repeated.length > 0) this.#tokenizer.repeated = [];
    return repeated;
  }

  /** Reports all formatting elements that could be copied, and lets them end with their blocks. */
  #endCopies(): void {
    const list = this.#parser.activeFormattingElements;
    while (list.newest !== null) {
      for (let entry: (typeof list)["newest"] = list.newest; entry !== null && "token" in entry; entry = entry.older)
        this.#report.add("element", entry.token.tagName);
      list.clearToLastMarker();
    }
  }
}

const BODY = defaultTreeAdapter.createElement("body", names.NS.HTML, []);

/** Reads `html` as the content of a body with scripting off, so that `<noscript>` contains markup. */
export function parseHtml(html: string, report: SanitizerReport): { root: HtmlParent; scripts: number } {
  const { root, adapter } = new Reader(html, report);
  return { root, scripts: adapter.scripts };
}
