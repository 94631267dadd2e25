// Schemas of values that several inputs use. Lengths count Unicode code points, as in JSON Schema. Every message is our
// own fixed text and names the valid input.

import { z } from "zod";
import {
  createApiAndUiText,
  createZodFieldIssue,
  createZodRefineParams,
  type ErrorMessage,
  type FieldValidationFailure,
} from "../api_and_ui_error_texts.ts";
import { LIMITS } from "../limits.ts";
import { findNeedlessInvisibleKind, hasControlCharacters, hasVisibleText } from "./invisible_characters.ts";
import { isTimeZone, localToUtc, splitZonedLocalTime } from "./zoned_time_conversion.ts";

/** Characters of a text; two halves of a surrogate pair are one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--;
  return count;
}

/** True for at most `max` characters. Only a text that may go either way is counted. */
export const isWithinLength = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && countCodePoints(text) <= max);

/** Returns the maximum length of a schema, if it has one. */
export const getMaxLength = (schema: z.ZodType | undefined): number | undefined => {
  const most = schema?.meta()?.maxLength;
  return typeof most === "number" ? most : undefined;
};

interface TextRules {
  /** Allows line ends and tabs. Other control characters are never allowed. */
  lines?: boolean;
  /** The caller removes and reports unneeded invisible characters. Otherwise they are a 422. */
  cleaned?: boolean;
}

const INVISIBLE = "must not contain invisible characters";

/**
 * A string of `min` to `max` code points that people and assistants read. With `min` above 0, what cannot be seen does
 * not count.
 */
export function textSchema(min: number, max: number, { lines = false, cleaned = false }: TextRules = {}) {
  const bounds = min > 0 ? { minLength: min, maxLength: max } : { maxLength: max };
  const controls = lines
    ? "must not contain control characters other than tabs and line breaks"
    : "must be one line, without control characters";
  return z
    .string()
    .refine((value) => isWithinLength(value, max), {
      ...createZodRefineParams("too_long", `must be at most ${max} characters long`),
      abort: true,
    })
    .refine((value) => !hasControlCharacters(value, { lines }), {
      ...createZodRefineParams("invalid_characters", controls),
      abort: true,
    })
    .refine((value) => cleaned || findNeedlessInvisibleKind(value) === null, {
      ...createZodRefineParams("invalid_characters", INVISIBLE),
      error: ({ input }) => `${INVISIBLE} (${findNeedlessInvisibleKind(input as string)})`,
      abort: true,
    })
    .refine(
      (value) => min === 0 || hasVisibleText(value),
      createZodRefineParams("empty_text", createApiAndUiText("must not be blank", "is missing")),
    )
    .meta(bounds);
}

/** A text for people: parts that no reader sees are removed from it. */
export const createProseFieldInput = (min: number, max: number, { lines = false } = {}) => ({
  accepts: textSchema(min, max, { lines, cleaned: true }),
  cleaned: true as const,
});

/** Checks for an https URL without credentials, white space and invisible characters (rules#https-only). */
export function isHttpsUrl(value: string): boolean {
  const isPlain = isWithinLength(value, LIMITS.url) && !/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(value);
  const url = isPlain ? URL.parse(value) : null;
  return url?.protocol === "https:" && /^https:\/\//i.test(value) && !url.username && !url.password;
}

export const NOT_HTTPS = createApiAndUiText(
  `must be an absolute https URL of at most ${LIMITS.url} characters, without credentials or invisible characters`,
  `must be a complete address that starts with https://, of at most ${LIMITS.url} characters`,
);

export const httpsUrlSchema = () =>
  z
    .string()
    .refine(isHttpsUrl, createZodRefineParams("invalid_url", NOT_HTTPS))
    .meta({ format: "uri", maxLength: LIMITS.url });

/** A short opaque name: lower-case letters, digits, dot, dash and underscore, beginning with a letter or digit. */
export function slugSchema(max: number) {
  return patternSchema(
    new RegExp(`^[a-z0-9][a-z0-9._-]{0,${max - 1}}$`),
    createApiAndUiText(
      `must be 1 to ${max} characters from a-z 0-9 . _ - and start with a letter or digit`,
      `must consist of 1 to ${max} lowercase letters, digits, dots, dashes or underscores, and start with a letter ` +
        "or digit",
    ),
  );
}

/** A string with a pattern, and the message of its error. JSON Schema also gets the pattern. */
export const patternSchema = (form: RegExp, message: ErrorMessage) =>
  z
    .string()
    .refine((value) => form.test(value), createZodRefineParams("invalid_format", message))
    .meta({ pattern: form.source });

// Both cases spelt out: JSON Schema has no flags.
const BCP47 = new RegExp(
  [
    // The language, its script and its region.
    "^(?:[a-zA-Z]{2,3}(?:-[a-zA-Z]{3}){0,3}|[a-zA-Z]{4}|[a-zA-Z]{5,8})(?:-[a-zA-Z]{4})?",
    String.raw`(?:-(?:[a-zA-Z]{2}|\d{3}))?`,
    // Variants, extensions and private parts.
    String.raw`(?:-(?:[a-zA-Z\d]{5,8}|\d[a-zA-Z\d]{3}))*(?:-[a-wA-Wy-zY-Z\d](?:-[a-zA-Z\d]{2,8})+)*`,
    String.raw`(?:-[xX](?:-[a-zA-Z\d]{1,8})+)?$|^[xX](?:-[a-zA-Z\d]{1,8})+$`,
  ].join(""),
);

/** A well-formed BCP-47 language tag. */
export function languageTagSchema() {
  return z
    .string()
    .refine((value) => value.length <= LIMITS.language_tag, {
      ...createZodRefineParams("too_long", `must be at most ${LIMITS.language_tag} characters long`),
      abort: true,
    })
    .refine(
      (value) => BCP47.test(value),
      createZodRefineParams(
        "invalid_format",
        createApiAndUiText(
          "must be a well-formed BCP-47 language tag, such as en or pt-BR",
          "must be a language, such as en or pt-BR",
        ),
      ),
    )
    .meta({ maxLength: LIMITS.language_tag, pattern: BCP47.source });
}

/**
 * An IANA time zone that the runtime knows, in any case, stored as sent. Offsets are not accepted. The pattern limits
 * the values that reach the runtime.
 */
export function timeZoneSchema() {
  const form = /^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/;
  const error = createZodRefineParams(
    "invalid_time_zone",
    createApiAndUiText(
      "must be an IANA time zone, such as Europe/Lisbon",
      "must be a time zone, such as Europe/Lisbon",
    ),
  );
  return z
    .string()
    .refine((value) => form.test(value) && isTimeZone(value), error)
    .meta({ pattern: form.source });
}

/**
 * Counts by texts that strangers chose. It does not use the schema library's record, which drops the key `__proto__`.
 * The object must be built without a prototype.
 */
export function countsByTextSchema(): z.ZodType<Record<string, number>> {
  return z
    .any()
    .refine((value) => value !== null && typeof value === "object" && !Array.isArray(value))
    .refine((value) => Object.values(value).every(Number.isInteger))
    .meta({ type: "object", additionalProperties: { type: "integer" } });
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Converts an RFC 3339 text to UTC with six decimals; null for other texts and invalid dates. */
function readRfc3339(value: string): string | null {
  const parts = RFC3339.exec(value);
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const real =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  const [sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(parts[8] ?? "")?.slice(1) ?? ["+", "0", "0"];
  if (!real || Number(hours) > 23 || Number(minutes) > 59) return null;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return written(date.getTime() - ahead * 60_000, (parts[7] ?? ".").slice(1, 7));
}

function written(ms: number, fraction = ""): string | null {
  const utc = new Date(ms);
  if (utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999) return null;
  return `${utc.toISOString().slice(0, 19)}.${fraction.padEnd(6, "0")}Z`;
}

const NO_INSTANT: FieldValidationFailure = {
  code: "invalid_timestamp",
  message: createApiAndUiText(
    "must be an RFC 3339 timestamp with Z or an offset, such as 2026-11-20T14:25:31Z, or a local time with a time " +
      "zone, such as 2026-11-24T07:30 Europe/Lisbon",
    "must be a date and time, such as 2026-11-20 14:25",
  ),
};

/** Parses a time to the format of rows and responses, or returns its problem. */
function instantOf(value: string): { at: string } | { wrong: FieldValidationFailure } {
  const local = splitZonedLocalTime(value);
  const at = readRfc3339(local?.asUtc ?? value);
  if (at === null || !local) return at === null ? { wrong: NO_INSTANT } : { at };
  const ms = localToUtc(local.zone, Date.parse(at));
  if (typeof ms !== "number") return { wrong: ms };
  const utc = written(ms);
  return utc === null ? { wrong: NO_INSTANT } : { at: utc };
}

/** Parses a time to UTC with six decimals; null if it is not valid, or outside the years 1 to 9999. */
export function parseTimestamp(value: string): string | null {
  const read = instantOf(value);
  return "at" in read ? read.at : null;
}

/** A time in any form of RFC 3339, or a local time with a zone. The parsed value is UTC with six decimals. */
export function timestampSchema() {
  return z
    .string()
    .check(({ value, issues }) => {
      const read = instantOf(value);
      if ("wrong" in read) issues.push(createZodFieldIssue(read.wrong.code, read.wrong.message, value));
    })
    .meta({ format: "date-time" })
    .transform((value) => parseTimestamp(value) ?? value);
}

/** Descriptions of a range of times, and of a range of days in statistics. */
export const TIME_RANGE_DESCRIPTIONS = {
  from: "Start: RFC 3339 or UTC day.",
  to: "End (exclusive).",
  first_day: "First UTC day; requires `to`, not `period`.",
  last_day: "Last UTC day.",
};

export const latitudeSchema = () => z.number().min(-90, "must be from -90 to 90").max(90, "must be from -90 to 90");
export const longitudeSchema = () =>
  z.number().min(-180, "must be from -180 to 180").max(180, "must be from -180 to 180");
/** Kilometres; the largest covers everything. */
const RADIUS = `must be greater than 0 and at most ${LIMITS.radius}`;
export const radiusKmSchema = () => z.number().gt(0, RADIUS).max(LIMITS.radius, RADIUS);

/** One kind of thing that the sanitiser took out of a text, and how often. */
export const removedMarkupSchema = z.object({
  kind: z.enum(["element", "attribute", "url", "style", "character"]),
  name: z.string(),
  count: z.int(),
});
