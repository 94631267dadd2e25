// The audio formats whose signature alone says too little: MPEG frames must follow one another, and a container must
// hold sound and nothing to look at.

export const view = (b: Uint8Array) => Buffer.from(b.buffer, b.byteOffset, b.byteLength);

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
function framed(bytes: Uint8Array, frame: (b: Buffer, at: number) => number): boolean {
  const b = view(bytes);
  const at = afterTag(b);
  const size = frame(b, at);
  return size > 0 && (at + size === b.length || frame(b, at + size) > 0);
}

export const isMp3 = (bytes: Uint8Array) => framed(bytes, mp3Frame);
export const isAac = (bytes: Uint8Array) => framed(bytes, aacFrame);

/** Every stream that the Ogg file announces is Opus or Vorbis. */
export function isOggAudio(bytes: Uint8Array): boolean {
  const b = view(bytes);
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

/** The brands of an ISO media file, of pictures as well; none when it is no such file. */
export function mediaBrands(bytes: Uint8Array): string[] {
  const b = view(bytes);
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
export function isMp4Audio(bytes: Uint8Array): boolean {
  if (!mediaBrands(bytes).some((brand) => MP4_BRAND.test(brand))) return false;
  const b = view(bytes);
  const found = handlers(b, 0, b.length);
  return found.includes("soun") && !found.some((handler) => handler === "vide" || handler === "pict");
}
