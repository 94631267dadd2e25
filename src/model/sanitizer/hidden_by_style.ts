// Detection of style declarations that hide text. It can be too small to read, moved out of sight, transparent, or in
// the colour of the alert's own background. Effects of the reader's own page cannot be detected.

import names from "color-name";

export type Rgb = readonly [number, number, number];

/**
 * The appearance of an element's text, if the alert sets it. Pixels are 1/96 inch; null means that the reader's page
 * decides.
 */
export interface TextAppearance {
  fontSize: number;
  color: Rgb | null;
  background: Rgb | null;
}

export const UNSTYLED_TEXT_APPEARANCE: TextAppearance = { fontSize: 16, color: null, background: null };
/** Browsers paint `mark` so. */
export const MARK_ELEMENT_APPEARANCE: Pick<TextAppearance, "color" | "background"> = {
  color: [0, 0, 0],
  background: [255, 255, 0],
};

/** The scale of `small`, `sub`, `sup` and `font-size: smaller`. */
export const SMALL_ELEMENT_FONT_FACTOR = 0.83;
/** Smaller text is unreadable, and browsers with a minimum size use this one. */
export const MIN_READABLE_FONT_SIZE = 6;
/** A phone is 320 or more wide: what is moved so far is out of sight. */
const MAX_OFFSET = 300;
/** Wider than any table of a mail. */
const MAX_WIDTH = 2000;
const PHONE = 360;

const WORDS: Record<string, number> = {
  "xx-small": 9,
  "x-small": 10,
  small: 13,
  medium: 16,
  large: 18,
  "x-large": 24,
  "xx-large": 32,
  initial: 16,
};
const UNITS: Record<string, number> = { px: 1, pt: 4 / 3, pc: 16, cm: 37.8, mm: 3.78, in: 96, rem: 16 };
const OFFSETS = /^(?:text-indent|letter-spacing|word-spacing|vertical-align|margin|padding|border(?!-radius))/;
const WIDTHS = /^(?:min-)?width$/;
const SIZES = /(?<![\w.#])(\d*\.?\d+)(px|em|rem|ex|ch|pt|pc|cm|mm|in|%)?(?![\w.])/g;

/** Returns a size in pixels. `percent` is the size of 100 %. */
function pixels(amount: string, unit: string, fontSize: number, percent: number): number {
  const n = Number(amount);
  if (unit === "%") return (n * percent) / 100;
  if (unit === "em") return n * fontSize;
  if (unit === "ex" || unit === "ch") return (n * fontSize) / 2;
  return n * (UNITS[unit] ?? 1);
}

function largest(value: string, fontSize: number): number {
  let most = 0;
  for (const [, amount = "", unit = ""] of value.matchAll(SIZES))
    most = Math.max(most, pixels(amount, unit, fontSize, PHONE));
  return most;
}

/** The size of text under a `font-size`, given that of the element around it. */
export function computeFontSize(value: string, inherited: number): number {
  const word = value.toLowerCase();
  if (word === "smaller") return inherited * SMALL_ELEMENT_FONT_FACTOR;
  if (word === "larger") return inherited * 1.2;
  if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? inherited;
  const [, amount, unit = ""] = /^(\d*\.?\d+)([a-z%]*)$/.exec(word) ?? [];
  return amount === undefined ? inherited : pixels(amount, unit, inherited, inherited);
}

/** Checks if an allowed declaration makes text unreadable or moves it out of sight, apart from colours. */
export function declarationHidesText(property: string, value: string, fontSize: number): boolean {
  if (property === "font-size") return computeFontSize(value, fontSize) < MIN_READABLE_FONT_SIZE;
  if (property === "line-height") {
    const [, amount, unit = ""] = /^(\d*\.?\d+)([a-z%]*)$/i.exec(value) ?? [];
    if (amount === undefined) return false;
    const height = unit === "" ? Number(amount) * fontSize : pixels(amount, unit.toLowerCase(), fontSize, fontSize);
    return height < MIN_READABLE_FONT_SIZE;
  }
  if (OFFSETS.test(property)) return largest(value.toLowerCase(), fontSize) > MAX_OFFSET;
  return WIDTHS.test(property) && largest(value.toLowerCase(), fontSize) > MAX_WIDTH;
}

/**
 * A colour with its opacity; null for a word that is not a colour everywhere (`canvas` is that of the reader's page).
 */
export function parseColor(value: string): { rgb: Rgb; alpha: number } | null {
  const text = value.toLowerCase();
  if (text === "transparent") return { rgb: [0, 0, 0], alpha: 0 };
  if (Object.hasOwn(names, text)) return { rgb: names[text as keyof typeof names] as Rgb, alpha: 1 };
  const hex = /^#(?:([0-9a-f]{3,4})|([0-9a-f]{6}|[0-9a-f]{8}))$/.exec(text);
  if (hex) {
    const digits = hex[2] ?? [...(hex[1] ?? "")].map((digit) => digit + digit).join("");
    const [r = 0, g = 0, b = 0, a = 255] = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
    return { rgb: [r, g, b], alpha: a / 255 };
  }
  const [, model, inner = ""] = /^(rgb|hsl)a?\((.*)\)$/.exec(text) ?? [];
  const parts = [...inner.matchAll(/(\d*\.?\d+)(%?)/g)].map(([, n, percent]) => [Number(n), percent] as const);
  if (model === undefined || parts.length < 3) return null;
  const [a, percent] = parts[3] ?? [1, ""];
  const alpha = percent ? a / 100 : a;
  const three = parts.slice(0, 3).map(([n, unit]) => (model === "rgb" && unit ? n * 2.55 : n)) as [
    number,
    number,
    number,
  ];
  return { rgb: model === "rgb" ? three : fromHsl(...three), alpha };
}

function fromHsl(h: number, s: number, l: number): Rgb {
  const channel = (n: number) => {
    const k = (n + h / 30) % 12;
    const a = (s / 100) * Math.min(l / 100, 1 - l / 100);
    return 255 * (l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

/** A colour laid over another one; null when that would have to be known and is not. */
export function blendOver({ rgb, alpha }: { rgb: Rgb; alpha: number }, below: Rgb | null): Rgb | null {
  if (alpha >= 0.9) return rgb;
  if (below === null) return null;
  const mixed = (i: 0 | 1 | 2) => rgb[i] * alpha + below[i] * (1 - alpha);
  return [mixed(0), mixed(1), mixed(2)];
}

/** Colours below this contrast cannot be distinguished (the contrast ratio of WCAG 2; black on white has 21). */
const MIN_CONTRAST = 1.2;

export function isLowContrast(one: Rgb | null, other: Rgb | null): boolean {
  if (one === null || other === null || distance(one, other) >= 48) return false;
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return Math.max(a, b) / Math.min(a, b) < MIN_CONTRAST;
}

const distance = (one: Rgb, other: Rgb) => Math.max(...one.map((part, i) => Math.abs(part - (other[i] ?? 0))));

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((value) => {
    const c = value / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
