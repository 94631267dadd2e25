// How a person says that an alert repeats: a choice, its days, a zone and an end, or a rule of their own; and when that is next.

import { nextTimes } from "../../model/domain/occurrences.ts";
import type { ApiError } from "../../model/errors.ts";
import { clock } from "../../ui/clock.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { type Typed, written } from "./field_controls.ts";
import { select, tick } from "./parts.ts";
import { DAYS } from "./recurrence_words.ts";

const SHOWN = 5;

const CHOICES = [
  { value: "", label: "Does not repeat" },
  { value: "FREQ=DAILY", label: "Every day" },
  { value: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", label: "On weekdays" },
  { value: "days", label: "Every week, on the days below" },
  { value: "FREQ=MONTHLY", label: "Every month, on the day of its time" },
  { value: "own", label: "By the rule below" },
];

const END = /;UNTIL=(\d{4})(\d\d)(\d\d)$/;

/** What the form says; null: it does not repeat. */
export function recurrenceOf(form: URLSearchParams): string | null {
  const choice = form.get("repeat") ?? "";
  if (choice === "") return null;
  const until = form.get("until") ?? "";
  const rule =
    choice === "own"
      ? (form.get("recurrence") ?? "").trim()
      : choice === "days"
        ? `FREQ=WEEKLY;BYDAY=${form.getAll("day")}`
        : choice;
  return `${rule}${until && `;UNTIL=${until.replaceAll("-", "")}`} ${(form.get("zone") ?? "").trim() || "UTC"}`;
}

/** The same the other way. */
export function fillRecurrence(form: URLSearchParams, recurrence: string | null): void {
  for (const name of ["repeat", "recurrence", "day", "until", "zone"]) form.delete(name);
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

export function repeatFields(typed: Typed): Html {
  const { form, error } = typed;
  return html`${select({ name: "repeat", label: "Repeat", options: CHOICES, value: form.get("repeat") ?? "", ...(error && { error }) })}
    <details class="more"${form.get("repeat") && html` open`}><summary>Days, zone and end</summary>
    <fieldset><legend>Days</legend><div class="actions">${Object.entries(DAYS).map(([value, label]) => tick({ id: `day-${value}`, name: "day", value, label, checked: form.getAll("day").includes(value) }))}</div></fieldset>
    ${written(typed, { name: "zone", label: "By the clocks of", hint: "A time zone, such as Europe/Lisbon. The time of day stays when its clocks change." })}
    ${written(typed, { name: "until", label: "Until", hint: "The last day, such as 2027-03-31. Empty: until it is ended." })}
    ${written(typed, { name: "recurrence", label: "A rule of your own", hint: "As RFC 5545 has it: FREQ=MONTHLY;BYDAY=-1FR is the last Friday of each month." })}</details>`;
}

/** When it is next, before it is saved; what is wrong with it stands at the field once it is. */
export async function nextOnes(
  recurrence: string | null,
  sendAt: string | null,
  now: Date,
): Promise<Content> {
  if (recurrence === null || sendAt === null || Number.isNaN(Date.parse(sendAt))) return null;
  const times = await nextTimes(recurrence, {
    sendAt: Date.parse(sendAt),
    now: now.getTime(),
    most: SHOWN,
  }).catch((error: ApiError) => error.message);
  if (typeof times === "string") return html`<p class="hint">${times}</p>`;
  return html`<p>Next:</p><ul>${times.map((ms) => html`<li>${clock(new Date(ms))}</li>`)}</ul>`;
}
