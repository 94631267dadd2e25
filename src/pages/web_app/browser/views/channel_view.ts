// A channel: who publishes, and its alerts. And the same before it is followed: what it requests, and one button.
// Nothing is granted before it is pressed.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ChannelCard, SubscriptionState } from "../api_types.ts";
import { useAppState } from "../app_state.ts";
import { fetchChannel, setLocalChannelChoices, updateSubscription } from "../channel_actions.ts";
import { GENERICALLY_SHOWN_CHANNEL_FIELDS } from "../generated_fields.ts";
import { html } from "../html_template.ts";
import { replaceRoute, routeHashes } from "../router.ts";
import { hasNoticeablePermission } from "../rules/alerting_problem.ts";
import { arrangeInbox, compareNewestFirst } from "../rules/current_alerts_and_history.ts";
import { toCompleteCircle } from "../rules/geo_circle.ts";
import type { AlertPermission } from "../rules/rule_types.ts";
import { listPauseOptions } from "../rules/snooze.ts";
import { subscribeToChannel } from "../subscribing.ts";
import { formatDayAndTime, formatList, formatTime } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { AlertCard, describeCircle, GenericAlertField, isWebUrl } from "./alert_card.ts";
import { LinkedText } from "./alert_text.ts";
import { ChannelAlertingState, PushUnavailableNote, usePushBarrier } from "./alerting_state.ts";
import { getChannelCategoryName } from "./channel_lists.ts";
import { ChannelSettings } from "./channel_settings.ts";
import {
  ChannelAvatar,
  ChoiceMenu,
  describeActionError,
  EmptyState,
  LoadingPlaceholder,
  NoteStrip,
  PaneHeader,
  renderSymbolIcon,
  tryAction,
} from "./components.ts";
import { PermissionSwitches } from "./permission_switches.ts";
import { isAlertPermissionUnavailable } from "./settings.ts";

/** Alerts that are shown first, and more with each press. */
const LATEST = 10;

/** The card as it is now, or as it was kept. */
function useCard(handle: string, invite: string | null): { card: ChannelCard | null; trouble: string | null } {
  const { channels } = useAppState();
  const [fetched, setFetched] = useState<ChannelCard | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    setFetched(null);
    setTrouble(null);
    fetchChannel(handle, invite).then(setFetched, (error) => setTrouble(describeActionError(error)));
  }, [handle, invite]);
  return { card: channels.get(handle) ?? (fetched?.handle === handle ? fetched : null), trouble };
}

interface Props {
  handle: string;
  invite?: string | null;
  back: string;
  /** Its settings are open. */
  settings?: boolean;
}

export function ChannelView({ handle, invite = null, back, settings = false }: Props): VNode {
  const { card, trouble } = useCard(handle, invite);
  if (!card)
    return html`<${PaneHeader} title=${trouble ? null : `@${handle}`} back=${back} />
      ${
        trouble
          ? html`<${EmptyState} missing sign="channels" title=${`@${handle}`} text=${trouble}><p><a class="button plain"
              href=${routeHashes.discover}>${t("inbox.find")}</a></p><//>`
          : html`<${LoadingPlaceholder} />`
      }`;
  const { subscription } = card;
  if (settings && subscription) return html`<${ChannelSettings} card=${card} subscription=${subscription} />`;
  const gear =
    subscription &&
    html`<a class="iconbtn gear" href=${routeHashes.channelSettings(handle)} aria-label=${t("channel.settings")}
      title=${t("channel.settings")}>${renderSymbolIcon("settings")}</a>`;
  return html`<${PaneHeader} title=${card.name} back=${back}
      face=${html`<${ChannelAvatar} card=${card} />`}>${gear}<//>
    <p class="muted small facts-line">${[`@${card.handle}`, getChannelCategoryName(card.category), card.city]
      .filter(Boolean)
      .map((part) => html`<span class="line"><bdi>${part}</bdi></span>`)}</p>
    ${!subscription && html`<p class="says" dir="auto">${card.description}</p>`}
    ${
      subscription
        ? html`<${Followed} card=${card} subscription=${subscription} /><${Latest} handle=${card.handle} />`
        : html`<${Joining} card=${card} invite=${invite} />`
    }
    <${About} card=${card} />
    ${!subscription && html`<${Latest} handle=${card.handle} />`}`;
}

/** One button grants all that the channel requests; below it each permission can be turned off. */
function Joining({ card, invite }: { card: ChannelCard; invite: string | null }): VNode {
  const { channels, moved } = useAppState();
  const [granted, setGranted] = useState<string[]>([...card.requested_perms]);
  const [busy, setBusy] = useState(false);
  const put_out = channels.has(card.handle);
  const join = async (permissions: string[]) => {
    setBusy(true);
    const done = await tryAction(() => subscribeToChannel(card, permissions, invite));
    setBusy(false);
    // The invite's code leaves the address with it.
    if (done) replaceRoute(routeHashes.channel(card.handle));
  };
  const possible = granted.filter((one) => !isAlertPermissionUnavailable(one as AlertPermission));
  const barrier = usePushBarrier();
  const alerts = barrier === null && hasNoticeablePermission(possible);
  // On an iPhone the note above has the main action: the app on the home screen has subscriptions of its own.
  const elsewhere = barrier === "ios" && hasNoticeablePermission(possible);
  const label = alerts ? "join.subscribe" : elsewhere ? "join.silent" : "channel.subscribe";
  const gone = t(moved ? "device.moved_away" : "channel.put_out");
  return html`${put_out && html`<${NoteStrip} tone="warn" sign="careful"><p>${gone}</p><//>`}
    ${card.requested_perms.length === 0 && html`<p class="muted">${t("channel.asks_nothing")}</p>`}
    <${PushUnavailableNote} perms=${granted} />
    <div class="decide">
      <button class=${barrier === "ios" ? "plain wide" : "wide"} disabled=${busy}
        onClick=${() => void join(possible)}>${t(label)}</button>
      ${
        alerts &&
        html`<button class="plain wide" disabled=${busy} onClick=${() => void join([])}>${t("join.silent")}</button>`
      }
      <p class="hint">${t("join.private")}</p>
    </div>
    ${
      card.requested_perms.length > 0 &&
      html`<section class="card"><h2>${t("join.asks")}</h2><p class="hint">${t("join.hint")}</p>
      <${PermissionSwitches} card=${card} granted=${granted} ask=${false}
        onChange=${async (next: string[]) => setGranted(next)} /></section>`
    }`;
}

/** Sent alerts first, then the channel's description; its settings are behind the gear. */
function Followed({ card, subscription }: { card: ChannelCard; subscription: SubscriptionState }): VNode {
  const { muted } = subscription;
  const { channels, at: now } = useAppState();
  const until = channels.get(card.handle)?.paused_until ?? 0;
  const paused = !muted && until > now;
  const pause = (end: number | null) => tryAction(() => setLocalChannelChoices(card, { paused_until: end }));
  const mute = () => tryAction(() => updateSubscription(card, { muted: !muted }));
  return html`<div class="cta">
      <span class="button state">${renderSymbolIcon("check", "s")}${t("channel.subscribed")}</span>
      <button class="plain" aria-pressed=${muted} onClick=${() => void mute()}>
        ${renderSymbolIcon(muted ? "bell" : "mute", "s")}${t(muted ? "channel.unmute" : "channel.mute")}</button>
      ${
        !muted &&
        html`<${ChoiceMenu} sign="pause" title=${t("pause.title")} choices=${listPauseOptions(now).map(
          ([name, end]) => [name, t(`pause.${name}`, { time: formatTime(end) }), () => void pause(end)],
        )} />`
      }
    </div>
    ${muted && html`<${NoteStrip} sign="mute"><p>${t("channel.muted_hint")}</p><//>`}
    ${
      paused &&
      html`<${NoteStrip} sign="mute"><p>${t("pause.until", { time: formatDayAndTime(until, now) })}</p>
        <button class="link" onClick=${() => void pause(null)}>${t("pause.resume")}</button><//>`
    }
    <${ChannelAlertingState} card=${card} />`;
}

function About({ card }: { card: ChannelCard }): VNode | null {
  const circle = toCompleteCircle(card);
  const site = card.site && isWebUrl(card.site) ? card.site : null;
  if (!card.subscription && !card.long && !circle && !site && card.tags.length === 0) return null;
  return html`<section class="card about"><h2>${t("channel.about")}</h2>
    ${card.subscription && html`<p dir="auto">${card.description}</p>`}
    ${card.long && html`<p class="text" dir="auto"><${LinkedText} text=${card.long} /></p>`}
    <dl class="who">
      ${circle && html`<dt>${t("channel.place")}</dt><dd>${describeCircle(circle.radius_km, card.city)}</dd>`}
      ${
        site &&
        html`<dt>${t("channel.site")}</dt><dd><a href=${site} target="_blank" rel="noopener noreferrer"
        dir="ltr">${site.replace(/^https?:\/\//, "")}</a></dd>`
      }
      ${card.tags.length > 0 && html`<dt>${t("channel.tags")}</dt><dd>${formatList(card.tags)}</dd>`}
      <dt>${t("channel.page")}</dt><dd><a href=${new URL(card.url, location.href).pathname}>${t(
        "channel.page_open",
      )}</a></dd>
    </dl>
    ${GENERICALLY_SHOWN_CHANNEL_FIELDS.map(
      ({ name, look }) => html`<${GenericAlertField} look=${look} label=${t(`channel.${name}`)} value=${card[name]} />`,
    )}</section>`;
}

function Latest({ handle }: { handle: string }): VNode {
  const { alerts, at: now } = useAppState();
  const [most, setMost] = useState(LATEST);
  const { spotlight } = arrangeInbox(alerts, now);
  // As in the inbox: current alerts first, urgent ones before others.
  const current = spotlight.filter((alert) => alert.handle === handle);
  const others = alerts.filter((alert) => alert.handle === handle && !spotlight.includes(alert));
  const own = [...current, ...others.toSorted(compareNewestFirst)];
  const parts = Map.groupBy(own.slice(0, most), ({ before }) => t(before ? "alert.before" : "channel.latest"));
  return html`${[...parts].map(
    ([label, rows]) =>
      html`<section key=${label} aria-label=${label}><h2 class="day">${label}</h2>${rows.map(
        (alert) => html`<${AlertCard} key=${alert.id} alert=${alert} over=${!spotlight.includes(alert)} inChannel />`,
      )}</section>`,
  )}
    ${
      own.length > most &&
      html`<p><button class="plain wide" onClick=${() => setMost(most + LATEST)}>${t("inbox.more")}</button></p>`
    }`;
}
