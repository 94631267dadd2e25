// Lists of alerts. Across channels: drafts that await a review, scheduled alerts (soonest first), sent or cancelled
// alerts (newest first), and all alerts. For one channel: newest first. Each can be searched by text, channel and
// author.

import type { AlertStatus } from "../../../model/tables/alert.ts";
import { buildUrl } from "../../../ui/build_url.ts";
import { type Html, html } from "../../../ui/html.ts";
import { timeElement } from "../../../ui/time_format.ts";
import {
  type AlertListColumns,
  buildAlertColumns,
  type ListedAlert,
  renderAlertState,
  renderAlertTime,
} from "../alert_rows.ts";
import {
  type AlertSearchResults,
  buildAlertCountColumns,
  buildTimeSortHeading,
  findFilteredChannel,
  parseAlertSearch,
  readAlertSearchResults,
  renderAlertList,
  toAlertSearchUrlQuery,
} from "../alert_search_and_list.ts";
import {
  getChannelPath,
  renderChannelHeader,
  renderNewAlertChannelMenu,
  renderSubscribeHint,
} from "../channel_header.ts";
import { isPartRequest, relativeTime, type renderFirstAndNextLinks, timeUntil } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { failingSendersNotice, findFailingSenders } from "../failing_senders.ts";
import { type ConsolePage, canUse, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { describeRecurrence } from "../recurrence_form.ts";
import { bulkForm, mayChangeAlerts, renderAlertCheckbox } from "./bulk_alerts.ts";
import { renderReviewNotificationSettings } from "./review_notifications.ts";

/** Scheduled alerts are also shown as a month. */
const isPlanned = (status: AlertStatus | null | undefined): boolean => status === "scheduled" || status === "repeating";

const monthView = (href: string) => ({ href, name: "Month view", chosen: false });

interface AlertListPage {
  path: string;
  name: string;
  /** The heading of the page; the name of the list by default. */
  title?: string;
  /** @param from "from all channels", or from one */
  lede: (from: Html) => Html;
  caption: string;
  status?: AlertStatus;
  order?: "newest" | "oldest";
  columns(now: Date, found: AlertSearchResults): AlertListColumns;
  /** The column of times by which the list is ordered. */
  time: "Created" | "Send time" | "Sent";
  /** The texts of an empty list, and the list that it offers instead of the drafts. */
  none: { title: string; says?: string };
  further?: "alerts";
  ways?: Parameters<typeof renderFirstAndNextLinks>[2];
}

const createdColumn = (now: Date): AlertListColumns => ({
  Created: ({ created_at }) => html`<span class="at">${relativeTime(created_at, now)}</span>`,
});

/** The state, and the day of a scheduled alert. */
const renderStateAndSendDay = ({ status, send_at }: ListedAlert, now: Date): Html =>
  html`${renderAlertState(status)}${
    status === "scheduled" && html` <span class="muted">for ${timeElement(new Date(send_at ?? ""), "date", now)}</span>`
  }`;

const ALL: AlertListPage = {
  path: "alerts",
  name: "All",
  title: "All alerts",
  lede: (from) => html`Alerts ${from}, by creation time.`,
  caption: "Alerts, newest first",
  time: "Created",
  columns: (now, found) => ({
    State: (alert) => renderStateAndSendDay(alert, now),
    ...createdColumn(now),
    ...buildAlertCountColumns(found),
  }),
  none: { title: "No alerts yet", says: "Drafts, scheduled and sent alerts appear here." },
};

const LISTS: readonly AlertListPage[] = [
  ALL,
  {
    path: "drafts",
    name: "Drafts",
    lede: (from) => html`Unsent alerts ${from}.`,
    caption: "Drafts, newest first",
    status: "draft",
    time: "Created",
    columns: (now, { writers }) => ({
      "Written by": ({ id }) => writers.has(id) && html`<span class="name" dir="auto">${writers.get(id)}</span>`,
      Review: ({ review_reply }) => review_reply !== null && html`<span class="badge warn">declined</span>`,
      ...createdColumn(now),
    }),
    none: { title: "No drafts", says: "Drafts by members, scripts and assistants appear here until they are sent." },
    further: "alerts",
  },
  {
    path: "repeating",
    name: "Repeating",
    lede: (from) => html`Repeating alerts ${from}. Their next occurrences are listed under Scheduled.`,
    caption: "Repeating alerts, newest first",
    status: "repeating",
    time: "Created",
    columns: (now) => ({ Repeats: ({ recurrence }) => describeRecurrence(recurrence), ...createdColumn(now) }),
    none: { title: "No repeating alerts", says: "To repeat an alert, schedule a draft with a recurrence." },
  },
  {
    path: "scheduled",
    name: "Scheduled",
    lede: (from) => html`Scheduled alerts ${from}. They can be changed until they are sent.`,
    caption: "Scheduled alerts, soonest first",
    status: "scheduled",
    order: "oldest",
    time: "Send time",
    columns: (now) => ({
      Sends: ({ send_at }) => send_at && timeUntil(new Date(send_at), now),
      "Send time": (alert) => renderAlertTime(alert, now),
    }),
    none: { title: "No scheduled alerts", says: "Alerts with a send time wait here until that time." },
    ways: { back: "Soonest", on: "Later" },
  },
  {
    path: "sent",
    name: "Sent",
    lede: (from) => html`Sent alerts ${from}.`,
    caption: "Sent alerts, newest first",
    status: "sent",
    order: "newest",
    time: "Sent",
    columns: (now, found) => ({ Sent: (alert) => renderAlertTime(alert, now), ...buildAlertCountColumns(found) }),
    none: { title: "No sent alerts", says: "Alerts appear here once they are sent." },
  },
  {
    path: "cancelled",
    name: "Cancelled",
    lede: (from) => html`Cancelled alerts ${from}. Devices that had already fetched an alert keep it.`,
    caption: "Cancelled alerts, newest first",
    status: "cancelled",
    time: "Created",
    columns: createdColumn,
    none: { title: "No cancelled alerts", says: "Scheduled and sent alerts appear here once they are cancelled." },
    further: "alerts",
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
    const channel = findFilteredChannel(channels, search);
    const maySelect = status !== "sent" && mayChangeAlerts(context);
    const { part, tools } = renderAlertList(context, found, {
      ...list,
      ...{ id: path, path: base + path, all: base + path, search },
      anyState: status && buildUrl(`${base}alerts`, toAlertSearchUrlQuery(search)),
      none: emptyState({
        ...list.none,
        act: status && { href: base + (list.further ?? "drafts"), label: list.further ? "All alerts" : "Open drafts" },
      }),
      columns: { ...buildAlertColumns(context, found.data, channel ? null : channels), ...list.columns(now, found) },
      options: {
        ...listOptions(status),
        headings: buildTimeSortHeading(base + path, list.time, search, list.order ?? "newest"),
        ...(maySelect && { selects: renderAlertCheckbox }),
      },
      around: (rows) => (maySelect ? bulkForm(context, rows) : rows),
    });
    if (isPartRequest(context)) return context.part(part);
    const from = channel ? html`from <bdi>${channel.name}</bdi>` : html`from all channels`;
    return context.page(
      title,
      html`<div class="between"><h1>${title}</h1><div
        class="actions">${renderNewAlertChannelMenu(context, channels)}</div></div>
    <p class="lede">${list.lede(from)}</p>
    ${await tools(
      {
        label: "Alert state",
        views: LISTS.map((one) => ({
          href: buildUrl(base + one.path, toAlertSearchUrlQuery(search)),
          name: one.name,
          chosen: one === list,
        })),
      },
      channels,
    )}${part}${status === "draft" && (await renderReviewNotificationSettings(context))}`,
      { styles: ["history", "selection"], scripts: ["live", "rows"] },
    );
  };

/** On a phone, the line of an alert with a state has no room for its acknowledgements. */
const listOptions = (status: AlertStatus | null | undefined) => ({
  ...{ numbers: ["Reads", "Acks"], texts: ["Repeats"] },
  wide: status ? [] : ["Acks"],
});

async function ofChannel(context: MemberPageContext): Promise<Response> {
  const { url, now, params } = context;
  const pusher_id = params.pusher ?? "";
  const list = LISTS.find(({ status }) => status === url.searchParams.get("status")) ?? ALL;
  const { status = null, order } = list;
  // The channel is in the path.
  const { channel: _, ...words } = parseAlertSearch(context);
  const base = getChannelPath(context, pusher_id);
  const found = await readAlertSearchResults(context, { ...words, channel: pusher_id }, { status, order });
  const headings = buildTimeSortHeading(base, list.time, words, order ?? "newest", { status });
  const mayWrite = canUse(context, "create_alert");
  const maySelect = status !== "sent" && mayChangeAlerts(context);
  const { part, tools } = renderAlertList(context, found, {
    ...{ id: "alerts", path: base, caption: "Alerts", search: words },
    query: { status },
    all: buildUrl(base, { status }),
    anyState: status && buildUrl(base, toAlertSearchUrlQuery(words)),
    none: emptyState({ ...list.none, act: mayWrite && { href: `${base}/alerts/new`, label: "New alert" } }),
    ...(status === "scheduled" && { ways: { back: "Soonest", on: "Later" } }),
    columns: { ...buildAlertColumns(context, found.data, null), ...list.columns(now, found) },
    options: { ...listOptions(status), headings, ...(maySelect && { selects: renderAlertCheckbox }) },
    around: (rows) => (maySelect ? bulkForm(context, rows) : rows),
  });
  if (isPartRequest(context)) return context.part(part);
  const states = LISTS.map((one) => ({
    href: buildUrl(base, { ...toAlertSearchUrlQuery(words), status: one.status }),
    name: one.name,
    chosen: one.status === (status ?? undefined),
  }));
  const [channel, toolbar, failing] = await Promise.all([
    context.call("get_pusher", { pusher_id }),
    tools({
      label: "Alert state",
      views: isPlanned(status) ? [...states, monthView(`${context.base}month?channel=${pusher_id}`)] : states,
    }),
    findFailingSenders(context),
  ]);
  return context.page(
    channel.name,
    html`${renderChannelHeader(context, channel, "")}
    ${failingSendersNotice(context, failing, channel)}
    ${channel.subscribers === 0 && channel.status === "active" && renderSubscribeHint(context, channel)}
    ${toolbar}${part}`,
    { styles: ["alert_card", "history", "channel", "drawings", "selection"], scripts: ["live", "copy", "rows"] },
  );
}

export const ALERT_LIST_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/channels/:pusher", ofChannel),
  ...LISTS.map((list) => defineMemberPage("GET", `/${list.path}`, listOf(list))),
];
