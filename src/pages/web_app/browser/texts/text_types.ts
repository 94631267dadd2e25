// The types of the app's texts: English is the list of all keys.

import type { en } from "./en.ts";

/** A text, or a form of it for each plural category that the language has. */
export type Text = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, Text>>;
