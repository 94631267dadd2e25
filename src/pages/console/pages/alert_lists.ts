// Lists of alerts. Of all channels together: drafts, which wait for somebody to read and decide, what is scheduled, the soonest first, what
// was sent or cancelled, the newest first, and all of it. And of one channel, newest first. Each is searched by words, channel and writer.

import { mail_drafts, open_reviews } from "../../../identity/session/reviews.ts";
import { list_own_workspaces } from "../../../identity/session/workspaces.ts";
import { showId } from "../../../model/domain/ids.ts";
import { roleReaches } from "../../../model/domain/standing.ts";
import type { AlertStatus } from "../../../model/entities/alert.ts";
import { need } from "../../../model/need.ts";
import { type Content, html } from "../../../ui/html.ts";
import { clock } from "../../../ui/instants.ts";
import { viewAt } from "../../../ui/view_at.ts";
import { channelBase, channelHead, firstSubscriber } from "../channel_head.ts";
import { failingNotice, failingSenders } from "../failing_senders.ts";
import { type AlertColumns, foundAlerts, listed, searchIn, searchQuery } from "../finder.ts";
import { asksAlone, chips, emptyState, instant, type pager } from "../parts.ts";
import { recurrenceWords } from "../recurrence_form.ts";
import { type MemberVisit, mayUse, memberPage, type Page, type RowOf } from "../visit.ts";

const ALERT_STATE: Record<AlertStatus, Content> = {
  draft: html`<span class="badge">draft</span>`,
  repeating: html`<span class="badge warn">repeating</span>`,
  scheduled: html`<span class="badge warn">scheduled</span>`,
  sent: html`<span class="badge good">sent</span>`,
  cancelled: html`<span class="badge">cancelled</span>`,
};

const LOUDNESS: Record<string, Content> = {
  normal: "Normal",
  important: html`<span class="badge warn">important</span>`,
  urgent: html`<span class="badge urgent">urgent</span>`,
};

/** When an alert was sent, will be, or was last changed. */
function when(alert: RowOf<"list_alerts">, now: Date): Content {
  if (alert.status === "scheduled") return html`<span>for ${clock(new Date(alert.send_at ?? ""))}</span>`;
  const at = alert.status === "cancelled" ? alert.cancelled_at : (alert.sent_at ?? alert.updated_at);
  return html`<span>${alert.status === "draft" && "changed "}${instant(at, now)}</span>`;
}

/** Some of what is planned is shown as a month, too. */
const isPlanned = (status: AlertStatus | null | undefined): boolean => status === "scheduled" || status === "repeating";

interface Kept {
  path: string;
  name: string;
  lede: string;
  caption: string;
  status?: AlertStatus;
  order?: "newest" | "oldest";
  columns(now: Date): AlertColumns;
  none: readonly [title: string, text: string];
  ways?: Parameters<typeof pager>[2];
}

const loud: AlertColumns = { "How loud": ({ priority }) => LOUDNESS[priority] };

const LISTS: readonly Kept[] = [
  {
    path: "drafts",
    name: "Drafts",
    lede: "Alerts of all channels that nobody has sent. Open one to see it as a phone will show it, and decide.",
    caption: "Drafts, the newest first",
    status: "draft",
    columns: (now) => ({
      Changed: ({ updated_at }) => instant(updated_at, now),
      Review: ({ review_reply }) => (review_reply === null ? "Waits" : html`<span class="badge warn">declined</span>`),
    }),
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
    columns: () => ({ Repeats: ({ recurrence }) => recurrenceWords(recurrence), ...loud }),
    none: ["Nothing repeats", "A draft repeats when it is scheduled with a rule."],
  },
  {
    path: "scheduled",
    name: "Scheduled",
    lede: "Alerts of all channels that wait for their time, the soonest first. Until then each can be changed or stopped.",
    caption: "Scheduled alerts, the soonest first",
    status: "scheduled",
    order: "oldest",
    columns: () => ({ Appears: ({ send_at }) => clock(new Date(send_at ?? "")), ...loud }),
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
    columns: (now) => ({ Sent: ({ sent_at }) => instant(sent_at, now), ...loud }),
    none: ["Nothing was sent", "What went out stands here."],
  },
  {
    path: "cancelled",
    name: "Cancelled",
    lede: "Alerts of all channels that were withdrawn. Phones that had fetched one before keep it.",
    caption: "Cancelled alerts, the newest first",
    status: "cancelled",
    columns: (now) => ({ Cancelled: ({ cancelled_at }) => instant(cancelled_at, now), ...loud }),
    none: ["Nothing was cancelled", "What was withdrawn stands here."],
  },
  {
    path: "alerts",
    name: "All",
    lede: "Alerts of all channels in every state, by when they were written.",
    caption: "Alerts, the newest first",
    columns: (now) => ({ State: ({ status }) => ALERT_STATE[status], When: (alert) => when(alert, now) }),
    none: ["No alerts yet", "What is written stands here."],
  },
];

const listOf =
  (list: Kept) =>
  async (visit: MemberVisit): Promise<Response> => {
    const { now, base } = visit;
    const { path, name, status } = list;
    const search = searchIn(visit);
    const [found, { data: channels }] = await Promise.all([
      foundAlerts(visit, search, list),
      visit.call("list_pushers"),
    ]);
    const names = new Map(channels.map(({ id, name }) => [id, name]));
    const { part, form } = listed(visit, found, {
      ...list,
      ...{ id: path, path: base + path, all: base + path, search },
      none: emptyState(...list.none),
      end: ["Nothing further", "Where the list begins"],
      columns: {
        Alert: ({ id, pusher_id, title, status, review_note }) =>
          html`<a href="${channelBase(visit, pusher_id)}/alerts/${id}">${title}</a>${
            status === "draft" && review_note && html`<span class="why"><q>${review_note}</q></span>`
          }`,
        Channel: ({ pusher_id }) =>
          html`<a href="${channelBase(visit, pusher_id)}">${names.get(pusher_id) ?? "A new channel"}</a>`,
        ...list.columns(now),
      },
    });
    if (asksAlone(visit)) return visit.part(part);
    return visit.page(
      name,
      html`<h1>${name}</h1>
    <p class="lede">${list.lede}${isPlanned(status) && html` <a href="${base}month">As a month</a>`}</p>
    ${chips(
      "Alerts of all channels",
      LISTS.map((one) => ({
        href: viewAt(base + one.path, searchQuery(search)),
        name: one.name,
        chosen: one === list,
      })),
    )}${await form(channels.map(({ id, name }) => ({ value: id, label: name })))}${part}${status === "draft" && (await hearing(visit))}`,
      { styles: ["history"], scripts: ["live"] },
    );
  };

const FILTERS: { status: AlertStatus | null; name: string; none: string }[] = [
  { status: null, name: "All", none: "" },
  { status: "draft", name: "Drafts", none: "Nothing is being written on this channel." },
  { status: "repeating", name: "Repeating", none: "Nothing repeats on this channel." },
  { status: "scheduled", name: "Scheduled", none: "Nothing waits for its time on this channel." },
  { status: "sent", name: "Sent", none: "This channel has sent nothing yet." },
  { status: "cancelled", name: "Cancelled", none: "Nothing was cancelled on this channel." },
];

async function ofChannel(visit: MemberVisit): Promise<Response> {
  const { url, now, params } = visit;
  const pusher_id = params.pusher ?? "";
  const { status, none } = need(
    FILTERS.find((filter) => filter.status === url.searchParams.get("status")) ?? FILTERS[0],
    "a list is not empty",
  );
  // The channel stands in the path.
  const { channel: _, ...words } = searchIn(visit);
  const base = channelBase(visit, pusher_id);
  const found = await foundAlerts(visit, { ...words, channel: pusher_id }, { status });
  const { part, form } = listed(visit, found, {
    ...{ id: "alerts", path: base, caption: "Alerts, the newest first", search: words },
    query: { status },
    all: viewAt(base, { status }),
    none: status
      ? emptyState("No such alerts", none)
      : emptyState(
          "No alerts yet",
          html`What this channel says will stand here, with what its subscribers report of it. ${
            mayUse(visit, "create_alert")
              ? html`<a href="${base}/alerts/new">Write the first alert</a>: nobody sees it until it is sent.`
              : "Whoever may write alerts here begins."
          }`,
        ),
    end: ["Nothing older", "The newest alerts"],
    columns: {
      Alert: ({ id, title }) => html`<a href="${base}/alerts/${id}">${title}</a>`,
      State: ({ status }) => ALERT_STATE[status],
      When: (alert) => when(alert, now),
      ...loud,
    },
  });
  if (asksAlone(visit)) return visit.part(part);
  const [channel, search, failing] = await Promise.all([
    visit.call("get_pusher", { pusher_id }),
    form(),
    failingSenders(visit),
  ]);
  const filters = FILTERS.map((one) => ({
    href: viewAt(base, { ...searchQuery(words), status: one.status }),
    name: one.name,
    chosen: one.status === status,
  }));
  return visit.page(
    channel.name,
    html`${channelHead(visit, channel, "")}
    ${channel.subscribers === 0 && channel.status === "active" && firstSubscriber(visit, channel)}
    ${chips("State of the alerts", filters)}${isPlanned(status) && html`<p><a href="${visit.base}month?channel=${channel.id}">As a month</a></p>`}${search}${failingNotice(visit, failing, channel)}${part}`,
    { styles: ["alert_card", "history", "channel", "drawings"], scripts: ["live", "copy"] },
  );
}

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

export const ALERT_LIST_PAGES: readonly Page[] = [
  memberPage("GET", "/channels/:pusher", ofChannel),
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
