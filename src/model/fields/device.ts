// The details that a handset reports about itself. Owners and their assistants read them, so none of them is free text.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { enumKind, textKind } from "./field_kinds.ts";
import { defineFields } from "./field_table.ts";
import { languageTagSchema, timeZoneSchema } from "./value_schemas.ts";

/** The platforms of handsets. */
export const PLATFORMS = ["ios", "android", "web", "desktop", "cli", "ntfy", "other"] as const;

/** The name for all other values. */
export const OTHER_DEVICE_VALUE = "other";

/**
 * The form of versions and locales that assistants see: numbers, and a language with its region. The raw values may
 * contain a sentence of a stranger (rules#subscribers-in-plain-labels).
 */
export const extractVersionNumberOrOther = (text: string): string =>
  /^\d{1,6}(?:\.\d{1,6}){0,3}/.exec(text)?.[0] ?? OTHER_DEVICE_VALUE;
export function reduceToLanguageAndRegion(text: string): string {
  const parts = /^([a-zA-Z]{2,3})(?:-[a-zA-Z]{3}){0,3}(?:-[a-zA-Z]{4})?(?:-([a-zA-Z]{2}|\d{3}))?(?:-|$)/;
  const [, language, region] = parts.exec(text) ?? [];
  if (language === undefined) return OTHER_DEVICE_VALUE;
  return region === undefined ? language : `${language}-${region}`;
}

const VERSION = `must be 1 to ${LIMITS.app_version} characters from 0-9 A-Z a-z . + _ -, such as 1.4.0`;

/** Owners see each of them without the device: in lists of subscribers, and counted. */
const OWNERS = ["owner", "list"] as const;

export const DEVICE_FIELDS = defineFields({
  platform: {
    ...enumKind(PLATFORMS),
    accepts: z.enum(PLATFORMS),
    required: true,
    shown: OWNERS,
    drawn: { label: "Platform", own: ["owner"] },
  },
  app_version: {
    ...textKind,
    accepts: z.string().regex(new RegExp(`^[0-9A-Za-z.+_-]{1,${LIMITS.app_version}}$`), VERSION),
    required: true,
    shown: OWNERS,
    drawn: { label: "App version", own: ["owner"] },
  },
  locale: {
    ...textKind,
    accepts: languageTagSchema(),
    required: true,
    shown: OWNERS,
    drawn: { label: "Language and region", own: ["owner"] },
  },
  timezone: {
    ...textKind,
    accepts: timeZoneSchema(),
    required: true,
    shown: OWNERS,
    drawn: { label: "Time zone", own: ["owner"] },
  },
});
