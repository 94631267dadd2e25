// The text of an alert as the app reads it: links, one-time codes, and the beginning of a long text. Pure rules.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findOneTimeCode } from "../../src/pages/web_app/browser/rules/one_time_code.ts";
import { splitLinks } from "../../src/pages/web_app/browser/rules/text_links.ts";
import { truncateLongText } from "../../src/pages/web_app/browser/rules/truncate_long_text.ts";

const linksIn = (text: string) =>
  splitLinks(text).flatMap(({ text: part, href }) => (href === null ? [] : [[part, href]]));

// rules#app-text-links
describe("links", () => {
  test.each([
    ["Call +49 40 123456-78 now", ["+49 40 123456-78", "tel:+494012345678"]],
    ["Ring (555) 123-4567!", ["(555) 123-4567", "tel:5551234567"]],
    ["Tel. 040 / 123 456 78.", ["040 / 123 456 78", "tel:04012345678"]],
    ["+44 (0)20 7946 0958", ["+44 (0)20 7946 0958", "tel:+442079460958"]],
    ["tel:112", ["tel:112", "tel:112"]],
    ["Mail ops@example.org, please", ["ops@example.org", "mailto:ops@example.org"]],
    ["see example.com/x?y=1.", ["example.com/x?y=1", "https://example.com/x?y=1"]],
    ["(https://a.example/b(c))", ["https://a.example/b(c)", "https://a.example/b(c)"]],
    ["http://a.example", ["http://a.example", "http://a.example/"]],
    ["اقرأ https://example.com/خبر الآن", ["https://example.com/خبر", "https://example.com/%D8%AE%D8%A8%D8%B1"]],
    ["ראו www.example.co.il.", ["www.example.co.il", "https://www.example.co.il/"]],
    ["詳細は https://example.jp/a を見て", ["https://example.jp/a", "https://example.jp/a"]],
  ])("%s", (text, link) => expect(linksIn(text)).toEqual([link]));

  test.each([
    "javascript:alert(1) JaVaScRiPt:alert(1) vbscript:x data:text/html,x",
    "ftp://a.example file:///etc/passwd //a.example blob:x intent:x",
    "on 01.02.2026 18:00, 08:00-17:30, 2026-11-26 14:00",
    "0.5 mg, +5 °C, +12 %, 0900 123 456,50 EUR, 000123456",
    "ID 0123456789012345678, order 4711-0815, v1.2.3, 10.0.0.1:8080",
    "setup.py readme.md node.js main.rs build.sh",
    "It rains.At noon it stops.Es regnet",
  ])("none in: %s", (text) => expect(linksIn(text)).toEqual([]));

  test("every part is a part of the text, and every target has a scheme that may be opened", () => {
    const piece = fc.constantFrom(
      "https://a.example/",
      "javascript:",
      "+49 40 ",
      "123456",
      "@b.example",
      " ",
      "<b>",
      "ש",
    );
    const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, (written) => {
        const parts = splitLinks(written);
        expect(parts.map((part) => part.text).join("")).toBe(written);
        for (const { href } of parts) if (href !== null) expect(href).toMatch(/^(?:https?:\/\/|mailto:|tel:)/);
      }),
    );
  });

  test("a long text without a space costs little", () => {
    for (const text of ["0".repeat(16_384), "0 ".repeat(8_192), "a.".repeat(8_192), "+(".repeat(8_192)])
      expect(
        splitLinks(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
  });
});

// rules#app-copies-codes
describe("one-time codes", () => {
  test.each([
    ["Your code is 482913.", "482913"],
    ["482 913 is your verification code", "482913"],
    ["G-519274 is your verification code.", "G-519274"],
    ["Ihre TAN lautet 123456", "123456"],
    ["mTAN: 7H2K9Q", "7H2K9Q"],
    ["Ihr Bestätigungscode: 0042", "0042"],
    ["PIN: 1987", "1987"],
    ["Your PIN for 2026 is 7751", "7751"],
    ["Tu código es 5512", "5512"],
    ["Votre code est 9981 et expire", "9981"],
    ["Il tuo codice è 445566", "445566"],
    ["Twój kod to 667788", "667788"],
    ["Ваш код: 123456", "123456"],
    ["Kodunuz: 778899", "778899"],
    ["رمز التحقق: 123456", "123456"],
    ["קוד האימות שלך הוא 123456", "123456"],
    ["認証コードは123456です", "123456"],
    ["您的验证码是 654321，5分钟内有效", "654321"],
    ["Use OTP 998877 to log in. Never share it. Call 0800 123 4567", "998877"],
    ["Code 4711 bis 18:00 Uhr", "4711"],
  ])("%s", (text, code) => expect(findOneTimeCode(text)).toBe(code));

  test.each([
    "The code of 2024 changed",
    "Error code 1234",
    "Fehlercode 5003",
    "PIN must not be shared. In 2025 it changed",
    "Costs 1500 EUR, code on request",
    "code: 12,50 €",
    "PIN is sent to +49 170 1234567",
    "Call 040 123 456 78 for your PIN",
    "ZIP code: 90210",
    "Promo code SAVE2025",
    "The opinion of 1234 people, spinning at 4500 rpm",
    "Tank 1234",
    "code https://x.example/123456",
    "The code.\n 123456",
    "code 12345678901, code 1.2345",
    "code review of 1234",
    "Meet at 1830 near the house",
  ])("none in: %s", (text) => expect(findOneTimeCode(text)).toBeNull());
});

// rules#app-folds-texts
describe("a long text", () => {
  test("is folded at the end of a word, and a short one is not", () => {
    expect(truncateLongText("The bridge is closed.")).toBeNull();
    const folded = truncateLongText("Water rises. ".repeat(200))!;
    expect([...folded].length).toBeLessThanOrEqual(700);
    expect(folded).toMatch(/ (?:Water|rises)$/);
    expect(truncateLongText("line\n".repeat(40))!.split("\n")).toHaveLength(12);
  });

  test("is cut between characters in a language without spaces", () => {
    expect([...truncateLongText("水".repeat(2_000))!]).toHaveLength(700);
    expect(truncateLongText("🌊".repeat(2_000))).not.toMatch(/[\uD800-\uDBFF]$/);
  });
});
