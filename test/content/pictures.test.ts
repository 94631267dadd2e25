// Uploaded pictures: their pixels are limited before anything decodes them, and metadata about their author is removed.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { cleanPicture } from "../../src/effects/assets/clean_picture.ts";
import { MAX_ASSET_BYTES } from "../../src/model/domain/asset_rules.ts";
import { openWorld } from "../support/open_world.ts";
import { joinBytes, openConsoleUploads } from "../support/sample_files.ts";

const EXIF = {
  IFD0: { Artist: "Ana Exemplo", Copyright: "secret place" },
  IFD3: { GPSLatitudeRef: "N", GPSLatitude: "38/1 42/1 0/1", GPSLongitudeRef: "W", GPSLongitude: "9/1 8/1 0/1" },
};
const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><r xmlns:exif="http://ns.adobe.com/exif/1.0/">secret place</r></x:xmpmeta>';
const SECRETS = ["Ana Exemplo", "secret place", "GPS", "Exif\0", "eXIf", "EXIF", "xmpmeta", "8BIM", "tEXt"];

/** Left half red, right half blue, so that a turn shows. */
const picture = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: "#ff0000" } }).composite([
    { input: { create: { width: width / 2, height, channels: 3, background: "#0000ff" } }, left: width / 2, top: 0 },
  ]);
const withFacts = (orientation = 1) => picture().withExif(EXIF).withMetadata({ orientation, exif: EXIF }).withXmp(XMP);

const uint32 = (n: number) => {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(n >>> 0);
  return four;
};
function crc(bytes: Buffer): number {
  let c = -1;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  }
  return ~c;
}
const pngChunk = (type: string, body: Buffer) => {
  const named = joinBytes(type, body);
  return joinBytes(uint32(body.length), named, uint32(crc(named)));
};
/** The same PNG with another size in its header, or with one more chunk behind it. */
const pngOfSize = (png: Buffer, width: number, height: number) =>
  joinBytes(
    png.subarray(0, 8),
    pngChunk("IHDR", joinBytes(uint32(width), uint32(height), png.subarray(24, 29))),
    png.subarray(33),
  );
const pngWith = (png: Buffer, type: string, body: string) =>
  joinBytes(png.subarray(0, 33), pngChunk(type, Buffer.from(body, "latin1")), png.subarray(33));

const frames = (format: "gif" | "webp") => {
  const raw = Buffer.alloc(8 * 8 * 3 * 3, 0);
  for (let frame = 0; frame < 3; frame++) raw.fill(80 * frame + 40, frame * 192, (frame + 1) * 192);
  const strip = sharp(raw, { raw: { width: 8, height: 24, channels: 3, pageHeight: 8 } as never });
  return format === "gif"
    ? strip.gif({ loop: 2, delay: [70, 80, 90] })
    : strip.webp({ loop: 2, delay: [70, 80, 90], lossless: true });
};

const clean = (bytes: Buffer, type: string) => cleanPicture(bytes, `image/${type}`, MAX_ASSET_BYTES.image);
const silent = (bytes: Buffer) => SECRETS.filter((secret) => bytes.includes(Buffer.from(secret, "latin1")));

describe("metadata of a picture about its author", () => {
  test.each([
    ["jpeg", () => withFacts().jpeg().toBuffer()],
    ["png", () => withFacts().png().toBuffer()],
    ["webp", () => withFacts().webp().toBuffer()],
    ["avif", () => withFacts().avif({ effort: 0 }).toBuffer()],
  ] as const)("is removed from %s: EXIF with a place, and XMP", async (type, make) => {
    const before = await make();
    expect(silent(before)).not.toEqual([]);
    const after = await clean(before, type);
    expect(silent(after)).toEqual([]);
    const { exif, xmp, width, height } = await sharp(after).metadata();
    expect({ exif, xmp, width, height }).toEqual({ exif: undefined, xmp: undefined, width: 40, height: 20 });
  });

  test("is removed from PNG texts, from IPTC, and from a second picture inside", async () => {
    const png = await picture().png().toBuffer();
    for (const [type, body] of [
      ["tEXt", "Comment\0secret place"],
      ["iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>secret place</x:xmpmeta>"],
    ] as const)
      expect(silent(await clean(pngWith(png, type, body), "png"))).toEqual([]);
    const jpeg = await picture().jpeg().toBuffer();
    const body = joinBytes("Photoshop 3.0\0", "8BIM\x04\x04\0\0\0\0\0\x11\x1c\x02\x5a\0\x0csecret place\0");
    const iptc = joinBytes(jpeg.subarray(0, 2), Buffer.from([0xff, 0xed, 0, body.length + 2]), body, jpeg.subarray(2));
    expect(silent(await clean(iptc, "jpeg"))).toEqual([]);
    expect(silent(await clean(joinBytes(jpeg, await withFacts().jpeg().toBuffer()), "jpeg"))).toEqual([]);
  });

  test("its orientation is baked in", async () => {
    const turned = await withFacts(6).jpeg({ quality: 100 }).toBuffer();
    const after = await clean(turned, "jpeg");
    const { width, height, orientation } = await sharp(after).metadata();
    expect({ width, height, orientation }).toEqual({ width: 20, height: 40, orientation: undefined });
    const { data } = await sharp(after).raw().toBuffer({ resolveWithObject: true });
    // Turned clockwise the left half, red, is on top.
    expect(data[0]).toBeGreaterThan(200);
    expect(data[2]).toBeLessThan(60);
  });

  test.each(["gif", "webp"] as const)("an animated %s keeps its frames, pauses and repeats", async (type) => {
    const made = await frames(type).toBuffer();
    const before =
      type === "gif"
        ? joinBytes(made.subarray(0, -1), "\x21\xff\x0bXMP DataXMP\x03abc\0;")
        : await sharp(made, { animated: true }).withXmp(XMP).webp({ lossless: true }).toBuffer();
    const after = await clean(before, type);
    expect(after.equals(before)).toBe(false);
    expect(after.includes("XMP")).toBe(false);
    const { pages, delay, loop, width, pageHeight } = await sharp(after, { animated: true }).metadata();
    expect({ pages, delay, loop, width, pageHeight }).toEqual({
      pages: 3,
      delay: [70, 80, 90],
      loop: 2,
      width: 8,
      pageHeight: 8,
    });
  });

  test.each([
    ["jpeg", () => picture().jpeg().toBuffer()],
    ["png", () => picture().png().toBuffer()],
    ["webp", () => picture().webp().toBuffer()],
    ["avif", () => picture().avif({ effort: 0 }).toBuffer()],
    ["gif", () => frames("gif").toBuffer()],
  ] as const)("a %s without metadata is kept byte for byte", async (type, make) => {
    const before = await make();
    expect((await clean(before, type)).equals(before)).toBe(true);
  });
});

const world = await openWorld();
const site: ReturnType<typeof openConsoleUploads> = openConsoleUploads(world);

describe("on a service", () => {
  const upload = (body: Buffer) => site.call("POST", "?kind=image", { body: body as never });

  test("a picture of 60,000 × 60,000 is refused by its header, with the limit", async () => {
    const small = await picture().png().toBuffer();
    for (const [width, height] of [
      [60_000, 60_000],
      [24_001, 1000],
      [1, 24_000_001],
    ] as const) {
      const { status, body } = await upload(pngOfSize(small, width, height));
      expect({ status, param: body.error?.param }).toEqual({ status: 422, param: "file" });
      expect(body.error.message).toBe(
        `A picture can have at most 24 million pixels; this one has ${width} × ${height}. Make it smaller.`,
      );
    }
    const gif = await frames("gif").toBuffer();
    gif.writeUInt16LE(60_000, 6);
    gif.writeUInt16LE(60_000, 8);
    expect((await upload(gif)).body.error.message).toMatch(/at most 24 million pixels/);
  });

  test("many frames count together", async () => {
    const webp = await frames("webp").toBuffer();
    expect(webp.toString("latin1", 12, 16)).toBe("VP8X");
    webp.writeUIntLE(5000 - 1, 24, 3);
    webp.writeUIntLE(4200 - 1, 27, 3);
    const { status, body } = await upload(webp);
    expect({ status, param: body.error?.param }).toEqual({ status: 422, param: "file" });
    expect(body.error.message).toMatch(/at most 60 million pixels in total; these have 3 × 5000 × 4200/);
  });

  test("a file that only begins like a picture is refused, not stored", async () => {
    for (const type of ["jpeg", "png", "webp", "avif"] as const) {
      const whole = await withFacts().toFormat(type).toBuffer();
      const { status } = await upload(joinBytes(whole.subarray(0, 40), Buffer.alloc(60)));
      expect([type, status]).toEqual([type, 422]);
    }
  });

  test("the stored and served picture is the cleaned one", async () => {
    const sent = await withFacts(6).jpeg().toBuffer();
    const row = await site.upload("image", sent, undefined, "quay.jpg");
    const { pathname } = new URL(row.url);
    const response = await world.service.app.fetch(
      new Request(`http://localhost${pathname}`, { headers: { host: "localhost" } }),
    );
    const served = Buffer.from(await response.arrayBuffer());
    expect(served.length).toBe(row.bytes);
    expect(silent(served)).toEqual([]);
  });
});
