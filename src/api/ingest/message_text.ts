// Text helpers of the adapters: a title where it may be missing or long, Markdown, and header values as people write
// them.

import { hasVisibleText } from "../../model/fields/invisible_characters.ts";
import { httpsUrlSchema, isWithinLength } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import type { AlertInput } from "./adapter.ts";
import { findWordBoundary } from "./text_truncation.ts";

/** At most `most` code points, ending with "…" at the end of a word, and whether anything was left out. */
export function truncateTextAtWord(text: string, most: number): { text: string; isCut: boolean } {
  if (isWithinLength(text, most)) return { text, isCut: false };
  return { text: `${text.slice(0, findWordBoundary(text, most - 1)).trimEnd()}…`, isCut: true };
}

/** UTF-16 code units of the part of a text that can be shown, at least. */
const MAX_SHOWN_LENGTH = 2 * LIMITS.alert_body;
const PIECE = 2 * MAX_SHOWN_LENGTH;

/**
 * Cleans as much of a text as can be shown. The rest only counts for its length, and replacing in megabytes is slow.
 */
function cleanShownPart(text: string, clean: (piece: string) => string): string {
  let shown = "";
  let at = 0;
  for (; at < text.length && shown.length < MAX_SHOWN_LENGTH; at += PIECE) {
    shown += clean(text.slice(at, at + PIECE));
    if (at === 0) shown = shown.trimStart();
  }
  return (shown + text.slice(at)).trim().toWellFormed();
}

/** One line of a text of any length. */
export const toOneLine = (text: string): string => cleanShownPart(text, (piece) => piece.replace(/[\s\p{Cc}]+/gu, " "));

/** The same line; empty where it has only invisible characters, which no title may consist of. */
export function toVisibleLineOrEmpty(text: string): string {
  const line = toOneLine(text);
  return hasVisibleText(line) ? line : "";
}

/** Lines without control characters and lone surrogates, which no text may contain. */
export const cleanLines = (text: string): string =>
  cleanShownPart(text, (piece) => piece.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, ""));

/**
 * Title and text of an alert of any length; `fitAlert` brings both to the limits. Without a visible title, the first
 * visible line is the title, and the body is the rest. Adds to `notes` when control characters were removed.
 */
export function splitTitle(title: string | null, text: string, notes: string[]): Pick<AlertInput, "title" | "body"> {
  const body = cleanLines(text);
  if (!text.isWellFormed() || /[^\P{Cc}\n\r\t]/u.test(text)) notes.push("Control characters were removed.");
  const own = toVisibleLineOrEmpty(title ?? "");
  if (own !== "") return { title: own, body: body || null };
  const { title: first, rest } = splitFirstLine(body);
  return { title: first, body: rest || null };
}

/** The first visible line, and the text after it. */
function splitFirstLine(text: string): { title: string; rest: string } {
  let at = 0;
  for (const line of text.slice(0, MAX_SHOWN_LENGTH).split("\n")) {
    at += line.length + 1;
    const title = toVisibleLineOrEmpty(line);
    if (title !== "") return { title, rest: text.slice(at).trim() };
  }
  return { title: "", rest: text };
}

/** The first line of a list, table, quote or block of code. It belongs to the lines below it. */
const BLOCK_START = /^\s*(?:[-*+>|]|\d+[.)]|```|~~~)/;
/** A line that makes a heading or a table of the line above it. */
const UNDERLINE = /^[\s|:]*(?:=+|-+)[\s|:=-]*$/;

/** Markdown below its title. That is the first line without a title, if the line is complete by itself. */
function dropFirstLine(title: string | null, text: string, plain: { title: string; body?: string | null }): string {
  const rest = plain.body ?? "";
  if (title !== null) return rest;
  const [below = ""] = rest.split("\n", 1);
  const belongs = BLOCK_START.test(text) || UNDERLINE.test(below) || plain.title.includes("](");
  return rest === "" || belongs || !isWithinLength(plain.title, LIMITS.alert_title) ? text : rest;
}

/** Limits for the parser: its worst cases are quadratic in length, and each quote or list adds a level of recursion. */
const MARKUP_CHARACTERS = /[*_~`[\]>|-]|\d[.)](?=\s)/g;
const MAX_MARKUP_CHARACTERS = 500;

/**
 * Title and text of an alert whose text is Markdown: markup where it has any, which `fitAlert` and the sanitiser
 * check.
 */
export async function splitTitleAndRenderMarkdown(
  title: string | null,
  text: string,
  notes: string[],
): Promise<Pick<AlertInput, "title" | "body" | "html">> {
  const plain = splitTitle(title, text, notes);
  const whole = dropFirstLine(title, text, plain);
  if (
    !isWithinLength(whole, LIMITS.markdown) ||
    (whole.match(MARKUP_CHARACTERS)?.length ?? 0) > MAX_MARKUP_CHARACTERS
  ) {
    notes.push("The Markdown is too long or too complex, so it is shown as plain text.");
    return plain;
  }
  const { Marked } = await import("marked");
  const html = await new Marked({ gfm: true, breaks: true, async: true }).parse(whole);
  const only = /^(?:<p>([^<&]*)<\/p>\s*)?$/.exec(html);
  const isPlain = only && (only[1] ?? "").trim() === whole.trim();
  if (isPlain && (title !== null || whole === text)) return plain;
  const bare =
    title === null
      ? plain.title
          .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, "$1")
          .replace(/^[\s#>]+|[*`~]+|(?<!\w)_+|_+(?!\w)/g, "")
          .trim()
      : "";
  return { title: bare || plain.title, ...(isPlain ? { body: whole } : { html, body: null }) };
}

const ADDRESS = httpsUrlSchema();

/** An https address as our fields take it; null for any other, or none. */
export const parseHttpsUrl = (value: unknown): string | null =>
  ADDRESS.safeParse(typeof value === "string" && value.isWellFormed() ? value.trim() : null).data ?? null;

const ENCODED = /=\?([\w-]{1,30})(?:\*[\w-]{1,30})?\?([BQ])\?([^?]*)\?=/gi;
/** Adjacent encoded words with only whitespace between them, which belong together. */
const ENCODED_RUN = new RegExp(`${ENCODED.source}(?:\\s+${ENCODED.source})*`, "gi");

/** A header's value: RFC 2047 encoded words, else UTF-8, which HTTP passes on byte by byte, else as it is. */
export function decodeHeader(value: string): string {
  const text = /[\x80-\xff]/.test(value) ? decodeUtf8Or(Buffer.from(value, "latin1"), value) : value;
  return text.replace(ENCODED_RUN, decodeEncodedWords);
}

/**
 * A run of RFC 2047 encoded words. Adjacent bytes in one charset are joined first, since programs split inside
 * characters.
 */
function decodeEncodedWords(run: string): string {
  const parts: { charset: string; bytes: Buffer; raw: string }[] = [];
  for (const [raw, charset = "", kind = "", coded = ""] of run.matchAll(ENCODED)) {
    const bytes =
      kind.toUpperCase() === "B"
        ? Buffer.from(coded, "base64")
        : Buffer.from(
            coded
              .replace(/_/g, " ")
              .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            "latin1",
          );
    const last = parts.at(-1);
    if (last?.charset.toLowerCase() === charset.toLowerCase()) {
      last.bytes = Buffer.concat([last.bytes, bytes]);
      last.raw += ` ${raw}`;
    } else parts.push({ charset, bytes, raw });
  }
  return parts.map(({ charset, bytes, raw }) => decodeBytesOrNull(charset, bytes) ?? raw).join("");
}

const decodeUtf8Or = (bytes: Uint8Array, otherwise: string) => decodeBytesOrNull("utf-8", bytes) ?? otherwise;

/** @returns null for an unknown charset, and for bytes that are not valid in it. */
export function decodeBytesOrNull(charset: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
