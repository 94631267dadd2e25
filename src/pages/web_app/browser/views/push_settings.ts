// Alerts while the app is closed: the switch of push notifications. Where a channel cannot alert this device, a note
// has the reason, a picture and the solution.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ChannelCard } from "../api_types.ts";
import { getAppState, type PushState, useAppState } from "../app_state.ts";
import { html } from "../markup.ts";
import { disablePush, enablePush, refreshPushState } from "../push_notifications.ts";
import { routeHashes } from "../router.ts";
import { findSilenceReason, hasNoticeablePermission } from "../rules/silence.ts";
import { grantChannelPermissions } from "../subscribing.ts";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { NoteStrip, SwitchRow, tryAction } from "./components.ts";
import { SilencePicture, type SilenceReason } from "./silence_pictures.ts";

/** The state of push notifications, read again; null while it is unknown. */
function usePushState(): PushState | null {
  const { wakes, device } = useAppState();
  useEffect(() => void refreshPushState(), [device?.token]);
  return wakes;
}

/** The reason as a sentence. */
function describeSilence(reason: SilenceReason): string {
  const { pushProblem } = getAppState();
  if (reason !== "failed") return t(`push.${reason}`);
  return pushProblem && "message" in pushProblem ? pushProblem.message : t(pushProblem?.key ?? "push.failed_service");
}

/** Turned on, off, or on the way there: states that the switch shows. */
const SWITCHED: readonly PushState[] = ["on", "off", "asking", "pending", "failed"];

export function PushSwitch(): VNode | null {
  const wakes = usePushState();
  if (wakes === null) return null;
  const switched = SWITCHED.includes(wakes);
  const set = (on: boolean) => tryAction(on ? () => enablePush() : disablePush);
  return html`<section class="card"><h2>${t("push.title")}</h2>
    ${
      switched &&
      html`<${SwitchRow} label=${t("push.on")} hint=${t("push.hint")} on=${wakes === "on"} onChange=${set} />`
    }
    ${
      wakes !== "on" &&
      wakes !== "off" &&
      html`<div class="silence" role="status"><${SilencePicture} reason=${wakes} />
        <p>${!switched && t("push.silent")} ${describeSilence(wakes)}</p></div>`
    }
  </section>`;
}

/** On the page of a followed channel that cannot alert this device: why, and the solution. */
export function ChannelSilenceNotice({ card }: { card: ChannelCard }): VNode | null {
  const reason = findSilenceReason(card, usePushState());
  return reason && html`<${Silence} reason=${reason} title=${t("silent.title")} card=${card} />`;
}

/** Before joining: what will keep push notifications from arriving, with any grant. */
export function PushUnavailableNotice({ perms }: { perms: readonly string[] }): VNode | null {
  const wakes = usePushState();
  if (wakes === null || SWITCHED.includes(wakes) || !hasNoticeablePermission(perms)) return null;
  return html`<${Silence} reason=${wakes} title=${t("push.silent")} card=${null} />`;
}

interface SilenceProps {
  reason: SilenceReason;
  title: string;
  card: ChannelCard | null;
}

function Silence({ reason, title, card }: SilenceProps): VNode {
  const waits = reason === "asking" || reason === "pending";
  const label = { not_allowed: "silent.allow", off: "silent.allow", failed: "do.again", denied: "do.again" } as const;
  const next = reason in label ? label[reason as keyof typeof label] : null;
  return html`<${NoteStrip} tone=${waits ? "" : "warn"} sign=${html`<${SilencePicture} reason=${reason} />`}>
    <p><strong>${title}</strong></p><p>${describeSilence(reason)}</p>
    ${
      card &&
      next &&
      html`<p><button onClick=${() => void tryAction(() => grantChannelPermissions(card))}>${t(next)}</button></p>`
    }
    <${InstallButton} /><//>`;
}

/** The silent channels that the inbox links. */
const LINKED = 3;

/** Above the inbox: the followed channels that cannot alert this device, each a link to the reason. */
export function InboxSilenceNotice(): VNode | null {
  const wakes = usePushState();
  const { channels } = useAppState();
  const silent = [...channels.values()].filter((card) => findSilenceReason(card, wakes) !== null);
  const [first] = silent;
  if (!first) return null;
  const link = ({ handle }: ChannelCard, text: string) =>
    html`<a href=${routeHashes.channel(handle)} dir="auto">${text}</a>`;
  return html`<${NoteStrip} tone="warn" sign="mute">${
    silent.length === 1
      ? html`<p>${t("silent.one", { channel: first.name })}</p>${link(first, t("silent.why"))}`
      : html`<p>${t("silent.some")}</p><p class="facts-line">${silent
          .slice(0, LINKED)
          .map((card) => html`<span class="line">${link(card, card.name)}</span>`)}${
          silent.length > LINKED && html`<span class="line">+${formatNumber(silent.length - LINKED)}</span>`
        }</p>`
  }<//>`;
}

/** Installs the app, where the browser offers it. */
export function InstallButton(): VNode | null {
  const { install } = useAppState();
  if (!install) return null;
  return html`<p><button class="plain" onClick=${() => void install()}>${t("install.button")}</button>
    <span class="small muted">${t("install.hint")}</span></p>`;
}
