// Detection of a file's type from its content alone (rules#uploads), never from names or declared types. A file of two
// kinds at once counts as the binary one. Nothing is run or rendered. If a signature is not enough, more is required.
// MPEG frames must follow one another, and a container must have sound and no video. HTML must be UTF-8 text whose
// first element is one of HTML's. The library file-type (22.3) is not used, because it accepts eight of the files that
// the test refuses. These are films with a brand of sound files, and bare signatures.

import type { AssetKind } from "../../model/tables/asset.ts";

// kbit/s by the header's index, for layer III of MPEG 1, and of MPEG 2 and 2.5.
const KBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const HERTZ = [44_100, 48_000, 32_000];

/** Bytes of the layer III frame that begins here; 0 when none does. */
function mp3Frame(b: Buffer, at: number): number {
  if (at + 4 > b.length || b[at] !== 0xff || (b.readUInt8(at + 1) & 0xe6) !== 0xe2) return 0;
  const version = (b.readUInt8(at + 1) >> 3) & 3;
  const kbits = (version === 3 ? KBITS_1 : KBITS_2)[b.readUInt8(at + 2) >> 4];
  const hertz = HERTZ[(b.readUInt8(at + 2) >> 2) & 3];
  if (version === 1 || !kbits || !hertz) return 0;
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4;
  const samples = version === 3 ? 144 : 72;
  return Math.floor((samples * kbits * 1000) / (hertz / divisor)) + ((b.readUInt8(at + 2) >> 1) & 1);
}

/** Bytes of the ADTS frame that begins here; 0 when none does. */
function aacFrame(b: Buffer, at: number): number {
  if (at + 7 > b.length || b[at] !== 0xff || (b.readUInt8(at + 1) & 0xf6) !== 0xf0) return 0;
  if (((b.readUInt8(at + 2) >> 2) & 15) > 12) return 0;
  const size = ((b.readUInt8(at + 3) & 3) << 11) | (b.readUInt8(at + 4) << 3) | (b.readUInt8(at + 5) >> 5);
  return size > 7 ? size : 0;
}

/** Where an ID3 tag at the beginning ends, the zeros behind it skipped; 0 without one. */
function afterTag(b: Buffer): number {
  if (b.length < 10 || b.toString("latin1", 0, 3) !== "ID3") return 0;
  const digits = [...b.subarray(6, 10)];
  if (digits.some((digit) => digit > 127)) return 0;
  let at = 10 + digits.reduce((size, digit) => size * 128 + digit, 0) + (b.readUInt8(5) & 0x10 ? 10 : 0);
  while (b[at] === 0) at++;
  return at;
}

/** At least two frames in a row, or one that is the whole rest. */
function framed(b: Buffer, frame: (b: Buffer, at: number) => number): boolean {
  const at = afterTag(b);
  const size = frame(b, at);
  return size > 0 && (at + size === b.length || frame(b, at + size) > 0);
}

const isMp3 = (b: Buffer) => framed(b, mp3Frame);
const isAac = (b: Buffer) => framed(b, aacFrame);

/** Every stream that the Ogg file announces is Opus or Vorbis. */
function isOggAudio(b: Buffer): boolean {
  let streams = 0;
  for (let at = 0; at + 28 <= b.length; ) {
    if (b.toString("latin1", at, at + 5) !== "OggS\0") return false;
    const segments = b.readUInt8(at + 26);
    const body = at + 27 + segments;
    if ((b.readUInt8(at + 5) & 2) === 0) break;
    if (!/^(OpusHead|\x01vorbis)/.test(b.toString("latin1", body, body + 8))) return false;
    streams++;
    at = body + b.subarray(at + 27, body).reduce((sum, size) => sum + size, 0);
  }
  return streams > 0;
}

/** Returns the brands of an ISO media file, including pictures; none for other files. */
function mediaBrands(b: Buffer): string[] {
  if (b.length < 16 || b.toString("latin1", 4, 8) !== "ftyp") return [];
  const size = b.readUInt32BE(0);
  if (size < 16 || size > Math.min(b.length, 1024)) return [];
  return [b.toString("latin1", 8, 12), ...(b.toString("latin1", 16, size).match(/.{4}/gs) ?? [])];
}

const MP4_BRAND = /^(M4A |M4B |mp4[12]|iso[2-9m]|dash)$/;

function* boxes(b: Buffer, from: number, to: number): Generator<[string, number, number]> {
  for (let at = from; at + 8 <= to; ) {
    let [size, head] = [b.readUInt32BE(at), 8];
    if (size === 1 && at + 16 <= to) [size, head] = [Number(b.readBigUInt64BE(at + 8)), 16];
    if (size === 0) size = to - at;
    if (size < head || at + size > to) return;
    yield [b.toString("latin1", at + 4, at + 8), at + head, at + size];
    at += size;
  }
}

function handlers(b: Buffer, from: number, to: number): string[] {
  return [...boxes(b, from, to)].flatMap(([type, start, end]) => {
    if (type === "moov" || type === "trak" || type === "mdia") return handlers(b, start, end);
    return type === "hdlr" ? [b.toString("latin1", start + 8, start + 12)] : [];
  });
}

/** An MP4 file with a sound track and none to look at. */
function isMp4Audio(b: Buffer): boolean {
  if (!mediaBrands(b).some((brand) => MP4_BRAND.test(brand))) return false;
  const found = handlers(b, 0, b.length);
  return found.includes("soun") && !found.some((handler) => handler === "vide" || handler === "pict");
}

/** Beginnings of files of other types, even if their content may be text. */
const OTHER_TYPES =
  /^(%PDF|%!PS|GIF8|PK\x03\x04|MZ|RIFF|OggS|fLaC|ID3|BM|\{\\rtf|#!|<\?|<!doctype\s+(?!html\b)|<svg\b)/i;

const ELEMENTS = new Set(
  (
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite " +
    "code col " +
    "colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form " +
    "frame " +
    "frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map " +
    "mark " +
    "menu meta meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script " +
    "search section select small source span strong style sub summary sup table tbody td template textarea tfoot th " +
    "thead time title tr track u ul var video wbr"
  ).split(" "),
);

/** The text of a file in UTF-8, without its byte order mark; null when it is binary or in another encoding. */
export function decodeTextFile(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /[\x00-\x08\x0b\x0e-\x1f\x7f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function firstElement(text: string): string | null {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      if (end < 0) return null;
      at = end;
      continue;
    }
    const name = /^<([a-z][a-z0-9-]*)(?=[\s/>])/i.exec(text.slice(at, at + 40))?.[1];
    if (name) return name.toLowerCase();
  }
  return null;
}

/** JSON that quotes markup is not HTML. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function looksLikeHtml(bytes: Buffer): boolean {
  const text = decodeTextFile(bytes);
  if (text === null || OTHER_TYPES.test(text.trimStart().slice(0, 200)) || isJson(text)) return false;
  const first = firstElement(text);
  return first !== null && ELEMENTS.has(first);
}

const latin = (b: Buffer, from: number, to: number) => b.toString("latin1", from, to);

const startsWith = (b: Buffer, ...magic: number[]) => magic.every((byte, i) => b[i] === byte);

const isPng = (b: Buffer) =>
  startsWith(b, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && latin(b, 8, 16) === "\0\0\0\rIHDR";

const isJpeg = (b: Buffer) =>
  startsWith(b, 0xff, 0xd8, 0xff) &&
  b.length > 6 &&
  b.readUInt8(3) >= 0xc0 &&
  b.readUInt8(3) < 0xff &&
  b.readUInt16BE(4) >= 2;

/** Signature, a screen of some size, and after the colour table an extension, an image or the end. */
function isGif(b: Buffer): boolean {
  if (!/^GIF8[79]a$/.test(latin(b, 0, 6)) || b.length < 14) return false;
  const [width, height] = [b.readUInt16LE(6), b.readUInt16LE(8)];
  const flags = b.readUInt8(10);
  const table = flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  return width > 0 && height > 0 && [0x21, 0x2c, 0x3b].includes(b[13 + table] ?? 0);
}

const riff = (b: Buffer) => (latin(b, 0, 4) === "RIFF" ? latin(b, 8, 12) : null);
const isWebp = (b: Buffer) => riff(b) === "WEBP" && /^VP8[ LX]$/.test(latin(b, 12, 16));

const isAvif = (b: Buffer) => mediaBrands(b).some((brand) => brand === "avif" || brand === "avis");

/** The format chunk may follow others. */
function isWav(b: Buffer): boolean {
  if (riff(b) !== "WAVE") return false;
  for (let at = 12; at + 24 <= b.length; ) {
    const size = b.readUInt32LE(at + 4);
    if (latin(b, at, at + 4) === "fmt ") return size >= 16;
    at += 8 + size + (size % 2);
  }
  return false;
}

const isFlac = (b: Buffer) => latin(b, 0, 4) === "fLaC" && startsWith(b.subarray(4), (b[4] ?? 0) & 0x80, 0, 0, 34);

const TABLE: [AssetKind, string, (bytes: Buffer) => boolean][] = [
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

/** Checks that files of a kind may have this content type. */
export const isContentTypeOfAssetKind = (kind: AssetKind, contentType: string): boolean =>
  TABLE.some(([of, type]) => of === kind && type === contentType);

/** Returns the first matching entry of the table, or null. */
export function sniffContentType(bytes: Uint8Array) {
  const b = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [kind, contentType] = TABLE.find(([, , matches]) => matches(b)) ?? [];
  return kind && contentType ? { kind, contentType } : null;
}
