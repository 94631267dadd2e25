// The files that pages refer to: a style sheet, an icon, and the one script of the one page that needs it. Their addresses
// change with their content.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

function asset(name: string, type: string) {
  const text = readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12);
  return { path: `/console/${name}`, href: `/console/${name}?v=${hash}`, text, type };
}

export const STYLES = asset("styles.css", "text/css; charset=utf-8");
export const ICON = asset("icon.svg", "image/svg+xml");

/** Hands the secret of a one-time link to the page's form. */
export const LINK_SCRIPT = asset("link.js", "text/javascript; charset=utf-8");

export function assetAnswer({ text, type }: typeof STYLES): Response {
  return new Response(text, {
    headers: {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'",
    },
  });
}
