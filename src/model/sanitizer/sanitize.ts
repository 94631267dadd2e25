// The one sanitiser, for preview and for write: markup in, markup that is safe to show and a report of what is
// missing out. Knows nothing of alerts, lengths or transports.

import { createRequire } from "node:module";
import type library from "sanitize-html";
import { cleanText } from "../fields/characters.ts";
import { ATTRIBUTES, ELEMENTS, SCHEMES, words } from "./allow_list.ts";
import { type BlockedRow, Report } from "./report.ts";
import { scan } from "./scan.ts";
import { Tree } from "./tree.ts";

export { Report } from "./report.ts";

export interface Sanitized {
  html: string;
  blocked: BlockedRow[];
  script_count: number;
}

const require = createRequire(import.meta.url);

/** Read with the first html, since it brings a parser of styles that no other alert needs. */
const secondReader = (): typeof library => require("sanitize-html");

const attributeNames = [...new Set([...ATTRIBUTES.values()].flatMap((rules) => [...rules.keys()]))];

/** The same tables in the library's words. It alters nothing that `Tree` wrote; see `checked`. */
const LIBRARY_OPTIONS: library.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: [...ELEMENTS],
  allowedAttributes: Object.fromEntries([...ATTRIBUTES].map(([name, rules]) => [name, [...rules.keys()]])),
  allowedEmptyAttributes: attributeNames,
  nonBooleanAttributes: [],
  selfClosing: ["br", "col", "hr", "img", "wbr"],
  allowedSchemes: [...SCHEMES.link],
  allowedSchemesByTag: { img: [...SCHEMES.image] },
  allowedSchemesAppliedToAttributes: ["href", "src", "cite"],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
};

/**
 * Two independent readers have to agree before anything is stored. sanitize-html removes without saying what, so
 * `Tree` decides and reports, and the library goes over its result with the same tables. Should it ever find
 * something to take out, its word counts, and the report says that something unnamed was removed.
 */
export function checked(html: string, report: Report): string {
  const again = secondReader()(html, LIBRARY_OPTIONS);
  if (again !== html) report.add("element", "unknown");
  return again;
}

function sanitizeFragment(input: string, report: Report): Sanitized {
  // Browsers drop the null character from text, and PostgreSQL cannot store it.
  const html = input.replaceAll("\0", "");
  if (html.length < input.length) report.add("element", "#null", input.length - html.length);
  const tree = new Tree(report);
  scan(html, tree);
  return { html: checked(tree.finish(), report), blocked: report.rows(), script_count: 0 };
}

/** Script elements, in SVG as well, as they stand when scripting is off: those in `<noscript>` are elements then. */
function countScripts(html: string): number {
  let count = 0;
  scan(html, {
    text() {},
    open(name) {
      if (name === "script") count++;
    },
    close() {},
    other() {},
  });
  return count;
}

/** What the report of a fragment calls by these names is not seen, or may not be: of a page nobody knows what else its styles do. */
const UNSEEN: Partial<Record<BlockedRow["kind"], ReadonlySet<string>>> = {
  element: words("#comment template noscript style"),
  attribute: words("hidden"),
  style: words(`
    -webkit-text-fill-color background background-color clip clip-path color display font-size line-height mask opacity
    overflow position text-indent transform visibility
  `),
};

/** What of a document its readers do not see, or may not see, though all of it is kept (docs/rules.md#preview-hidden). */
export function hiddenIn(html: string): BlockedRow[] {
  const report = new Report();
  const tree = new Tree(report);
  scan(html, tree);
  tree.finish();
  return report.rows().filter(({ kind, name }) => kind === "character" || UNSEEN[kind]?.has(name));
}

/**
 * For layout html the cleaned fragment and the report of what went (docs/rules.md#preview-html). For layout document the
 * whole page and how many scripts it has: it is shown in a frame where they do nothing (docs/rules.md#preview-document).
 *
 * `blocked` counts removed elements (a removed element takes its attributes with it, unlisted), removed attributes,
 * refused addresses by scheme, and style declarations by property. It is empty when nothing is missing. What only
 * changes its spelling is not missing: case, quotes, omitted end tags, character references, the `rel` of links.
 * A `report` that others write to as well gets the rows added to its own.
 */
export function sanitizeHtml(
  html: string,
  layout: "html" | "document",
  report: Report = new Report(),
): Sanitized {
  if (layout === "document") return { html, blocked: report.rows(), script_count: countScripts(html) };
  return sanitizeFragment(html, report);
}

/** A text without markup: what no reader sees and the text does not need is taken out and reported. */
export function sanitizeText(text: string, report: Report): string {
  const clean = cleanText(text);
  report.addCharacters(clean.removed);
  return clean.text;
}
