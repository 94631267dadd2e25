// Controls that only the form of an alert has: switches of few choices, and files with what was uploaded before. And
// what stands above it: where two people edited one alert, who was faster, and both texts, so that nothing is lost or
// overwritten unseen; and where the alert was sent a moment ago already, a question with a way to that one, before
// phones ring a second time (rules#console-asks-again).

import type { z } from "zod";
import { find_equal_send } from "../../../identity/session/reviews.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import type { AlertAction } from "../../../model/fields/alert_action.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { getChannelPath } from "../channel_header.ts";
import { checkbox, errorParts, relativeTime, select } from "../components.ts";
import { type FormState, fieldControl, segmentedControl } from "../form_controls.ts";
import type { AlertResult, MemberContext } from "../page_context.ts";
import { ALERT_LABELS, mergeEdits } from "./compose_fields.ts";
import { FILE_NAMES, fileField, type UploadField } from "./files.ts";
import { actorLabel, isOwnAction, listAlertEvents } from "./review_history.ts";

const SENDING = ["send_alert", "create_alert"];

/** The hidden field of a form whose person was asked: which alert stands there already. */
export const duplicateConfirmedField = ({ form }: Pick<MemberContext, "form">): Html | null =>
  form.has("again") ? html`<input type="hidden" name="again" value="${form.get("again")}">` : null;

/**
 * The question; null where nothing was sent that reads the same, or the person has answered it. Notes in the form
 * what was asked about. @param fields the fields of the alert @param once the key under which this form makes its
 * alert
 */
export async function duplicateWarning(
  visit: MemberContext,
  pusher_id: string,
  fields: Record<string, unknown>,
  once: string | null = null,
): Promise<Html | null> {
  const { form, now } = visit;
  const args = { pusher_id, once, fields: fields as z.input<typeof find_equal_send.input>["fields"] };
  const { alert } = await visit.asMember(find_equal_send, args);
  if (!alert || form.get("again") === alert.id) return null;
  form.set("again", alert.id);
  const sent = (await listAlertEvents(visit, alert.id)).find(({ operation }) => SENDING.includes(operation));
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(alert.sent_at)) / 1000));
  const when =
    seconds < 60 ? `${seconds} ${seconds === 1 ? "second" : "seconds"} ago` : relativeTime(alert.sent_at, now);
  const who = !sent ? "Someone" : isOwnAction(visit, sent) ? "You" : actorLabel(sent.actor);
  return html`<section class="report warn" role="alert" aria-labelledby="sent-before"><h2 id="sent-before">${who} sent this ${when}</h2>
    <p>The channel already sent <a href="${getChannelPath(visit, pusher_id)}/alerts/${alert.id}">an identical alert</a>. Nothing was sent now. Send again to show it twice.</p></section>`;
}

type Control = Parameters<typeof fieldControl>[3];

/** The control of one field of an alert. */
export const alertControl = (typed: FormState, name: keyof typeof ALERT_FIELDS, more?: Control): Html =>
  fieldControl(ALERT_FIELDS, typed, name, more);

export type SegmentOption = Parameters<typeof segmentedControl>[0]["options"][number];

/** Two to four choices side by side, of the form as it was typed. */
export const segmentedField = (
  { form, error }: FormState,
  name: string,
  label: string | undefined,
  options: readonly SegmentOption[],
): Html => segmentedControl({ name, label: label ?? name, options, value: form.get(name) ?? "", error });

/** What nobody ticks in passing, before an urgent alert is published. */
export function urgentConfirmation({ form, error }: FormState): Html {
  const { line, attributes } = errorParts(error, "sure");
  const label = "This is urgent enough to ring at night";
  return html`<div class="sure">${line}${checkbox({ id: "sure", name: "sure", value: "yes", label, checked: form.has("sure"), attributes })}</div>`;
}

/** A file to upload, and what was uploaded before. */
export function fileUploadField(
  typed: FormState,
  to: UploadField,
  { files, hint }: { files: readonly { id: string; name: string }[]; hint: string },
): Html {
  const chosen = typed.form.get(to.into) ?? "";
  const known = files.some(({ id }) => id === chosen);
  const options = [
    { value: "", label: "None" },
    ...(chosen !== "" && !known ? [{ value: chosen, label: "Current file" }] : []),
    ...files.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return html`${select({ name: to.into, label: ALERT_LABELS[to.into] ?? to.into, options, value: chosen, error: typed.error })}
  ${fileField(to, {
    label: `Upload another ${FILE_NAMES[to.kind]}`,
    hint,
    button: html`<button class="plain" name="act" value="preview">Upload</button>`,
    error: typed.error,
  })}`;
}

/** Who changed the alert last, and when, as the audit log has it. */
export async function lastEditNote(visit: MemberContext, alert: AlertResult): Promise<Content> {
  const [last] = await listAlertEvents(visit, alert.id);
  if (!last) return "Someone";
  return html`${actorLabel(last.actor)}, ${relativeTime(last.created_at, visit.now)},`;
}

const shown = (name: string, value: unknown): string => {
  if (value === null || value === "") return "(nothing)";
  if (name === "actions")
    return (
      (value as AlertAction[])
        .map(({ label, url, choices }) => `${label}: ${choices?.join(" · ") ?? url}`)
        .join("\n") || "(none)"
    );
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
};

/**
 * Brings `form` up to date with the alert, and says what happened. The version that the form carries next is the
 * alert's.
 */
export function editConflictReport(
  visit: MemberContext,
  { alert, form, who }: { alert: AlertResult; form: URLSearchParams; who: Content },
): Html {
  const { clashes, taken } = mergeEdits(form, alert);
  const names = (fields: readonly string[]) => fields.map((name) => ALERT_LABELS[name] ?? name).join(", ");
  return html`<section class="report warn clash" role="alert" aria-labelledby="clash"><h2 id="clash">Someone changed this alert while you were writing</h2>
    <p>${who} saved it before you. Your changes are not saved yet; they are in the form below. ${taken.length > 0 && html`Fields that you had not changed were updated: ${names(taken)}.`}</p>
    ${
      clashes.length === 0
        ? html`<p>Your changes do not overlap. Save again to keep both.</p>`
        : html`<p>Both of you changed ${names(clashes.map(({ name }) => name))}. Saving again replaces the saved version with yours.</p>
    ${clashes.map(({ name, yours, theirs }) => html`<div class="both"><div><h3>${ALERT_LABELS[name] ?? name}, yours</h3><p class="written">${shown(name, yours)}</p></div><div><h3>Saved version</h3><p class="written">${shown(name, theirs)}</p></div></div>`)}`
    }
    <p><a href="${visit.url.pathname}">Discard mine, edit the saved version</a></p></section>`;
}
