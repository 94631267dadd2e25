// Alerts of all channels together: drafts, which wait for somebody to read and decide, what is scheduled, the soonest first, what
// was sent or cancelled, the newest first, and all of it; each searched by words, channel and writer.

import { mail_drafts, open_reviews } from "../../../identity/session/reviews.ts";
import { list_own_workspaces } from "../../../identity/session/workspaces.ts";
import { showId } from "../../../model/domain/ids.ts";
import { roleReaches } from "../../../model/domain/standing.ts";
import type { AlertStatus } from "../../../model/entities/alert.ts";
import { type Content, html } from "../../../ui/html.ts";
import { clock } from "../../../ui/instants.ts";
import { viewAt } from "../../../ui/view_at.ts";
import { channelBase } from "../channel_head.ts";
import { foundAlerts, isSearch, nothingFits, pagesOf, searchForm, searchIn, searchQuery } from "../finder.ts";
import { asksAlone, chips, emptyState, instant, livePart, type pager, table } from "../parts.ts";
import { recurrenceWords } from "../recurrence_form.ts";
import { type MemberVisit, memberPage, type Page, type RowOf } from "../visit.ts";
import { ALERT_STATE, LOUDNESS, when } from "./channel_alerts.ts";

const SHOWN = 25;

type Listed = RowOf<"list_account_alerts">;

interface Kept {
  path: string;
  name: string;
  lede: string;
  /** What the table shows, and in which order. */
  caption: string;
  status?: AlertStatus;
  /** Without one they stand by their age. */
  order?: "newest" | "oldest";
  columns: readonly [name: string, cell: (alert: Listed, now: Date) => Content][];
  none: readonly [title: string, text: string];
  ways?: Parameters<typeof pager>[2];
}

const loud: Kept["columns"][number] = ["How loud", ({ priority }) => LOUDNESS[priority]];

const LISTS: readonly Kept[] = [
  {
    path: "drafts",
    name: "Drafts",
    lede: "Alerts of all channels that nobody has sent. Open one to see it as a phone will show it, and decide.",
    caption: "Drafts, the newest first",
    status: "draft",
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
    path: "repeating",
    name: "Repeating",
    lede: "Alerts of all channels that repeat. Their next occurrences stand under Scheduled, each an alert of its own.",
    caption: "Repeating alerts, the newest first",
    status: "repeating",
    columns: [["Repeats", ({ recurrence }) => recurrenceWords(recurrence)], loud],
    none: ["Nothing repeats", "A draft repeats when it is scheduled with a rule."],
  },
  {
    path: "scheduled",
    name: "Scheduled",
    lede: "Alerts of all channels that wait for their time, the soonest first. Until then each can be changed or stopped.",
    caption: "Scheduled alerts, the soonest first",
    status: "scheduled",
    order: "oldest",
    columns: [["Appears", ({ send_at }) => clock(new Date(send_at ?? ""))], loud],
    none: ["Nothing is scheduled", "Alerts with a time stand here until they appear."],
    ways: { back: "Soonest", on: "Later" },
  },
  {
    path: "sent",
    name: "Sent",
    lede: "Alerts of all channels that phones show, the newest first. Each one's page says what devices reported of it.",
    caption: "Sent alerts, the newest first",
    status: "sent",
    order: "newest",
    columns: [["Sent", ({ sent_at }, now) => instant(sent_at, now)], loud],
    none: ["Nothing was sent", "What went out stands here."],
  },
  {
    path: "cancelled",
    name: "Cancelled",
    lede: "Alerts of all channels that were withdrawn. Phones that had fetched one before keep it.",
    caption: "Cancelled alerts, the newest first",
    status: "cancelled",
    columns: [["Cancelled", ({ cancelled_at }, now) => instant(cancelled_at, now)], loud],
    none: ["Nothing was cancelled", "What was withdrawn stands here."],
  },
  {
    path: "alerts",
    name: "All",
    lede: "Alerts of all channels in every state, by when they were written.",
    caption: "Alerts, the newest first",
    columns: [
      ["State", ({ status }) => ALERT_STATE[status]],
      ["When", (alert, now) => when(alert, now)],
    ],
    none: ["No alerts yet", "What is written stands here."],
  },
];

const listOf =
  (list: Kept) =>
  async (visit: MemberVisit): Promise<Response> => {
    const { url, now, base } = visit;
    const { path, name, columns, status, order } = list;
    const before = url.searchParams.get("before");
    const search = searchIn(visit);
    const [{ data, meta, refused }, channels] = await Promise.all([
      foundAlerts(visit, search, {
        limit: SHOWN,
        ...(status && { status }),
        ...(order && { order }),
        ...(before && { before }),
      }),
      visit.call("list_pushers"),
    ]);
    const names = new Map(channels.data.map(({ id, name }) => [id, name]));
    const part = livePart(
      path,
      url,
      html`${
        data.length === 0
          ? meta.looked_to
            ? emptyState("Nothing fits so far", "The search ended early.")
            : before
              ? emptyState("Nothing further", html`<a href="${base}${path}">Where the list begins</a>`)
              : isSearch(search)
                ? (refused ?? nothingFits(`${base}${path}`))
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
      }${(data.length > 0 || meta.looked_to) && pagesOf(`${base}${path}`, meta, { before, query: searchQuery(search) }, list.ways)}`,
    );
    if (asksAlone(visit)) return visit.part(part);
    const form =
      (data.length > 0 || isSearch(search)) &&
      (await searchForm(visit, `${base}${path}`, search, {
        channels: channels.data.map(({ id, name }) => ({ value: id, label: name })),
      }));
    return visit.page(
      name,
      html`<h1>${name}</h1>
    <p class="lede">${list.lede}${(status === "scheduled" || status === "repeating") && html` <a href="${base}month">As a month</a>`}</p>
    ${chips(
      "Alerts of all channels",
      LISTS.map((one) => ({
        href: viewAt(base + one.path, searchQuery(search)),
        name: one.name,
        chosen: one === list,
      })),
    )}${form}${part}${status === "draft" && (await hearing(visit))}`,
      { styles: ["history"], scripts: ["live"] },
    );
  };

/** How drafts that wait are heard of: by a phone, for who may open the channel that tells of them, and by mail where it is sent. */
async function hearing(visit: MemberVisit): Promise<Content> {
  const { caller, base, token, deps } = visit;
  const opens = roleReaches(caller.member.role, open_reviews.role) && caller.pusherIds === null;
  const mails = deps.mail !== null && roleReaches(caller.member.role, mail_drafts.role);
  if (!opens && !mails) return null;
  const { data } = await visit.asPerson(list_own_workspaces, {});
  const mailed = data.find(({ id }) => id === showId("wsp", caller.workspace.id))?.mails_drafts === true;
  return html`<details class="more"><summary>Hear of drafts that wait</summary>
    <p>A private channel of the workspace, “Reviews”, tells phones when an assistant or a key asks for a person. It names the draft's channel and who asks, and not what the draft says. Its alert leads to the draft, and is over once somebody decided.</p>
    ${opens && html`<form method="post" action="${base}reviews">${token}<button>Subscribe a phone</button></form>`}
    ${
      mails &&
      html`<p>${mailed ? "You get a mail of the same, too." : "A mail can say the same, where that channel is open."}</p>
    <form method="post" action="${base}reviews/mail">${token}<input type="hidden" name="mails" value="${mailed ? "" : "on"}"><button>${mailed ? "No more mails" : "Mail me, too"}</button></form>`
    }</details>`;
}

export const ACCOUNT_ALERT_PAGES: readonly Page[] = [
  ...LISTS.map((list) => memberPage("GET", `/${list.path}`, listOf(list))),

  memberPage("POST", "/reviews", async (visit) => {
    const { id } = await visit.asMember(open_reviews, {});
    return visit.goTo(`${channelBase(visit, id)}/invites`);
  }),

  memberPage("POST", "/reviews/mail", async (visit) => {
    await visit.asMember(mail_drafts, { mails_drafts: visit.form.get("mails") === "on" });
    return visit.goTo(`${visit.base}drafts`);
  }),
];
