// The header of each page of a channel: its avatar and name, its state, and its pages. It also has the channel's
// address as a link, as text to copy, and as a QR code.

import { isLoopbackHost } from "../../identity/auth/redirect_uris.ts";
import { list_keys } from "../../identity/session/api_keys.ts";
import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import type { Role } from "../../model/tables/member.ts";
import { type AvatarData, avatar, getLocalPicturePath } from "../../ui/avatar.ts";
import { breakableUrl } from "../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { renderQrCode } from "../../ui/qr_code.ts";
import { copyableText } from "./components.ts";
import { type ChannelResult, canUse, type MemberPageContext } from "./page_definitions.ts";

/** The pages of a channel: path below it, name, and the operation that one must be allowed to open it. */
const TABS = [
  { path: "", name: "Alerts" },
  { path: "stats", name: "Statistics" },
  { path: "subscribers", name: "Subscribers" },
  { path: "invites", name: "Invites" },
  { path: "senders", name: "Senders", shows: list_keys },
  { path: "edit", name: "Settings" },
] as const satisfies readonly { path: string; name: string; shows?: { role: Role } }[];

type ChannelTab = (typeof TABS)[number]["path"];

/** The pages whose own button is the main one: an invite, a sender, and saved settings. */
const OWN_TASKS: readonly ChannelTab[] = ["invites", "senders", "edit"];

/** Path of a channel's pages, without a slash at its end. */
export const getChannelPath = ({ base }: MemberPageContext, pusherId: string) => `${base}channels/${pusherId}`;

/** The alert of an address below a channel, as operations take it. */
export const getAlertPathArguments = ({ params: { pusher = "", alert = "" } }: MemberPageContext) => ({
  pusher_id: pusher,
  alert_id: alert,
});

/** The channel that an address names, as get_pusher answers. @throws 404. */
export const getRequestedChannel = (context: MemberPageContext) =>
  context.call("get_pusher", { pusher_id: context.params.pusher ?? "" });

/** The channel's face, with its picture where that was uploaded here. Arguments as of `avatar`. */
export const renderChannelAvatar = (
  { deps }: MemberPageContext,
  channel: AvatarData & { image_url: string | null },
  id: string,
  size?: "m" | "l",
): Html => avatar({ ...channel, picture: getLocalPicturePath(channel.image_url, deps.publicUrl) }, id, size);

export const CHANNEL_STATUS_BADGES: Record<string, HtmlContent> = {
  active: html`<span class="badge good">active</span>`,
  paused: html`<span class="badge">paused</span>`,
  suspended: html`<span class="badge warn">suspended</span>`,
};

/** From how many channels a menu refers to the list of all. */
const MENU_CHANNELS = 8;

/** The way to the form of an alert; where several channels could carry it, their names come first. */
export function renderNewAlertChannelMenu(
  context: MemberPageContext,
  channels: readonly { id: string; name: string; status: string }[],
): HtmlContent {
  if (!canUse(context, "create_alert")) return null;
  const active = channels.filter(({ status }) => status === "active");
  const form = ({ id }: { id: string }) => `${getChannelPath(context, id)}/alerts/new`;
  if (active.length < 2) return active.map((channel) => html`<a class="button" href="${form(channel)}">New alert</a>`);
  return html`<details class="menu"><summary class="button">New alert</summary><ul>${active
    .slice(0, MENU_CHANNELS)
    .map((channel) => html`<li><a href="${form(channel)}">${channel.name}</a></li>`)}${
    active.length > MENU_CHANNELS && html`<li><a href="${context.base}channels">Another channel…</a></li>`
  }</ul></details>`;
}

/**
 * @param channel as get_pusher answers
 * @param tab the current page, or the one that a form belongs to
 */
export function renderChannelHeader(context: MemberPageContext, channel: ChannelResult, tab: ChannelTab): Html {
  const base = getChannelPath(context, channel.id);
  return html`<div class="channel-head">${renderChannelAvatar(
    context,
    channel,
    "channel-face",
    "m",
  )}<h1>${channel.name}</h1>${channel.status !== "active" && CHANNEL_STATUS_BADGES[channel.status]}${
    canUse(context, "create_alert") &&
    html`<a class="button act${OWN_TASKS.includes(tab) && " plain"}" href="${base}/alerts/new">New alert</a>`
  }</div>
  <nav class="tabs" aria-label="Channel"><ul>${TABS.filter(
    (tab) => !("shows" in tab) || isRoleAtLeast(context.caller.member.role, tab.shows.role),
  ).map(
    ({ path, name }) =>
      html`<li><a href="${base}${path && `/${path}`}"${path === tab && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`;
}

/** The warning for an address that only this computer reaches. */
export const renderLoopbackWarning = (url: string): HtmlContent =>
  isLoopbackHost(new URL(url).hostname) &&
  html`<p class="flash careful"><strong>This address works only on this computer.</strong> For other devices, the
    operator must set <code>PUBLIC_URL</code> to an address that those devices can reach.</p>`;

/** @param says the text between the title and the address, `more` is below it; `what` it is the address of */
export function renderQrCodeCard(
  url: string,
  title: string,
  says: HtmlContent,
  { more = null, what = "the channel’s address" }: { more?: HtmlContent; what?: string } = {},
): Html {
  return html`<section class="card scan" aria-labelledby="address">${renderQrCode(url, `QR code for ${what}`)}<div><h2
    id="address">${title}</h2>
    ${renderLoopbackWarning(url)}${says}
    ${copyableText(html`<a href="${url}">${breakableUrl(url)}</a>`, what)}${more}</div></section>`;
}

/** The empty state before a first alert: how to get a subscriber. */
export function renderSubscribeHint(
  context: MemberPageContext,
  { id, name, url, is_public }: Pick<ChannelResult, "id" | "name" | "url" | "is_public">,
): Html {
  const says = html`<p>${name} has no subscribers yet. Scan the code with your phone or open the address, then subscribe
    to see how your alerts look.</p>`;
  if (is_public) return renderQrCodeCard(url, "Subscribe your device", says);
  return html`<section class="card" aria-labelledby="address"><h2 id="address">Subscribe your device</h2>
    <p>${name} has no subscribers yet. The channel is private, so devices need an invite to join.</p>${
      canUse(context, "create_invite") &&
      html`<p><a class="button" href="${getChannelPath(context, id)}/invites">Create an invite</a></p>`
    }</section>`;
}
