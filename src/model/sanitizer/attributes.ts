// Which attributes of an allowed element stay, and how they are written. Knows nothing of nesting.

import { cleanText } from "../fields/characters.ts";
import { need } from "../need.ts";
import { ATTRIBUTES, LINK_REL, type Rule, words } from "./allow_list.ts";
import { type Look, readColor, tooAlike } from "./hidden.ts";
import type { Report } from "./report.ts";
import { judgeStyle } from "./styles.ts";
import { judgeUrl } from "./urls.ts";

/** Longest value that a pattern is tried on; free text and addresses have no bound but that of the whole. */
const MAX_PATTERN_VALUE = 2000;
/** Link relations that `LINK_REL` stands in for, so that taking them out takes nothing away. */
const COVERED_REL = words("noopener noreferrer nofollow");

export function escapeText(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** The value to write; undefined when the attribute goes, in which case `report` has been told why. */
function judge(
  rule: Exclude<Rule, "style">,
  name: string,
  value: string,
  report: Report,
): string | undefined {
  switch (rule) {
    case "text": {
      const { text, removed } = cleanText(value);
      report.addCharacters(removed);
      return text;
    }
    case "rel":
      // Never kept, since every link gets its own; reported only when it asked for something else.
      if (value.split(/\s+/).some((word) => word !== "" && !COVERED_REL.has(word.toLowerCase()))) {
        report.add("attribute", name);
      }
      return undefined;
    case "link":
    case "image":
    case "citation": {
      const verdict = judgeUrl(value, rule);
      if ("url" in verdict) return verdict.url;
      report.add("url", verdict.refused);
      return undefined;
    }
    default:
      if (value.length <= MAX_PATTERN_VALUE && rule.test(value)) return value;
      // An empty attribute says nothing: leaving it out removes nothing.
      if (value !== "") report.add("attribute", name);
      return undefined;
  }
}

/**
 * ` name="value"` for each attribute that stays, in their order, and what the element's text looks like; what goes is
 * counted in `report`. `inherited` is the look of the element around it.
 */
export function writeAttributes(
  element: string,
  attributes: ReadonlyArray<readonly [string, string]>,
  report: Report,
  inherited: Look,
): { written: string; look: Look } {
  const rules = need(ATTRIBUTES.get(element), "only allowed elements are written");
  const seen = new Set<string>();
  let written = "";
  let link = false;
  // The attribute is the weaker of the two, wherever it stands.
  const color = element === "font" ? fontColor(attributes, inherited) : undefined;
  let look = color ? { ...inherited, color } : inherited;
  const write = (name: string, value: string) => {
    written += ` ${name}="${escapeText(value).replace(/"/g, "&quot;")}"`;
  };
  for (const [name, value] of attributes) {
    const rule = rules.get(name);
    // Browsers take the first of a repeated name, so the others are lost as well.
    if (rule === undefined || seen.has(name)) {
      report.add("attribute", name);
      continue;
    }
    seen.add(name);
    if (rule === "style") {
      const judged = judgeStyle(value, report, look);
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

/** The colour that `<font color>` gives its text; null when it would hide it, undefined when there is none. */
function fontColor(
  attributes: ReadonlyArray<readonly [string, string]>,
  inherited: Look,
): Look["color"] | undefined {
  const value = attributes.find(([name]) => name === "color")?.[1];
  if (value === undefined) return undefined;
  const read = readColor(value);
  return read === null || read.alpha < 1 || tooAlike(read.rgb, inherited.background) ? null : read.rgb;
}
