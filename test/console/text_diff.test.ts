// Two versions of a text, word by word: for any input nothing is lost or invented, it reads as phrases, and it stays
// cheap.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createDiffBudget, diffTexts, truncateBetweenCharacters } from "../../src/pages/console/text_diff.ts";

const shown = async (before: string, after: string) =>
  (await diffTexts(before, after, createDiffBudget()))
    ?.map(({ kind, text }) => (kind === "same" ? text : kind === "gone" ? `[-${text}-]` : `[+${text}+]`))
    .join("");

// rules#console-story
describe("a comparison", () => {
  test.each([
    ["The quay floods at five", "The quay floods at six", "The quay floods at [-five-][+six+]"],
    ["One two three four", "One 2 3 four", "One [-two three-][+2 3+] four"],
    ["Same", "Same", "Same"],
    ["Ends", "Ends here", "Ends[+ here+]"],
    ["Порт закрыт до утра", "Порт открыт до утра", "Порт [-закрыт-][+открыт+] до утра"],
    ["港口今天关闭", "港口明天关闭", "港口[-今天-][+明天+]关闭"],
    ["<p class=a>Hi</p>", "<p>Hi</p>", "<p[- class=a-]>Hi</p>"],
    ["👩‍👩‍👧 waits", "👩‍👩‍👦 waits", "[-👩‍👩‍👧-][+👩‍👩‍👦+] waits"],
    ["a\nb\nc", "a\nc", "a\n[-b\n-]c"],
  ])("%j → %j", async (before, after, want) => {
    expect(await shown(before, after)).toBe(want);
  });

  test("contains both texts, for any input", async () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom("a ", "b ", "\n", "👩‍👧", "é", "<b>"), fc.string({ unit: "binary" })))
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const pieces = (await diffTexts(before, after, createDiffBudget()))!;
        const without = (kind: string) =>
          pieces
            .filter((piece) => piece.kind !== kind)
            .map((piece) => piece.text)
            .join("");
        expect([without("new"), without("gone")]).toEqual([before, after]);
      }),
    );
  });

  test("is given up where the texts have too little in common, and where a page has compared enough", async () => {
    const words = (of: (i: number) => unknown, count: number) =>
      Array.from({ length: count }, (_, i) => of(i)).join(" ");
    expect(
      await shown(
        words((i) => `a${i}`, 1000),
        words((i) => `b${i}`, 1000),
      ),
    ).toBeUndefined();
    const long = words((i) => i, 80_000);
    expect(await shown(`${long} end`, `${long} End`)).toContain("[-end-][+End+]");
    const effort = createDiffBudget();
    const other = (letter: string) => words(() => letter, 100);
    const each = 2 * other("x").length;
    const most = Math.floor(effort.left / each);
    // No time passes, so that none is given up for it: what ends them is what the page may compare.
    vi.spyOn(Date, "now").mockReturnValue(0);
    let compared = 0;
    while ((await diffTexts(other("x"), other("y"), effort)) !== null) compared++;
    expect([compared, effort.left]).toEqual([most, createDiffBudget().left - most * each]);
  });

  test("cuts nothing in two that is one", () => {
    expect(truncateBetweenCharacters("a👧b", 2)).toBe("a");
    expect(truncateBetweenCharacters("a👧b", 3)).toBe("a👧");
    expect(truncateBetweenCharacters("ab", -3)).toBe("");
  });
});
