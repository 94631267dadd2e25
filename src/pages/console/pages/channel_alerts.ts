// The alerts of a channel, newest first: what state each is in, since when or for when, and how loud it may be.

import type { AlertStatus } from "../../../model/entities/alert.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { clock } from "../../../ui/instants.ts";
import { viewAt } from "../../../ui/view_at.ts";
import { channelBase, channelHead, firstSubscriber } from "../channel_head.ts";
import {
  type AlertSearch,
  foundAlerts,
  isSearch,
  nothingFits,
  pagesOf,
  searchForm,
  searchIn,
  searchQuery,
} from "../finder.ts";
import { asksAlone, chips, emptyState, instant, livePart, table } from "../parts.ts";
import { type MemberVisit, mayUse, memberPage, type Page, type RowOf } from "../visit.ts";

const SHOWN = 25;

const FILTERS: { status: AlertStatus | null; name: string; none: string }[] = [
  { status: null, name: "All", none: "" },
  { status: "draft", name: "Drafts", none: "Nothing is being written on this channel." },
  { status: "repeating", name: "Repeating", none: "Nothing repeats on this channel." },
  { status: "scheduled", name: "Scheduled", none: "Nothing waits for its time on this channel." },
  { status: "sent", name: "Sent", none: "This channel has sent nothing yet." },
  { status: "cancelled", name: "Cancelled", none: "Nothing was cancelled on this channel." },
];

export const ALERT_STATE: Record<AlertStatus, Content> = {
  draft: html`<span class="badge">draft</span>`,
  repeating: html`<span class="badge warn">repeating</span>`,
  scheduled: html`<span class="badge warn">scheduled</span>`,
  sent: html`<span class="badge good">sent</span>`,
  cancelled: html`<span class="badge">cancelled</span>`,
};

export const LOUDNESS: Record<string, Content> = {
  normal: "Normal",
  important: html`<span class="badge warn">important</span>`,
  urgent: html`<span class="badge urgent">urgent</span>`,
};

/** When an alert was sent, will be, or was last changed. */
export function when(alert: RowOf<"list_alerts">, now: Date): Content {
  if (alert.status === "scheduled") return html`<span>for ${clock(new Date(alert.send_at ?? ""))}</span>`;
  const at = alert.status === "cancelled" ? alert.cancelled_at : (alert.sent_at ?? alert.updated_at);
  return html`<span>${alert.status === "draft" && "changed "}${instant(at, now)}</span>`;
}

function filters(base: string, chosen: AlertStatus | null, search: AlertSearch): Html {
  return chips(
    "State of the alerts",
    FILTERS.map(({ status, name }) => ({
      href: viewAt(base, { ...searchQuery(search), status }),
      name,
      chosen: status === chosen,
    })),
  );
}

interface Asked {
  status: AlertStatus | null;
  before: string | null;
  search: AlertSearch;
  refused: Content;
}

function nothing(visit: MemberVisit, base: string, { status, before, search, refused }: Asked): Content {
  if (before) return emptyState("Nothing older", html`<a href="${base}">The newest alerts</a>`);
  if (isSearch(search)) return refused ?? nothingFits(viewAt(base, { status }));
  if (status)
    return emptyState("No such alerts", FILTERS.find((filter) => filter.status === status)?.none ?? "");
  return emptyState(
    "No alerts yet",
    html`What this channel says will stand here, with what its subscribers report of it. ${
      mayUse(visit, "create_alert")
        ? html`<a href="${base}/alerts/new">Write the first alert</a>: nobody sees it until it is sent.`
        : "Whoever may write alerts here begins."
    }`,
  );
}

async function alerts(visit: MemberVisit): Promise<Response> {
  const { url, now, params } = visit;
  const pusher_id = params.pusher ?? "";
  const status = FILTERS.find((filter) => filter.status === url.searchParams.get("status"))?.status ?? null;
  const before = url.searchParams.get("before");
  const search = { ...searchIn(visit), channel: pusher_id };
  const { data, meta, refused } = await foundAlerts(visit, search, {
    limit: SHOWN,
    ...(status && { status }),
    ...(before && { before }),
  });
  const base = channelBase(visit, pusher_id);
  // The channel stands in the path.
  const { channel: _, ...words } = search;
  const rows = livePart(
    "alerts",
    url,
    html`${
      data.length === 0
        ? meta.looked_to
          ? emptyState("Nothing fits so far", "The search ended early.")
          : nothing(visit, base, { status, before, search: words, refused })
        : table(
            "Alerts, the newest first",
            ["Alert", "State", "When", "How loud"],
            data.map((alert) => [
              html`<a href="${base}/alerts/${alert.id}">${alert.title}</a>`,
              ALERT_STATE[alert.status],
              when(alert, now),
              LOUDNESS[alert.priority],
            ]),
          )
    }${(data.length > 0 || meta.looked_to) && pagesOf(base, meta, { before, query: { ...searchQuery(words), status } })}`,
  );
  if (asksAlone(visit)) return visit.part(rows);
  const [channel, form] = await Promise.all([
    visit.call("get_pusher", { pusher_id }),
    (data.length > 0 || isSearch(words)) && searchForm(visit, base, search, { query: { status } }),
  ]);
  return visit.page(
    channel.name,
    html`${channelHead(visit, channel, "")}
    ${channel.subscribers === 0 && channel.status === "active" && firstSubscriber(visit, channel)}
    ${filters(base, status, words)}${(status === "scheduled" || status === "repeating") && html`<p><a href="${visit.base}month?channel=${channel.id}">As a month</a></p>`}${form}${rows}`,
    { styles: ["alert_card", "history", "channel", "drawings"], scripts: ["live", "copy"] },
  );
}

export const CHANNEL_ALERT_PAGES: readonly Page[] = [memberPage("GET", "/channels/:pusher", alerts)];
