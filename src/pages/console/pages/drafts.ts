// Drafts of all channels together: what waits for somebody to read it and decide.

import { html } from "../../../ui/html.ts";
import { channelBase } from "../channel_head.ts";
import { asksAlone, livePart, partAlone } from "../live.ts";
import { HISTORY_STYLES, LIVE_SCRIPT } from "../page.ts";
import { emptyState, instant, pager, table } from "../parts.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const SHOWN = 25;

async function drafts(visit: MemberVisit): Promise<Response> {
  const { url, now, base } = visit;
  const before = url.searchParams.get("before");
  const [{ data, meta }, channels] = await Promise.all([
    visit.call("list_account_alerts", { status: "draft", limit: SHOWN, ...(before && { before }) }),
    visit.call("list_pushers"),
  ]);
  const names = new Map(channels.data.map(({ id, name }) => [id, name]));
  const part = livePart(
    "drafts",
    url,
    html`${
      data.length === 0
        ? before
          ? emptyState("Nothing older", html`<a href="${base}drafts">The newest drafts</a>`)
          : emptyState(
              "No drafts",
              "What is being written stands here until it is sent, whoever writes it: a member, a script, or an assistant that may write and not send.",
            )
        : table(
            "Drafts, the newest first",
            ["Draft", "Channel", "Changed", "Review"],
            data.map((draft) => [
              html`<a href="${channelBase(visit, draft.pusher_id)}/alerts/${draft.id}">${draft.title}</a>${
                draft.review_note && html`<span class="why">${draft.review_note}</span>`
              }`,
              html`<a href="${channelBase(visit, draft.pusher_id)}">${names.get(draft.pusher_id) ?? "A new channel"}</a>`,
              instant(draft.updated_at, now),
              draft.review_reply === null ? "Waits" : html`<span class="badge warn">declined</span>`,
            ]),
          )
    }${data.length > 0 && pager(`${base}drafts`, { before, next: meta.next_before })}`,
  );
  if (asksAlone(visit)) return partAlone(part);
  return visit.page(
    "Drafts",
    html`<h1>Drafts</h1>
    <p class="lede">Alerts of all channels that nobody has sent. Open one to see it as a phone will show it, and decide.</p>${part}`,
    { section: "drafts", styles: [HISTORY_STYLES], scripts: [LIVE_SCRIPT] },
  );
}

export const DRAFT_PAGES: readonly Page[] = [memberPage("GET", "/drafts", drafts)];
