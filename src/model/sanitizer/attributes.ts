// Checks of the attributes of an allowed element, and their output. The target of a link, picture or citation is
// checked after parsing it like a browser, not by its spelling. Nothing is resolved or fetched.

import { assertDefined } from "../assert.ts";
import { removeInvisibleCharacters } from "../fields/invisible_characters.ts";
import {
  ALLOWED_ATTRIBUTES,
  ALLOWED_SCHEMES,
  type AttributeRule,
  LINK_REL,
  parseSpaceSeparatedSet,
} from "./allow_list.ts";
import { isLowContrast, parseColor, type TextAppearance } from "./hidden_by_style.ts";
import { sanitizeStyleAttribute } from "./inline_styles.ts";
import type { SanitizerReport } from "./sanitizer_report.ts";

export interface Attribute {
  name: string;
  value: string;
}

/** Either the address to write out, or the name under which its refusal is reported. */
type SanitizedUrl = { url: string } | { refused: string };

/** The URL standard strips C0 controls and spaces around an address, and tabs and line ends anywhere in it. */
function asBrowsersRead(value: string): string {
  // A loop, because a pattern for trailing characters takes quadratic time on a long run in the middle.
  let start = 0;
  let end = value.length;
  while (start < end && value.charCodeAt(start) <= 0x20) start++;
  while (end > start && value.charCodeAt(end - 1) <= 0x20) end--;
  return value.slice(start, end).replace(/[\t\n\r]/g, "");
}

/** Returns the apparent scheme without invisible characters. It is only for the report, never for a decision. */
function reportedScheme(value: string): string {
  const visible = value.slice(0, 2000).replace(/[\p{C}\p{Z}]+/gu, "");
  const scheme = /^[^a-z]*([a-z][a-z0-9+.-]*):/i.exec(visible)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  return /^[/\\]{2}/.test(visible) ? "protocol-relative" : "relative";
}

/** Relative addresses are refused: an alert has no page of its own that they could be relative to. */
function sanitizeUrl(value: string, use: keyof typeof ALLOWED_SCHEMES): SanitizedUrl {
  const url = asBrowsersRead(value);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined || !ALLOWED_SCHEMES[use].has(scheme)) return { refused: reportedScheme(value) };
  if (/[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(url)) return { refused: scheme };
  // Only the form that every reader splits in the same place; a user part (https://bank.example@evil.example)
  // serves nothing but deceit.
  if (scheme === "https" || scheme === "http") {
    const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(url)?.[1];
    if (authority === undefined || authority.includes("@") || !URL.canParse(url)) return { refused: scheme };
  }
  return { url };
}

/** The maximum length of a value for a pattern. Free text and URLs only have the limit of the whole. */
const MAX_PATTERN_VALUE = 2000;
/** Link relations that `LINK_REL` includes, so removing them has no effect. */
const COVERED_REL = parseSpaceSeparatedSet("noopener noreferrer nofollow");

export function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Returns the value to write, or undefined after adding the reason to `report`. */
function judge(
  rule: Exclude<AttributeRule, "style">,
  name: string,
  value: string,
  report: SanitizerReport,
): string | undefined {
  switch (rule) {
    case "text": {
      const { text, removed } = removeInvisibleCharacters(value);
      report.addCharacters(removed);
      return text;
    }
    case "rel":
      // Never kept, since every link gets our own value. Reported only if it requested another one.
      if (value.split(/\s+/).some((word) => word !== "" && !COVERED_REL.has(word.toLowerCase()))) {
        report.add("attribute", name);
      }
      return undefined;
    case "link":
    case "image":
    case "citation": {
      const verdict = sanitizeUrl(value, rule);
      if ("url" in verdict) return verdict.url;
      report.add("url", verdict.refused);
      return undefined;
    }
    default:
      if (value.length <= MAX_PATTERN_VALUE && rule.test(value)) return value;
      // An empty attribute has no effect, so its removal is not reported.
      if (value !== "") report.add("attribute", name);
      return undefined;
  }
}

/**
 * Writes ` name="value"` for each allowed attribute, in order, and returns the appearance of the element's text.
 * Removed ones are counted in `report`. `inherited` is the appearance of the parent.
 */
export function serializeAllowedAttributes(
  element: string,
  attributes: readonly Attribute[],
  report: SanitizerReport,
  inherited: TextAppearance,
): { written: string; look: TextAppearance } {
  if (attributes.length === 0) return { written: "", look: inherited };
  const rules = assertDefined(ALLOWED_ATTRIBUTES.get(element), "only allowed elements are written");
  const seen = new Set<string>();
  let written = "";
  let link = false;
  // The attribute has the lower precedence in any position.
  const color = element === "font" ? fontColor(attributes, inherited) : undefined;
  let look = color ? { ...inherited, color } : inherited;
  const write = (name: string, value: string) => {
    written += ` ${name}="${escapeText(value).replace(/"/g, "&quot;")}"`;
  };
  for (const { name, value } of attributes) {
    const rule = rules.get(name);
    // Browsers use the first of a repeated name, so the others are also lost.
    if (rule === undefined || seen.has(name)) {
      report.add("attribute", name);
      continue;
    }
    seen.add(name);
    if (rule === "style") {
      const judged = sanitizeStyleAttribute(value, report, look);
      look = judged.look;
      if (judged.style !== "") write(name, judged.style);
      continue;
    }
    if (element === "font" && name === "color" && color === null) {
      report.add("attribute", name);
      continue;
    }
    const kept = judge(rule, name, value, report);
    if (kept === undefined) continue;
    write(name, kept);
    if (rule === "link") link = true;
  }
  return { written: link ? `${written} rel="${LINK_REL}"` : written, look };
}

/** Returns the colour of `<font color>`; null if it would hide the text, undefined without a colour. */
function fontColor(attributes: readonly Attribute[], inherited: TextAppearance): TextAppearance["color"] | undefined {
  const value = attributes.find(({ name }) => name === "color")?.value;
  if (value === undefined) return undefined;
  const read = parseColor(value);
  return read === null || read.alpha < 1 || isLowContrast(read.rgb, inherited.background) ? null : read.rgb;
}
