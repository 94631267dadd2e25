// What becomes of alerts while the app is closed: the switch for being woken, and where nobody can wake this device a
// line that says so, and the way out. Silence that nobody speaks of is what this is against.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { useAppState } from "../app_state.ts";
import { html } from "../markup.ts";
import { disablePush, enablePush, refreshPushState } from "../push_notifications.ts";
import type { AlertCapability } from "../rules/rule_types.ts";
import { t } from "../texts/translate.ts";
import { NoteStrip, SwitchRow, tryAction } from "./components.ts";

/** How it stands, asked for anew; null while nobody knows. */
function useWakeUps() {
  const { wakes, device } = useAppState();
  useEffect(() => void refreshPushState(), [device?.token]);
  return wakes;
}

export function PushSwitch(): VNode | null {
  const wakes = useWakeUps();
  if (wakes === null) return null;
  const able = wakes === "on" || wakes === "off";
  return html`<section class="card"><h2>${t("push.title")}</h2>
    ${
      able
        ? html`<${SwitchRow} label=${t("push.on")} hint=${t("push.hint")} on=${wakes === "on"} onChange=${(on: boolean) => tryAction(on ? enablePush : disablePush)} />`
        : html`<p>${t("push.silent")} ${t(`push.${wakes}`)}</p>`
    }
  </section>`;
}

/** What can be noticed of an alert while nobody looks. */
const HEARD: readonly string[] = ["notify", "sound", "vibrate", "tts", "full"] satisfies AlertCapability[];

interface SilentProps {
  perms: readonly string[];
  joined: boolean;
}

/** Beside a channel that wants to be heard, where this device hears nothing while the app is closed. */
export function NoPushWarning({ perms, joined }: SilentProps): VNode | null {
  const wakes = useWakeUps();
  // Who does not follow it yet has nothing to be woken for.
  if (wakes === null || wakes === "on" || (wakes === "off" && !joined)) return null;
  if (!perms.some((one) => HEARD.includes(one))) return null;
  return html`<${NoteStrip} tone="warn" sign="mute"><p>${t("push.silent")} ${wakes !== "off" && t(`push.${wakes}`)}</p>
    ${wakes === "off" && html`<button class="link" onClick=${() => void tryAction(enablePush)}>${t("push.on")}</button>`}<//>`;
}
