// A channel: who speaks, what it may do here, mute and leave, its alerts. And the same before it is followed: what it asks for, and
// one button. Nothing is granted beforehand.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { adjust, join, leaveChannel, lookUp, showOnce } from "../channels.ts";
import { CHANNEL_PLAIN } from "../fields.ts";
import { html } from "../markup.ts";
import { at, replaceBy } from "../router.ts";
import { wholeCircle } from "../rules/circle.ts";
import { arrange, newestFirst } from "../rules/spotlight.ts";
import { CAPABILITIES, type Capability } from "../rules/types.ts";
import { change, useApp } from "../state.ts";
import { distanceOf } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import type { Card, Subscription } from "../wire.ts";
import { AlertCard, isWeb, Plain } from "./card.ts";
import { categoryName } from "./channels.ts";
import { attempt, Face, icon, Note, PaneHead, SwitchRow, Waiting, wordsFor } from "./parts.ts";
import { askFor, truthOf } from "./settings.ts";
import { SilentWhenClosed } from "./wake_ups.ts";

const LATEST = 5;

/** The card as it is now, or as it was kept. */
function useCard(handle: string, invite: string | null): { card: Card | null; trouble: string | null } {
  const { channels } = useApp();
  const [fetched, setFetched] = useState<Card | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    setFetched(null);
    setTrouble(null);
    lookUp(handle, invite).then(setFetched, (error) => setTrouble(wordsFor(error)));
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
    return html`<${PaneHead} title=${`@${handle}`} back=${back} />
      ${trouble ? html`<${Note} tone="warn" sign="lock"><p>${trouble}</p><//>` : html`<${Waiting} />`}`;
  return html`<${PaneHead} title=${joining && !card.subscription ? t("join.title") : card.name} back=${back} />
    <div class="hero"><${Face} card=${card} size="l" /><div>${joining && !card.subscription && html`<h2>${card.name}</h2>`}
      <p class="muted small">${[`@${card.handle}`, categoryName(card.category), card.city].filter(Boolean).join(" · ")}</p></div></div>
    <p class="says">${card.description}</p>
    ${card.subscription ? html`<${Followed} card=${card} subscription=${card.subscription} />` : html`<${Joining} card=${card} invite=${invite} />`}
    <${About} card=${card} />
    <${Latest} handle=${card.handle} />`;
}

function Joining({ card, invite }: { card: Card; invite: string | null }): VNode {
  const { channels, moved } = useApp();
  const [granted, setGranted] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const put_out = channels.has(card.handle);
  const go = async () => {
    setBusy(true);
    const done = await attempt(() => join(card, granted, invite));
    setBusy(false);
    // The invite's code leaves the address with it.
    if (done) replaceBy(at.channel(card.handle));
  };
  return html`${put_out && html`<${Note} tone="warn" sign="careful"><p>${t(moved ? "device.moved_away" : "channel.put_out")}</p><//>`}
    ${
      card.requested_perms.length > 0 &&
      html`<section class="card"><h2>${t("join.asks")}</h2><p class="hint">${t("join.asks_hint")}</p>
      <${Grants} card=${card} granted=${granted} onChange=${async (next: string[]) => setGranted(next)} /></section>`
    }
    ${card.requested_perms.length === 0 && html`<p class="muted">${t("channel.asks_nothing")}</p>`}
    <${SilentWhenClosed} perms=${granted} joined=${false} />
    <p class="hint">${t("join.private")}</p>
    <div class="decide"><button class="wide" disabled=${busy} onClick=${() => void go()}>${icon("bell", "s")}${t("channel.subscribe")}</button></div>`;
}

function Followed({ card, subscription }: { card: Card; subscription: Subscription }): VNode {
  const { muted, permissions } = subscription;
  const { channels } = useApp();
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    if (!(await attempt(() => leaveChannel(card.handle)))) return;
    replaceBy(at.channels);
    change({ said: { text: t("channel.left", { name: card.name }), bad: false } });
  };
  return html`<div class="cta">
      <span class="button state">${icon("check", "s")}${t("channel.subscribed")}</span>
      <button class="plain" aria-pressed=${muted} onClick=${() => void attempt(() => adjust(card, { muted: !muted }))}>${icon(muted ? "bell" : "mute", "s")}${t(muted ? "channel.unmute" : "channel.mute")}</button>
    </div>
    ${muted && html`<${Note} sign="mute"><p>${t("channel.muted_hint")}</p><//>`}
    ${!muted && html`<${SilentWhenClosed} perms=${permissions} joined />`}
    <section class="card"><h2>${t("channel.allows")}</h2>
      ${card.requested_perms.length === 0 && html`<p class="hint">${t("channel.asks_nothing")}</p>`}
      <${Grants} card=${card} granted=${permissions} onChange=${(next: string[]) => attempt(() => adjust(card, { permissions: next }))} />
      ${["notify", "sound"].some((perm) => card.requested_perms.includes(perm)) && html`<${SwitchRow} label=${t("channel.repeats")} hint=${t("channel.repeats_hint")} on=${!channels.get(card.handle)?.once} onChange=${(on: boolean) => showOnce(card, !on)} />`}
    </section>
    <section class="card"><h2>${t("channel.leave")}</h2><p class="hint">${t("channel.leave_hint")}</p>
      ${
        leaving
          ? html`<p class="actions"><button class="danger" onClick=${() => void leave()}>${t("channel.leave_sure", { name: card.name })}</button>
            <button class="plain" onClick=${() => setLeaving(false)}>${t("do.cancel")}</button></p>`
          : html`<p><button class="danger" onClick=${() => setLeaving(true)}>${t("channel.leave")}</button></p>`
      }</section>`;
}

function About({ card }: { card: Card }): VNode | null {
  const circle = wholeCircle(card);
  const site = card.site && isWeb(card.site) ? card.site : null;
  if (!card.long && !circle && !site && card.tags.length === 0) return null;
  return html`<section class="card about"><h2>${t("channel.about")}</h2>
    ${card.long && html`<p class="text">${card.long}</p>`}
    <dl class="who">
      ${circle && html`<dt>${t("channel.place")}</dt><dd>${t("alert.within", { distance: distanceOf(circle.radius_km) })}</dd>`}
      ${site && html`<dt>${t("channel.site")}</dt><dd><a href=${site} target="_blank" rel="noopener noreferrer">${site.replace(/^https?:\/\//, "")}</a></dd>`}
      ${card.tags.length > 0 && html`<dt>${t("channel.tags")}</dt><dd>${card.tags.join(", ")}</dd>`}
      <dt>${t("channel.page")}</dt><dd><a href=${new URL(card.url, location.href).pathname}>${t("channel.page_open")}</a></dd>
    </dl>
    ${CHANNEL_PLAIN.map(({ name, look }) => html`<${Plain} look=${look} label=${t(`channel.${name}`)} value=${card[name]} />`)}</section>`;
}

function Latest({ handle }: { handle: string }): VNode | null {
  const { alerts, at: now } = useApp();
  const { spotlight } = arrange(alerts, now);
  const own = alerts
    .filter((alert) => alert.handle === handle)
    .toSorted(newestFirst)
    .slice(0, LATEST);
  if (own.length === 0) return null;
  return html`<section aria-label=${t("channel.latest")}><h2 class="day">${t("channel.latest")}</h2>
    ${own.map((alert) => html`<${AlertCard} key=${alert.id} alert=${alert} over=${!spotlight.includes(alert)} />`)}</section>`;
}

interface Props {
  card: Card;
  granted: string[];
  onChange(granted: string[]): Promise<unknown>;
}

/**
 * What a channel asks for, as switches, each with what is true of this device. A grant that needs the browser's own leave asks for it
 * then and there; it counts from the press on, whatever the browser says and however long it takes.
 */
function Grants({ card, granted, onChange }: Props): VNode {
  useApp();
  const asked = CAPABILITIES.filter((one) => card.requested_perms.includes(one));
  // Several presses may be under way at once: each goes on from what the person wants, and they are settled in their order.
  const wanted = useRef(granted);
  const under_way = useRef({ count: 0, last: Promise.resolve<unknown>(null) });
  if (under_way.current.count === 0) wanted.current = granted;
  const turn = async (what: Capability, on: boolean) => {
    const others = wanted.current.filter((one) => one !== what);
    const next = on ? [...others, what] : others;
    wanted.current = next;
    const allowed = on ? askFor(what) : null;
    const { current: all } = under_way;
    all.count++;
    all.last = all.last.then(() => onChange(next));
    await all.last;
    all.count--;
    await allowed;
  };
  return html`<div class="grants">${asked.map(
    (what) =>
      html`<${SwitchRow} key=${what} label=${t(`perm.${what}`)} hint=${truthOf(what)} on=${granted.includes(what)} onChange=${(on: boolean) => turn(what, on)} />`,
  )}</div>`;
}
