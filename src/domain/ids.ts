// TypeIDs on the wire, native uuid (version 7) in the rows. A text that is no id of the wanted kind is null, and the
// caller answers as for a row that does not exist.

import { TypeID } from "typeid-js";
import { v7 } from "uuid";

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
