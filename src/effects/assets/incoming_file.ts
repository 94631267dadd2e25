// An incoming file, with a name and content from an untrusted client, read only when its content is needed. Names are
// cleaned for storage, and encoded for a download.

import { assertDefined } from "../../model/assert.ts";
import type { AssetKind } from "../../model/tables/asset.ts";

export class IncomingFile {
  /** The content as a stream. An array of one element is also a stream. */
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** It is read after the bytes, since a form may send it behind them. */
  name: string;
  /** The announced size in bytes; 0 if unknown. */
  readonly announced: number;

  constructor(chunks: IncomingFile["chunks"], name: string, announced = 0) {
    this.chunks = chunks;
    this.name = name;
    this.announced = announced;
  }
}

const MAX_NAME = 120;

/** The last part of a path, without what would steer a terminal or turn the reading direction; never empty. */
export function cleanFileName(name: string, kind: AssetKind): string {
  const last = name.toWellFormed().normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return [...plain].slice(0, MAX_NAME).join("").trim() || kind;
}

const EXTENSIONS: Record<string, [string, ...string[]]> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/avif": ["avif"],
  "audio/wav": ["wav"],
  "audio/flac": ["flac"],
  "audio/ogg": ["ogg", "oga", "opus"],
  "audio/mp4": ["m4a", "m4b", "mp4"],
  "audio/mpeg": ["mp3"],
  "audio/aac": ["aac"],
  "text/html": ["html", "htm"],
};

/** The name under which a file is saved. The extension follows the content, so that no other program opens it. */
function savedName(name: string, contentType: string): string {
  const extensions = assertDefined(EXTENSIONS[contentType], "every detected type has file extensions");
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  return extension && extensions.includes(extension) ? name : `${name}.${extensions[0]}`;
}

/** `attachment; filename="a_b.html"; filename*=UTF-8''a%20b.html` */
export function contentDisposition(type: "inline" | "attachment", name: string, contentType: string): string {
  const saved = savedName(name, contentType);
  const ascii = saved.replace(/[^A-Za-z0-9._-]/g, "_");
  const encoded = encodeURIComponent(saved).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
