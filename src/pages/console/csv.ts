// Tables as files that spreadsheets open: RFC 4180, and no cell is taken for a formula (docs/rules.md#csv-harmless).

import { pageHeaders } from "./page.ts";

/** What spreadsheets take for the beginning of a formula, in either width. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export type CsvRow = readonly (string | number | null)[];

/** Lines end in CR and LF, the last one as well. */
export const csv = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** A table to be kept as a file. @param name of letters, digits, hyphens and underscores, without ".csv" */
export const csvAnswer = (name: string, rows: readonly CsvRow[]): Response =>
  new Response(csv(rows), {
    headers: {
      ...pageHeaders(),
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
