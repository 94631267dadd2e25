// The drawings of the card in a chat: an alert, a preview of markup, statistics, or a refusal, from the result of a
// tool. All texts are escaped by the template. It runs in browsers and in tests.

import {
  formatDeviceCount,
  listAlertEffects,
  type PreviewedAlert,
  renderAlertPreviewCard,
} from "../../../ui/alert_preview.ts";
import type { AvatarData } from "../../../ui/avatar.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { icon } from "../../../ui/icons.ts";
import { timeElement } from "../../../ui/time_format.ts";

/** A channel as get_pusher returns it. */
export type CardChannel = AvatarData & { name: string; subscribers: number };

interface Removed {
  kind: string;
  name: string;
  count: number;
}

/** An alert as tools return it, where the brief view omits empty fields. */
interface ShownAlert extends Partial<Pick<PreviewedAlert, "body" | "requires_ack" | "actions" | "priority">> {
  id: string;
  pusher_id: string;
  title: string;
  status: string;
  sound?: string | null;
  vibrate?: string | null;
  tts_text?: string | null;
  audio_url?: string | null;
  audio_asset_id?: string | null;
  image_url?: string | null;
  image_asset_id?: string | null;
  html_length?: number;
  html_asset_id?: string | null;
  radius_km?: number | null;
  send_at?: string | null;
  sent_at?: string | null;
  expires_at?: string | null;
  review_url?: string | null;
  notes?: { message: string }[];
  blocked?: Removed[];
}

interface Bucket {
  date?: string;
  start?: string;
  alerts_sent?: number;
  reads: number;
  acks: number;
}

interface Statistics {
  reach: number;
  totals: Partial<Record<Series, number>>;
  replies?: { choice: string; count: number }[];
  buckets: Bucket[];
  note?: string;
  sampled?: boolean;
}

type Series = "alerts_sent" | "reads" | "acks";

/** A preview of markup. */
interface MarkupPreview {
  layout: string;
  /** Cleaned; absent if it is too long for a result. */
  html?: string;
  blocked?: Removed[];
  notes?: Removed[];
  script_count?: number;
}

/** The structured content of a tool's result. */
export type ToolResultStructuredContent = Partial<
  ShownAlert | Statistics | MarkupPreview | { error: { message: string } }
>;

export interface ToolResultCard {
  body: ToolResultStructuredContent;
  isError: boolean;
  /** Null while it is not known, or if the host does not call tools. */
  channel: CardChannel | null;
  now: Date;
}

const UNKNOWN_CHANNEL = { name: "Channel", initials: "B", gradient_from: "#3d4fc7", gradient_to: "#2f3fa8" };

const STATES: Record<string, string> = {
  draft: "Draft",
  scheduled: "Scheduled",
  repeating: "Repeating",
  sent: "Sent",
  cancelled: "Cancelled",
};

export const isAlert = (body: ToolResultStructuredContent): body is ShownAlert =>
  "pusher_id" in body && "title" in body;

const isMarkupPreview = (body: ToolResultStructuredContent): body is MarkupPreview =>
  "layout" in body && !("id" in body);

const isStatistics = (body: ToolResultStructuredContent): body is Statistics => "buckets" in body;

/** The address of the review page; null without one that a browser opens. */
export const getReviewUrl = (body: ToolResultStructuredContent): string | null =>
  isAlert(body) && /^https?:\/\//i.test(body.review_url ?? "") ? (body.review_url ?? null) : null;

/** Every text of the result is escaped. */
export const renderToolResultCard = (drawn: ToolResultCard): Html =>
  html`<h1 class="unseen">Belfry</h1>${drawContent(drawn)}`;

function drawContent(drawn: ToolResultCard): Html {
  const { body, isError } = drawn;
  if (isError) return drawRefusal(body);
  if (isStatistics(body)) return drawStatistics(body);
  if (isMarkupPreview(body)) return drawMarkup(body);
  if (isAlert(body)) return drawAlert(body, drawn);
  return html`<p class="hint">This result cannot be shown as a card.</p>`;
}

const drawRefusal = (body: ToolResultStructuredContent): Html =>
  html`<p class="flash problem">${("error" in body && body.error?.message) || "The call was refused."}</p>`;

function drawAlert(alert: ShownAlert, { channel, now }: ToolResultCard): Html {
  const { status, sent_at, send_at, expires_at, notes = [], blocked = [] } = alert;
  const at = sent_at ?? send_at;
  const drawn: PreviewedAlert = {
    title: alert.title,
    body: alert.body ?? null,
    priority: alert.priority ?? "normal",
    // The card has no network, so it loads no pictures.
    picture: null,
    elsewhere: null,
    requires_ack: alert.requires_ack ?? false,
    actions: alert.actions ?? [],
    sound: alert.sound ?? null,
    vibrate: alert.vibrate ?? null,
    recording: Boolean(alert.audio_url || alert.audio_asset_id),
    tts_text: alert.tts_text ?? null,
    radius_km: alert.radius_km ?? null,
    at: at ? new Date(at) : now,
    expires_at: expires_at ? new Date(expires_at) : null,
  };
  const more = [
    ...listAlertEffects(drawn),
    ...(alert.image_url || alert.image_asset_id ? [html`<span>Picture</span>`] : []),
    ...(alert.html_length || alert.html_asset_id ? [html`<span>${icon("code", "s")}Page with markup</span>`] : []),
  ];
  return html`<p class="state"><span class="badge">${STATES[status] ?? status}</span>${
    status === "scheduled" && send_at && html`<span>for ${timeElement(new Date(send_at))}</span>`
  }</p>
<h2 class="unseen">Preview</h2>
${renderAlertPreviewCard(channel ?? UNKNOWN_CHANNEL, drawn, now, "alert")}
${more.length > 0 && html`<p class="caps"><span class="unseen">Also: </span>${more}</p>`}
${channel && html`<p class="reach">${icon("person", "s")}${drawReach(status, channel.subscribers)}</p>`}
${drawNotes(notes)}${drawRemoved(blocked)}
${
  getReviewUrl(alert) &&
  html`<p><button id="review">${icon("out", "s")}Open review page</button></p>
<p class="hint" id="address" role="status"></p>`
}`;
}

function drawReach(status: string, subscribers: number): string {
  const devices = formatDeviceCount(subscribers);
  return status === "sent" || status === "cancelled"
    ? `${devices} subscribed now.`
    : `This alert could reach ${devices}.`;
}

const drawNotes = (notes: readonly { message: string }[]): HtmlContent =>
  notes.length > 0 &&
  html`<section class="flash careful"><h2>Notes</h2><ul>${notes.map(
    ({ message }) => html`<li>${message}</li>`,
  )}</ul></section>`;

const drawRemoved = (blocked: readonly Removed[]): HtmlContent =>
  blocked.length > 0 &&
  html`<section class="flash careful"><h2>Removed content</h2><ul>${blocked.map(
    ({ kind, name, count }) => html`<li>${kind} <code>${name}</code>${count > 1 && html`, ${count} times`}</li>`,
  )}</ul></section>`;

function drawMarkup({ html: markup, blocked = [], notes = [], script_count }: MarkupPreview): Html {
  const removed = [...blocked, ...notes];
  return html`<h2>Markup as shown on devices</h2>${
    markup === undefined
      ? html`<p class="hint">The markup is too long for this card.</p>`
      : html`<iframe class="paper" sandbox="" title="Markup" srcdoc="${markup}"></iframe>`
  }${drawRemoved(removed)}${
    script_count ? html`<p class="hint">Scripts that will not run: ${script_count}.</p>` : null
  }${removed.length === 0 && html`<p class="hint">No markup was removed.</p>`}`;
}

const SERIES: Record<Series, string> = {
  alerts_sent: "Alerts sent",
  reads: "Reported reads",
  acks: "Reported acknowledgements",
};

const formatCount = (value: number): string => value.toLocaleString("en");

function drawStatistics({ reach, totals, replies = [], buckets, note, sampled }: Statistics): Html {
  const series = (Object.keys(SERIES) as Series[]).filter((key) => totals[key] !== undefined);
  const figures = [["Current reach", reach], ...series.map((key) => [SERIES[key], totals[key] ?? 0] as const)] as const;
  return html`<dl class="figures">${figures.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${formatCount(value)}</dd></div>`,
  )}</dl>
${series.filter((key) => totals[key]).map((key) => drawBars(key, buckets))}
${
  replies.length > 0 &&
  html`<h2>Answers</h2><ul>${replies.map(
    ({ choice, count }) => html`<li><bdi>${choice}</bdi>: ${formatCount(count)}</li>`,
  )}</ul>`
}
${sampled && html`<p class="flash careful">The bars show a sample of the reports. The totals are exact.</p>`}
<p class="hint">${note ?? "These counts come from device reports."}</p>`;
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** Half hours become hours this long after the sending (rules#alert-stats). */
const HALF_HOURS_MS = 6 * HOUR_MS;

/** The results name no send time, so the first bucket with reports counts as the one of the sending. */
function getTimes({ date, start = "" }: Bucket, first: Bucket): { from: number; length: number } {
  if (date) return { from: Date.parse(date), length: DAY_MS };
  const from = Date.parse(start);
  const isHalfHour = from - Date.parse(first.start ?? "") < HALF_HOURS_MS;
  return { from, length: isHalfHour ? HOUR_MS / 2 : HOUR_MS };
}

/** One bar for each bucket, at its time. Places are percents, so that the drawing has any width. */
function drawBars(key: Series, buckets: readonly Bucket[]): HtmlContent {
  const [first, last] = [buckets[0], buckets.at(-1)];
  const highest = Math.max(0, ...buckets.map((bucket) => bucket[key] ?? 0));
  if (!first || !last || highest === 0) return null;
  const begin = getTimes(first, first).from;
  const end = getTimes(last, first);
  const percent = (time: number) => `${Math.round((time / (end.from + end.length - begin)) * 10_000) / 100}%`;
  const bars = buckets.map((bucket) => {
    const value = bucket[key] ?? 0;
    const height = value === 0 ? 0 : Math.max(2, Math.round((value / highest) * CHART_HEIGHT));
    const { from, length } = getTimes(bucket, first);
    const [x, y] = [percent(from - begin + 0.1 * length), CHART_HEIGHT - height];
    const text = html`<title>${nameBucket(bucket)}: ${formatCount(value)}</title>`;
    return html`<rect class="bar" x="${x}" y="${y}" width="${percent(length * 0.8)}" height="${height}">${text}</rect>`;
  });
  const name = `${SERIES[key]}, highest ${formatCount(highest)}`;
  return html`<figure class="bars"><figcaption>${name}</figcaption>
<svg width="100%" height="${CHART_HEIGHT}" role="img" aria-label="${name}">${bars}</svg>
<p class="xs ends"><span>${nameBucket(first)}</span><span>${nameBucket(last)}</span></p></figure>`;
}

/** Pixels. */
const CHART_HEIGHT = 72;

/** The day of a bucket, or the minute of its start, in UTC. */
const nameBucket = ({ date, start }: Bucket): string => date ?? `${(start ?? "").slice(0, 16).replace("T", " ")} UTC`;
