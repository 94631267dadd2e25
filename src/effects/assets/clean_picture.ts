// Checks and cleaning of pictures apart from their type: a size that phones can decode, and no metadata about the
// author. The decoder is loaded with the first picture, runs one at a time, and supports only the accepted formats.

import { type ApiError, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { MAX_FRAME_PIXELS, MAX_TOTAL_PIXELS } from "../../model/domain/asset_rules.ts";

type Sharp = typeof import("sharp").default;
type Picture = ReturnType<Sharp>;

/** Buffer loaders of the formats that `sniff` takes. Everything else that the decoder could read stays shut. */
const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((format) => `VipsForeignLoad${format}Buffer`);
const DEADLINE_SECONDS = 30;

let loaded: Promise<Sharp> | undefined;

/** The library, shut to every format but those that are taken here. */
function loadImageLibrary(): Promise<Sharp> {
  loaded ??= import("sharp").then(({ default: sharp }) => {
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: LOADERS });
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loaded;
}

/** Markers of metadata in the formats, of the file and of embedded pictures (thumbnails, gain maps). */
const MARKS = [
  "Exif\0",
  "EXIF",
  "eXIf",
  "tEXt",
  "zTXt",
  "iTXt",
  "http://ns.adobe.com/",
  "x:xmpmeta",
  "XMP ",
  "Photoshop 3.0",
].map((mark) => Buffer.from(mark, "latin1"));

const million = (pixels: number) => `${Math.round(pixels / 1e5) / 10} million`;

/**
 * The picture without metadata (EXIF, XMP, IPTC, texts), its orientation baked in; byte for byte what it was when it
 * has none. Frames and colour profile stay.
 * @throws 422 for more pixels than `MAX_FRAME_PIXELS`, and for a file that cannot be decoded.
 */
export async function cleanPicture(bytes: Buffer, contentType: string, maxBytes: number): Promise<Buffer> {
  const sharp = await loadImageLibrary();
  const animated = contentType === "image/gif" || contentType === "image/webp";
  // Only the header is read here, so the limit is checked before decoding.
  const header = await sharp(bytes, { limitInputPixels: false, animated })
    .metadata()
    .catch(() => {
      throw unreadable();
    });
  const { pages = 1 } = header;
  const [width, pageHeight] =
    contentType === "image/gif"
      ? // Phones make room for the screen that the file announces; the decoder only looks at its frames.
        [
          Math.max(header.width, bytes.readUInt16LE(6)),
          Math.max(header.pageHeight ?? header.height, bytes.readUInt16LE(8)),
        ]
      : [header.width, header.pageHeight ?? header.height];
  if (width * pageHeight > MAX_FRAME_PIXELS)
    throw invalidRequest(
      "file_too_large",
      `A picture can have at most ${million(MAX_FRAME_PIXELS)} pixels; this one has ${width} × ${pageHeight}. ` +
        "Make it smaller.",
      "file",
    );
  if (width * pageHeight * pages > MAX_TOTAL_PIXELS)
    throw invalidRequest(
      "file_too_large",
      `The frames of a picture can have at most ${million(MAX_TOTAL_PIXELS)} pixels in total; these have ${pages} × ` +
        `${width} × ${pageHeight}. Make the picture smaller.`,
      "file",
    );
  const says = header.exif ?? header.xmp ?? header.iptc ?? header.tifftagPhotoshop ?? header.comments;
  if (!says && (header.orientation ?? 1) === 1 && !MARKS.some((mark) => bytes.includes(mark))) return bytes;
  for (const quality of [90, 75]) {
    const clean = await inTurn(() =>
      assertDefined(ENCODE[contentType], "every detected picture type has an encoder")(
        sharp(bytes, { limitInputPixels: MAX_TOTAL_PIXELS, animated })
          .timeout({ seconds: DEADLINE_SECONDS })
          .autoOrient()
          .keepIccProfile(),
        quality,
      ).toBuffer(),
    ).catch(() => {
      throw unreadable();
    });
    if (clean.length <= maxBytes) return clean;
  }
  throw invalidRequest(
    "file_too_large",
    "The picture is too large. Remove its metadata (EXIF, XMP, IPTC) or make it smaller.",
    "file",
  );
}

const ENCODE: Record<string, (picture: Picture, quality: number) => Picture> = {
  "image/jpeg": (picture, quality) => picture.jpeg({ quality }),
  "image/png": (picture) => picture.png(),
  "image/webp": (picture, quality) => picture.webp({ quality }),
  "image/gif": (picture) => picture.gif(),
  // AVIF has a quality scale of its own: 65 there looks as 90 does in the other formats.
  "image/avif": (picture, quality) => picture.avif({ quality: quality - 25, effort: 2 }),
};

const unreadable = (): ApiError =>
  invalidRequest("unreadable_file", "The picture cannot be decoded. Export it again, then retry.", "file");

let last: Promise<unknown> = Promise.resolve();

/** One picture at a time: a decoded one is a hundred times its file. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work, work);
  last = turn.catch(() => {});
  return turn;
}

/** A square PNG of `modules`, true for black; each is a whole number of pixels wide, at least `side` pixels in all. */
export async function renderQrModulesAsPng(modules: readonly boolean[][], side: number): Promise<Buffer> {
  const sharp = await loadImageLibrary();
  const count = modules.length;
  const grey = Buffer.from(modules.flatMap((row) => row.map((black) => (black ? 0 : 255))));
  const wide = Math.ceil(side / count) * count;
  return sharp(grey, { raw: { width: count, height: count, channels: 1 } })
    .resize(wide, wide, { kernel: "nearest" })
    .png({ palette: true, colours: 2 })
    .toBuffer();
}
