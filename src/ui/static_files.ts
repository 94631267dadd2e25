// Files that pages refer to: the style sheets that rooms share, the icon, and scripts. Their addresses change with
// their content, so a browser keeps them for good.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

export interface StaticFile {
  path: string;
  /** The path with a mark of the content, as pages refer to it. */
  href: string;
  text: string;
  type: string;
}

/**
 * The file `name` in the folder of `module` (its `import.meta.url`), read once, served under /static; or one that is
 * joined from its `parts`. A style sheet is served without comments, indentation and most line breaks.
 */
export function loadStaticFile(name: string, type: string, module: string, parts = [name]): StaticFile {
  const text = parts.map((part) => readFileSync(new URL(part, module), "utf8")).join("\n");
  const served = type.startsWith("text/css") ? text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=[\n{};,])\s+/g, "") : text;
  return createStaticFile(name, type, served);
}

/** The same of a text that was made. */
export function createStaticFile(name: string, type: string, text: string): StaticFile {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12);
  return { path: `/static/${name}`, href: `/static/${name}?v=${hash}`, text, type };
}

export const STYLES = loadStaticFile(
  "styles.css",
  "text/css; charset=utf-8",
  import.meta.url,
  ["palette", "frame", "cards", "forms", "notes_chips_and_rows", "tables"].map((part) => `styles/${part}.css`),
);
export const ALERT_CARD_STYLES = loadStaticFile("alert_card.css", "text/css; charset=utf-8", import.meta.url);
export const CIRCLE_AND_QR_CODE_STYLES = loadStaticFile(
  "circle_and_qr_code.css",
  "text/css; charset=utf-8",
  import.meta.url,
);
export const LOCAL_TIME_SCRIPT = loadStaticFile("local_times.js", "text/javascript; charset=utf-8", import.meta.url);
/** Adds a copy button to every text with `data-copy`. */
export const COPY_SCRIPT = loadStaticFile("copy.js", "text/javascript; charset=utf-8", import.meta.url);
export const ICON = loadStaticFile("icon.svg", "image/svg+xml", import.meta.url);

/** Stores in this browser that a session exists, for the header of public pages (rules#session-hint). */
export const SESSION_HINT_SCRIPT = loadStaticFile("session_hint.js", "text/javascript; charset=utf-8", import.meta.url);

/** Compressed once, on the first such request. */
const zipped = new Map<StaticFile, Uint8Array<ArrayBuffer>>();

function zip(file: StaticFile): Uint8Array<ArrayBuffer> {
  const known = zipped.get(file) ?? new Uint8Array(gzipSync(file.text, { level: 9 }));
  zipped.set(file, known);
  return known;
}

/** @param gzip whether the asker takes it compressed */
export function staticFileResponse(file: StaticFile, gzip: boolean): Response {
  const { text, type } = file;
  return new Response(gzip ? zip(file) : text, {
    headers: {
      ...(gzip ? { "content-encoding": "gzip" } : {}),
      vary: "accept-encoding",
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'",
    },
  });
}
