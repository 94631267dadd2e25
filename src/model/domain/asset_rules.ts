// Rules for uploaded files: their sizes, the kind for each field of an alert, and the URLs that alerts need.

import { LIMITS } from "../limits.ts";
import type { AssetKind } from "../tables/asset.ts";

/** Bytes that a file of each kind may have (rules#uploads). */
export const MAX_ASSET_BYTES: Record<AssetKind, number> = {
  image: LIMITS.image_file,
  audio: LIMITS.audio_file,
  html: LIMITS.html_file,
};

/** Pixels of one frame. A phone decodes this into 100 MB. */
export const MAX_FRAME_PIXELS = 24_000_000;
/** Pixels of all frames of an animated picture. */
export const MAX_TOTAL_PIXELS = 60_000_000;

/** The kind of file for each field, with its name in error messages. */
export const ASSET_FIELD_KINDS = {
  image_asset_id: "image",
  audio_asset_id: "audio",
  html_asset_id: "html",
} as const satisfies Record<string, AssetKind>;

export type AssetField = keyof typeof ASSET_FIELD_KINDS;

export const ASSET_KIND_LABELS: Record<AssetKind, string> = {
  image: "a picture (PNG, JPEG, GIF, WebP or AVIF)",
  audio: "a sound (MP3, AAC, M4A, Ogg Opus or Vorbis, WAV or FLAC)",
  html: "an .html page in UTF-8",
};

/** The storage of the files, by the ids of their rows. */
export interface FileStore {
  put(id: string, bytes: Uint8Array): Promise<void>;
  /** Removing a missing file is not an error. */
  remove(id: string): Promise<void>;
}

/** The URLs of files, for all clients that have them. */
export interface AssetUrlResolver {
  urlOf(uuid: string): string;
}

/** The address at which an html file is shown inside of a frame instead of being downloaded. */
export const getHtmlAssetFrameUrl = (url: string) => `${url}/frame`;
