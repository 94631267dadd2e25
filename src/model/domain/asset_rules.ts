// Rules of uploaded files: how large they may be, which field of an alert takes which kind, and what alerts need to
// know of their addresses.

import type { AssetKind } from "../entities/asset.ts";
import { LIMITS } from "../limits.ts";

/** Bytes that a file of each kind may have (rules#uploads). */
export const MAX_ASSET_BYTES: Record<AssetKind, number> = {
  image: LIMITS.image_file,
  audio: LIMITS.audio_file,
  html: LIMITS.html_file,
};

/** Of one frame: what a phone decodes into 100 MB. */
export const MAX_FRAME_PIXELS = 24_000_000;
/** Of all frames of an animated picture together. */
export const MAX_TOTAL_PIXELS = 60_000_000;

/** Which kind of file a field takes, and how the refusal of another one calls it. */
export const ASSET_FIELDS = {
  image_asset_id: "image",
  audio_asset_id: "audio",
  html_asset_id: "html",
} as const satisfies Record<string, AssetKind>;

export type AssetField = keyof typeof ASSET_FIELDS;

export const ASSET_KIND_LABELS: Record<AssetKind, string> = {
  image: "a picture (PNG, JPEG, GIF, WebP or AVIF)",
  audio: "a sound (MP3, AAC, M4A, Ogg Opus or Vorbis, WAV or FLAC)",
  html: "an .html page in UTF-8",
};

/** Where the bytes lie, under the ids of their rows. */
export interface FileStore {
  put(id: string, bytes: Uint8Array): Promise<void>;
  /** Removing what is not there is no mistake. */
  remove(id: string): Promise<void>;
}

/** Where everybody who was given the address fetches a file. */
export interface AssetAddresses {
  urlOf(uuid: string): string;
}

/** The address at which an html file is shown inside of a frame instead of being downloaded. */
export const getAssetFrameUrl = (url: string) => `${url}/frame`;
