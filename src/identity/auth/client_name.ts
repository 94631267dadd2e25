// The name that an assistant gives itself, as it may be shown. Nobody has checked it, so it must not look like anything
// else on a page: one line, short, without characters that hide or reorder their neighbours, without quotes of its own.

import { cleanText } from "../../model/fields/characters.ts";

/** Characters that are shown; a name of more says so at its end. */
const SHOWN = 60;

/** Null when there is nothing to show. */
export function clientName(said: unknown): string | null {
  if (typeof said !== "string") return null;
  const line = cleanText(said.slice(0, 2000).toWellFormed())
    .text.replace(/["“”„‟«»]/g, "'")
    // Marks piled on one letter grow over the lines beside it.
    .replace(/(\p{M}{3})\p{M}+/gu, "$1")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  if (characters.length === 0) return null;
  return characters.length <= SHOWN ? line : `${characters.slice(0, SHOWN).join("").trimEnd()}…`;
}
