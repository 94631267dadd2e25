// The one sanitiser, for preview and for write: markup in, markup that is safe to show and a report of what is
// missing out. Knows nothing of alerts, lengths or transports.

import { createRequire } from "node:module";
import type library from "sanitize-html";
import { removeInvisibleCharacters } from "../fields/invisible_characters.ts";
import { ALLOWED_ATTRIBUTES, ALLOWED_ELEMENTS, ALLOWED_SCHEMES, parseSpaceSeparatedSet } from "./allow_list.ts";
import { parseHtml } from "./parse_html.ts";
import { isKnownAttribute, type RemovedMarkupRow, SanitizerReport } from "./sanitizer_report.ts";
import { serializeAllowedHtml } from "./serialize_html.ts";

export { SanitizerReport } from "./sanitizer_report.ts";

interface SanitizedHtml {
  html: string;
  blocked: RemovedMarkupRow[];
}

const require = createRequire(import.meta.url);

/** Read with the first html, since it brings a parser of styles that no other alert needs. */
const secondReader = (): typeof library => require("sanitize-html");

const attributeNames = [...new Set([...ALLOWED_ATTRIBUTES.values()].flatMap((rules) => [...rules.keys()]))];

/** The same tables as options of the library. It changes nothing of our result; see `sanitizeHtmlAgain`. */
const LIBRARY_OPTIONS: library.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: [...ALLOWED_ELEMENTS],
  allowedAttributes: Object.fromEntries([...ALLOWED_ATTRIBUTES].map(([name, rules]) => [name, [...rules.keys()]])),
  allowedEmptyAttributes: attributeNames,
  nonBooleanAttributes: [],
  selfClosing: ["br", "col", "hr", "img", "wbr"],
  allowedSchemes: [...ALLOWED_SCHEMES.link],
  allowedSchemesByTag: { img: [...ALLOWED_SCHEMES.image] },
  allowedSchemesAppliedToAttributes: ["href", "src", "cite"],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
};

/**
 * Checks the result with a second, independent library. sanitize-html does not report what it removes, so our sanitizer
 * decides and reports, and the library checks with the same tables. If it ever removes something, its result is used,
 * and the report has an unnamed removal.
 */
export function sanitizeHtmlAgain(html: string, report: SanitizerReport): string {
  const again = secondReader()(html, LIBRARY_OPTIONS);
  if (again !== html) report.add("element", "unknown");
  return again;
}

/**
 * The `<` of a comparison (`if a<b and c>d`), which browsers read as a tag. It follows a letter directly, and only
 * plain text follows up to the next bracket, without the name of an attribute. `a<b>` is a tag. In an attribute's value
 * or a comment, a reference means the same as the character, so the context does not matter.
 */
const COMPARISON = /(?<=[\p{L}\p{N})\]_])<(?=([a-z][^<>="'/]*)(>|<|$))/giu;

function escapeComparisons(html: string): string {
  return html.replace(COMPARISON, (bracket, words: string, end: string) => {
    const [, ...attributes] = words.split(/[\t\n\f\r ]+/).filter((word) => word !== "");
    const isTag = /&\w/.test(words) || (end === ">" && attributes.length === 0);
    return isTag || attributes.some((word) => isKnownAttribute(word.toLowerCase())) ? bracket : "&lt;";
  });
}

/** Readings of one fragment. Most need two. Misnested links and tables need more. */
const MAX_READINGS = 8;

/**
 * Returns the cleaned fragment and the report of removed parts (rules#preview-html).
 *
 * `blocked` counts removed elements (without their attributes), removed attributes, refused URLs by scheme, and style
 * declarations by property. It is empty if nothing is missing. Changes of spelling do not count: case, quotes, omitted
 * tags, character references, the `rel` of links.
 * @param report an existing report to which the rows are added
 */
export function sanitizeHtml(input: string, report: SanitizerReport = new SanitizerReport()): SanitizedHtml {
  // Browsers drop the null character from text, and PostgreSQL cannot store it.
  const plain = input.replaceAll("\0", "");
  if (plain.length < input.length) report.add("element", "#null", input.length - plain.length);
  let html = escapeComparisons(plain);
  // A tree may read as another tree once it is written, so it is read until nothing changes.
  for (let reading = 1; ; reading++) {
    const written = serializeAllowedHtml(parseHtml(html, report).root, report);
    if (written === html) break;
    html = written;
    if (reading < MAX_READINGS) continue;
    // No such markup is known. Its text alone is kept.
    report.add("element", "unknown");
    html = html.replace(/<[^>]*>/g, "");
  }
  return { html: sanitizeHtmlAgain(html, report), blocked: report.rows() };
}

/** Rows of a report that name hidden things. Styles are among them, since those of a page may hide anything. */
const UNSEEN: Partial<Record<RemovedMarkupRow["kind"], ReadonlySet<string>>> = {
  element: parseSpaceSeparatedSet("#comment template noscript style"),
  attribute: parseSpaceSeparatedSet("hidden"),
  style: parseSpaceSeparatedSet(`
    -webkit-text-fill-color background background-color clip clip-path color display font-size line-height mask opacity
    overflow position text-indent transform visibility
  `),
};

/**
 * Counts the scripts of a document (rules#preview-document). `notes` counts what its readers do not see, or may
 * not see (rules#preview-hidden). A document itself is kept whole.
 */
export function countScriptsAndUnseenContent(html: string): { script_count: number; notes: RemovedMarkupRow[] } {
  const report = new SanitizerReport();
  const { root, scripts } = parseHtml(html, report);
  serializeAllowedHtml(root, report);
  const notes = report.rows().filter(({ kind, name }) => kind === "character" || UNSEEN[kind]?.has(name));
  return { script_count: scripts, notes };
}

/** A text without markup: what no reader sees and the text does not need is taken out and reported. */
export function sanitizeText(text: string, report: SanitizerReport): string {
  const clean = removeInvisibleCharacters(text);
  report.addCharacters(clean.removed);
  return clean.text;
}
