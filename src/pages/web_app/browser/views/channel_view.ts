// A channel: who speaks, what it may do here, mute and leave, its alerts. And the same before it is followed: what it
// asks for, and one button. Nothing is granted beforehand.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ChannelCard, Subscription } from "../api_types.ts";
import { updateState, useAppState } from "../app_state.ts";
import { fetchChannel, joinChannel, leaveChannel, setShowOnce, updateSubscription } from "../channel_actions.ts";
import { CHANNEL_GENERIC_FIELDS } from "../fields.ts";
import { html } from "../markup.ts";
import { replaceRoute, routeLinks } from "../router.ts";
import { toCompleteCircle } from "../rules/circle.ts";
import { ALERT_CAPABILITIES, type AlertCapability } from "../rules/rule_types.ts";
import { arrangeInbox, compareNewestFirst } from "../rules/spotlight.ts";
import { formatDistance } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { AlertCard, isWebUrl, PlainField } from "./alert_card.ts";
import { categoryName } from "./channel_lists.ts";
import {
  ChannelAvatar,
  describeError,
  icon,
  LoadingPlaceholder,
  NoteStrip,
  PaneHeader,
  SwitchRow,
  tryAction,
} from "./components.ts";
import { NoPushWarning } from "./push_settings.ts";
import { describeCapability, requestCapability } from "./settings.ts";

const LATEST = 5;

/** The card as it is now, or as it was kept. */
function useCard(handle: string, invite: string | null): { card: ChannelCard | null; trouble: string | null } {
  const { channels } = useAppState();
  const [fetched, setFetched] = useState<ChannelCard | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    setFetched(null);
    setTrouble(null);
    fetchChannel(handle, invite).then(setFetched, (error) => setTrouble(describeError(error)));
  }, [handle, invite]);
  return { card: channels.get(handle) ?? (fetched?.handle === handle ? fetched : null), trouble };
}

interface Props {
  handle: string;
  invite?: string | null;
  back: string;
  /** Came here to join, by a link. */
  joining?: boolean;
}

export function ChannelView({ handle, invite = null, back, joining = false }: Props): VNode {
  const { card, trouble } = useCard(handle, invite);
  if (!card)
    return html`<${PaneHeader} title=${`@${handle}`} back=${back} />
      ${trouble ? html`<${NoteStrip} tone="warn" sign="lock"><p>${trouble}</p><//>` : html`<${LoadingPlaceholder} />`}`;
  return html`<${PaneHeader} title=${joining && !card.subscription ? t("join.title") : card.name} back=${back} />
    <div class="hero"><${ChannelAvatar} card=${card} size="l" /><div>${joining && !card.subscription && html`<h2>${card.name}</h2>`}
      <p class="muted small">${[`@${card.handle}`, categoryName(card.category), card.city].filter(Boolean).join(" · ")}</p></div></div>
    <p class="says">${card.description}</p>
    ${card.subscription ? html`<${Followed} card=${card} subscription=${card.subscription} />` : html`<${Joining} card=${card} invite=${invite} />`}
    <${About} card=${card} />
    <${Latest} handle=${card.handle} />`;
}

function Joining({ card, invite }: { card: ChannelCard; invite: string | null }): VNode {
  const { channels, moved } = useAppState();
  const [granted, setGranted] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const put_out = channels.has(card.handle);
  const go = async () => {
    setBusy(true);
    const done = await tryAction(() => joinChannel(card, granted, invite));
    setBusy(false);
    // The invite's code leaves the address with it.
    if (done) replaceRoute(routeLinks.channel(card.handle));
  };
  return html`${put_out && html`<${NoteStrip} tone="warn" sign="careful"><p>${t(moved ? "device.moved_away" : "channel.put_out")}</p><//>`}
    ${
      card.requested_perms.length > 0 &&
      html`<section class="card"><h2>${t("join.asks")}</h2><p class="hint">${t("join.asks_hint")}</p>
      <${Grants} card=${card} granted=${granted} onChange=${async (next: string[]) => setGranted(next)} /></section>`
    }
    ${card.requested_perms.length === 0 && html`<p class="muted">${t("channel.asks_nothing")}</p>`}
    <${NoPushWarning} perms=${granted} joined=${false} />
    <p class="hint">${t("join.private")}</p>
    <div class="decide"><button class="wide" disabled=${busy} onClick=${() => void go()}>${icon("bell", "s")}${t("channel.subscribe")}</button></div>`;
}

function Followed({ card, subscription }: { card: ChannelCard; subscription: Subscription }): VNode {
  const { muted, permissions } = subscription;
  const { channels } = useAppState();
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    if (!(await tryAction(() => leaveChannel(card.handle)))) return;
    replaceRoute(routeLinks.channels);
    updateState({ said: { text: t("channel.left", { name: card.name }), bad: false } });
  };
  return html`<div class="cta">
      <span class="button state">${icon("check", "s")}${t("channel.subscribed")}</span>
      <button class="plain" aria-pressed=${muted} onClick=${() => void tryAction(() => updateSubscription(card, { muted: !muted }))}>${icon(muted ? "bell" : "mute", "s")}${t(muted ? "channel.unmute" : "channel.mute")}</button>
    </div>
    ${muted && html`<${NoteStrip} sign="mute"><p>${t("channel.muted_hint")}</p><//>`}
    ${!muted && html`<${NoPushWarning} perms=${permissions} joined />`}
    <section class="card"><h2>${t("channel.allows")}</h2>
      ${card.requested_perms.length === 0 && html`<p class="hint">${t("channel.asks_nothing")}</p>`}
      <${Grants} card=${card} granted=${permissions} onChange=${(next: string[]) => tryAction(() => updateSubscription(card, { permissions: next }))} />
      ${["notify", "sound"].some((perm) => card.requested_perms.includes(perm)) && html`<${SwitchRow} label=${t("channel.repeats")} hint=${t("channel.repeats_hint")} on=${!channels.get(card.handle)?.once} onChange=${(on: boolean) => setShowOnce(card, !on)} />`}
    </section>
    <section class="card"><h2>${t("channel.leave")}</h2><p class="hint">${t("channel.leave_hint")}</p>
      ${
        leaving
          ? html`<p class="actions"><button class="danger" onClick=${() => void leave()}>${t("channel.leave_sure", { name: card.name })}</button>
            <button class="plain" onClick=${() => setLeaving(false)}>${t("do.cancel")}</button></p>`
          : html`<p><button class="danger" onClick=${() => setLeaving(true)}>${t("channel.leave")}</button></p>`
      }</section>`;
}

function About({ card }: { card: ChannelCard }): VNode | null {
  const circle = toCompleteCircle(card);
  const site = card.site && isWebUrl(card.site) ? card.site : null;
  if (!card.long && !circle && !site && card.tags.length === 0) return null;
  return html`<section class="card about"><h2>${t("channel.about")}</h2>
    ${card.long && html`<p class="text">${card.long}</p>`}
    <dl class="who">
      ${circle && html`<dt>${t("channel.place")}</dt><dd>${t("alert.within", { distance: formatDistance(circle.radius_km) })}</dd>`}
      ${site && html`<dt>${t("channel.site")}</dt><dd><a href=${site} target="_blank" rel="noopener noreferrer">${site.replace(/^https?:\/\//, "")}</a></dd>`}
      ${card.tags.length > 0 && html`<dt>${t("channel.tags")}</dt><dd>${card.tags.join(", ")}</dd>`}
      <dt>${t("channel.page")}</dt><dd><a href=${new URL(card.url, location.href).pathname}>${t("channel.page_open")}</a></dd>
    </dl>
    ${CHANNEL_GENERIC_FIELDS.map(({ name, look }) => html`<${PlainField} look=${look} label=${t(`channel.${name}`)} value=${card[name]} />`)}</section>`;
}

function Latest({ handle }: { handle: string }): VNode | null {
  const { alerts, at: now } = useAppState();
  const { spotlight } = arrangeInbox(alerts, now);
  const own = alerts
    .filter((alert) => alert.handle === handle)
    .toSorted(compareNewestFirst)
    .slice(0, LATEST);
  if (own.length === 0) return null;
  return html`<section aria-label=${t("channel.latest")}><h2 class="day">${t("channel.latest")}</h2>
    ${own.map((alert) => html`<${AlertCard} key=${alert.id} alert=${alert} over=${!spotlight.includes(alert)} />`)}</section>`;
}

interface Props {
  card: ChannelCard;
  granted: string[];
  onChange(granted: string[]): Promise<unknown>;
}

/**
 * What a channel asks for, as switches, each with what is true of this device. A grant that needs the browser's own
 * leave asks for it then and there; it counts from the press on, whatever the browser says and however long it takes.
 */
function Grants({ card, granted, onChange }: Props): VNode {
  useAppState();
  const asked = ALERT_CAPABILITIES.filter((one) => card.requested_perms.includes(one));
  // Several presses may be under way at once: each goes on from what the person wants, and they are settled in their
  // order.
  const wanted = useRef(granted);
  const under_way = useRef({ count: 0, last: Promise.resolve<unknown>(null) });
  if (under_way.current.count === 0) wanted.current = granted;
  const turn = async (what: AlertCapability, on: boolean) => {
    const others = wanted.current.filter((one) => one !== what);
    const next = on ? [...others, what] : others;
    wanted.current = next;
    const allowed = on ? requestCapability(what) : null;
    const { current: all } = under_way;
    all.count++;
    all.last = all.last.then(() => onChange(next));
    await all.last;
    all.count--;
    await allowed;
  };
  return html`<div class="grants">${asked.map(
    (what) =>
      html`<${SwitchRow} key=${what} label=${t(`perm.${what}`)} hint=${describeCapability(what)} on=${granted.includes(what)} onChange=${(on: boolean) => turn(what, on)} />`,
  )}</div>`;
}
