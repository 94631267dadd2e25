// Bearer secrets: a prefix for the kind, 256 random bits in base62 and a checksum. A mistyped one is refused without a
// database query. Only the SHA-256 of a token is stored.

import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 exceeds 2^256. */
const RANDOM_DIGITS = 43;
/** 62^6 exceeds 2^32. */
const CHECK_DIGITS = 6;

export const KEY_PREFIX = "bfk_";
export const DEVICE_PREFIX = "bfd_";
export const TRANSFER_PREFIX = "bft_";
export const OWN_DEVICE_PREFIX = "bfo_";

function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

const checksum = (body: string) => base62(BigInt(crc32(body)), CHECK_DIGITS);

/** A new token and the hash to store. The token itself can be shown once and never recovered. */
export function mintToken(prefix: string): { token: string; hash: Buffer } {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString("hex")}`), RANDOM_DIGITS);
  const token = body + checksum(body);
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** The same in hex, as statements that look for several take it. */
export const hexHash = (token: string): string => hash("sha256", token, "hex");

/** True if the text has the form and checksum of a token with this prefix. The token may not exist. */
export function looksLikeToken(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_DIGITS + CHECK_DIGITS) return false;
  return text.endsWith(checksum(text.slice(0, -CHECK_DIGITS)));
}

/** Returns the token of an `Authorization: Bearer …` header; null without one, or for another scheme. */
export function getBearerToken(headers: Headers): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}
