// Files that other programs send along: a picture becomes the alert's picture, others are left out with a note. The
// alert is published in every case.

import { ApiError } from "../../model/api_error.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import type { ParsedAlert, ReceivedFile } from "./adapter.ts";

/** Where pictures are kept, by the same checks as an upload in the console. */
export interface PictureStore {
  /** Reports if an alert of this channel can be created and published now. Does not count against limits. */
  accepts(caller: Caller, channel: string): Promise<boolean>;
  /** The id of the kept picture (`ast_…`). @throws ApiError for what is not a picture, and at the member's quota. */
  keep(caller: Caller, file: ReceivedFile, log: Log): Promise<string>;
  /** Removes a picture that no alert uses; must not throw. */
  remove(caller: Caller, id: string): Promise<void>;
}

export const FILE_TOO_LARGE_NOTE = `The file is larger than ${formatLimit("image_file")} and was ignored.`;
const NOT_A_PICTURE = "The file was ignored: only valid PNG, JPEG, GIF, WebP or AVIF pictures are supported.";
const NOT_KEPT = "The file was ignored: it could not be stored.";
const OVER_QUOTA = "The file was ignored: there are too many unused uploaded files.";
/** Where the alert itself is refused or becomes a draft. */
const NOT_ACCEPTED = "The file was ignored: the channel cannot publish alerts at the moment.";
const OTHER_FILES = "An alert can have only one picture; the other files were ignored.";
/** Files of one alert that are examined for a picture. */
const MAX_EXAMINED_FILES = 5;

/**
 * Makes the first picture among the files of an alert its picture, and notes which files were left out.
 * Returns the id of the picture that was kept, or null.
 */
export async function attachPicture(
  alert: ParsedAlert,
  channel: string,
  caller: Caller,
  notes: string[],
  { accepts, keep }: PictureStore,
  log: Log,
): Promise<string | null> {
  const { files = [], fields } = alert;
  if (files.length === 0) return null;
  if (fields.image_url || fields.image_asset_id) {
    notes.push(OTHER_FILES);
    return null;
  }
  // A picture is decoded only for an alert that is within the limit of sends.
  if (!(await accepts(caller, channel))) {
    notes.push(NOT_ACCEPTED);
    return null;
  }
  let reason = "";
  for (const file of files.slice(0, MAX_EXAMINED_FILES))
    try {
      if (file.bytes.length > LIMITS.image_file) {
        reason ||= FILE_TOO_LARGE_NOTE;
        continue;
      }
      const id = await keep(caller, file, log);
      alert.fields = { ...fields, image_asset_id: id };
      // A repeat brings the picture under another id.
      alert.keepFirst = true;
      if (files.length > 1) notes.push(OTHER_FILES);
      return id;
    } catch (error) {
      if (!(error instanceof ApiError)) log.warn({ err: error }, "a file from a sender could not be stored");
      const type = error instanceof ApiError ? error.type : null;
      reason ||= type === "invalid_request" ? NOT_A_PICTURE : type === "conflict" ? OVER_QUOTA : NOT_KEPT;
    }
  notes.push(reason);
  return null;
}
