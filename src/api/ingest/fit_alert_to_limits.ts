// The one place where an alert of another program is brought to the limits of an alert. Nothing is refused for its
// length.

import { isWithinLength } from "../../model/fields/value_schemas.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { escapeText } from "../../model/sanitizer/attributes.ts";
import type { AlertInput } from "./adapter.ts";
import { convertHtmlToPlainText } from "./html_to_text.ts";
import { cleanLines, toOneLine, toVisibleLineOrEmpty, truncateTextAtWord } from "./message_text.ts";
import { truncateTextWithOmittedCount } from "./text_truncation.ts";

/**
 * The same alert within its limits (rules#sender-lengths). A title above its limit moves whole into the text. A text
 * above its limit is cut at a word. An alert with markup alone gets its plain text as `body`. Each loss is a sentence
 * in `notes`.
 */
export function fitAlert(fields: AlertInput, notes: string[]): AlertInput {
  const note = (sentence: string) => void (notes.includes(sentence) || notes.push(sentence));
  const whole = toVisibleLineOrEmpty(fields.title) || "Untitled";
  const title = truncateTextAtWord(whole, LIMITS.alert_title);
  let html = fields.html ?? null;
  let body = cleanLines(fields.body || (html === null ? "" : convertHtmlToPlainText(html)));
  // The markup may show a title that is its own first line.
  if (title.isCut && !toOneLine(body.slice(0, 2 * whole.length)).startsWith(whole)) {
    body = `${whole}\n\n${body}`.trim();
    if (html !== null) html = `<p>${escapeText(whole)}</p>\n${html}`;
  }
  if (title.isCut)
    note(`The title is longer than ${formatLimit("alert_title")} characters. The text contains the full title.`);
  if (html !== null && !isWithinLength(html, LIMITS.alert_html)) {
    html = null;
    note(`The markup is longer than ${formatLimit("alert_html")} characters, so only its text is shown.`);
  }
  const text = truncateTextWithOmittedCount(body, LIMITS.alert_body);
  if (text.left > 0) note(`The text was longer than ${formatLimit("alert_body")} characters and was shortened.`);
  return {
    ...fields,
    title: copyText(title.text),
    body: text.text === "" ? null : copyText(text.text),
    ...(fields.html !== undefined && { html }),
  };
}

/** A part of a text keeps the whole text in memory, which may be megabytes. A copy does not. */
const copyText = (text: string): string => Buffer.from(text).toString();

/** `text` with `more` below it; where both have no room together, `more` is left out with a note. */
export function appendTagsToAlertBody(text: string, more: string, notes: string[]): string {
  if (more === "") return text;
  const both = [text, more].filter(Boolean).join("\n\n");
  if (isWithinLength(both, LIMITS.alert_body)) return both;
  notes.push("The text leaves no room for the other tags, so only emoji tags were kept.");
  return text;
}
