// Actions on the selected alerts of a list: cancel, move and delete. Cancelling and moving use the plan of move_alerts:
// what the page shows is what happens, or nothing does (rules#move-plan).

import { ApiError } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertStatus } from "../../../model/tables/alert.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import { getChannelPath } from "../channel_header.ts";
import { renderErrorSummary, renderHtmlTable, renderInputField, renderSelectField } from "../components.ts";
import {
  type ConsolePage,
  canUse,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";

type PlannedRow = OperationResultRow<"move_alerts">;

const UNITS = { minutes: 1, hours: 60, days: 1440 } as const;

const formOf = ({ base, token }: MemberPageContext, content: HtmlContent): Html =>
  html`<form method="post" action="${base}alerts/bulk">${token}${content}</form>`;

/** The checkbox that selects an alert of a list. Sent alerts have none, because no action applies to them. */
export const renderAlertCheckbox = ({ id, title, status }: { id: string; title: string; status: AlertStatus }) =>
  status !== "sent" &&
  html`<label><input type="checkbox" name="alert" value="${id}" class="${status}"><span
    class="unseen">Select ${title}</span></label>`;

/**
 * The form around a list whose rows are selected. Its buttons are shown once a row is, and a counter of the style sheet
 * is before "selected". Only scheduled alerts are moved or cancelled together, so it shows these actions with one.
 */
export const bulkForm = (context: MemberPageContext, rows: HtmlContent): Html =>
  formOf(
    context,
    html`${rows}
    <div class="bulk"><p class="hint"> selected</p>
      <button class="quiet" type="reset">Deselect</button>
      <button class="plain" name="act" value="move">Move</button>
      <button class="plain" name="act" value="cancel">Cancel sending</button>
      <button class="danger" name="act" value="delete">Delete</button></div>`,
  );

/** Why an alert stays, by the code of its row; the operation's messages name arguments. */
const REASONS: Readonly<Record<string, string>> = {
  channel_not_active: "Its channel is paused or suspended.",
  time_in_past: "Its new time is in the past.",
  invalid_time_range: "It would expire before its new time.",
  alert_not_sent: "It is a draft, so it has no send time.",
  alert_repeats: "This alert repeats. Open the alert to change it.",
  alert_already_sent: "It was already sent.",
  alert_cancelled: "It is already cancelled.",
};

const reasonOf = ({ code, message }: PlannedRow): HtmlContent => REASONS[code ?? ""] ?? message;

const isSent = ({ code }: PlannedRow): boolean => code === "alert_already_sent";

const countAlerts = (count: number): string => (count === 1 ? "1 alert" : `${count} alerts`);

/** The alerts of a plan with the outcome for each. */
const plannedTable = (
  context: MemberPageContext,
  rows: readonly PlannedRow[],
  outcome: (row: PlannedRow) => HtmlContent,
): HtmlContent =>
  renderHtmlTable("Selected alerts", rows, {
    Alert: ({ id, pusher_id, title }) =>
      html`<a href="${getChannelPath(context, pusher_id)}/alerts/${id}">${title}</a>`,
    Channel: ({ handle }) => `@${handle}`,
    Time: ({ send_at }) => send_at && timeElement(new Date(send_at), "near", context.now),
    Outcome: outcome,
  });

function page(context: MemberPageContext, title: string, body: HtmlContent, error?: ApiError): Response {
  return context.page(title, html`<h1>${title}</h1>${renderErrorSummary(error)}${body}`, { ...(error && { error }) });
}

const hiddenAlerts = (ids: readonly string[]): Html[] =>
  ids.map((id) => html`<input type="hidden" name="alert" value="${id}">`);

const backLink = ({ base }: MemberPageContext): Html =>
  html`<a class="button plain" href="${base}alerts">Back to the list</a>`;

/** The form for the amount of the move. */
function moveForm(context: MemberPageContext, ids: readonly string[], error?: ApiError): Response {
  const { form } = context;
  return page(
    context,
    `Move ${countAlerts(ids.length)}`,
    formOf(
      context,
      html`${hiddenAlerts(ids)}<div class="columns">
      ${renderInputField({
        name: "amount",
        label: "Move by",
        value: form.get("amount") ?? "",
        inputmode: "numeric",
        error,
      })}
      ${renderSelectField({
        name: "unit",
        label: "Unit",
        options: Object.keys(UNITS).map((unit) => ({ value: unit, label: unit })),
        value: form.get("unit") ?? "hours",
      })}
      ${renderSelectField({
        name: "direction",
        label: "Direction",
        options: [
          { value: "later", label: "Later" },
          { value: "earlier", label: "Earlier" },
        ],
        value: form.get("direction") ?? "later",
      })}</div>
      <div class="actions"><button name="act" value="move">Continue</button>${backLink(context)}</div>`,
    ),
    error,
  );
}

/** The signed minutes of the form; null where they are missing or wrong. */
function parseMinutes(form: URLSearchParams): number | null {
  const amount = Number((form.get("amount") ?? "").trim());
  const unit = UNITS[(form.get("unit") ?? "") as keyof typeof UNITS] ?? 1;
  const minutes = amount * unit;
  if (!Number.isInteger(minutes) || minutes <= 0 || minutes > LIMITS.shift_minutes) return null;
  return form.get("direction") === "earlier" ? -minutes : minutes;
}

const wrongAmount = (): ApiError => {
  const message = "Enter a duration of at least one minute and at most one year.";
  return new ApiError("invalid_value", message, { fields: [{ param: "amount", code: "out_of_range", message }] });
};

/** The effect of a cancellation or move, and the button that does it. */
async function showPlan(context: MemberPageContext, ids: readonly string[], minutes: number | null): Promise<Response> {
  const asked = minutes === null ? { action: "cancel" } : { action: "move", by_minutes: minutes };
  const { data, plan } = await context.call("move_alerts", { alert_ids: ids, ...asked, dry_run: true });
  const changing = data.filter(({ outcome }) => outcome === "would");
  const verb = minutes === null ? "Cancel" : "Move";
  const outcome = (row: PlannedRow): HtmlContent =>
    row.outcome === "refused"
      ? html`<span class="badge">stays</span> ${reasonOf(row)}`
      : row.becomes
        ? html`<span>will move to ${timeElement(new Date(row.becomes), "near", context.now)}</span>`
        : html`<span class="badge warn">will be cancelled</span>`;
  const isDanger = minutes === null && html` class="danger"`;
  const count = countAlerts(changing.length);
  const button = html`<button name="act" value="${verb.toLowerCase()}"${isDanger}>${verb} ${count}</button>`;
  const title = changing.length === 0 ? `No alerts to ${verb.toLowerCase()}` : `${verb} ${count}?`;
  return page(
    context,
    title,
    html`${plannedTable(context, data, outcome)}${formOf(
      context,
      html`${plan && html`<input type="hidden" name="plan" value="${plan}">`}
      <div class="actions">${plan && button}${backLink(context)}</div>`,
    )}`,
  );
}

async function carryOut(context: MemberPageContext, plan: string, act: string): Promise<Response> {
  await context.call("move_alerts", { plan });
  return context.goTo(
    `${context.base}${act === "move" ? "scheduled" : "cancelled"}`,
    act === "move" ? "alerts-moved" : "alerts-cancelled",
  );
}

/** The question before alerts are deleted. Sent alerts cannot be deleted. */
async function askToDelete(context: MemberPageContext, ids: readonly string[]): Promise<Response> {
  // A dry run returns the titles of all selected alerts with one statement.
  const { data } = await context.call("move_alerts", { alert_ids: ids, action: "cancel", dry_run: true });
  const removable = data.filter((row) => !isSent(row));
  const count = countAlerts(removable.length);
  const button = html`<button class="danger" name="act" value="delete">Delete ${count}</button>`;
  const outcome = (row: PlannedRow): HtmlContent =>
    isSent(row)
      ? html`<span class="badge">stays</span> ${reasonOf(row)}`
      : html`<span class="badge warn">will be deleted</span>`;
  return page(
    context,
    removable.length === 0 ? "No alerts to delete" : `Delete ${count}?`,
    html`<p class="lede">Deleted alerts cannot be restored.</p>${plannedTable(context, data, outcome)}${formOf(
      context,
      html`${hiddenAlerts(removable.map(({ id, pusher_id }) => `${pusher_id}/${id}`))}
      <input type="hidden" name="sure" value="yes">
      <div class="actions">${removable.length > 0 && button}${backLink(context)}</div>`,
    )}`,
  );
}

async function deleteAlerts(context: MemberPageContext, alerts: readonly string[]): Promise<Response> {
  let kept = 0;
  for (const one of alerts) {
    const [pusher_id, alert_id] = one.split("/");
    try {
      await context.call("delete_alert", { pusher_id, alert_id });
    } catch (error) {
      // Another member deleted or sent the alert in between.
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
      kept += 1;
    }
  }
  return context.goTo(`${context.base}alerts`, kept === 0 ? "alerts-deleted" : "alerts-deleted-some");
}

async function bulk(context: MemberPageContext): Promise<Response> {
  const { form, base } = context;
  const act = form.get("act") ?? "";
  const plan = form.get("plan");
  const ids = [...new Set(form.getAll("alert"))].slice(0, LIMITS.moves);
  try {
    if (plan !== null && act !== "delete") return await carryOut(context, plan, act);
    if (ids.length === 0) return context.goTo(`${base}alerts`, "nothing-selected");
    if (act === "delete") return form.has("sure") ? await deleteAlerts(context, ids) : await askToDelete(context, ids);
    if (act !== "move") return await showPlan(context, ids, null);
    if (!form.has("amount")) return moveForm(context, ids);
    const minutes = parseMinutes(form);
    return minutes === null ? moveForm(context, ids, wrongAmount()) : await showPlan(context, ids, minutes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    // The plan is outdated, because another member changed one of its alerts.
    return page(
      context,
      "Nothing was changed",
      html`<p>One of the alerts has changed since you selected it. Select the alerts again.</p>
      <p>${backLink(context)}</p>`,
    );
  }
}

export const BULK_ALERT_PAGES: readonly ConsolePage[] = [defineMemberPage("POST", "/alerts/bulk", bulk)];

/** Reports if the member may act on selected alerts. */
export const mayChangeAlerts = (context: MemberPageContext): boolean => canUse(context, "move_alerts");
