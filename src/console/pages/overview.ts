// The first page of a workspace: its channels, and how to connect an assistant.

import { supportsConsent } from "../../auth/redirects.ts";
import { showId } from "../../domain/ids.ts";
import { roleReaches } from "../../domain/visibility.ts";
import { type Content, html } from "../../look/html.ts";
import create_key from "../../session/create_key.ts";
import { CHANNEL_STATUS } from "../channel_head.ts";
import { COPY_SCRIPT } from "../page.ts";
import { copyable, emptyState, table } from "../parts.ts";
import { type MemberVisit, memberPage, openPage, type Page } from "../visit.ts";

function connecting({ deps, caller, base }: MemberVisit): Content {
  const address = `${deps.publicUrl}/mcp`;
  const keys = roleReaches(caller.member.role, create_key.role)
    ? html`<a href="${base}keys">Make a key</a>`
    : html`Ask an owner for a key`;
  if (!supportsConsent(deps.publicUrl))
    return html`<p>This server is not reached over https, so assistants connect with a key. ${keys}, then:</p>
    ${copyable(`claude mcp add --transport http belfry ${address} --header "Authorization: Bearer <your key>"`, "the command")}`;
  return html`<p>Give your assistant this address. A page opens in your browser and asks what the assistant may do. No key is needed.</p>
    ${copyable(address, "the address")}
    <p>In Claude Code:</p>
    ${copyable(`claude mcp add --transport http belfry ${address}`, "the command")}
    <p class="hint">Scripts use keys instead: ${keys}. Every operation is described in the <a href="/api/v1/docs">API documentation</a>.</p>`;
}

export const OVERVIEW_PAGES: readonly Page[] = [
  openPage("GET", "/console", async (visit) => {
    const { session } = visit;
    if (!session) return visit.goTo("/console/sign-in");
    const [first] = session.memberships;
    if (first) return visit.goTo(`/console/${showId("wsp", first.workspace_id)}/`);
    return visit.page(
      "No workspace",
      html`<h1>No workspace</h1><p class="lede">Your account is not a member of any workspace. Ask an owner of a workspace to add you.</p>`,
      { width: "narrow" },
    );
  }),

  memberPage("GET", "/", async (visit) => {
    const member = visit;
    const [channels, stats] = await Promise.all([
      member.call("list_pushers"),
      member.call("get_account_stats"),
    ]);
    const reach = new Map(stats.channels.map((channel: any) => [channel.pusher_id, channel.reach]));
    const sum = (name: string) => channels.data.reduce((total: number, row: any) => total + row[name], 0);
    const figures = [
      ["Channels", channels.data.length],
      ["Subscriptions", stats.reach],
      ["Scheduled alerts", sum("scheduled")],
      ["Drafts", sum("drafts")],
    ];
    return visit.page(
      member.caller.workspace.name,
      html`<h1>${member.caller.workspace.name}</h1>
      <p class="lede">You are ${roleWords(member.caller.member.role)} here${
        member.caller.pusherIds &&
        html`, and see ${member.caller.pusherIds.length === 1 ? "one channel" : "certain channels"} only`
      }.</p>
      <dl class="figures">${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <h2>Channels</h2>
      ${
        channels.data.length === 0
          ? emptyState(
              "No channels yet",
              "Connect an assistant below and ask it to open an alert channel, or open one through the API.",
            )
          : table(
              "Alert channels",
              ["Channel", "Status", "Subscribers", "Scheduled", "Drafts"],
              channels.data.map((channel: any) => [
                html`<strong>${channel.name}</strong><a href="${channel.url}">${channel.handle}</a>`,
                CHANNEL_STATUS[channel.status],
                reach.get(channel.id) as number,
                channel.scheduled,
                channel.drafts,
              ]),
            )
      }
      <section class="card" aria-labelledby="connect"><h2 id="connect">Connect an assistant</h2>${connecting(member)}</section>`,
      { section: "", scripts: [COPY_SCRIPT] },
    );
  }),
];

const roleWords = (role: string) => `an ${role}`.replace("an viewer", "a viewer");
