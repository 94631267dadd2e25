// Files that come along with a form: a control for each, which a script of the page uploads at once with its progress, and which
// the form itself brings where no script runs. Either way the form then holds what became of the file.

import { IncomingFile } from "../../effects/assets/incoming.ts";
import { upload_file } from "../../identity/session/files.ts";
import type { AssetKind } from "../../model/entities/asset.ts";
import { ApiError } from "../../model/errors.ts";
import { said } from "../../model/limits.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { inForm } from "./forms.ts";
import { wrongWith } from "./parts.ts";
import type { MemberVisit } from "./visit.ts";

/** What a person is told of each kind before choosing. */
export const FILE_HINTS: Record<AssetKind, string> = {
  image: `PNG, JPEG, GIF, WebP or AVIF, up to ${said("image_file")}.`,
  audio: `MP3, AAC, M4A, Ogg, WAV or FLAC, up to ${said("audio_file")}.`,
  html: `An .html page in UTF-8, up to ${said("html_file")}.`,
};

/** What each is called where one is chosen. */
export const FILE_NAMES: Record<AssetKind, string> = { image: "picture", audio: "recording", html: "page" };

/** A file field of a form. */
export interface UploadField {
  field: string;
  kind: AssetKind;
  /** The control of the same form that holds the outcome. */
  into: string;
  /** What of the file it holds. */
  holds: "id" | "url";
}

/** Where the script of a form sends its files, for the form's `data-uploads`. */
export const uploadsAt = ({ base }: MemberVisit): string => `${base}files/upload`;

/** @param button uploads without a script, where the form has nothing else that would send it */
export function fileField(
  { field, kind, into, holds }: UploadField,
  { label, hint, button, error }: { label: string; hint: Content; button?: Html; error?: ApiError },
): Html {
  const wrong = wrongWith(error, field, hint);
  return html`<div class="field uploading" data-upload="${kind}" data-into="${into}" data-holds="${holds}"><label for="${field}">${label}</label>
    <p class="hint" id="${field}-hint">${hint}</p>${wrong.line}
    <input id="${field}" name="${field}" type="file"${wrong.attributes}>${button}</div>`;
}

/** Uploads what a form brought; the form holds each file as if it had been chosen. @returns what is wrong with the first wrong one. */
export async function takeUploads(
  visit: MemberVisit,
  fields: readonly UploadField[],
): Promise<ApiError | undefined> {
  for (const { field, kind, into, holds } of fields) {
    const file = visit.files.get(field);
    if (!file) continue;
    try {
      const made = await visit.asMember(upload_file, {
        kind,
        file: new IncomingFile([file.bytes], file.name),
      });
      visit.form.set(into, made[holds]);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error;
      return inForm(error, { file: field });
    }
  }
  return undefined;
}
