// Tables that are kept as files: what spreadsheets read in them, and what they must not run.

import { expect, test } from "vitest";
import { csvResponse, formatCsv } from "../../src/pages/console/page_layout.ts";

// rules#csv-harmless
test("lines end in CR LF, and what has commas, quotes or lines is quoted", () => {
  expect(
    formatCsv([
      ["name", "n"],
      ['Pier "3", north', 4],
      ["two\nlines", null],
      ["plain", 0],
    ]),
  ).toBe('name,n\r\n"Pier ""3"", north",4\r\n"two\nlines",\r\nplain,0\r\n');
});

test("no text is a formula, in any spelling, and numbers stay numbers", () => {
  const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\n=1", "＝1", "\u00a0=1"];
  for (const formula of formulas) {
    const [line] = formatCsv([[formula, -5]]).split(/\r\n$/);
    expect(line!.replace(/^"/, "")[0], JSON.stringify(formula)).toBe("'");
    expect(line!.endsWith(",-5")).toBe(true);
  }
  expect(formatCsv([["Tide = high"]])).toBe("Tide = high\r\n");
});

test("a file is downloaded under its name, and no page runs in its place", () => {
  const { headers } = csvResponse("belfry_days", []);
  expect(headers.get("content-disposition")).toBe('attachment; filename="belfry_days.csv"');
  expect(headers.get("content-type")).toMatch(/^text\/csv; charset=utf-8/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
});
