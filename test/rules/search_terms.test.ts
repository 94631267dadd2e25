// The terms of texts and of queries: equivalent spellings of a term, and unchanged parts.

import { describe, expect, test } from "vitest";
import {
  getSearchWords,
  matchesSearchWord,
  parseQueryWords,
  toTsqueryTerm,
} from "../../src/model/domain/search_terms.ts";
import { LIMITS } from "../../src/model/limits.ts";

/** Reports if an alert with this text matches this query. */
const finds = (text: string, query: string) => {
  const words = getSearchWords(text, null);
  const sought = parseQueryWords(query);
  return sought.length > 0 && sought.every((word) => matchesSearchWord(words, word));
};

// rules#find-words
describe("one word, however it is written", () => {
  test.each([
    ["Praça do Comércio", "praca comercio"],
    ["Praca do Comercio", "praça comércio"],
    ["Prac\u0327a do Come\u0301rcio", "praça comércio"],
    ["Café", "cafe\u0301"],
    ["Straße", "STRASSE"],
    ["STRASSE", "straße"],
    ["Ærø", "aero"],
    ["Łódź", "lodz"],
    ["Đặng Thị", "dang thi"],
    ["İstanbul Kadıköy", "istanbul kadikoy"],
    ["ΟΔΟΣ", "οδός"],
    ["οδός", "ΟΔΟΣ οδοσ"],
    ["Ёлка и йод", "елка иод"],
    ["ｆｅｒｒｙ ７", "ferry 7"],
    ["ﬁre", "fire"],
    ["ﾊﾞｽ", "バス"],
    ["バス", "ハ\u3099ス"],
    ["한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"],
    ["葛\u{e0100}飾区", "葛飾"],
    ["fer\u00adry", "ferry"],
    ["ferry", "fer\u00adry"],
    ["fer\u200bry", "ferry"],
    ["fer\u2060ry", "ferry"],
    ["\ufeffferry", "ferry"],
    ["ferry", "fer\u200dry"],
    ["ferry", "\u200bferry\ufe0f"],
    ["I ❤ ferries", "ferries"],
    ["❤️ferries", "❤ ferries"],
    ["ferries", "❤️ferries"],
    ["👩‍👩‍👧 ferries ⛴️", "👩‍👩‍👧ferries"],
    ["1️⃣ pier", "1 pier"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["می\u200cخواهم", "میخواهم"],
    ["می\u200cخواهم", "خواهم"],
    ["กรุง\u200bเทพ", "เทพ"],
    ["กรุง\u200bเทพ", "กรุงเทพ"],
  ])("%j is found by %j", (text, query) => {
    expect(finds(text, query)).toBe(true);
  });

  test.each([
    ["かく", "がく"],
    ["हिन्दी", "हन्दी"],
    ["가", "나"],
    ["ferry", "erry"],
    ["ferry", "f"],
    ["ferry", "fer ry"],
    ["東京都", "京都"],
    ["ferry", "❤️"],
    ["❤️", "❤️"],
  ])("%j is not found by %j", (text, query) => {
    expect(finds(text, query)).toBe(false);
  });

  test("a word has no accent, no invisible character and no sign of a query, of any text", () => {
    // No letters are assigned between the two ranges.
    const codes = [...Array(0x3_2400).keys(), ...Array.from({ length: 0x1000 }, (_, i) => 0xe_0000 + i)];
    for (const code of codes.filter((one) => one < 0xd800 || one >= 0xe000)) {
      const text = `a${String.fromCodePoint(code)}b`;
      const words = getSearchWords(text);
      for (const word of words) if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u.test(word)) expect([code, word]).toEqual(0);
      // Each text is found by itself.
      if (!parseQueryWords(text).every((word) => matchesSearchWord(words, word))) expect([code, words]).toEqual(0);
    }
  });

  test("terms of terms are the same terms", () => {
    for (const text of ["Praça ÄÖÜ ß ΟΔΟΣ ﬁ Ⅳ ½ ㎏ ﷺ 한국 バス ಬೆಂಗಳೂರು ™", "x".repeat(500)])
      expect(getSearchWords(getSearchWords(text).join(" "))).toEqual(getSearchWords(text));
  });

  test("of a very long word its beginning counts, in characters", () => {
    for (const letter of ["f", "𠀀"])
      expect([...getSearchWords(letter.repeat(300))[0]!]).toHaveLength(LIMITS.search_word);
  });

  test("a letter alone is sought as a word, and a character of a script without spaces as a beginning", () => {
    expect(["f", "é", "я", "7"].flatMap(parseQueryWords).map(toTsqueryTerm)).toEqual(["'f'", "'e'", "'я'", "'7'"]);
    expect(["fe", "東", "가"].flatMap(parseQueryWords).map(toTsqueryTerm)).toEqual(["'fe':*", "'東':*", "'가':*"]);
  });
});
