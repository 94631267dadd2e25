// A text in few words: its beginning (docs/rules.md#views).

import { codePoints } from "../../model/fields/accepts.ts";
import { LIMITS } from "../../model/limits.ts";

/** `most`: characters, the mark that it goes on among them. */
export const cut = (text: string, most: number = LIMITS.brief_text): string =>
  codePoints(text) <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;
