// The allow list of markup: elements, attributes with their values, and URL schemes. It is used by the sanitizer and by
// the library that checks its result.

/** Converts a space-separated list to a set. The tables stay readable, and a look-up never finds `Object.prototype`. */
export function parseSpaceSeparatedSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Everything that a rich alert needs and that neither fetches, runs, frames, nor takes input. */
export const ALLOWED_ELEMENTS = parseSpaceSeparatedSet(`
  h1 h2 h3 h4 h5 h6 hgroup p div span br hr wbr pre blockquote center
  section article header footer main nav aside address
  ul ol li menu dl dt dd
  table caption colgroup col thead tbody tfoot tr th td
  a img figure figcaption details summary
  b strong i em u s strike del ins mark small big sub sup abbr cite q dfn code kbd samp var tt time data font
  bdi bdo ruby rb rt rtc rp
`);

export const VOID_ELEMENTS = parseSpaceSeparatedSet(`
  area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
`);

/**
 * Elements that are removed with their content: code, foreign content, lists of choices, and raw text. A second parser
 * may read raw text as markup (the cause of mutation XSS). Every other forbidden element is unwrapped, so its text
 * stays.
 */
export const DROPPED_WITH_CONTENT = parseSpaceSeparatedSet(`
  script style iframe noscript noembed noframes template textarea title xmp plaintext
  svg math select option optgroup datalist applet
`);

/**
 * Elements nested deeper than this are unwrapped and reported. Browsers flatten at 512 and are slow with deep trees,
 * and texts of people are never that deep.
 */
export const MAX_NESTING_DEPTH = 100;

/** The check of an attribute's value: a pattern for the complete value, or a function with a file of its own. */
export type AttributeRule = RegExp | "text" | "link" | "image" | "citation" | "style" | "rel";

const NUMBER = /^-?\d{1,6}$/;
const SPAN = /^\d{1,3}$/;
const LENGTH = /^[01]?\d{1,3}(?:\.\d{1,2})?(?:%|px)?$/;
const BOOLEAN = /^[a-z]{0,8}$/i;
const ALIGN = /^(?:left|right|center|justify)$/i;
const VALIGN = /^(?:top|middle|bottom|baseline)$/i;
const DATETIME = /^[\dA-Za-z:.+\- ]{1,64}$/;

/**
 * Allowed on every element. `id` and `name` are forbidden, because they become properties of the page's document and
 * window ("DOM clobbering"). `class` stays: it has no effect by itself, and half of all pasted texts contain it. So a
 * styled page must isolate an alert from its style sheet and scripts, by a frame or shadow root.
 */
const LANGUAGE = /^(?:[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,6})?$/;

const GLOBAL: Record<string, AttributeRule> = {
  title: "text",
  lang: LANGUAGE,
  dir: /^(?:ltr|rtl|auto)$/i,
  translate: /^(?:yes|no|)$/i,
  class: /^\s*[A-Za-z_][\w-]{0,63}(?:\s+[A-Za-z_][\w-]{0,63}){0,19}\s*$/,
  style: "style",
  role: new RegExp(
    `^(?:${[
      "note|img|list|listitem|presentation|none|group|region|heading|separator",
      "table|row|rowheader|columnheader|cell",
    ].join("|")})$`,
  ),
  "aria-label": "text",
  "aria-hidden": /^(?:true|false)$/,
  "aria-level": /^[1-9]$/,
};

const CELL: Record<string, AttributeRule> = {
  colspan: SPAN,
  rowspan: SPAN,
  width: LENGTH,
  height: LENGTH,
  align: ALIGN,
  valign: VALIGN,
};

const PER_ELEMENT: Record<string, Record<string, AttributeRule>> = {
  a: { href: "link", target: /^_(?:blank|self)$/i, rel: "rel", hreflang: LANGUAGE },
  img: {
    src: "image",
    alt: "text",
    width: LENGTH,
    height: LENGTH,
    loading: /^(?:lazy|eager)$/i,
    decoding: /^(?:async|sync|auto)$/i,
    align: /^(?:left|right|middle|top|bottom)$/i,
    border: SPAN,
  },
  ol: { start: NUMBER, reversed: BOOLEAN, type: /^[1aAiI]$/ },
  ul: { type: /^(?:disc|circle|square)$/i },
  li: { value: NUMBER, type: /^(?:[1aAiI]|disc|circle|square)$/ },
  time: { datetime: DATETIME },
  data: { value: "text" },
  del: { datetime: DATETIME, cite: "citation" },
  ins: { datetime: DATETIME, cite: "citation" },
  blockquote: { cite: "citation" },
  q: { cite: "citation" },
  details: { open: BOOLEAN },
  font: { color: /^(?:#[0-9a-f]{3,8}|[a-z]{3,30})$/i, size: /^[+-]?[1-7]$/, face: /^[\p{L}\p{N} ,'-]{1,100}$/u },
  table: { border: SPAN, cellpadding: SPAN, cellspacing: SPAN, width: LENGTH, align: ALIGN, summary: "text" },
  col: { span: SPAN, width: LENGTH, align: ALIGN, valign: VALIGN },
  colgroup: { span: SPAN, width: LENGTH, align: ALIGN, valign: VALIGN },
  td: CELL,
  th: { ...CELL, scope: /^(?:row|col|rowgroup|colgroup)$/i, abbr: "text" },
  ...Object.fromEntries(
    [...parseSpaceSeparatedSet("thead tbody tfoot tr")].map((name) => [name, { align: ALIGN, valign: VALIGN }]),
  ),
  ...Object.fromEntries(
    [...parseSpaceSeparatedSet("p div h1 h2 h3 h4 h5 h6 caption hr")].map((name) => [name, { align: ALIGN }]),
  ),
};

/** element → attribute → rule, the ones for every element included. */
export const ALLOWED_ATTRIBUTES: ReadonlyMap<string, ReadonlyMap<string, AttributeRule>> = new Map(
  [...ALLOWED_ELEMENTS].map((name) => [name, new Map(Object.entries({ ...GLOBAL, ...PER_ELEMENT[name] }))]),
);

/** Links leave the alert for a page, a mail, a call or a map; pictures and sources come encrypted or not at all. */
export const ALLOWED_SCHEMES: Record<"link" | "image" | "citation", ReadonlySet<string>> = {
  link: parseSpaceSeparatedSet("https http mailto tel sms geo"),
  image: parseSpaceSeparatedSet("https"),
  citation: parseSpaceSeparatedSet("https"),
};

/** Put on every link: the page that it opens learns neither the opener nor where the reader comes from. */
export const LINK_REL = "noopener noreferrer nofollow";
