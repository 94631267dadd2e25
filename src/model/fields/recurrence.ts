// How often an alert repeats, as one text: a rule of RFC 5545 and the zone in which it is read, FREQ=WEEKLY;BYDAY=MO Europe/Lisbon.
// Which rules are taken; what a rule comes to is said in model/domain/occurrences.ts.

import { z } from "zod";
import { forBoth } from "../for_people.ts";
import { LIMITS } from "../limits.ts";
import { isTimeZone, nearestIn, UNKNOWN_ZONE } from "./zoned.ts";

export interface Recurrence {
  /** Without its end where that is an instant. */
  rule: string;
  zone: string;
  /** What its instants are read by: the zone's clocks where it counts days, else instants, in the zone only where it names days or hours. */
  by: "clocks" | "zone" | "instants";
  /** ms; the last instant at which it may occur. */
  until: number | null;
}

const list = (value: string) => new RegExp(`^${value}(,${value}){0,49}$`);
const ordinal = "[+-]?[1-9]\\d{0,2}";

/** What each part may hold. There is no part for seconds: those of send_at stand. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  COUNT: /^[1-9]\d{0,3}$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  BYMINUTE: list("[0-5]?\\d"),
  BYHOUR: list("([01]?\\d|2[0-3])"),
  BYDAY: list(`(${ordinal})?(MO|TU|WE|TH|FR|SA|SU)`),
  BYMONTHDAY: list("[+-]?([1-9]|[12]\\d|3[01])"),
  BYYEARDAY: list(ordinal),
  BYWEEKNO: list("[+-]?([1-9]|[1-4]\\d|5[0-3])"),
  BYMONTH: list("([1-9]|1[0-2])"),
  BYSETPOS: list(ordinal),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

const FORM = forBoth(
  "must be an RFC 5545 rule and an IANA time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
  "must be a rule and a time zone, such as FREQ=WEEKLY;BYDAY=MO Europe/Lisbon",
);

const TOO_MANY = `must have a COUNT of at most ${LIMITS.recurrence_end.toLocaleString("en")}; UNTIL has no such bound`;

/** What may stand beside a rule that counts hours or minutes: other parts would leave most of what it counts out. */
const WITH_HOURS = new Set(["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYHOUR", "BYMINUTE", "WKST"]);
const TOO_FINE = "must name days by BYDAY alone where it counts hours or minutes; count days, with BYHOUR";

/** The end of a day, or an instant, in ms; null for what no calendar holds. */
function endOf(value: string, zone: string): number | null {
  const [, day, time = "235959", utc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(value) ?? [];
  const text = `${day?.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`;
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== text.slice(0, 19)) return null;
  return utc === "Z" ? ms : nearestIn(zone, ms);
}

/** What a text says, or what is wrong with it, as it follows the field's name. */
export function readRecurrence(value: string): Recurrence | string {
  const [, rule = "", zone = ""] =
    /^(?:RRULE:)?([A-Z=;,\d+-]+Z?[A-Z=;,\d+-]*) ([A-Za-z][A-Za-z0-9_+/-]{1,63})$/.exec(value) ?? [];
  if (rule === "") return FORM;
  if (!isTimeZone(zone)) return UNKNOWN_ZONE;
  const parts = new Map(rule.split(";").map((part) => part.split("=", 2) as [string, string]));
  if (parts.size !== rule.split(";").length) return "must name each part of its rule once";
  for (const [name, held = ""] of parts) {
    if (name === "BYSECOND" || held === "SECONDLY")
      return `must leave ${LIMITS.recurrence_minutes} minutes between two occurrences; it cannot count seconds`;
    if (!Object.hasOwn(PARTS, name) || !PARTS[name]?.test(held)) return FORM;
  }
  const freq = parts.get("FREQ");
  if (freq === undefined) return FORM;
  const elapses = freq === "HOURLY" || freq === "MINUTELY";
  if (elapses && [...parts.keys()].some((name) => !WITH_HOURS.has(name))) return TOO_FINE;
  if (Number(parts.get("COUNT") ?? 0) > LIMITS.recurrence_end) return TOO_MANY;
  const end = parts.get("UNTIL");
  if (end !== undefined && parts.has("COUNT")) return "must end by COUNT or by UNTIL, not by both";
  const until = end === undefined ? null : endOf(end, zone);
  if (end !== undefined && until === null) return "must have a day that there is as UNTIL";
  parts.delete("UNTIL");
  const bare = [...parts].map(([name, held]) => `${name}=${held}`).join(";");
  return {
    rule: bare,
    zone,
    by: elapses ? (/BY(DAY|HOUR)/.test(bare) ? "zone" : "instants") : "clocks",
    until,
  };
}

/** The same recurrence that ends before an instant in ms. */
export function endedBefore(value: string, ms: number): string {
  const [rule = "", zone = ""] = value.split(" ");
  const parts = rule.split(";").filter((part) => !/^(UNTIL|COUNT)=/.test(part));
  const end = new Date(ms - 1000).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${[...parts, `UNTIL=${end}`].join(";")} ${zone}`;
}

export function recurrence() {
  const wrong = (value: unknown) => {
    const read = value === undefined ? FORM : readRecurrence(String(value));
    return typeof read === "string" ? read : null;
  };
  return z
    .string()
    .refine((value) => value.length <= LIMITS.recurrence, {
      error: `must be at most ${LIMITS.recurrence} characters long`,
      abort: true,
    })
    .refine((value) => wrong(value) === null, { error: ({ input }) => wrong(input) ?? FORM });
}
