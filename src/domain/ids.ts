// TypeIDs on the wire, native uuid (version 7) in the rows. A text that is no id of the wanted kind is null, and the
// caller answers as for a row that does not exist.

import { TypeID } from "typeid-js";
import { v7 } from "uuid";
import { ApiError } from "../errors.ts";

export type IdKind = "psh" | "alr" | "inv" | "whk" | "ast" | "key" | "wsp" | "mem" | "con";

export function newUuid(): string {
  return v7();
}

/** uuid → `psh_01h…` */
export function showId(kind: IdKind, uuid: string): string {
  return TypeID.fromUUID(kind, uuid).toString();
}

export function showIdOrNull(kind: IdKind, uuid: string | null): string | null {
  return uuid === null ? null : showId(kind, uuid);
}

/**
 * The uuid of a channel's id. What is no id at all is most often a handle, so the refusal says what an id looks like; it
 * depends on the argument's own shape and on nothing that is stored. @throws 404.
 */
export function channelUuid(text: string): string {
  const id = parseId("psh", text);
  if (!id) throw new ApiError("not_found", "No such channel. Use its id (psh_…), not its handle.");
  return id;
}

/** `psh_01h…` → uuid; null for any other text, another kind's id included. */
export function parseId(kind: IdKind, text: string): string | null {
  if (text.length !== kind.length + 27) return null;
  try {
    const uuid = TypeID.fromString(text, kind).toUUID();
    // The library accepts spellings that it would not print; only the printed one is an id.
    return showId(kind, uuid) === text ? uuid : null;
  } catch {
    return null;
  }
}
