// The one-time code in the text of an alert, such as 482 913 or G-51X9K2, so that a button can copy it. A code is only
// found next to a word for it, so years, prices and phone numbers are not codes. Pure.

import { splitLinks } from "./text_links.ts";

/** Terms for a code, in the languages of the app and some others. Letters on either side make another word. */
const LATIN_WORDS =
  "(?:pass|security |verification |login |access |one-time |sms-?)?codes?|passcode|pin|otp|[mi]?tan|" +
  "(?:sicherheits|bestätigungs|zugangs|einmal|anmelde|prüf)code|einmalpasswort|einmalkennwort|" +
  "c[oó]digos?|clave|codice|codici|mot de passe à usage unique|senha|jednorazowe|kody?|kod[ue]?|hasło|" +
  "(?:engångs|säkerhets|verifierings)?kod(?:en)?|şifre(?:niz)?|kodunuz|kodu";
const OTHER_WORDS =
  "код|пін|пароль|رمز|الرمز|كود|קוד|הקוד|סיסמה|コード|暗証番号|验证码|驗證碼|校验码|动态码|密码|코드|인증번호|कोड";

/** Letters and digits, also in two groups of digits, or after one letter and a hyphen. */
const CANDIDATE = new RegExp(
  // Chinese and Japanese have no space next to a code.
  "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{N}_#/.,:@+-])" +
    "(?:[A-Z]-)?(?:\\d{3}[ -]\\d{3}|\\d{4}[ -]\\d{4}|[A-Z0-9]{4,8})" +
    "(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{N}_]|[-/:@][\\p{L}\\p{N}]|[.,]\\d)",
  "gu",
);

const word = new RegExp(`(?<![\\p{L}\\p{N}])(?:${LATIN_WORDS})(?![\\p{L}\\p{N}])|${OTHER_WORDS}`, "giu");
/** Terms before "code" that make it another one: of an error, a place, a product or a discount. */
const OTHER_CODE = new RegExp(
  "(?:error|status|exit|return|response|zip|postal|country|area|dial(?:l?ing)?|dress|source|bar|qr|promo|discount|" +
    "coupon|voucher|product|item|fault|fehler|postleit|vorwahl|rabatt|gutschein|produkt|quell|erreur|postale?|sconto|" +
    "de error|d'erreur|di errore)[\\s-]*$",
  "iu",
);

/** Characters between the word and its code. */
const NEAR = 40;
const SENTENCE_END = /[.!?。！？\n](?=\s|$)|[。！？\n]/u;
const CURRENCY = /[€$£¥₺₴₽₪]|\b(?:EUR|USD|GBP|CHF|PLN|SEK|TRY|UAH|JPY|kr|zł|Euro|Dollar|Uhr|km|kg|kWh|MB|GB)\b/u;

interface Span {
  at: number;
  end: number;
}

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ at: index, end: index + found.length }));

const OTHER_USE = /^[\s-]*(?:review|base|name|freeze|of\s+conduct)/i;

/** False for a code that is not typed in. */
const isKeyword = (text: string, { at, end }: Span): boolean =>
  !OTHER_CODE.test(text.slice(Math.max(0, at - 24), at)) && !OTHER_USE.test(text.slice(end, end + 16));

function isCode(text: string, { at, end }: Span): boolean {
  const found = text.slice(at, end);
  if (!/\d/.test(found)) return false;
  // A price or a measure.
  return (
    !CURRENCY.test(text.slice(Math.max(0, at - 2), at)) &&
    !CURRENCY.test(text.slice(end, end + 7).split(/[,.;\n]/)[0] ?? "")
  );
}

/** Only a colon or "is" between word and code makes 1999 a code. */
const isYear = (found: string): boolean => /^(?:19|20)\d\d$/.test(found);
const DIRECT = /^\s*(?:[:：=\-–]|is|ist|lautet|es|est|è|é|to|är|jest|це|هو|הוא|は|是|为|為)?\s*[:：]?\s*$/iu;

/** Characters between word and code, a code behind the word preferred; null where they do not belong together. */
function distance(text: string, key: Span, code: Span): number | null {
  const after = code.at >= key.end;
  const between = after ? text.slice(key.end, code.at) : text.slice(code.end, key.at);
  if (between.length > NEAR || SENTENCE_END.test(between)) return null;
  if (isYear(text.slice(code.at, code.end)) && !(after && DIRECT.test(between))) return null;
  return between.length + (after ? 0 : NEAR);
}

/**
 * The code to be typed in, without its spaces; null where a text has none. The nearest one to a word for it counts,
 * and links and phone numbers never do (rules#app-copies-codes).
 */
export function findOneTimeCode(text: string): string | null {
  // Linked parts stay as long as they are, so that distances do not change.
  const plain = splitLinks(text)
    .map((part) => (part.href === null ? part.text : "_".repeat(part.text.length)))
    .join("");
  const keys = spansOf(plain, word).filter((key) => isKeyword(plain, key));
  if (keys.length === 0) return null;
  let best: { code: Span; far: number } | null = null;
  for (const code of spansOf(plain, CANDIDATE).filter((one) => isCode(plain, one)))
    for (const key of keys) {
      const far = distance(plain, key, code);
      if (far !== null && (best === null || far < best.far)) best = { code, far };
    }
  return best && plain.slice(best.code.at, best.code.end).replace(/(?<=\d)[ -](?=\d)/g, "");
}
