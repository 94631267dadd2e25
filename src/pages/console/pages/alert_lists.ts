// Lists of alerts. Across channels: drafts that await a review, scheduled alerts (soonest first), sent or cancelled
// alerts (newest first), and all alerts. For one channel: newest first. Each can be searched by text, channel and
// author.

import { assertDefined } from "../../../model/assert.ts";
import type { AlertStatus } from "../../../model/tables/alert.ts";
import { buildUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import {
  type AlertListColumns,
  type AlertSearchResults,
  buildAlertCountColumns,
  parseAlertSearch,
  readAlertSearchResults,
  renderAlertList,
  timeHeading,
  toAlertSearchUrlQuery,
} from "../alert_search.ts";
import { channelHeader, getChannelPath, newAlertLink, subscribeHint } from "../channel_header.ts";
import { emptyState, isPartRequest, type pager, relativeTime, viewLinks } from "../components.ts";
import { failingSendersNotice, findFailingSenders } from "../failing_senders.ts";
import {
  type ConsolePage,
  canUse,
  type MemberPageContext,
  memberPage,
  type OperationResultRow,
} from "../page_context.ts";
import { describeRecurrence } from "../recurrence_form.ts";
import { bulkForm, mayChangeAlerts, renderAlertCheckbox } from "./bulk_alerts.ts";
import { renderReviewNotificationSettings } from "./review_notifications.ts";

const ALERT_STATE: Record<AlertStatus, HtmlContent> = {
  draft: html`<span class="badge">draft</span>`,
  repeating: html`<span class="badge">repeating</span>`,
  scheduled: html`<span class="badge">scheduled</span>`,
  sent: html`<span class="badge good">sent</span>`,
  cancelled: html`<span class="badge">cancelled</span>`,
};

const LOUDNESS: Record<string, HtmlContent> = {
  important: html`<span class="badge warn">important</span>`,
  urgent: html`<span class="badge urgent">urgent</span>`,
};

/** The title as a link. The mark of an important or urgent alert comes first. */
const alertTitle = (href: string, title: string, priority: string): Html =>
  html`${LOUDNESS[priority] && html`${LOUDNESS[priority]} `}<a href="${href}">${title}</a>`;

/** When an alert was sent, will be, or was last changed. */
function when(alert: OperationResultRow<"list_alerts">, now: Date): HtmlContent {
  if (alert.status === "scheduled")
    return html`<span>for ${timeElement(new Date(alert.send_at ?? ""), "near", now)}</span>`;
  const at = alert.status === "cancelled" ? alert.cancelled_at : (alert.sent_at ?? alert.updated_at);
  return html`<span>${alert.status === "draft" && "changed "}${relativeTime(at, now)}</span>`;
}

/** Scheduled alerts are also shown as a month. */
const isPlanned = (status: AlertStatus | null | undefined): boolean => status === "scheduled" || status === "repeating";

interface AlertListPage {
  path: string;
  name: string;
  /** The heading of the page; the name of the list by default. */
  title?: string;
  lede: string;
  caption: string;
  status?: AlertStatus;
  order?: "newest" | "oldest";
  columns(now: Date, found: AlertSearchResults): AlertListColumns;
  /** The column of times by which the list is ordered. */
  time?: string;
  none: readonly [title: string, text: string];
  ways?: Parameters<typeof pager>[2];
}

const LISTS: readonly AlertListPage[] = [
  {
    path: "alerts",
    name: "All",
    title: "All alerts",
    lede: "Alerts from all channels, by creation time.",
    caption: "Alerts, newest first",
    columns: (now, found) => ({
      State: ({ status }) => ALERT_STATE[status],
      When: (alert) => when(alert, now),
      ...buildAlertCountColumns(found),
    }),
    none: ["No alerts yet", "Alerts appear here once they are created."],
  },
  {
    path: "drafts",
    name: "Drafts",
    lede: "Unsent alerts from all channels. Open one to preview it and decide.",
    caption: "Drafts, newest first",
    status: "draft",
    columns: (now) => ({
      Changed: ({ updated_at }) => relativeTime(updated_at, now),
      Review: ({ review_reply }) => review_reply !== null && html`<span class="badge warn">declined</span>`,
    }),
    none: ["No drafts", "Drafts by members, scripts and assistants appear here until they are sent."],
  },
  {
    path: "repeating",
    name: "Repeating",
    lede: "Repeating alerts from all channels. Their next occurrences are listed under Scheduled.",
    caption: "Repeating alerts, newest first",
    status: "repeating",
    columns: () => ({ Repeats: ({ recurrence }) => describeRecurrence(recurrence) }),
    none: ["No repeating alerts", "To repeat an alert, schedule a draft with a recurrence."],
  },
  {
    path: "scheduled",
    name: "Scheduled",
    lede: "Scheduled alerts from all channels, soonest first. You can change or cancel them until they are sent.",
    caption: "Scheduled alerts, soonest first",
    status: "scheduled",
    order: "oldest",
    time: "Send time",
    columns: (now) => ({ "Send time": ({ send_at }) => timeElement(new Date(send_at ?? ""), "near", now) }),
    none: ["No scheduled alerts", "Scheduled alerts appear here until they are sent."],
    ways: { back: "Soonest", on: "Later" },
  },
  {
    path: "sent",
    name: "Sent",
    lede: "Sent alerts from all channels, newest first. Open one to see device reports.",
    caption: "Sent alerts, newest first",
    status: "sent",
    order: "newest",
    time: "Sent",
    columns: (now, found) => ({ Sent: ({ sent_at }) => relativeTime(sent_at, now), ...buildAlertCountColumns(found) }),
    none: ["No sent alerts", "Sent alerts appear here."],
  },
  {
    path: "cancelled",
    name: "Cancelled",
    lede: "Cancelled alerts from all channels. Devices that had already fetched an alert keep it.",
    caption: "Cancelled alerts, newest first",
    status: "cancelled",
    columns: (now) => ({ Cancelled: ({ cancelled_at }) => relativeTime(cancelled_at, now) }),
    none: ["No cancelled alerts", "Cancelled alerts appear here."],
  },
];

const listOf =
  (list: AlertListPage) =>
  async (context: MemberPageContext): Promise<Response> => {
    const { now, base } = context;
    const { path, status, title = list.name } = list;
    const search = parseAlertSearch(context);
    const { data: channels } = await context.call("list_pushers");
    const found = await readAlertSearchResults(context, search, list, channels);
    const names = new Map(channels.map(({ id, name }) => [id, name]));
    const { part, form } = renderAlertList(context, found, {
      ...list,
      ...{ id: path, path: base + path, all: base + path, search },
      none: emptyState(...list.none),
      end: ["No more alerts", "Back to the start"],
      columns: {
        Alert: ({ id, pusher_id, title, priority, status, review_note }) =>
          html`${alertTitle(`${getChannelPath(context, pusher_id)}/alerts/${id}`, title, priority)}${
            status === "draft" && review_note && html`<span class="why"><q>${review_note}</q></span>`
          }`,
        Channel: ({ pusher_id }) =>
          html`<a href="${getChannelPath(context, pusher_id)}">${names.get(pusher_id) ?? "A new channel"}</a>`,
        ...list.columns(now, found),
      },
      options: {
        ...LIST_OPTIONS,
        ...(list.time && { headings: timeHeading(base + path, list.time, search, list.order ?? "newest") }),
        ...(mayChangeAlerts(context) && { selects: renderAlertCheckbox }),
      },
      around: (rows) => (mayChangeAlerts(context) ? bulkForm(context, rows, status) : rows),
    });
    if (isPartRequest(context)) return context.part(part);
    return context.page(
      title,
      html`<div class="between"><h1>${title}</h1><div class="actions">${newAlertLink(context, channels)}</div></div>
    <p class="lede">${list.lede}${isPlanned(status) && html` <a href="${base}month">Month view</a>`}</p>
    <div class="titled">${viewLinks(
      "Alerts from all channels",
      LISTS.map((one) => ({
        href: buildUrl(base + one.path, toAlertSearchUrlQuery(search)),
        name: one.name,
        chosen: one === list,
      })),
    )}${await form(channels)}</div>${part}${status === "draft" && (await renderReviewNotificationSettings(context))}`,
      { styles: ["history"], scripts: ["live", "rows"] },
    );
  };

const LIST_OPTIONS = { numbers: ["Reads", "Acks"], wide: ["Created"] };

const FILTERS: { status: AlertStatus | null; name: string; none: string }[] = [
  { status: null, name: "All", none: "" },
  { status: "draft", name: "Drafts", none: "This channel has no drafts." },
  { status: "repeating", name: "Repeating", none: "This channel has no repeating alerts." },
  { status: "scheduled", name: "Scheduled", none: "This channel has no scheduled alerts." },
  { status: "sent", name: "Sent", none: "This channel has not sent an alert yet." },
  { status: "cancelled", name: "Cancelled", none: "This channel has no cancelled alerts." },
];

async function ofChannel(context: MemberPageContext): Promise<Response> {
  const { url, now, params } = context;
  const pusher_id = params.pusher ?? "";
  const { status, none } = assertDefined(
    FILTERS.find((filter) => filter.status === url.searchParams.get("status")) ?? FILTERS[0],
    "a list is not empty",
  );
  // The channel is in the path.
  const { channel: _, ...words } = parseAlertSearch(context);
  const base = getChannelPath(context, pusher_id);
  const order = LISTS.find((list) => list.status === status)?.order;
  const found = await readAlertSearchResults(context, { ...words, channel: pusher_id }, { status, order });
  const time = order ? "When" : status === null && "Created";
  const headings = time ? timeHeading(base, time, words, order ?? "newest", { status }) : {};
  const { part, form } = renderAlertList(context, found, {
    ...{ id: "alerts", path: base, caption: "Alerts", search: words },
    query: { status },
    all: buildUrl(base, { status }),
    none: status
      ? emptyState("No matching alerts", none)
      : emptyState(
          "No alerts yet",
          html`This channel’s alerts and their device reports will appear here. ${
            canUse(context, "create_alert")
              ? html`<a href="${base}/alerts/new">Write the first alert</a>; it stays private until you send it.`
              : "A member who can write alerts must create the first one."
          }`,
        ),
    end: ["No more alerts", "Back to the start"],
    ...(status === "scheduled" && { ways: { back: "Soonest", on: "Later" } }),
    columns: {
      Alert: ({ id, title, priority }) => alertTitle(`${base}/alerts/${id}`, title, priority),
      ...(status === null && { State: (alert) => ALERT_STATE[alert.status] }),
      When: (alert) => when(alert, now),
      ...(status === null && { Created: ({ created_at }) => relativeTime(created_at, now) }),
      ...buildAlertCountColumns(found),
    },
    options: { ...LIST_OPTIONS, headings, ...(mayChangeAlerts(context) && { selects: renderAlertCheckbox }) },
    around: (rows) => (mayChangeAlerts(context) ? bulkForm(context, rows, status) : rows),
  });
  if (isPartRequest(context)) return context.part(part);
  const [channel, search, failing] = await Promise.all([
    context.call("get_pusher", { pusher_id }),
    form(),
    findFailingSenders(context),
  ]);
  const filters = FILTERS.map((one) => ({
    href: buildUrl(base, { ...toAlertSearchUrlQuery(words), status: one.status }),
    name: one.name,
    chosen: one.status === status,
  }));
  return context.page(
    channel.name,
    html`${channelHeader(context, channel, "")}
    ${failingSendersNotice(context, failing, channel)}
    ${channel.subscribers === 0 && channel.status === "active" && subscribeHint(context, channel)}
    <div class="titled">${viewLinks("Alert state", filters)}${search}</div>${
      isPlanned(status) &&
      html`<p><a
      href="${context.base}month?channel=${channel.id}">Month view</a></p>`
    }${part}`,
    { styles: ["alert_card", "history", "channel", "drawings"], scripts: ["live", "copy", "rows"] },
  );
}

export const ALERT_LIST_PAGES: readonly ConsolePage[] = [
  memberPage("GET", "/channels/:pusher", ofChannel),
  ...LISTS.map((list) => memberPage("GET", `/${list.path}`, listOf(list))),
];
