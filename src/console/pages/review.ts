// Where a person reviews what somebody wrote, most often an assistant: the alert as a phone shows it, why it was written, and
// the decision. What each decision does, and whether it may be made, its operation says. The version that the page showed goes
// with every decision, so nobody sends what they have not seen (docs/rules.md#expected-version).

import { roleReaches } from "../../domain/visibility.ts";
import { ApiError, notFound } from "../../errors.ts";
import { alertCard } from "../../look/alert_card.ts";
import { type Content, type Html, html } from "../../look/html.ts";
import { minuteWords } from "../../look/instants.ts";
import decline_alert from "../../session/decline_alert.ts";
import { alertTimeline } from "../alert_timeline.ts";
import type { FlashCode } from "../flash.ts";
import { inForm } from "../forms.ts";
import { HISTORY_STYLES, LIVE_SCRIPT } from "../page.ts";
import { field, instant, problem, wrongWith } from "../parts.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const PATH = "/channels/:pusher/alerts/:alert";

/** What a form may ask for, and what the next page says of it. */
const VERBS: Record<string, { operation: string; done: FlashCode }> = {
  send: { operation: "send_alert", done: "alert-sent" },
  schedule: { operation: "schedule_alert", done: "alert-scheduled" },
  cancel: { operation: "cancel_alert", done: "alert-cancelled" },
};

const STATES: Record<string, string> = {
  draft: "Draft: nobody has seen it.",
  scheduled: "Scheduled: phones show it from its instant on.",
  sent: "Sent. A sent alert cannot be unsent; cancelling keeps it from phones that have not fetched it yet.",
  cancelled: "Cancelled.",
};

/** A time that was typed in UTC, to the minute, as operations take it; what is no time stays as it is, and is refused as that. */
const utc = (typed: string) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : typed);

const pathOf = ({ pusher = "", alert = "" }: Record<string, string>) => ({
  pusher_id: pusher,
  alert_id: alert,
});

async function review(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const path = pathOf(visit.params);
  const alert = await visit.call("get_alert", path);
  const channel = await visit.call("get_pusher", { pusher_id: path.pusher_id });
  return visit.page(
    alert.title,
    html`<h1>Review</h1>
    <p class="lede">${STATES[alert.status]}</p>
    ${problem(error)}
    ${alert.review_note && html`<section class="card"><h2>Why it was written</h2><p class="written">${alert.review_note}</p></section>`}
    ${alert.review_reply && html`<section class="card"><h2>It was declined</h2><p class="written">${alert.review_reply}</p></section>`}
    <h2>As a phone shows it</h2>
    ${card(visit, alert, channel)}
    ${alert.html && html`<iframe class="markup" sandbox="" title="The page of this alert" srcdoc="${alert.html}"></iframe>`}
    ${facts(visit, alert)}
    ${deciding(visit, alert, channel, error)}
    ${await alertTimeline(visit, alert)}`,
    {
      status: error?.status ?? 200,
      cards: true,
      styles: [HISTORY_STYLES],
      scripts: alert.status === "sent" ? [LIVE_SCRIPT] : [],
    },
  );
}

function card({ now }: MemberVisit, alert: any, channel: any): Html {
  const expiresAt = alert.expires_at && new Date(alert.expires_at);
  return alertCard({
    id: "alert",
    channel,
    title: alert.title,
    text: alert.body,
    priority: alert.priority,
    state: expiresAt && expiresAt <= now ? "past" : "read",
    sentAt: new Date(alert.sent_at ?? alert.send_at ?? alert.updated_at),
    now,
    expiresAt,
    picture: alert.image_asset_url,
    radiusKm: alert.radius_km,
    // As they will look; what they lead to is in the list below.
    acts: alert.actions.map(
      ({ label }: { label: string }) => html`<button type="button" class="plain" disabled>${label}</button>`,
    ),
  });
}

function facts({ now }: MemberVisit, alert: any): Html {
  const lines: [string, Content][] = [
    ["Changed", instant(alert.updated_at, now)],
    ...(alert.send_at
      ? [["Planned for", minuteWords(new Date(alert.send_at))] satisfies [string, Content]]
      : []),
    ...alert.actions.map(({ label, url }: { label: string; url: string }) => [`“${label}” opens`, url]),
    ...(alert.source_url ? [["Where to read more", alert.source_url] satisfies [string, Content]] : []),
    ...alert.notes.map(({ message }: { message: string }) => ["Note", message]),
  ];
  return html`<dl class="facts">${lines.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function deciding(visit: MemberVisit, alert: any, channel: any, error?: ApiError): Content {
  const send = visit.deps.tools.find(({ name }) => name === "send_alert")!;
  if (!roleReaches(visit.caller.member.role, send.role))
    return html`<p class="hint">Who may send alerts on this channel decides about it.</p>`;
  if (alert.status === "cancelled") return null;
  const { token, form } = visit;
  const { line, attributes } = wrongWith(error, "review_reply", "said");
  const head = html`${token}<input type="hidden" name="version" value="${alert.updated_at}">`;
  const action = visit.url.pathname;
  if (alert.status === "sent")
    return html`<form method="post" action="${action}">${head}<button class="danger" name="act" value="cancel">Cancel the alert</button></form>`;
  const reach = channel.subscribers === 1 ? "1 device" : `${channel.subscribers} devices`;
  return html`<section class="card" aria-labelledby="publish"><h2 id="publish">Publish it</h2>
      <p class="hint">It could reach ${reach}. A sent alert cannot be unsent. Whether it rings, each phone decides: the priority is a ceiling.</p>
      <form method="post" action="${action}" novalidate>${head}
        <div class="actions"><button name="act" value="send">Send it now</button></div></form>
      <form method="post" action="${action}" novalidate>${head}
        ${field({
          name: "send_at",
          label: "Or at a time (UTC)",
          value: form.get("send_at") ?? (alert.send_at ?? "").slice(0, 16),
          hint: "Such as 2026-12-24T18:00.",
          required: false,
          error,
        })}
        <button class="plain" name="act" value="schedule">Schedule it</button></form></section>
    <section class="card" aria-labelledby="decline"><h2 id="decline">Decline it</h2>
      <form method="post" action="${action}" novalidate>${head}
        <div class="field"><label for="review_reply">What should change</label>
          <p class="hint" id="review_reply-hint">Its author reads this. The alert stays a draft.</p>${line}
          <textarea id="review_reply" name="review_reply" rows="3" maxlength="1000" aria-describedby="review_reply-hint"${attributes}>${form.get("review_reply") ?? ""}</textarea></div>
        <button class="plain" name="act" value="decline">Decline it</button></form></section>`;
}

async function decide(visit: MemberVisit): Promise<FlashCode> {
  const { form } = visit;
  const path = { ...pathOf(visit.params), expected_updated_at: form.get("version") ?? "" };
  const act = form.get("act") ?? "";
  if (act === "decline") {
    await visit.asMember(decline_alert, { ...path, review_reply: form.get("review_reply") ?? "" });
    return "alert-declined";
  }
  if (!Object.hasOwn(VERBS, act)) throw notFound("form");
  const { operation, done } = VERBS[act]!;
  const at = act === "schedule" ? form.get("send_at") : null;
  await visit.call(operation, at ? { ...path, send_at: utc(at) } : path);
  return done;
}

export const REVIEW_PAGES: readonly Page[] = [
  memberPage("GET", PATH, (visit) => review(visit)),

  memberPage("POST", PATH, async (visit) => {
    try {
      return visit.goTo(visit.url.pathname, await decide(visit));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403 || error.status === 404) throw error;
      return review(visit, inForm(error, { expected_updated_at: "version" }));
    }
  }),
];
