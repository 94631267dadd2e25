// Alerts of all channels together: drafts, which wait for somebody to read and decide, what is scheduled, the soonest first, and what
// was sent, the newest first.

import list_alert_times from "../../../identity/session/list_alert_times.ts";
import { clock } from "../../../ui/clock.ts";
import { type Content, html } from "../../../ui/html.ts";
import { channelBase } from "../channel_head.ts";
import { asksAlone, livePart, partAlone } from "../live.ts";
import { HISTORY_STYLES, LIVE_SCRIPT } from "../page.ts";
import { chips, emptyState, instant, pager, table } from "../parts.ts";
import { type AnswerOf, type MemberVisit, memberPage, type Page, type RowOf } from "../visit.ts";
import { LOUDNESS } from "./channel_alerts.ts";

const SHOWN = 25;

type Listed = RowOf<"list_account_alerts">;

interface Kept {
  path: string;
  name: string;
  lede: string;
  /** What the table shows, and in which order. */
  caption: string;
  read(
    visit: MemberVisit,
    page: { limit: number; before?: string },
  ): Promise<AnswerOf<"list_account_alerts">>;
  /** Columns after alert and channel. */
  columns: readonly [name: string, cell: (alert: Listed, now: Date) => Content][];
  none: readonly [title: string, text: string];
  ways?: Parameters<typeof pager>[2];
}

const byTime =
  (status: "scheduled" | "sent"): Kept["read"] =>
  (visit, page) =>
    visit.asMember(list_alert_times, { status, ...page });

const loud: Kept["columns"][number] = ["How loud", ({ priority }) => LOUDNESS[priority]];

const LISTS: readonly Kept[] = [
  {
    path: "drafts",
    name: "Drafts",
    lede: "Alerts of all channels that nobody has sent. Open one to see it as a phone will show it, and decide.",
    caption: "Drafts, the newest first",
    read: (visit, page) => visit.call("list_account_alerts", { status: "draft", ...page }),
    columns: [
      ["Changed", ({ updated_at }, now) => instant(updated_at, now)],
      [
        "Review",
        ({ review_reply }) =>
          review_reply === null ? "Waits" : html`<span class="badge warn">declined</span>`,
      ],
    ],
    none: [
      "No drafts",
      "What is being written stands here until it is sent, whoever writes it: a member, a script, or an assistant that may write and not send.",
    ],
  },
  {
    path: "scheduled",
    name: "Scheduled",
    lede: "Alerts of all channels that wait for their time, the soonest first. Until then each can be changed or stopped.",
    caption: "Scheduled alerts, the soonest first",
    read: byTime("scheduled"),
    columns: [["Appears", ({ send_at }) => clock(new Date(send_at ?? ""))], loud],
    none: ["Nothing is scheduled", "Alerts with a time stand here until they appear."],
    ways: { back: "Soonest", on: "Later" },
  },
  {
    path: "sent",
    name: "Sent",
    lede: "Alerts of all channels that phones show, the newest first. Each one's page says what devices reported of it.",
    caption: "Sent alerts, the newest first",
    read: byTime("sent"),
    columns: [["Sent", ({ sent_at }, now) => instant(sent_at, now)], loud],
    none: ["Nothing was sent", "What went out stands here."],
  },
];

const listOf =
  (list: Kept) =>
  async (visit: MemberVisit): Promise<Response> => {
    const { url, now, base } = visit;
    const { path, name, columns } = list;
    const before = url.searchParams.get("before");
    const [{ data, meta }, channels] = await Promise.all([
      list.read(visit, { limit: SHOWN, ...(before && { before }) }),
      visit.call("list_pushers"),
    ]);
    const names = new Map(channels.data.map(({ id, name }) => [id, name]));
    const part = livePart(
      path,
      url,
      html`${
        data.length === 0
          ? before
            ? emptyState("Nothing further", html`<a href="${base}${path}">Where the list begins</a>`)
            : emptyState(...list.none)
          : table(
              list.caption,
              ["Alert", "Channel", ...columns.map(([name]) => name)],
              data.map((alert) => [
                html`<a href="${channelBase(visit, alert.pusher_id)}/alerts/${alert.id}">${alert.title}</a>${
                  alert.status === "draft" &&
                  alert.review_note &&
                  html`<span class="why"><q>${alert.review_note}</q></span>`
                }`,
                html`<a href="${channelBase(visit, alert.pusher_id)}">${names.get(alert.pusher_id) ?? "A new channel"}</a>`,
                ...columns.map(([, cell]) => cell(alert, now)),
              ]),
            )
      }${data.length > 0 && pager(`${base}${path}`, { before, next: meta.next_before }, list.ways)}`,
    );
    if (asksAlone(visit)) return partAlone(part);
    return visit.page(
      name,
      html`<h1>${name}</h1>
    <p class="lede">${list.lede}</p>
    ${chips(
      "Alerts of all channels",
      LISTS.map((one) => ({ href: base + one.path, name: one.name, chosen: one === list })),
    )}${part}`,
      { styles: [HISTORY_STYLES], scripts: [LIVE_SCRIPT] },
    );
  };

export const ACCOUNT_ALERT_PAGES: readonly Page[] = LISTS.map((list) =>
  memberPage("GET", `/${list.path}`, listOf(list)),
);
