// The state of alerting on this device while the app is closed. One note shows the state everywhere. On success it has
// what is certain, else the reason, what an open app still does, and one action.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ChannelCard } from "../api_types.ts";
import { getAppState, type PushState, updateAppState, useAppState } from "../app_state.ts";
import { html, type VNodeContent } from "../html_template.ts";
import { findBarrier, getBrowserFamily, getNotificationState, refreshPushState } from "../push_notifications.ts";
import { routeHashes } from "../router.ts";
import { canSoundInOpenApp, findChannelAlertingProblem, hasNoticeablePermission } from "../rules/alerting_problem.ts";
import { grantChannelPermissions } from "../subscribing.ts";
import type { TextKey } from "../texts/text_types.ts";
import { t } from "../texts/translate.ts";
import { type AlertingProblem, AlertingProblemPicture } from "./alerting_problem_pictures.ts";
import { NoteStrip, tryAction } from "./components.ts";

/** The state of push notifications, read again; null while it is unknown. */
export function usePushState(): PushState | null {
  const { wakes, device } = useAppState();
  useEffect(() => void refreshPushState(), [device?.token]);
  return wakes;
}

/** Turned on, off, or on the way there: states that the switch shows. */
export const SWITCHABLE_PUSH_STATES: readonly PushState[] = ["on", "off", "asking", "pending", "failed"];

/** Why push notifications cannot arrive, with any grant; null where they can, and where it is unknown. */
export function usePushBarrier(): Exclude<PushState, "on"> | null {
  const wakes = usePushState() ?? findBarrier() ?? (getNotificationState() === "denied" ? "denied" : null);
  return wakes === null || wakes === "on" || SWITCHABLE_PUSH_STATES.includes(wakes) ? null : wakes;
}

/** The steps of the user in this browser; empty where the sentence is enough. */
function listSteps(reason: AlertingProblem): TextKey[] {
  if (reason === "ios") return ["steps.home1", "steps.home2", "steps.home3"];
  if (reason !== "denied") return [];
  const family = getBrowserFamily();
  return [`steps.${family}1`, `steps.${family}2`, "steps.return"];
}

/** The label of the button that changes the state from here; null where only the browser or the server can. */
function findActionLabel(reason: AlertingProblem): TextKey | null {
  if (reason === "not_allowed" || reason === "off") return "silent.allow";
  return reason === "failed" && getAppState().pushProblem !== "push.failed_refused" ? "do.again" : null;
}

interface ProblemProps {
  reason: AlertingProblem;
  /** The channel has sounds. */
  sounds: boolean;
  onSolve?: () => Promise<unknown>;
}

/** Why alerts do not reach this device, and how they will. */
export function AlertingProblemNote({ reason, sounds, onSolve }: ProblemProps): VNode {
  const sign = html`<${AlertingProblemPicture} reason=${reason} />`;
  const title = t(`push.${reason}`);
  if (reason === "asking" || reason === "pending") return html`<${NoteStrip} sign=${sign}><p>${title}</p><//>`;
  const steps = listSteps(reason);
  const label = findActionLabel(reason);
  const help = [
    reason === "failed" && t(getAppState().pushProblem ?? "push.failed_service"),
    reason !== "not_allowed" && t(sounds ? "silent.open_sounds" : "silent.open_shows"),
  ].filter(Boolean);
  return html`<${NoteStrip} tone="warn" sign=${sign}>
    <div class="problem"><div><p><strong>${title}</strong></p>${
      help.length > 0 && html`<p>${help.join(" ")}</p>`
    }</div>${
      steps.length > 0 &&
      html`<details><summary class=${reason === "ios" ? "button" : "button plain"}>${t(
        reason === "ios" ? "install.button" : "silent.allow",
      )}</summary>
        <ol>${steps.map((key) => html`<li>${t(key, { app: t("app.name") })}</li>`)}</ol></details>`
    }${label && onSolve && html`<button onClick=${() => void tryAction(onSolve)}>${t(label)}</button>`}</div><//>`;
}

/** On the page of a followed channel: the problem, or what is certain after a registration. */
export function ChannelAlertingState({ card }: { card: ChannelCard }): VNode | null {
  const barrier = usePushBarrier();
  const problem = findChannelAlertingProblem(card, usePushState());
  // A grant does not help where the device receives nothing.
  const reason = problem && (barrier ?? problem);
  const { confirmed, settings } = useAppState();
  if (reason)
    return html`<${AlertingProblemNote} reason=${reason}
      sounds=${settings.volume > 0 && canSoundInOpenApp(card.subscription?.permissions ?? [])}
      onSolve=${() => grantChannelPermissions(card)} />`;
  if (!confirmed || (confirmed.handle ?? card.handle) !== card.handle) return null;
  return html`<${NoteStrip} tone="good" sign="check" onClose=${() => updateAppState({ confirmed: null })}>
    <p><strong>${t("works.certain")}</strong></p>
    <p class="muted">${t(confirmed.test ? "hello.sent" : "works.depends")}</p><//>`;
}

/** Before joining: what will keep push notifications from arriving, with any grant. */
export function PushUnavailableNote({ perms }: { perms: readonly string[] }): VNode | null {
  const barrier = usePushBarrier();
  if (barrier === null || !hasNoticeablePermission(perms)) return null;
  return html`<${AlertingProblemNote} reason=${barrier} sounds=${canSoundInOpenApp(perms)} />`;
}

/** The followed channels that cannot alert this device, above the inbox. Each is a link to the reason. */
export function InboxAlertingState(): VNode | null {
  const wakes = usePushState();
  const { channels } = useAppState();
  const silent = [...channels.values()].filter((card) => findChannelAlertingProblem(card, wakes) !== null);
  const [first] = silent;
  if (!first) return null;
  const reason = findChannelAlertingProblem(first, wakes);
  const shared =
    reason !== null &&
    reason !== "not_allowed" &&
    silent.every((card) => findChannelAlertingProblem(card, wakes) === reason) &&
    t(`push.${reason}`);
  const link = ({ handle }: ChannelCard, text: string): VNodeContent =>
    html`<a href=${routeHashes.channel(handle)} dir="auto">${text}</a>`;
  return html`<${NoteStrip} tone="warn" sign="mute">${
    silent.length === 1
      ? html`<p class="links"><span>${t("silent.one", { channel: first.name })}</span>
        ${link(first, t("silent.why"))}</p>`
      : html`<details>
        <summary><span>${t("silent.some", { count: silent.length })}</span> <u>${t("silent.why")}</u></summary>
        ${shared && html`<p>${shared}</p>`}
        <p class="links">${silent.map((card) => link(card, card.name))}</p></details>`
  }<//>`;
}
