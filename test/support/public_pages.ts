// Public pages as a reader without a browser sees them, in process, and addresses in QR codes as a camera sees them.

import decodeQR from "qr/decode.js";
import sharp from "sharp";
import type { World } from "./world.ts";

export interface PublicPageAnswer {
  status: number;
  text: string;
  headers: Headers;
}

/** Requests a page. `address` is the reader's; by default this machine. */
export async function getPublicPage(
  world: World,
  path: string,
  init: RequestInit = {},
  address: string | null = null,
): Promise<PublicPageAnswer> {
  const headers = new Headers(init.headers);
  if (!headers.has("accept")) headers.set("accept", "text/html");
  const request = new Request(new URL(path, "http://localhost:8787"), { ...init, headers });
  const response = await world.service.app.fetch(request, address);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The parts of two responses that must be equal to make them indistinguishable: all but the request's own id. */
export function getComparableBytes({ status, text, headers }: PublicPageAnswer): string {
  const kept = [...headers].filter(([name]) => name !== "x-request-id");
  return JSON.stringify([status, kept.sort(), text]);
}

/** The text of the QR code in a picture, as a camera reads it. */
export async function scanQrPicture(picture: Buffer): Promise<string> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8ClampedArray(data) });
}

/** Pixels a module, as the decoder wants them. */
const SCALE = 4;

/** The text of the QR code on a page, read from the drawing: `svg` is the markup of its picture. */
export function readQr(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
  const side = size * SCALE;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let row = 0; row < SCALE; row++)
      for (let column = 0; column < Number(run) * SCALE; column++) {
        const at = ((Number(y) * SCALE + row) * side + Number(x) * SCALE + column) * 4;
        data.fill(0, at, at + 3);
      }
  return decodeQR({ width: side, height: side, data });
}
