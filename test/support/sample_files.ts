// Files of every permitted kind, of minimal size. Also the upload routes of the console with the caller taken from a
// key, since sign-in is irrelevant to them.

import { H3 } from "h3";
import sharp from "sharp";
import { addUploadRoutes } from "../../src/api/transports/console_upload_routes.ts";
import { createKeyAuthenticator, getBearerToken } from "../../src/identity/auth/bearer_authentication.ts";
import type { Answer, World } from "./world.ts";

const text = (value: string) => Buffer.from(value, "latin1");
const zeros = (n: number) => Buffer.alloc(n);
const u32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value]);
const u32le = (value: number) => u32(value).reverse();
export const joinBytes = (...parts: (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? text(part) : part)));

export const mp4Box = (type: string, ...inside: (Buffer | string)[]) => {
  const body = joinBytes(...inside);
  return joinBytes(u32(body.length + 8), type, body);
};
const track = (handler: string) => mp4Box("trak", mp4Box("mdia", mp4Box("hdlr", zeros(8), handler, zeros(12))));
export const mp4 = (brand: string, ...handlers: string[]) =>
  joinBytes(
    mp4Box("ftyp", brand, zeros(4), "isommp42"),
    mp4Box("moov", ...handlers.map(track)),
    mp4Box("mdat", zeros(32)),
  );

const riff = (type: string, ...chunks: Buffer[]) => {
  const body = joinBytes(type, ...chunks);
  return joinBytes("RIFF", u32le(body.length), body);
};
const chunk = (type: string, body: Buffer) => joinBytes(type, u32le(body.length), body);

/** One MPEG 1 layer III frame of 128 kbit/s at 44.1 kHz. */
export const mp3Frame = joinBytes(Buffer.from([0xff, 0xfb, 0x90, 0x00]), zeros(413));
/** One ADTS frame of 32 bytes. */
export const aacFrame = joinBytes(Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x04, 0x1f, 0xfc]), zeros(25));
export const ogg = (head: string, flags = 2) =>
  joinBytes("OggS\0", Buffer.from([flags]), zeros(20), Buffer.from([1, head.length]), head);

export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
export const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const dot = () => sharp({ create: { width: 4, height: 4, channels: 3, background: "#369" } });
export const JPEG = await dot().jpeg().toBuffer();
export const WEBP = await dot().webp({ lossless: true }).toBuffer();
export const AVIF = await dot().avif({ effort: 0 }).toBuffer();
export const MP3 = joinBytes(mp3Frame, mp3Frame);
export const TAGGED_MP3 = joinBytes("ID3", Buffer.from([4, 0, 0, 0, 0, 0, 20]), zeros(20), mp3Frame, mp3Frame);
export const AAC = joinBytes(aacFrame, aacFrame);
export const M4A = mp4("M4A ", "soun");
export const OPUS = ogg("OpusHead\x01\x02");
export const VORBIS = ogg("\x01vorbis\0\0");
export const WAV = riff("WAVE", chunk("JUNK", zeros(4)), chunk("fmt ", zeros(16)), chunk("data", zeros(8)));
export const FLAC = joinBytes("fLaC", Buffer.from([0x80, 0, 0, 34]), zeros(34));
export const HTML = Buffer.from("<!doctype html><title>Tides</title><p>High at <b>noon</b></p>");

/** The same file, made exactly this long by what its format ignores at the end. */
export const appendPadding = (file: Buffer, size: number) =>
  Buffer.concat([file, Buffer.alloc(size - file.length, 0x20)]);

/** The console's upload routes over a world's service; a key replaces the session. */
export function openConsoleUploads(world: World) {
  const { service } = world;
  const authenticate = createKeyAuthenticator(service.orm, { log: service.log, now: () => new Date() });
  const app = new H3();
  addUploadRoutes(app, {
    dispatcher: service.dispatcher,
    async callerOf(request) {
      const caller = await authenticate(getBearerToken(request.headers));
      if (!caller) return null;
      const credential = { ...caller.credential, type: "session" as const };
      return { ...caller, credential, person: { id: "person", sessionId: "session" } };
    },
    publicUrl: "https://belfry.example",
    getRequestLog: () => service.log,
  });

  async function call(
    method: string,
    path: string,
    init: Omit<RequestInit, "headers"> & { key?: string | null; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { key = world.owner, headers = {}, ...rest } = init;
    const request = new Request(`http://localhost/console/assets${path}`, {
      method,
      duplex: "half",
      ...rest,
      headers: {
        ...("origin" in headers ? {} : { "sec-fetch-site": "same-origin" }),
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...headers,
      },
    } as RequestInit);
    const response = await app.fetch(request);
    const body = await response.text();
    return { status: response.status, body: body === "" ? null : JSON.parse(body), headers: response.headers };
  }

  return {
    app,
    call,
    /** The new file's row. @throws when it was refused. */
    async upload(kind: string, file: Uint8Array, key: string = world.owner, name?: string): Promise<any> {
      const query = name === undefined ? "" : `&name=${encodeURIComponent(name)}`;
      const answer = await call("POST", `?kind=${kind}${query}`, { body: file as never, key });
      if (answer.status !== 201) throw new Error(`upload: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}
