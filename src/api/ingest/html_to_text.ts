// The plain text of markup, for lists, notifications and watches.

import { sanitizeHtml } from "../../model/sanitizer/sanitize.ts";

/** Elements that begin and end a line. */
const BLOCKS = new RegExp(
  `</?(?:${[
    "p|div|h[1-6]|ul|ol|dl|dt|dd|blockquote|pre|table|caption|tr|section|article|header|footer",
    "figure|figcaption|details|summary|hr|address|center",
  ].join("|")})(?: [^>]*)?>`,
  "g",
);

/** The references that the sanitiser writes, the ampersand last. */
const REFERENCES = [
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&amp;", "&"],
] as const;

/**
 * The text of markup as its readers see it, without parts that the sanitiser removes. Lists and lines stay
 * recognisable.
 */
export function convertHtmlToPlainText(markup: string): string {
  // In sanitised markup no attribute contains an angle bracket.
  let text = sanitizeHtml(markup)
    .html.replace(/>\s*\n\s*</g, "><")
    .replace(/<br[^>]*>\n?/g, "\n")
    .replace(/<img [^>]*\balt="([^"]*)"[^>]*>/g, "$1")
    .replace(/<li(?: [^>]*)?>/g, "\n- ")
    .replace(/<\/t[dh]>/g, " ")
    .replace(BLOCKS, "\n")
    .replace(/<[^>]*>/g, "");
  for (const [reference, character] of REFERENCES) text = text.replaceAll(reference, character);
  return text
    .replace(/[^\S\n]+\n/g, "\n")
    .replace(/- \n+/g, "- ")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
