// The first page of a workspace: the totals of the past week, failing senders, drafts that await a review and scheduled
// alerts. Channels and sent alerts follow. Until an alert was sent it explains three methods: in this browser, with an
// assistant, with curl.

import { supportsOAuth } from "../../../identity/auth/redirect_uris.ts";
import { create_key } from "../../../identity/session/api_keys.ts";
import { isRoleAtLeast } from "../../../model/domain/member_access_rules.ts";
import { formatId } from "../../../model/domain/type_ids.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { buildAlertColumns, type ListedAlert, renderAlertTime } from "../alert_rows.ts";
import { ASSISTANT_CLIENTS, type AssistantClient, SET_API_KEY_COMMAND } from "../assistant_clients.ts";
import { getChannelPath, renderNewAlertChannelMenu, renderSubscribeHint } from "../channel_header.ts";
import { renderTotalsHeader } from "../charts/chart.ts";
import { COUNT_SERIES } from "../charts/daily_charts.ts";
import { copyableText, isPartRequest, liveSection, renderHtmlTable } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { failingSendersNotice, findFailingSenders } from "../failing_senders.ts";
import {
  type ConsolePage,
  canUse,
  defineAnonymousPage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";
import { channelTable, sortChannelsByReach } from "./channels.ts";

/** The setup that a client is given, for each kind of connection to this server. */
function clientLines({ name, where, key, consent }: AssistantClient, publicUrl: string): HtmlContent {
  const asking = supportsOAuth(publicUrl) ? consent : null;
  if (!asking && !key) return null;
  return html`<details class="more" name="client"><summary>${name}</summary><p class="hint">In ${where}.</p>
    ${asking && copyableText(asking(publicUrl), `for ${name}`)}
    ${
      key && html`${asking && html`<p>Or with a key:</p>`}${copyableText(key(publicUrl), `for ${name}, with a key`)}`
    }</details>`;
}

/** Connecting an assistant: by consent where this server is reached over https or on this machine, else by a key. */
function connecting({ deps, caller, base }: MemberPageContext): HtmlContent {
  const { publicUrl } = deps;
  const asks = supportsOAuth(publicUrl);
  const keys = isRoleAtLeast(caller.member.role, create_key.role)
    ? html`<a href="${base}keys">create a key</a>`
    : html`ask an owner for a key`;
  return html`${
    asks
      ? html`<p>Give your assistant this address. A page opens in your browser, where you choose the assistant's
        permissions. No key is needed.</p>
    ${copyableText(`${publicUrl}/mcp`, "the address")}`
      : html`<p>This server does not use HTTPS, so assistants connect with a key.</p>`
  }
    <details class="more"${!asks && html` open`}><summary>Setup for your client</summary>
    <p>With a key: ${keys}, and set it in the shell that starts the client.</p>
    ${copyableText(SET_API_KEY_COMMAND, "the command")}
    ${ASSISTANT_CLIENTS.map((client) => clientLines(client, publicUrl))}</details>`;
}

/** Lines for a shell that send one alert, on `channel` or on one that they open. The key is the reader's. */
function firstAlertCommands(publicUrl: string, channel: { id: string } | null): string {
  const head = `KEY='<your key>'\nAPI=${publicUrl}/api/v1`;
  const json = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"';
  const send = (id: string) =>
    `curl -s $API/pushers/${id}/alerts ${json} \\\n  -d '{"title": "The quay floods at six", "send": true}'`;
  if (channel) return `${head}\n${send(channel.id)}`;
  return `${head}
PUSHER=$(curl -s $API/pushers ${json} \\
  -d '{"handle": "harbour-watch", "name": "Harbour Watch", "category": "community",
       "description": "Tides and closures", "requested_perms": ["notify", "sound"]}' |
  sed 's/.*"id":"\\(psh_[a-z0-9]*\\)".*/\\1/p;d')
${send("$PUSHER")}`;
}

/** @param channel the one that alerts are most likely written on; null without one */
function firstAlertGuide(context: MemberPageContext, channel: { id: string; handle: string } | null): Html {
  const { base, deps } = context;
  const opens = canUse(context, "create_pusher") && context.caller.pusherIds === null;
  const said = channel
    ? `Draft an alert for the channel ${channel.handle}: the quay will flood at six tonight. Show me the ` +
      "draft before you send it."
    : "Create a channel harbour-watch for tide warnings, and draft an alert: the quay will flood at six tonight. " +
      "Show me the draft before you send it.";
  return html`<div>
  ${
    canUse(context, "create_alert") &&
    (channel || opens) &&
    html`<section class="card" aria-labelledby="by-browser"><h3 id="by-browser">In the browser</h3>${
      channel
        ? html`<p>Write an alert, preview it, then send it.</p><p><a class="button"
          href="${getChannelPath(context, channel.id)}/alerts/new">Write an alert</a></p>`
        : html`<p>Create a channel that people can subscribe to. Then write an alert, preview it and send it.</p><p><a
          class="button" href="${base}channels/new">Create a channel</a></p>`
    }</section>`
  }
  <section class="card" aria-labelledby="by-assistant"><h3
    id="by-assistant">With an assistant</h3>${connecting(context)}
    ${
      canUse(context, "create_alert") &&
      html`<p>Then ask the assistant:</p>${copyableText(said, "the prompt")}
    <p class="hint">Writing and sending are separate permissions. If the assistant cannot send, its drafts wait here
      for you.</p>`
    }</section>
  ${
    canUse(context, "send_alert") &&
    (channel || opens) &&
    html`<section class="card" aria-labelledby="by-curl"><h3 id="by-curl">With curl</h3>
    <p>With your key${
      isRoleAtLeast(context.caller.member.role, create_key.role)
        ? html` (<a
      href="${base}keys">create one</a>)`
        : " (an owner can create one)"
    }, in a shell:</p>
    ${copyableText(firstAlertCommands(deps.publicUrl, channel), "the lines")}
    <p class="hint">See the <a href="/api/v1/docs">API reference</a> for more.</p></section>`
  }</div>`;
}

const SHOWN = 5;

const MOST_CHANNELS = 5;

/** A section of the overview with the first alerts of a list; nothing for an empty list. */
function alertSection(
  context: MemberPageContext,
  channels: readonly OperationResultRow<"list_pushers">[],
  alerts: readonly ListedAlert[],
  list: { id: string; title: string; path: string; all: string; time: string },
): HtmlContent {
  const { id, title, path, all, time } = list;
  const columns = {
    ...buildAlertColumns(context, alerts, channels),
    [time]: (alert: ListedAlert) => renderAlertTime(alert, context.now),
  };
  return (
    alerts.length > 0 &&
    html`<section aria-labelledby="${id}"><div class="between"><h2 id="${id}">${title}</h2><a
      href="${context.base}${path}">${all}</a></div>${renderHtmlTable(title, alerts, columns)}</section>`
  );
}

async function overview(context: MemberPageContext): Promise<Response> {
  const { base, caller } = context;
  const byTime = async (status: "scheduled" | "sent", order: "newest" | "oldest") =>
    (await context.call("list_account_alerts", { status, order, limit: SHOWN })).data;
  const alone = isPartRequest(context);
  const [{ data: channels }, { data: drafts }, failing, next, stats, sent] = await Promise.all([
    context.call("list_pushers"),
    context.call("list_account_alerts", { status: "draft", limit: SHOWN, view: "brief" }),
    findFailingSenders(context),
    byTime("scheduled", "oldest"),
    alone ? null : context.call("get_account_stats"),
    alone ? [] : byTime("sent", "newest"),
  ]);
  const section = (alerts: readonly ListedAlert[], list: Parameters<typeof alertSection>[3]) =>
    alertSection(context, channels, alerts, list);
  const waiting = liveSection(
    "now",
    context.url,
    html`${failingSendersNotice(context, failing, channels)}
    ${section(drafts, {
      ...{ id: "waiting", title: "Awaiting review", path: "drafts", all: "All drafts", time: "Changed" },
    })}
    ${section(next, {
      ...{ id: "next", title: "Scheduled next", path: "scheduled", all: "All scheduled", time: "Send time" },
    })}`,
  );
  if (!stats) return context.part(waiting);
  const quiet = sent.length === 0;
  const opens = canUse(context, "create_pusher") && caller.pusherIds === null;
  const active = channels.filter(({ status }) => status === "active");
  const reachable = active.find(({ is_public }) => is_public) ?? active[0];
  return context.page(
    caller.workspace.name,
    html`<div class="between"><h1>${caller.workspace.name}</h1><div class="actions">${
      opens && html`<a class="button plain" href="${base}channels/new">New channel</a>`
    }${renderNewAlertChannelMenu(context, channels)}</div></div>
    ${
      caller.pusherIds &&
      html`<p class="lede">You have access to ${caller.pusherIds.length === 1 ? "one channel" : "some channels"}.</p>`
    }
    ${
      !quiet &&
      renderTotalsHeader([
        ...COUNT_SERIES.map(({ heading, key }) => [heading, stats.totals[key], "in the past week"] as const),
        ["Current reach", stats.reach, "subscribers"],
      ])
    }
    ${waiting}
    ${stats.reach === 0 && reachable && renderSubscribeHint(context, reachable)}
    ${
      quiet &&
      channels.length + (opens ? 1 : 0) > 0 &&
      html`<section aria-labelledby="first"><h2
        id="first">${channels.length === 0 ? "Your first alert" : "Send your first alert"}</h2>${firstAlertGuide(
          context,
          active[0] ?? null,
        )}</section>`
    }
    ${
      channels.length > 0
        ? html`<section aria-labelledby="channels"><div class="between"><h2 id="channels">Channels</h2><a
        href="${base}channels">All channels</a></div>${channelTable(
          context,
          sortChannelsByReach(channels, stats).slice(0, MOST_CHANNELS),
          stats,
        )}</section>`
        : !opens &&
          emptyState({ icon: "feed", title: "No channels yet", says: "Channels you have access to appear here." })
    }
    ${section(sent, { id: "sent", title: "Recently sent", path: "sent", all: "All sent", time: "Sent" })}
    ${
      !quiet &&
      html`<details class="more"><summary>Write with an assistant or curl</summary>${firstAlertGuide(
        context,
        active[0] ?? null,
      )}</details>`
    }`,
    { styles: ["alert_card", "history", "channel", "drawings"], scripts: ["copy", "live"] },
  );
}

export const OVERVIEW_PAGES: readonly ConsolePage[] = [
  defineAnonymousPage("GET", "/console", async (context) => {
    const { session } = context;
    if (!session) return context.goTo("/console/sign-in");
    const [first] = session.memberships;
    if (first) return context.goTo(`/console/${formatId("wsp", first.workspace_id)}/`);
    return context.page(
      "No workspace",
      html`<h1>No workspace</h1><p class="lede">Your account is not a member of any workspace. Ask a workspace owner
        to add you.</p>`,
      { width: "narrow" },
    );
  }),

  defineMemberPage("GET", "/", overview),
];
