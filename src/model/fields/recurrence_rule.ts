// The recurrence of an alert as one text: a rule of RFC 5545 and the zone in which it is read, FREQ=WEEKLY;BYDAY=MO
// Europe/Lisbon. This file parses and checks it; model/domain/occurrences.ts finds its times.

import { z } from "zod";
import {
  createApiAndUiText,
  createZodFieldIssue,
  type ErrorMessage,
  isErrorMessage,
} from "../api_and_ui_error_texts.ts";
import { LIMITS } from "../limits.ts";
import { findZoneName, localToUtcLenient, UNKNOWN_ZONE_FAILURE } from "./zoned_time_conversion.ts";

const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"] as const;
type Frequency = (typeof FREQUENCIES)[number];
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** The parts of a rule as numbers; a part that is absent is an empty list. */
export interface RuleParts {
  freq: Frequency;
  interval: number;
  count: number | null;
  BYMINUTE: readonly number[];
  BYHOUR: readonly number[];
  /** `nth` 0: each one. `weekday` 0: Monday. */
  BYDAY: readonly { nth: number; weekday: number }[];
  BYMONTHDAY: readonly number[];
  BYYEARDAY: readonly number[];
  BYWEEKNO: readonly number[];
  BYMONTH: readonly number[];
  BYSETPOS: readonly number[];
  /** The first day of a week; 0: Monday. */
  WKST: number;
}

export interface Recurrence {
  parts: RuleParts;
  zone: string;
  /** ms; the last time at which it may occur. */
  until: number | null;
  /** The text in the form in which it is stored. */
  text: string;
}

const ORDINAL = "[+-]?[1-9]\\d{0,2}";
const VALUES = 50;

/** The form of each value of a part, and its description in an error; `list`: the part takes several. */
const PARTS: Readonly<Record<string, { form: RegExp; takes: string; list?: true }>> = {
  FREQ: { form: new RegExp(`^(${FREQUENCIES.join("|")})$`), takes: `one of ${FREQUENCIES.join(", ")}` },
  INTERVAL: { form: /^[1-9]\d{0,2}$/, takes: "a number from 1 to 999" },
  COUNT: {
    form: /^[1-9]\d{0,3}$/,
    takes: `a number from 1 to ${LIMITS.recurrence_end.toLocaleString("en")}; for more occurrences, use UNTIL`,
  },
  UNTIL: { form: /^\d{8}(T\d{6}Z?)?$/, takes: "a date or a timestamp, such as 20270331 or 20270331T180000Z" },
  BYMINUTE: { form: /^[0-5]?\d$/, takes: "minutes from 0 to 59", list: true },
  BYHOUR: { form: /^([01]?\d|2[0-3])$/, takes: "hours from 0 to 23", list: true },
  BYDAY: {
    form: new RegExp(`^(${ORDINAL})?(${WEEKDAYS.join("|")})$`),
    takes: "days, such as MO, 2TU or -1FR",
    list: true,
  },
  BYMONTHDAY: { form: /^[+-]?([1-9]|[12]\d|3[01])$/, takes: "days of the month from 1 to 31 or -31 to -1", list: true },
  BYYEARDAY: { form: new RegExp(`^${ORDINAL}$`), takes: "days of the year, such as 1, 200 or -1", list: true },
  BYWEEKNO: { form: /^[+-]?([1-9]|[1-4]\d|5[0-3])$/, takes: "weeks from 1 to 53 or -53 to -1", list: true },
  BYMONTH: { form: /^([1-9]|1[0-2])$/, takes: "months, such as 1 for January", list: true },
  BYSETPOS: { form: new RegExp(`^${ORDINAL}$`), takes: "positions, such as 1 or -1", list: true },
  WKST: { form: new RegExp(`^(${WEEKDAYS.join("|")})$`), takes: `one of ${WEEKDAYS.join(", ")}` },
};

const FORM = createApiAndUiText(
  "must be an RFC 5545 rule and an IANA time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
  "must be a rule and a time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
);
const NO_ZONE = createApiAndUiText(
  "must end with a space and an IANA time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
  "must be a rule and a time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
);

/** Parts that may accompany a rule that counts hours or minutes: other parts would leave out most of what it counts. */
const WITH_HOURS = new Set(["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYHOUR", "BYMINUTE", "WKST"]);
const TOO_FINE = "can select days only with BYDAY if FREQ is HOURLY or MINUTELY; otherwise, use FREQ=DAILY with BYHOUR";

/** Frequencies with which RFC 5545 allows a part. */
const ONLY_WITH: Readonly<Record<string, readonly string[]>> = {
  BYWEEKNO: ["YEARLY"],
  BYYEARDAY: ["YEARLY"],
  BYMONTHDAY: ["YEARLY", "MONTHLY", "DAILY"],
};

/** The end of a day, or a timestamp, in ms; null for a date that does not exist. */
function endOf(value: string, zone: string): number | null {
  const [, day, time = "235959", utc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(value) ?? [];
  const text = `${day?.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`;
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== text.slice(0, 19)) return null;
  return utc === "Z" ? ms : localToUtcLenient(zone, ms);
}

/**
 * The parts of a rule by their names, or what is wrong with one. A part that is not known is named by its position
 * alone.
 */
function partsOf(rule: string): Map<string, string> | string {
  const parts = new Map<string, string>();
  for (const [i, part] of rule.split(";").entries()) {
    const [name = "", value = "", ...more] = part.split("=");
    if (name === "BYSECOND" || value === "SECONDLY")
      return `must leave at least ${LIMITS.recurrence_minutes} minutes between occurrences; seconds are not supported`;
    const known = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!known) return `has an unknown part at position ${i + 1}; use ${Object.keys(PARTS).join(", ")}`;
    if (parts.has(name)) return `must contain ${name} only once`;
    const values = known.list ? value.split(",") : [value];
    const wrong = more.length > 0 ? 0 : values.findIndex((each) => !known.form.test(each));
    if (wrong >= 0) {
      const which = known.list && values.length > 1 ? `value ${wrong + 1} for ${name}` : name;
      return `has an invalid ${which}; ${name} accepts ${known.takes}`;
    }
    if (values.length > VALUES) return `must contain at most ${VALUES} values for ${name}`;
    parts.set(name, value);
  }
  return parts;
}

/** The fault of parts that are valid one by one and do not go together; null if they do. */
function mismatchOf(parts: ReadonlyMap<string, string>): string | null {
  const freq = parts.get("FREQ");
  if (freq === undefined) return "must contain FREQ, such as FREQ=WEEKLY";
  const elapses = freq === "HOURLY" || freq === "MINUTELY";
  if (elapses && [...parts.keys()].some((name) => !WITH_HOURS.has(name))) return TOO_FINE;
  if (Number(parts.get("COUNT") ?? 0) > LIMITS.recurrence_end)
    return `has an invalid COUNT; COUNT accepts ${PARTS.COUNT?.takes}`;
  if (parts.has("UNTIL") && parts.has("COUNT")) return "must be limited by either COUNT or UNTIL, not both";
  for (const [name, frequencies] of Object.entries(ONLY_WITH))
    if (parts.has(name) && !frequencies.includes(freq))
      return `must not combine ${name} with FREQ=${freq}; ${name} requires FREQ=${frequencies.join(" or ")}`;
  if (/\d/.test(parts.get("BYDAY") ?? "") && (!["YEARLY", "MONTHLY"].includes(freq) || parts.has("BYWEEKNO")))
    return "must not use numbered days in BYDAY here; they require FREQ=MONTHLY or YEARLY, without BYWEEKNO";
  if (parts.has("BYSETPOS") && ![...parts.keys()].some((name) => name.startsWith("BY") && name !== "BYSETPOS"))
    return "must combine BYSETPOS with another part, such as BYDAY";
  return null;
}

/** Upper case, without blanks around the parts and without empty parts. */
const normalized = (rule: string): string =>
  rule
    .toUpperCase()
    .replace(/\s*([;,=])\s*/g, "$1")
    .split(";")
    .filter((part) => part !== "")
    .join(";");

/**
 * The recurrence of a text, or what is wrong with it, as it follows the field's name. Letter case and blanks are
 * free.
 */
export function parseRecurrence(value: string): Recurrence | ErrorMessage {
  const line = /\b(DTSTART|DTEND|RDATE|EXDATE|EXRULE)\b/i.exec(value)?.[1]?.toUpperCase();
  if (line === "DTSTART") return "must not contain DTSTART; send_at sets the start";
  if (line !== undefined) return `must not contain ${line}; send one rule and one time zone`;
  const [, before = "", , last = ""] = /^((?:.*\S)?)(\s+)(\S+)$/.exec(value.trim()) ?? [];
  const rule = normalized(before.replace(/^RRULE:/i, ""));
  if (!value.includes("=")) return FORM;
  // `FREQ=DAILY; COUNT=2` ends with a part, and `BYDAY=MO, TU` with a value.
  if (rule === "" || /[;=:,]/.test(last) || /[,=]$/.test(rule)) return NO_ZONE;
  const zone = findZoneName(last);
  if (zone === null) return UNKNOWN_ZONE_FAILURE.message;
  const parts = partsOf(rule);
  if (typeof parts === "string") return parts;
  const mismatch = mismatchOf(parts);
  if (mismatch !== null) return mismatch;
  const end = parts.get("UNTIL");
  const until = end === undefined ? null : endOf(end, zone);
  if (end !== undefined && until === null) return "has an invalid UNTIL; use a valid date";
  const numbers = (name: string) => (parts.has(name) ? (parts.get(name) as string).split(",").map(Number) : []);
  const days = parts.get("BYDAY")?.split(",") ?? [];
  return {
    parts: {
      freq: parts.get("FREQ") as Frequency,
      interval: Number(parts.get("INTERVAL") ?? 1),
      count: parts.has("COUNT") ? Number(parts.get("COUNT")) : null,
      BYMINUTE: numbers("BYMINUTE"),
      BYHOUR: numbers("BYHOUR"),
      BYDAY: days.map((day) => ({ nth: Number(day.slice(0, -2)), weekday: WEEKDAYS.indexOf(day.slice(-2)) })),
      BYMONTHDAY: numbers("BYMONTHDAY"),
      BYYEARDAY: numbers("BYYEARDAY"),
      BYWEEKNO: numbers("BYWEEKNO"),
      BYMONTH: numbers("BYMONTH"),
      BYSETPOS: numbers("BYSETPOS"),
      WKST: Math.max(0, WEEKDAYS.indexOf(parts.get("WKST") ?? "MO")),
    },
    zone,
    until,
    text: `${rule} ${zone}`,
  };
}

/** The same recurrence that ends before a time in ms. */
export function endRecurrenceBefore(value: string, ms: number): string {
  const [rule = "", zone = ""] = value.split(" ");
  const parts = rule.split(";").filter((part) => !/^(UNTIL|COUNT)=/.test(part));
  const end = new Date(ms - 1000).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${[...parts, `UNTIL=${end}`].join(";")} ${zone}`;
}

export function recurrenceSchema() {
  return z
    .string()
    .check(({ value, issues }) => {
      if (value.length > LIMITS.recurrence)
        issues.push(createZodFieldIssue("too_long", `must be at most ${LIMITS.recurrence} characters long`, value));
      else {
        const read = parseRecurrence(value);
        if (isErrorMessage(read)) issues.push(createZodFieldIssue("invalid_recurrence", read, value));
      }
    })
    .transform((value) => {
      const read = parseRecurrence(value);
      return isErrorMessage(read) ? value : read.text;
    });
}
