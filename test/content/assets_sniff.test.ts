// Detection of file types: from their bytes alone, and from enough of them.

import { expect, test } from "vitest";
import { cleanFileName, contentDisposition } from "../../src/effects/assets/incoming_file.ts";
import { sniffContentType } from "../../src/effects/assets/sniff_content_type.ts";
import * as files from "../support/sample_files.ts";
import { GIF, HTML, joinBytes, mp3Frame, mp4, mp4Box, ogg, PNG } from "../support/sample_files.ts";

const ascii = (text: string) => Buffer.from(text, "utf8");
const gifWith = (comment: string) =>
  joinBytes(GIF.subarray(0, 19), Buffer.from([0x21, 0xfe, comment.length]), comment, "\0", GIF.subarray(19));

const TAKEN: Record<string, [Buffer, string]> = {
  PNG: [PNG, "image/png"],
  JPEG: [files.JPEG, "image/jpeg"],
  GIF: [GIF, "image/gif"],
  WebP: [files.WEBP, "image/webp"],
  AVIF: [files.AVIF, "image/avif"],
  MP3: [files.MP3, "audio/mpeg"],
  "MP3 of one frame": [mp3Frame, "audio/mpeg"],
  "MP3 behind a tag": [files.TAGGED_MP3, "audio/mpeg"],
  AAC: [files.AAC, "audio/aac"],
  M4A: [files.M4A, "audio/mp4"],
  "MP4 with sound alone": [mp4("isom", "soun"), "audio/mp4"],
  "Ogg Opus": [files.OPUS, "audio/ogg"],
  "Ogg Vorbis": [files.VORBIS, "audio/ogg"],
  WAV: [files.WAV, "audio/wav"],
  FLAC: [files.FLAC, "audio/flac"],
  "a page": [HTML, "text/html"],
  "a page with a byte order mark": [ascii(`\ufeff${HTML}`), "text/html"],
  "a fragment": [ascii("Hello <b>there</b>, höchste Zeit"), "text/html"],
  "a page behind comments": [ascii("<!-- a --><!-- <x> -->\n<html lang=en><body>x"), "text/html"],
  // A file of two kinds at once counts as the binary one.
  "GIF with markup in its comment": [gifWith("<script>alert(1)</script>"), "image/gif"],
  "PNG with markup behind it": [joinBytes(PNG, "<html><script>alert(1)</script>"), "image/png"],
  "JPEG with an archive behind it": [joinBytes(files.JPEG, "PK\x03\x04"), "image/jpeg"],
};

test.each(Object.entries(TAKEN))("%s", (_, [bytes, contentType]) => {
  expect(sniffContentType(bytes)?.contentType).toBe(contentType);
});

const REFUSED: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  "one byte": Buffer.from([0xff]),
  "plain text": ascii("Just text, a < b and no more."),
  JSON: ascii('{"html": "<p>"}'),
  SVG: ascii('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  "SVG with a declaration": ascii('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  "SVG with a doctype": ascii('<!DOCTYPE svg PUBLIC "x" "y"><svg/>'),
  "SVG behind a comment": ascii("<!-- x --><svg onload=alert(1)>"),
  XML: ascii("<rss><channel/></rss>"),
  PHP: ascii("<?php echo 1 ?><p>"),
  "a shell script": ascii("#!/bin/sh\necho '<p>'"),
  PDF: ascii("%PDF-1.7\n<html>"),
  ZIP: joinBytes("PK\x03\x04", Buffer.alloc(40)),
  gzip: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]),
  "a Windows program": joinBytes("MZ\x90\0\x03", Buffer.alloc(60), "<html>"),
  "a Linux program": joinBytes("\x7fELF\x02\x01", Buffer.alloc(60)),
  BMP: joinBytes("BM", Buffer.alloc(60)),
  TIFF: joinBytes("II*\0", Buffer.alloc(60)),
  HEIC: joinBytes(mp4Box("ftyp", "heic\0\0\0\0mif1"), mp4Box("meta")),
  "an MP4 film": mp4("isom", "vide", "soun"),
  "an M4A brand over a film": mp4("M4A ", "soun", "vide"),
  "an MP4 file without tracks": mp4("M4A "),
  WebM: joinBytes(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(30)),
  "Ogg Theora": ogg("\x80theora\0"),
  "Ogg with video next to the sound": joinBytes(ogg("OpusHead\x01\x02"), ogg("\x80theora\0"), ogg("x", 0)),
  AVI: joinBytes("RIFF\0\0\0\0AVI LIST", Buffer.alloc(20)),
  "a PNG signature before text": joinBytes(PNG.subarray(0, 8), "<script>alert(1)</script>"),
  "a GIF signature before markup": ascii("GIF89a<html><script>alert(1)</script></html>"),
  "a GIF signature as a variable": ascii("GIF89a/*\0\0*/=1;alert(1)"),
  "a JPEG signature alone": Buffer.from([0xff, 0xd8, 0xff]),
  "a RIFF of no type": joinBytes("RIFF\0\0\0\0WEBPxxxx", Buffer.alloc(20)),
  "one MP3 header before text": joinBytes(mp3Frame.subarray(0, 4), "<html>".repeat(100)),
  "an ID3 tag alone": joinBytes("ID3", Buffer.from([4, 0, 0, 0, 0, 0, 0]), "<html>"),
  "a page in UTF-16": Buffer.from("\ufeff<html><p>x", "utf16le"),
  "a page in Latin-1": Buffer.from("<html><p>gr\u00fcn", "latin1"),
  "a page with a NUL": ascii("<html>\0<p>"),
};

test.each(Object.entries(REFUSED))("not %s", (_, bytes) => expect(sniffContentType(bytes)).toBeNull());

test("no beginning of a file makes it fall", () => {
  for (const [bytes] of Object.values(TAKEN))
    for (let n = 0; n < bytes.length; n++) sniffContentType(bytes.subarray(0, n));
});

test("names are cleaned for people and for downloads", () => {
  expect(cleanFileName("../../etc/pass\u202ewd\x00\n .png", "image")).toBe("passwd .png");
  expect(cleanFileName("C:\\pictures\\tide.png", "image")).toBe("tide.png");
  expect(cleanFileName(" \u200b ", "audio")).toBe("audio");
  expect([...cleanFileName("𝔞".repeat(300), "html")].length).toBe(120);
  expect(contentDisposition("attachment", "a'b\"(1).exe", "text/html")).toBe(
    `attachment; filename="a_b__1_.exe.html"; filename*=UTF-8''a%27b%22%281%29.exe.html`,
  );
  expect(contentDisposition("inline", "Flut.JPEG", "image/jpeg")).toBe(
    `inline; filename="Flut.JPEG"; filename*=UTF-8''Flut.JPEG`,
  );
});
