// The allow list of inline styles: properties that format text in its place, with their exact values. None of them can
// fetch, run, position, hide or overlay anything.

import {
  blendOver,
  computeFontSize,
  declarationHidesText,
  isLowContrast,
  parseColor,
  type Rgb,
  type TextAppearance,
} from "./hidden_by_style.ts";
import type { SanitizerReport } from "./sanitizer_report.ts";

const SIZE =
  String.raw`(?:0|\d{1,4}(?:\.\d{1,3})?(?:px|em|rem|ex|ch|pt|pc|cm|mm|in|%)|` +
  String.raw`0?\.\d{1,3}(?:px|em|rem|ex|ch|pt|%))`;
const COLOR = String.raw`(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d ,.%/]{3,40}\))`;
const LINE = "(?:none|hidden|dotted|dashed|solid|double|groove|ridge|inset|outset)";
const WIDTH = `(?:${SIZE}|thin|medium|thick)`;
const FAMILY = String.raw`(?:[\p{L}_-][\p{L}\p{N} _-]{0,50}|'[\p{L}\p{N} _-]{1,50}'|"[\p{L}\p{N} _-]{1,50}")`;
const NOUN = "(?:inherit|initial|unset|revert)";

/** Matches the complete value, in any case, or a keyword of all properties. */
function matchWhole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern}|${NOUN})$`, "iu");
}

function upTo(count: number, item: string): string {
  return `${item}(?: +${item}){0,${count - 1}}`;
}

const RULES = new Map<string, RegExp>([
  ["color", matchWhole(COLOR)],
  ["background-color", matchWhole(COLOR)],
  ["background", matchWhole(COLOR)],
  ["text-align", matchWhole("left|right|center|justify|start|end")],
  [
    "text-decoration",
    matchWhole(upTo(3, `(?:none|underline|overline|line-through|solid|double|dotted|dashed|wavy|${COLOR})`)),
  ],
  ["text-decoration-line", matchWhole(upTo(3, "(?:none|underline|overline|line-through)"))],
  ["text-decoration-style", matchWhole("solid|double|dotted|dashed|wavy")],
  ["text-decoration-color", matchWhole(COLOR)],
  ["text-transform", matchWhole("none|capitalize|uppercase|lowercase")],
  ["text-indent", matchWhole(SIZE)],
  ["font-weight", matchWhole("normal|bold|bolder|lighter|[1-9]00")],
  ["font-style", matchWhole("normal|italic|oblique")],
  ["font-variant", matchWhole("normal|small-caps")],
  ["font-size", matchWhole(`${SIZE}|xx-small|x-small|small|medium|large|x-large|xx-large|smaller|larger`)],
  ["font-family", matchWhole(`${FAMILY}(?:,${FAMILY}){0,9}`)],
  ["line-height", matchWhole(String.raw`normal|\d{1,2}(?:\.\d{1,3})?|${SIZE}`)],
  ["letter-spacing", matchWhole(`normal|${SIZE}`)],
  ["word-spacing", matchWhole(`normal|${SIZE}`)],
  ["white-space", matchWhole("normal|nowrap|pre|pre-wrap|pre-line|break-spaces")],
  ["word-break", matchWhole("normal|break-all|keep-all|break-word")],
  ["word-wrap", matchWhole("normal|break-word")],
  ["overflow-wrap", matchWhole("normal|break-word|anywhere")],
  ["hyphens", matchWhole("none|manual|auto")],
  ["direction", matchWhole("ltr|rtl")],
  ["vertical-align", matchWhole(`baseline|sub|super|top|text-top|middle|bottom|text-bottom|${SIZE}`)],
  ["display", matchWhole("block|inline|inline-block|list-item|table|table-row|table-cell|flex|inline-flex")],
  ["float", matchWhole("left|right|none")],
  ["clear", matchWhole("left|right|both|none")],
  ["list-style-type", matchWhole("[a-z]{2,20}(?:-[a-z]{2,20})?")],
  ["list-style-position", matchWhole("inside|outside")],
  ["border-collapse", matchWhole("collapse|separate")],
  ["border-spacing", matchWhole(upTo(2, SIZE))],
  ["border-radius", matchWhole(upTo(4, SIZE))],
  ["border-width", matchWhole(upTo(4, WIDTH))],
  ["border-style", matchWhole(upTo(4, LINE))],
  ["border-color", matchWhole(upTo(4, COLOR))],
  ["caption-side", matchWhole("top|bottom")],
  ["table-layout", matchWhole("auto|fixed")],
  ["box-sizing", matchWhole("border-box|content-box")],
  // Negative margins are forbidden, because they move text over content around the alert.
  ["margin", matchWhole(upTo(4, `(?:auto|${SIZE})`))],
  ["padding", matchWhole(upTo(4, SIZE))],
  ...["border", "border-top", "border-right", "border-bottom", "border-left"].map(
    (name) => [name, matchWhole(upTo(3, `(?:${WIDTH}|${LINE}|${COLOR})`))] as const,
  ),
  ...["top", "right", "bottom", "left"].flatMap((side) => [
    [`margin-${side}`, matchWhole(`auto|${SIZE}`)] as const,
    [`padding-${side}`, matchWhole(SIZE)] as const,
    [`border-${side}-width`, matchWhole(WIDTH)] as const,
    [`border-${side}-style`, matchWhole(LINE)] as const,
    [`border-${side}-color`, matchWhole(COLOR)] as const,
  ]),
  ...["width", "height", "min-width", "min-height", "max-width", "max-height"].map(
    (name) => [name, matchWhole(`auto|none|${SIZE}`)] as const,
  ),
]);

const MAX_DECLARATION = 300;
/**
 * Declarations of one attribute that may stay. Each colour is compared with each background, so their number counts.
 */
const MAX_DECLARATIONS = 50;

/** Splits at semicolons outside quotes and brackets. A wrong split only makes a declaration fail its pattern. */
function declarations(style: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quote = "";
  let depth = 0;
  for (let i = 0; i < style.length; i++) {
    const c = style.charAt(i);
    if (quote !== "") {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "(") depth++;
    else if (c === ")") depth = Math.max(0, depth - 1);
    else if (c === ";" && depth === 0) {
      parts.push(style.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(style.slice(start));
  return parts;
}

interface Declaration {
  property: string;
  value: string;
  important: boolean;
}

const isColor = ({ property }: Declaration) => property === "color";
const isBackground = ({ property }: Declaration) => property === "background" || property === "background-color";
const NO_COLOR = /^(?:inherit|initial|unset|revert)$/i;

/**
 * Returns the allowed declarations as the value of a style attribute ("" for none), and the appearance of the text.
 * Comments and escapes are not parsed, so declarations that need them never match and are removed.
 */
export function sanitizeStyleAttribute(
  style: string,
  report: SanitizerReport,
  inherited: TextAppearance,
): { style: string; look: TextAppearance } {
  const allowed: Declaration[] = [];
  let judged = 0;
  for (const declaration of declarations(style)) {
    const text = declaration.trim();
    if (text === "") continue;
    const colon = text.indexOf(":");
    const property = (colon < 0 ? text : text.slice(0, colon)).trim().toLowerCase();
    // Long values fail before any pattern sees them, so that no pattern's cost can grow with the input.
    const judges = ++judged <= MAX_DECLARATIONS && colon >= 0 && text.length <= MAX_DECLARATION;
    const rest = judges ? text.slice(colon + 1) : "";
    const [value = "", important = ""] = rest.trim().split(/\s*(!\s*important)$/i);
    const plain = value.replace(/\s+/g, " ").replace(/ ?, ?/g, ",");
    if (RULES.get(property)?.test(plain)) allowed.push({ property, value: plain, important: important !== "" });
    else report.add("style", property);
  }
  const { kept, look } = withoutHiding(allowed, inherited);
  for (const gone of allowed) if (!kept.includes(gone)) report.add("style", gone.property);
  const written = kept.map(({ property, value, important }) => `${property}:${value}${important ? " !important" : ""}`);
  return { style: written.join(";"), look };
}

/** The declaration of one property that counts: the last important one, or else the last one. */
const winning = (all: Declaration[]) => all.findLast(({ important }) => important) ?? all.at(-1);

/** Removes the declarations that hide text, and returns the appearance without them. */
function withoutHiding(all: Declaration[], inherited: TextAppearance): { kept: Declaration[]; look: TextAppearance } {
  if (all.length === 0) return { kept: all, look: inherited };
  const sized = all.filter(
    (one) => one.property !== "font-size" || !declarationHidesText(one.property, one.value, inherited.fontSize),
  );
  const size = winning(sized.filter(({ property }) => property === "font-size"));
  const fontSize = size ? computeFontSize(size.value, inherited.fontSize) : inherited.fontSize;
  let kept = sized.filter(
    (one) => one.property === "font-size" || !declarationHidesText(one.property, one.value, fontSize),
  );
  kept = kept.filter((one) => !isColor(one) || showsColor(one.value));
  kept = kept.filter((one) => !isBackground(one) || one.value.toLowerCase() !== "currentcolor");

  const read = new Map(
    kept.filter((one) => isColor(one) || isBackground(one)).map((one) => [one, parseColor(one.value)]),
  );
  const colorOf = (one: Declaration | undefined, below: Rgb | null): Rgb | null => {
    if (!one) return inherited.color;
    const color = read.get(one);
    if (color) return blendOver(color, below);
    return one.value.toLowerCase() === "initial" ? null : inherited.color;
  };
  const backgroundOf = (one: Declaration | undefined): Rgb | null => {
    if (!one) return inherited.background;
    const color = read.get(one);
    if (color) return blendOver(color, inherited.background);
    return NO_COLOR.test(one.value) ? inherited.background : null;
  };
  // A browser may skip a declaration that it does not understand, so every colour is compared with every background.
  const hides = () => {
    const [texts, backgrounds] = [kept.filter(isColor), kept.filter(isBackground)];
    return (backgrounds.length > 0 ? backgrounds : [undefined]).some((behind) => {
      const below = backgroundOf(behind);
      return (texts.length > 0 ? texts : [undefined]).some((text) => isLowContrast(colorOf(text, below), below));
    });
  };
  if (hides()) kept = kept.filter((one) => !isColor(one));
  if (hides()) kept = kept.filter((one) => !isBackground(one));
  const background = backgroundOf(winning(kept.filter(isBackground)));
  return { kept, look: { fontSize, color: colorOf(winning(kept.filter(isColor)), background), background } };
}

/** Checks for a colour that every browser knows and that is not nearly transparent. */
function showsColor(value: string): boolean {
  if (NO_COLOR.test(value) || value.toLowerCase() === "currentcolor") return true;
  const read = parseColor(value);
  return read !== null && read.alpha >= 0.2;
}
