// What a file is, told from its bytes alone (docs/rules.md#uploads). Names and declared types are never
// asked. A file that is of two kinds at once counts as the binary one; nothing here runs or renders it. Own code, since the
// well-kept file-type (22.3) takes eight of the files that the test has refused: films under a sound's brand, signatures alone.

import type { AssetKind } from "../../model/entities/asset.ts";
import { isAac, isMp3, isMp4Audio, isOggAudio, mediaBrands, view } from "./sniff_audio.ts";
import { looksLikeHtml } from "./sniff_html.ts";

export interface Sniffed {
  kind: AssetKind;
  contentType: string;
}

const latin = (bytes: Uint8Array, from: number, to: number) => view(bytes).toString("latin1", from, to);

const startsWith = (bytes: Uint8Array, ...magic: number[]) => magic.every((byte, i) => bytes[i] === byte);

const isPng = (b: Uint8Array) =>
  startsWith(b, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && latin(b, 8, 16) === "\0\0\0\rIHDR";

const isJpeg = (b: Uint8Array) =>
  startsWith(b, 0xff, 0xd8, 0xff) &&
  b.length > 6 &&
  view(b).readUInt8(3) >= 0xc0 &&
  view(b).readUInt8(3) < 0xff &&
  view(b).readUInt16BE(4) >= 2;

/** Signature, a screen of some size, and after the colour table an extension, an image or the end. */
function isGif(b: Uint8Array): boolean {
  if (!/^GIF8[79]a$/.test(latin(b, 0, 6)) || b.length < 14) return false;
  const [width, height] = [view(b).readUInt16LE(6), view(b).readUInt16LE(8)];
  const flags = view(b).readUInt8(10);
  const table = flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  return width > 0 && height > 0 && [0x21, 0x2c, 0x3b].includes(b[13 + table] ?? 0);
}

const riff = (b: Uint8Array) => (latin(b, 0, 4) === "RIFF" ? latin(b, 8, 12) : null);
const isWebp = (b: Uint8Array) => riff(b) === "WEBP" && /^VP8[ LX]$/.test(latin(b, 12, 16));

const isAvif = (b: Uint8Array) => mediaBrands(b).some((brand) => brand === "avif" || brand === "avis");

/** The format chunk may stand behind others. */
function isWav(b: Uint8Array): boolean {
  if (riff(b) !== "WAVE") return false;
  const bytes = view(b);
  for (let at = 12; at + 24 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (latin(b, at, at + 4) === "fmt ") return size >= 16;
    at += 8 + size + (size % 2);
  }
  return false;
}

const isFlac = (b: Uint8Array) =>
  latin(b, 0, 4) === "fLaC" && startsWith(b.subarray(4), (b[4] ?? 0) & 0x80, 0, 0, 34);

const TABLE: [AssetKind, string, (bytes: Uint8Array) => boolean][] = [
  ["image", "image/png", isPng],
  ["image", "image/jpeg", isJpeg],
  ["image", "image/gif", isGif],
  ["image", "image/webp", isWebp],
  ["image", "image/avif", isAvif],
  ["audio", "audio/wav", isWav],
  ["audio", "audio/flac", isFlac],
  ["audio", "audio/ogg", isOggAudio],
  ["audio", "audio/mp4", isMp4Audio],
  ["audio", "audio/mpeg", isMp3],
  ["audio", "audio/aac", isAac],
  ["html", "text/html", looksLikeHtml],
];

/** The first entry of the table that the bytes hold to; null for everything else. */
export function sniff(bytes: Uint8Array): Sniffed | null {
  const found = TABLE.find(([, , matches]) => matches(bytes));
  return found ? { kind: found[0], contentType: found[1] } : null;
}
