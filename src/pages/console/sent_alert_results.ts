// The results of a sent alert, below the alert on its page. It shows what devices chose to report and when, permissions
// that the alert uses but its channel does not request, and corrections. A correction is another alert.

import { randomUUID } from "node:crypto";
import { getMissingPermissionNotes } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { getReplyQuestion } from "../../model/fields/split_alert_actions.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { formatMinute } from "../../ui/time_format.ts";
import { REQUESTED_PERMISSION_LABELS } from "./channel_form_values.ts";
import { getChannelPath } from "./channel_header.ts";
import {
  type AxisLabel,
  barChart,
  type ChartBar,
  formatShare,
  numbersTable,
  renderTotalsHeader,
} from "./charts/chart.ts";
import { COUNT_SERIES as DAY_SERIES } from "./charts/daily_charts.ts";
import { liveSection } from "./components.ts";
import { canUse, type GetAlertResult, type MemberPageContext, type OperationResult } from "./page_definitions.ts";

const HOUR_MS = 3_600_000;

/** A bucket is half an hour long for this many hours after the sending, an hour afterwards (rules#alert-stats). */
const HALF_HOURS = 6;

const [, ...SERIES] = DAY_SERIES;

type Stats = OperationResult<"get_alert_stats">;

interface Bucket {
  /** Hours after the sending. */
  from: number;
  to: number;
  start: Date;
  reads: number;
  acks: number;
}

function bucketsOf(stats: Stats, sentAt: number): Bucket[] {
  return stats.buckets.map(({ start, reads, acks }) => {
    const from = (Date.parse(start) - sentAt) / HOUR_MS;
    return { from, to: from + (from < HALF_HOURS ? 0.5 : 1), start: new Date(start), reads, acks };
  });
}

const duration = (hours: number) => (hours < 48 ? `${hours} h` : `${hours / 24} d`);

function marks(hours: number): AxisLabel[] {
  const steps = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 720, 1440, 2160, 4320, 8760];
  const step = steps.find((candidate) => hours / candidate <= 4) ?? Math.ceil(hours / 96) * 24;
  const count = Math.floor(hours / step);
  return Array.from({ length: count + 1 }, (_, i): AxisLabel => {
    const at = (i * step) / hours;
    if (i === 0) return { at: 0, text: "sent", side: "start" };
    return { at, text: `${duration(i * step)} later`, side: at > 0.95 ? "end" : "middle" };
  });
}

const isWithoutReports = ({ totals }: Stats): boolean => SERIES.every(({ key }) => totals[key] === 0);

async function plots(
  stats: Stats,
  { sentAt, acknowledged }: { sentAt: string; acknowledged: boolean },
): Promise<HtmlContent> {
  const buckets = bucketsOf(stats, Date.parse(sentAt));
  const hours = Math.max(HALF_HOURS, Math.ceil(Math.max(0, ...buckets.map(({ to }) => to))));
  const slots = (key: "reads" | "acks") =>
    buckets.map(
      (bucket): ChartBar => ({
        from: bucket.from / hours,
        to: bucket.to / hours,
        value: bucket[key],
        words: `${formatMinute(bucket.start)}, for ${bucket.to - bucket.from < 1 ? "half an hour" : "an hour"}`,
      }),
    );
  if (isWithoutReports(stats)) return null;
  // Phones show a button to acknowledge when the alert requires it.
  const shown = SERIES.filter(({ key }) => key === "reads" || stats.totals[key] > 0 || acknowledged);
  // A single bar shows no more than its total.
  const isDrawn = buckets.filter(({ reads, acks }) => reads + acks > 0).length > 1;
  const drawn = (isDrawn ? shown : []).map(({ key, heading, noun }) =>
    barChart({
      id: `timeline-${key}`,
      heading,
      total: stats.totals[key],
      noun,
      about: "Half-hourly for six hours after sending, then hourly.",
      slots: slots(key),
      marks: marks(hours),
      nothing: `No ${noun[1]} yet. Devices report them if their users allow it.`,
    }),
  );
  return html`${isDrawn && html`<section class="card mix">${await Promise.all(drawn)}</section>`}${
    buckets.length > 0 &&
    html`<details class="more" id="timeline-numbers"><summary>View as table</summary>${numbersTable(
      "Half-hourly for six hours, then hourly",
      ["From (UTC)", ...SERIES.map(({ column }) => column)],
      buckets.map(({ start, reads, acks }) => [formatMinute(start).replace(" UTC", ""), reads, acks] as const),
    )}</details>`
  }`;
}

/** The address of the live part, which is not a page. */
const timelineAddress = (context: MemberPageContext, alert: { id: string; pusher_id: string }) =>
  new URL(`${getChannelPath(context, alert.pusher_id)}/alerts/${alert.id}/timeline`, context.url);

/** The question, and the number of devices for each choice. */
function answered(alert: GetAlertResult, replies: readonly { choice: string; count: number }[]): HtmlContent {
  const question = getReplyQuestion(alert);
  const all = replies.reduce((sum, { count }) => sum + count, 0);
  const share = (count: number) => all > 0 && `${formatShare(count, all)} of the answers`;
  return (
    question &&
    html`<h3>${question.label}</h3>
    ${renderTotalsHeader(replies.map(({ choice, count }) => [choice, count, share(count)]))}
    <p class="hint">Number of devices by latest answer. Devices are not identified.</p>`
  );
}

/** Reads, acks and replies of an alert that phones could see; nothing of one that was never sent. */
export async function renderReportTimeline(context: MemberPageContext, alert: GetAlertResult): Promise<Html> {
  const address = timelineAddress(context, alert);
  if (alert.sent_at === null)
    return liveSection(
      "timeline",
      address,
      html`<p class="hint">This alert was cancelled before its send time, so no device showed it.</p>`,
    );
  const stats = await context.call("get_alert_stats", { pusher_id: alert.pusher_id, alert_id: alert.id });
  return liveSection(
    "timeline",
    address,
    html`<div class="counted">${renderTotalsHeader([
      ["Current reach", stats.reach],
      ["Reported reads", stats.totals.reads],
      ["Reported acks", stats.totals.acks],
    ])}<p class="hint xs">${
      isWithoutReports(stats) ? "No reports yet. Devices report reads and acks if their users allow it." : stats.note
    }</p></div>${await plots(stats, { sentAt: alert.sent_at, acknowledged: alert.requires_ack })}${answered(
      alert,
      stats.replies,
    )}
    ${
      stats.sampled &&
      html`<p class="flash careful">The charts show a sample of the reports. The totals are
      exact.</p>`
    }`,
  );
}

/** The permissions that the alert uses, and those that its channel does not request from subscribers. */
export function renderUsedPermissions(alert: GetAlertResult): Html {
  const uses = new Set(getMissingPermissionNotes(alert, []).map(({ capability }) => capability));
  const unasked = new Set(alert.notes.map(({ capability }) => capability));
  return html`<section class="card" aria-labelledby="uses"><h2 id="uses">Permissions</h2><ul
    class="scopes">${[...uses].map(
      (name) =>
        html`<li>${REQUESTED_PERMISSION_LABELS[name].label} ${
          unasked.has(name)
            ? html`<span class="badge warn">not requested</span> <span
        class="hint xs">${REQUESTED_PERMISSION_LABELS[name].without}</span>`
            : html`<span class="badge good">requested</span>`
        }</li>`,
    )}</ul></section>`;
}

/** The actions on a sent or cancelled alert, in the form of its page. */
export function renderSentAlertActions(context: MemberPageContext, alert: GetAlertResult): HtmlContent {
  const isSent = alert.status === "sent";
  const copies = canUse(context, "duplicate_alert");
  const cancels = isSent && canUse(context, "cancel_alert");
  if (!copies && !cancels) return null;
  return html`<section class="card" aria-labelledby="correct"><h2 id="correct">Correct or repeat</h2>
    <p class="hint">To ${isSent ? "correct this alert" : "edit and send this alert"}, duplicate it as a draft. ${
      cancels &&
      "If you cancel it, devices that have not fetched it yet will never show it. Devices that have it will keep it."
    }</p>
    <input type="hidden" name="once" value="${randomUUID()}">
    <div class="actions">${
      copies && html`<button formaction="${context.url.pathname}/duplicate">Duplicate</button>`
    }${cancels && html`<button class="danger" name="act" value="cancel">Cancel alert</button>`}</div></section>`;
}

/** The fields that get_alert returns for a sent or cancelled alert only. */
export async function renderSentAlertReports(context: MemberPageContext, alert: GetAlertResult): Promise<HtmlContent> {
  if (alert.status !== "sent" && alert.status !== "cancelled") return null;
  return html`<h2 class="unseen">Device reports</h2>${await renderReportTimeline(context, alert)}`;
}
