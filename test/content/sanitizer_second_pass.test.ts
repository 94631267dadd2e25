// The second pass over markup: it removes and reports anything that the first one should ever miss.

import { describe, expect, test } from "vitest";
import { SanitizerReport, sanitizeHtmlAgain } from "../../src/model/sanitizer/sanitize.ts";

describe("the second pass", () => {
  test.each([
    ["<p>a</p><script>alert(1)</script>", "<p>a</p>"],
    ['<p onclick="alert(1)">a</p>', "<p>a</p>"],
    ['<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
    ['<img src="data:image/png;base64,AA">', "<img />"],
    ["<iframe src='https://example.org/'></iframe>b", "b"],
  ])("takes out of %s what the first would have missed, and reports it", (html, wanted) => {
    const report = new SanitizerReport();
    expect(sanitizeHtmlAgain(html, report).replace(" />", ">")).toBe(wanted.replace(" />", ">"));
    expect(report.rows()).toEqual([{ kind: "element", name: "unknown", count: 1 }]);
  });

  test("changes nothing that the first one wrote", () => {
    const report = new SanitizerReport();
    expect(sanitizeHtmlAgain("<p><b>a</b> &amp; b</p>", report)).toBe("<p><b>a</b> &amp; b</p>");
    expect(report.rows()).toEqual([]);
  });
});
