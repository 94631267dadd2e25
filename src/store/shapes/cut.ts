// A text in few words: its beginning (docs/rules.md#views).

import { codePoints } from "../../model/fields/accepts.ts";
import { LIMITS } from "../../model/limits.ts";

export const cut = (text: string): string =>
  codePoints(text) <= LIMITS.brief_text ? text : `${[...text].slice(0, LIMITS.brief_text - 1).join("")}…`;
