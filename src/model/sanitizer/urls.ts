// Whether a link, a picture or a citation may point where it points, judged on what a browser would make of the
// value and not on how it is spelt. Resolves nothing and fetches nothing.

import { SCHEMES } from "./allow_list.ts";

/** Either the address to write out, or the name under which its refusal is reported. */
export type UrlVerdict = { url: string } | { refused: string };

/** The URL standard strips C0 controls and spaces around an address, and tabs and line ends anywhere in it. */
function asBrowsersRead(value: string): string {
  // By hand: a pattern for trailing characters takes quadratic time on a long run in the middle.
  let start = 0;
  let end = value.length;
  while (start < end && value.charCodeAt(start) <= 0x20) start++;
  while (end > start && value.charCodeAt(end - 1) <= 0x20) end--;
  return value.slice(start, end).replace(/[\t\n\r]/g, "");
}

/** What the value pretends to be once everything invisible is taken out: for the report only, never for a yes. */
function reportedScheme(value: string): string {
  const visible = value.slice(0, 2000).replace(/[\p{C}\p{Z}]+/gu, "");
  const scheme = /^[^a-z]*([a-z][a-z0-9+.-]*):/i.exec(visible)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  return /^[/\\]{2}/.test(visible) ? "protocol-relative" : "relative";
}

/** Relative addresses are refused: an alert has no page of its own that they could be relative to. */
export function judgeUrl(value: string, use: keyof typeof SCHEMES): UrlVerdict {
  const url = asBrowsersRead(value);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined || !SCHEMES[use].has(scheme)) return { refused: reportedScheme(value) };
  if (/[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(url)) return { refused: scheme };
  // Only the form that every reader splits in the same place; a user part (https://bank.example@evil.example)
  // serves nothing but deceit.
  if (scheme === "https" || scheme === "http") {
    const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(url)?.[1];
    if (authority === undefined || authority.includes("@") || !URL.canParse(url)) return { refused: scheme };
  }
  return { url };
}
