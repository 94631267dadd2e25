// The types of the texts: English is the list of all keys, and each language states its plural categories.

import type { englishAlertsAndSubscribingTexts } from "./en/alerts_and_subscribing.ts";
import type { englishPublicPageTexts } from "./en/public_pages.ts";
import type { englishSoundAndPermissionTexts } from "./en/sounds_and_permissions.ts";
import type { en } from "./en.ts";

/** A text with a form for each plural category of the language. */
type PluralText<Category extends Intl.LDMLPluralRule> = Readonly<Record<Category | "other", string>>;

/** A text, or its plural forms. */
export type TextOrPluralForms = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
export type TextKey = keyof typeof en;
export type PageTextKey = keyof typeof englishPublicPageTexts;

/** Texts of any language. */
export type AppTexts = Readonly<Record<TextKey, TextOrPluralForms>>;
export type PublicPageTexts = Readonly<Record<PageTextKey, TextOrPluralForms>>;

/** Texts with a form for a count in English have one in each language; others have none. */
type Translated<English, Category extends Intl.LDMLPluralRule> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : PluralText<Category>;
};

/** The part of a language's texts about effects; none of it is counted. */
export type SoundAndPermissionTexts = Translated<typeof englishSoundAndPermissionTexts, "other">;
export type AlertsAndSubscribingTexts = Translated<typeof englishAlertsAndSubscribingTexts, "other">;
/** The texts of the app in a language with these plural categories, which the compiler requires. */
export type AppTextsWithPlurals<Category extends Intl.LDMLPluralRule> = Translated<typeof en, Category>;
/** The texts of the public pages in such a language. */
export type PublicPageTextsWithPlurals<Category extends Intl.LDMLPluralRule> = Translated<
  typeof englishPublicPageTexts,
  Category
>;
