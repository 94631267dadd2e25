// Results as text for a terminal: tables of lists, lines of records, and text of others without characters that control
// a terminal.

import { styleText } from "node:util";

export interface TerminalCapabilities {
  /** Columns of the terminal. */
  width: number;
  colors: boolean;
}

type Row = Record<string, unknown>;

/** C1 controls, and characters that change the direction of text: JSON may contain them, and a terminal obeys them. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON of the same value that cannot control a terminal (rules#cli-harmless-text). */
export const toTerminalSafeJson = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replace(
    UNSAFE_IN_JSON,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Lines of a text without control and formatting characters. Joiners stay, because emoji and letters need them. */
export const toTerminalSafeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replace(/[^\P{Cc}\n]/gu, "\ufffd")
    .replace(/[^\P{Cf}\u200c\u200d]/gu, "");

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keeps right-to-left text from moving what is next to it. */
const isolate = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
const WIDE = new RegExp(
  "^[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6]" +
    "|^[\\u{20000}-\\u{3fffd}]|^\\p{Emoji_Presentation}|\\ufe0f",
  "u",
);

const characterWidth = (character: string): number =>
  WIDE.test(character) ? 2 : /^[\p{M}\p{Cf}]+$/u.test(character) ? 0 : 1;

/** Columns of a terminal that a line takes. */
export function getDisplayWidth(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length;
  let width = 0;
  for (const { segment } of CHARACTERS.segment(line)) width += characterWidth(segment);
  return width;
}

/** A line cut to a width in columns, with an ellipsis. */
function cut(line: string, width: number): string {
  if (getDisplayWidth(line) <= width) return line;
  let shown = "";
  let left = width - 1;
  for (const { segment } of CHARACTERS.segment(line)) {
    left -= characterWidth(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

export const isRecord = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Short text for a value: lists of plain values separated by commas, other lists and objects as JSON. */
function toText(value: unknown): string {
  if (isEmpty(value)) return "";
  if (typeof value === "string") return toTerminalSafeText(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return toTerminalSafeText(value.map(String).join(", "));
  return typeof value === "object" ? toTerminalSafeJson(value) : String(value);
}

const toCell = (value: unknown): string => toText(value).replace(/\s+/g, " ").trim();

const STATUS_COLORS: Record<string, "green" | "cyan" | "yellow" | "red"> = {
  sent: "green",
  active: "green",
  scheduled: "cyan",
  draft: "yellow",
  paused: "yellow",
  important: "yellow",
  urgent: "red",
  cancelled: "red",
  suspended: "red",
  failed: "red",
};

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

const painter = ({ colors }: TerminalCapabilities): Paint =>
  colors ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;

const paintValue = (paint: Paint, text: string): string => {
  const color = Object.hasOwn(STATUS_COLORS, text) ? STATUS_COLORS[text] : undefined;
  return color ? paint(color, text) : isolate(text);
};

/** Columns that people look for come first; the others follow in the order of the answer. */
const FIRST = ["id", "handle", "title", "name", "email", "status", "state", "event", "kind", "priority"];

function chooseColumns(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const filled = names.filter((name) => rows.some((row) => !isEmpty(row[name]) && !isRecord(row[name])));
  return [...FIRST.filter((name) => filled.includes(name)), ...filled.filter((name) => !FIRST.includes(name))];
}

const GAP = 2;
/** Columns that a text may be cut to. */
const LEAST = 12;

/** A table of the columns that fit; with `columns`, of exactly these, cut to the width. */
function renderTable(
  rows: readonly Row[],
  style: TerminalCapabilities,
  { columns, advice = "" }: { columns?: readonly string[] | undefined; advice?: string } = {},
): string {
  const paint = painter(style);
  const all = (columns ?? chooseColumns(rows)).map((name) => {
    const cells = rows.map((row) => toCell(row[name]));
    const natural = Math.max(getDisplayWidth(name), ...cells.map(getDisplayWidth));
    // Ids, numbers and times are useful only as a whole.
    const least = cells.some((cell) => /\s/.test(cell)) || natural > 40 ? Math.min(natural, LEAST) : natural;
    return { name, cells, natural, least: Math.max(least, getDisplayWidth(name)), width: natural };
  });
  const shown: typeof all = [];
  let used = 0;
  for (const column of all)
    if (columns || used + column.least <= style.width) {
      shown.push(column);
      used += column.least + GAP;
    }
  let excess = shown.reduce((sum, { width }) => sum + width + GAP, -GAP) - style.width;
  while (excess > 0) {
    const widest = shown.filter(({ width, least }) => width > least).sort((a, b) => b.width - a.width)[0];
    if (!widest) break;
    widest.width--;
    excess--;
  }
  const line = (texts: readonly string[], format: (text: string) => string) =>
    texts
      .map((text, i) => {
        const width = shown[i]?.width ?? 0;
        const fitted = cut(text, width);
        return format(fitted) + (i < shown.length - 1 ? " ".repeat(width - getDisplayWidth(fitted) + GAP) : "");
      })
      .join("");
  const head = line(
    shown.map(({ name }) => toCell(name)),
    (text) => paint("bold", text),
  );
  const body = rows.map((_, i) =>
    line(
      shown.map(({ cells }) => cells[i] ?? ""),
      (text) => paintValue(paint, text),
    ),
  );
  const hidden = all.length - shown.length;
  const footer = hidden > 0 ? [paint("dim", `${hidden} more fields${advice}`)] : [];
  return `${[head, ...body, ...footer].join("\n")}\n`;
}

/** A line for each value of a record that is not empty; records and lists of records are indented below their name. */
function renderRecord(record: Row, style: TerminalCapabilities, indent = ""): string {
  const paint = painter(style);
  const inner = { ...style, width: Math.max(style.width - indent.length - GAP, 2 * LEAST) };
  const entries = Object.entries(record).filter(([, value]) => !isEmpty(value));
  const width = Math.max(0, ...entries.map(([name]) => getDisplayWidth(name))) + GAP;
  return entries
    .map(([name, value]) => {
      const label = cut(toCell(name), style.width);
      if (isRecord(value)) return `${indent}${paint("dim", label)}\n${renderRecord(value, style, `${indent}  `)}`;
      if (Array.isArray(value) && value.every(isRecord))
        return `${indent}${paint("dim", label)}\n${renderTable(value, inner).replace(/^(?=.)/gm, `${indent}  `)}`;
      const start = `${indent}${paint("dim", label)}${" ".repeat(Math.max(width - getDisplayWidth(label), 1))}`;
      const lines = toText(value)
        .split("\n")
        .map((line) => paintValue(paint, line));
      return `${start}${lines.join(`\n${indent}${" ".repeat(width)}`)}\n`;
    })
    .join("");
}

/** A result: a list as a table of the columns `fields`, or of those that fit, with its next page; else a record. */
export function renderResult(value: unknown, style: TerminalCapabilities, fields?: readonly string[]): string {
  if (!isRecord(value)) return `${toText(value)}\n`;
  const { data, meta, ...rest } = value;
  if (!Array.isArray(data) || !data.every(isRecord)) return renderRecord(value, style);
  const paint = painter(style);
  const table =
    data.length > 0
      ? renderTable(data, style, { columns: fields, advice: ": choose with --fields" })
      : `${paint("dim", "No results.")}\n`;
  const next = isRecord(meta) && typeof meta.next_before === "string" ? toCell(meta.next_before) : "";
  const footer = next === "" ? "" : `${paint("dim", `Next page: --before ${next}`)}\n`;
  return table + (Object.keys(rest).length > 0 ? renderRecord(rest, style) : "") + footer;
}
