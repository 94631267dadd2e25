// A file that another program sends along: a picture becomes the alert's picture, any other file is left out with a note. The alert is
// published in every case.

import { ApiError } from "../../model/errors.ts";
import { said } from "../../model/limits.ts";
import type { Caller, Log } from "../../store/context.ts";
import type { ReadAlert } from "./tongue.ts";

export interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** Where pictures are kept, by the same checks as an upload in the console. */
export interface Pictures {
  /** The id of the kept picture (`ast_…`). @throws ApiError for what is not a picture, and at the member's quota. */
  keep(caller: Caller, file: SentFile, log: Log): Promise<string>;
  /** Removes a picture that no alert uses; must not throw. */
  remove(caller: Caller, id: string): Promise<void>;
}

export const FILE_TOO_LARGE = `The file is larger than ${said("image_file")}, so it was left out.`;
const NOT_A_PICTURE =
  "The file was left out: an alert takes pictures in PNG, JPEG, GIF, WebP or AVIF that can be decoded.";
const NOT_KEPT = "The file was left out: it could not be stored at the moment.";
const OVER_QUOTA = "The file was left out: too many uploaded files wait for an alert.";
const SECOND_PICTURE = "The file was left out: an alert has one picture.";

/** Makes the file of an alert its picture, or notes why not. The id of a picture that was kept; null for none. */
export async function attachFile(
  alert: ReadAlert,
  caller: Caller,
  notes: string[],
  { keep }: Pictures,
  log: Log,
): Promise<string | null> {
  const { file, fields } = alert;
  if (!file) return null;
  if (fields.image_url || fields.image_asset_id) {
    notes.push(SECOND_PICTURE);
    return null;
  }
  try {
    const id = await keep(caller, file, log);
    alert.fields = { ...fields, image_asset_id: id };
    // A repeat brings the picture under another id.
    alert.firstStands = true;
    return id;
  } catch (error) {
    if (!(error instanceof ApiError)) log.warn({ err: error }, "a sender's file was not kept");
    const type = error instanceof ApiError ? error.type : null;
    notes.push(type === "invalid_request" ? NOT_A_PICTURE : type === "conflict" ? OVER_QUOTA : NOT_KEPT);
    return null;
  }
}
