// Helpers of the formats: untrusted fields are converted to the fields of an alert. A missing field or one of another
// type is empty. Only the fields that identify a program's body are required.

import { createHash } from "node:crypto";
import { z } from "zod";
import { invalidRequest } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, IngestRequest } from "../adapter.ts";
import { cleanLines, toOneLine as lineOf, parseHttpsUrl, truncateTextAtWord } from "../message_text.ts";
import { truncateTextWithOmittedCount } from "../text_truncation.ts";
import { convertLinksToActions, isWebAddress, type MessageLink } from "./arrange_links.ts";

/** A word or a number; empty for anything else. */
export const textOrNumberSchema = z.union([z.string(), z.number().transform(String)]).catch("");
/** Severity terms by name. */
export const textOrNumberMapSchema = z.record(z.string(), textOrNumberSchema).catch({});

/** The body as one of this program. @throws 422 */
export function parseBodyWithSchema<S extends z.ZodType>(schema: S, body: unknown, problem: string): z.output<S> {
  const { success, data } = schema.safeParse(body);
  if (!success) throw invalidRequest("malformed_body", problem);
  return data;
}

/** The body as an object, for detection by shape; empty if it is not one or cannot be read. */
export function parseBodyObjectOrEmpty(request: IngestRequest): Record<string, unknown> {
  try {
    return request.object();
  } catch {
    return {};
  }
}

const toTitleLine = (text: string, most: number = LIMITS.alert_title): string =>
  truncateTextAtWord(lineOf(text.slice(0, 4 * most)), most).text;

/** The length at which lines are cut so that they fit into a text together. Short lines leave their room to others. */
function computeLineLimit(lines: readonly string[], room: number): number {
  let left = room;
  const lengths = lines.map((line) => line.length).sort((one, other) => one - other);
  for (const [i, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - i));
    if (length > share) return share;
    left -= length;
  }
  return room;
}

/** Characters of the line ends, of the count of further lines and of what follows the lines, such as common labels. */
const AFTER_LINES = 1_000;

/**
 * At most as many lines as an alert of a list has, and how many of `total` were left out. A line that is too long ends
 * with the number of the characters that were left out.
 */
export function joinLimitedLines(lines: readonly string[], total = lines.length): string {
  const shown = lines.slice(0, LIMITS.shape_lines);
  const left = total - shown.length;
  const clean = shown.map(lineOf);
  const most = computeLineLimit(clean, LIMITS.alert_body - AFTER_LINES);
  return [
    ...clean.map((line) => truncateTextWithOmittedCount(line, most).text),
    ...(left > 0 ? [`And ${left} more.`] : []),
  ].join("\n");
}

/** "1 commit", "2 commits". */
export const formatQuantity = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** The same thing has the same key: a newer alert about it replaces the older one. */
export const createCollapseKey = (kind: string, ...of: readonly string[]): string =>
  `${kind}-${createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 32)}`;

const SEVERITY_PATTERNS: [AlertInput["priority"] & string, RegExp][] = [
  ["urgent", /^(critical|crit|page|emergency|fatal|disaster|urgent|alert|max|p1)$/i],
  ["important", /^(error|err|warning|warn|major|high|important|p2)$/i],
];

/** The priority for a severity term. It is a maximum: each phone decides what it permits. */
export const mapSeverityToPriority = (severity: string): AlertInput["priority"] & string =>
  SEVERITY_PATTERNS.find(([, words]) => words.test(severity))?.[0] ?? "normal";

interface AlertParts {
  title: string;
  body?: string;
  /** The link for more information. A link that phones may not open is in the text instead. */
  url?: string;
  /** Other links: buttons, or lines of the text. */
  links?: readonly MessageLink[];
  /** The https address of a picture. */
  image?: string | undefined;
  priority?: AlertInput["priority"] | undefined;
  key?: string | undefined;
}

/** An alert of clean texts, which `fitAlert` brings to their limits. */
export function buildAlert({ title, body = "", url = "", links = [], image, priority, key }: AlertParts): AlertInput {
  const address = parseHttpsUrl(url);
  const picture = parseHttpsUrl(image);
  const { actions, lines } = convertLinksToActions(links, url);
  const plainUrl = !address && isWebAddress(url) ? toTitleLine(url, LIMITS.url) : "";
  const text = cleanLines([body.trim(), ...lines, plainUrl].filter(Boolean).join("\n"));
  return {
    title: lineOf(title) || "Untitled",
    ...(text !== "" && { body: text }),
    ...(address && { source_url: address }),
    ...(picture && { image_url: picture }),
    ...(actions.length > 0 && { actions }),
    ...(priority && { priority }),
    ...(key && { collapse_key: key }),
  };
}

/**
 * The same fields, also by their names in lower case: Gotify reads names in any case, and Amazon SNS sends `Subject`
 * and `Message`.
 */
export const addLowerCaseKeys = (fields: Record<string, unknown>): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value])),
  ...fields,
});
