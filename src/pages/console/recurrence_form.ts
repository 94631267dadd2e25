// The recurrence of an alert as a form: a choice, its days, a zone and an end, or a custom rule. Shows the next time,
// and a recurrence as text where the form offers it.

import { formatErrorForUi } from "../../model/api_and_ui_error_texts.ts";
import { ApiError, type FieldErrorInput } from "../../model/api_error.ts";
import { findNextOccurrences } from "../../model/domain/occurrences.ts";
import { isTimeZone } from "../../model/fields/zoned_time_conversion.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { timeElement } from "../../ui/time_format.ts";
import { checkbox, renderFieldErrorAndAttributes, renderSelectField, type SelectOption } from "./components.ts";
import { type FormState, renderFormTextField } from "./form_controls.ts";

export const WEEKDAYS: Record<string, string> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};

const EVERY: Record<string, string> = {
  "FREQ=DAILY": "Every day",
  "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "On weekdays",
  "FREQ=WEEKLY": "Every week",
  "FREQ=MONTHLY": "Every month",
};

/** `Every day until 1 March 2027, by the clocks of Europe/Lisbon`. */
export function describeRecurrence(recurrence: string | null): string {
  const [rule = "", zone = ""] = (recurrence ?? "").split(" ");
  const parts = rule.split(";");
  const end = (name: string) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  const bare = parts.filter((part) => !/^(COUNT|UNTIL)=/.test(part)).join(";");
  const days = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(bare)?.[1]?.split(",") ?? [];
  const weekly = days.length > 0 && `Every week on ${days.map((day) => WEEKDAYS[day] ?? day).join(", ")}`;
  const said = EVERY[bare] ?? (weekly || bare);
  const until = end("UNTIL")?.replace(/^(....)(..)(..).*$/, " until $1-$2-$3") ?? "";
  const count = end("COUNT") ? `, ${end("COUNT")} times` : "";
  return `${said}${until}${count} (${zone})`;
}

const SHOWN = 5;

/** The controls of a recurrence; `day` has several values. */
export const RECURRENCE_FIELDS: readonly string[] = ["repeat", "day", "zone", "until", "recurrence"];

const CHOICES = [
  { value: "", label: "Does not repeat" },
  { value: "FREQ=DAILY", label: "Every day" },
  { value: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", label: "On weekdays" },
  { value: "days", label: "Weekly, on the days below" },
  { value: "FREQ=MONTHLY", label: "Monthly, on the same day" },
  { value: "own", label: "Custom rule" },
];

const END = /;UNTIL=(\d{4})(\d\d)(\d\d)$/;

/** All time zones, with the present one, which may be an older name. */
export const buildZoneOptions = (present: string): SelectOption[] =>
  [...new Set(["UTC", present, ...Intl.supportedValuesOf("timeZone")])]
    .toSorted()
    .map((value) => ({ value, label: value.replaceAll("_", " ") }));

export const INVALID_ZONE_MESSAGE = "Enter a time zone such as Europe/Lisbon, or UTC.";

const zoneOf = (form: URLSearchParams): string => (form.get("zone") ?? "").trim() || "UTC";

/** The recurrence of the form; null: it does not repeat. */
export function parseRecurrenceForm(form: URLSearchParams): string | null {
  const choice = form.get("repeat") ?? "";
  if (choice === "") return null;
  const until = form.get("until") ?? "";
  const rule =
    choice === "own"
      ? (form.get("recurrence") ?? "").trim()
      : choice === "days"
        ? `FREQ=WEEKLY;BYDAY=${form.getAll("day")}`
        : choice;
  return `${rule}${until && `;UNTIL=${until.replaceAll("-", "")}`} ${zoneOf(form)}`;
}

/** The errors that the form detects before the operations, by the control that fixes them. */
export function findRecurrenceErrors(form: URLSearchParams): FieldErrorInput[] {
  const repeat = form.get("repeat") ?? "";
  if (repeat === "") return [];
  const wrong: [string, boolean, string][] = [
    [
      "repeat",
      form.get("when") !== "later",
      "A repeating alert needs a start time. Choose “Later” above, or “Does not repeat”.",
    ],
    ["day", repeat === "days" && !form.has("day"), "Choose the days on which the alert repeats."],
    ["zone", !isTimeZone(zoneOf(form)), INVALID_ZONE_MESSAGE],
    [
      "until",
      !/^(\d{4}-\d\d-\d\d)?$/.test(form.get("until") ?? ""),
      "Enter a date such as 2027-03-31, or leave this empty.",
    ],
  ];
  return wrong.flatMap(([param, is, message]) => (is ? [{ param, message }] : []));
}

/** The place of the operations' errors about the recurrence. */
export const getRecurrenceErrorControl = (form: URLSearchParams): string =>
  form.get("repeat") === "own" ? "recurrence" : "repeat";

/** The same the other way. */
export function fillRecurrenceForm(form: URLSearchParams, recurrence: string | null): void {
  for (const name of RECURRENCE_FIELDS) form.delete(name);
  if (recurrence === null) return;
  const [rule = "", zone = ""] = recurrence.split(" ");
  const [, ...day] = END.exec(rule) ?? [];
  const bare = rule.replace(END, "");
  const days = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(bare)?.[1]?.split(",") ?? [];
  const known = bare !== "" && CHOICES.some(({ value }) => value === bare);
  form.set("repeat", known ? bare : days.length > 0 ? "days" : "own");
  form.set("zone", zone);
  form.set("until", day.join("-"));
  if (!known && days.length === 0) form.set("recurrence", bare);
  if (!known) for (const one of days) form.append("day", one);
}

export function renderRecurrenceFields(typed: FormState): Html {
  const { form, error } = typed;
  const { line, attributes } = renderFieldErrorAndAttributes(error, "day");
  const days = Object.entries(WEEKDAYS).map(([value, label], i) =>
    checkbox({
      ...{ id: i === 0 ? "day" : `day-${value}`, name: "day", value, label },
      ...{ checked: form.getAll("day").includes(value), attributes: i === 0 && attributes },
    }),
  );
  return html`${renderSelectField({
    name: "repeat",
    label: "Repeat",
    options: CHOICES,
    value: form.get("repeat") ?? "",
    error,
  })}
    <fieldset class="plain when-days"><legend>On</legend>${line}<div class="ticks">${days}</div></fieldset>
    <div class="when-own">${renderFormTextField(typed, {
      name: "recurrence",
      label: "Custom rule",
      literal: true,
      hint: "An RFC 5545 rule. For example, FREQ=MONTHLY;BYDAY=-1FR means the last Friday of each month.",
    })}</div>
    <div class="columns when-repeats">${renderFormTextField(typed, {
      name: "zone",
      label: "Time zone",
      literal: true,
      hint: "For example, Europe/Lisbon. Defaults to UTC. The local time stays the same when the clocks change.",
    })}
    ${renderFormTextField(typed, {
      name: "until",
      label: "Until",
      kind: "date",
      hint: "The last day on which the alert can repeat. If empty, the alert repeats until you stop it.",
    })}</div>`;
}

/**
 * The next time, before it is saved; an error is shown at the field after saving. A script of the page refreshes it.
 */
export function renderNextOccurrences(recurrence: string | null, sendAt: string | null, now: Date): Html {
  const render = (times: HtmlContent) => html`<div id="next-ones">${times}</div>`;
  if (recurrence === null || sendAt === null || Number.isNaN(Date.parse(sendAt))) return render(null);
  let times: number[];
  try {
    times = findNextOccurrences(recurrence, { sendAt: Date.parse(sendAt), now: now.getTime(), most: SHOWN });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return render(html`<p class="hint">${formatErrorForUi(error)}</p>`);
  }
  const skipped = describeSkippedMonths(recurrence, sendAt);
  return render(html`<p>Next:</p><ul>${times.map((ms) => html`<li>${timeElement(new Date(ms))}</li>`)}</ul>
    ${skipped && html`<p class="hint">${skipped}</p>`}`);
}

const SHORTER: Record<number, string> = { 29: "February, except in leap years", 30: "February" };

/** A note for a monthly rule on a day that not every month has; null for any other rule. */
export function describeSkippedMonths(recurrence: string, sendAt: string): string | null {
  const [rule = "", zone = "UTC"] = recurrence.split(" ");
  if (!/\bFREQ=MONTHLY\b/.test(rule) || /\b(?:BYDAY|BYSETPOS|BYMONTH)=/.test(rule)) return null;
  const start = new Intl.DateTimeFormat("en", { day: "numeric", timeZone: zone }).format(Date.parse(sendAt));
  const days = /\bBYMONTHDAY=([\d,+-]+)/.exec(rule)?.[1]?.split(",").map(Number) ?? [Number(start)];
  const day = Math.max(...days);
  if (day < 29) return null;
  const months = SHORTER[day] ?? "months with fewer than 31 days";
  return `This rule skips ${months}. For the last day of each month, use the custom rule FREQ=MONTHLY;BYMONTHDAY=-1.`;
}
