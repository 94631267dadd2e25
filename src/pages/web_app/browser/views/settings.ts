// The settings of this device: the data that leaves it, the data that it fetches, its quiet hours, its language. Also
// the state of each capability, with a request for the browser's permission where needed. Tones, vibrations and speech
// can be tested before an alert comes. The page names anything that plays.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getAppState, updateAppState, useAppState } from "../app_state.ts";
import { now } from "../current_time.ts";
import { setSettings } from "../device.ts";
import { html } from "../html_template.ts";
import { getSoundState, playTestTone, stopRinging, unlockSound, watchRingState } from "../outputs/alert_player.ts";
import { getNotificationPermission } from "../outputs/notifications.ts";
import { getPosition } from "../outputs/position.ts";
import { getSpeechSupport, speakText } from "../outputs/speech.ts";
import { canVibrate, vibrate } from "../outputs/vibration.ts";
import { findBarrier, getNotificationState } from "../push_notifications.ts";
import { setReporting } from "../reports.ts";
import { TONE_NAMES, VIBRATION_PATTERNS_BY_NAME } from "../rules/alert_decision.ts";
import { ALERT_PERMISSIONS, type AlertPermission } from "../rules/rule_types.ts";
import { getLocalizedLanguageName } from "../texts/formats.ts";
import { LANGUAGES } from "../texts/languages.ts";
import type { TextKey } from "../texts/text_types.ts";
import { getLanguage, t } from "../texts/translate.ts";
import { CollapsibleCard, PaneHeader, renderSymbolIcon, SettingRow, SwitchRow, tryAction } from "./components.ts";
import { DeviceOwnerSettings, DeviceTransferAndRemoval } from "./device_transfer_and_owner.ts";
import { PushSwitch } from "./push_settings.ts";
import { QuietHoursSettings } from "./quiet_settings.ts";
import { getSectionId } from "./settings_section_links.ts";

/** States that only the browser can report, as last received. */
let speech: "ready" | "no_voice" | "missing" = "ready";
let place: PermissionState | "missing" = "prompt";

/** Queries the browser's capabilities and permissions; views are redrawn with the result. */
export async function refreshCapabilities(): Promise<void> {
  speech = await getSpeechSupport(getLanguage()).catch(() => "missing" as const);
  place = await placeState();
  updateAppState({});
}

async function placeState(): Promise<typeof place> {
  if (!("geolocation" in navigator)) return "missing";
  try {
    const state = await navigator.permissions.query({ name: "geolocation" });
    state.onchange = () => {
      place = state.state;
      updateAppState({});
    };
    return state.state;
  } catch {
    return "prompt";
  }
}

/** Reports if neither the user nor the channel can make it effective here: the browser or the device cannot do it. */
export const isAlertPermissionUnavailable = (what: AlertPermission): boolean =>
  ["denied", "missing", "no_voice"].includes(BROWSER_STATES[what]?.() ?? "");

const BROWSER_STATES: Partial<Record<AlertPermission, () => string>> = {
  notify: getNotificationState,
  sound: getSoundState,
  vibrate: () => (canVibrate() ? "ready" : "missing"),
  tts: () => speech,
  loc: () => place,
};

const TRUTHS: Record<AlertPermission, (joining: boolean) => string> = {
  notify: () => t(findBarrier() === "ios" ? "push.ios" : `truth.notify.${getNotificationState()}`),
  sound: (joining) => {
    const state = getSoundState();
    if (getAppState().settings.volume <= 0) return t("truth.sound.off");
    // The press of the button that joins unlocks it.
    return joining && state !== "missing" ? "" : t(`truth.sound.${state}`);
  },
  vibrate: () => t(canVibrate() ? "truth.vibrate.ready" : "truth.vibrate.missing"),
  tts: () =>
    speech === "missing"
      ? t("truth.tts.missing")
      : t(`truth.tts.${speech}`, { language: getLocalizedLanguageName(getLanguage()) }),
  full: () => t("truth.full.ready"),
  loc: () => t(`truth.loc.${place}`),
  quiet: () => {
    const hours = getAppState().settings.quiet_hours;
    return hours ? t("truth.quiet.set", { from: hours.from, to: hours.to }) : t("truth.quiet.none");
  },
};

/** Empty where there is nothing to state. `joining`: before the channel is followed. */
export const describeCurrentPermissionState = (what: AlertPermission, joining = false): string => TRUTHS[what](joining);

/**
 * To be called in a gesture: requests the browser's permission if it was not requested yet. The grant is stored with
 * any response.
 */
export async function requestBrowserPermission(what: AlertPermission): Promise<void> {
  if (what === "notify" && getNotificationPermission() === "default")
    await Notification.requestPermission().catch(() => {});
  if (what === "sound") await unlockSound();
  if (what === "loc") await getPosition(now());
  if (what === "loc") place = await placeState();
}

const TONES = TONE_NAMES.filter((name) => name !== "silent");
type Pattern = "default" | "short" | "double" | "long" | "sos" | "heartbeat";
const FELT = Object.keys(VIBRATION_PATTERNS_BY_NAME).filter(
  (name): name is Pattern => VIBRATION_PATTERNS_BY_NAME[name] !== null,
);

/** Under the loudness: a button for each tone; pressed while it plays, it ends it. */
function ToneTestButtons(): VNode {
  const { settings } = useAppState();
  const [playing, setPlaying] = useState<(typeof TONES)[number] | null>(null);
  const press = async (name: (typeof TONES)[number]) => {
    if (playing === name) return stopRinging();
    setPlaying(name);
    await playTestTone(name, settings.volume);
    setPlaying((now) => (now === name ? null : now));
  };
  return html`<h3>${t("senses.tones")}</h3><p class="hint">${t("senses.tones_hint")}</p>
    <div class="tones">${TONES.map(
      (name) =>
        html`<button class="plain" key=${name} aria-pressed=${playing === name}
          aria-label=${t("senses.play", { tone: t(`tone.${name}`) })}
            onClick=${() => void press(name)}>${renderSymbolIcon("play", "s")}${t(`tone.${name}`)}</button>`,
    )}</div>
    <p class="small muted said" role="status">${
      playing && t(settings.volume > 0 ? "senses.playing" : "truth.sound.off", { tone: t(`tone.${playing}`) })
    }</p>`;
}

/** The vibrations and the voice, or why they are missing. */
function VibrationAndVoiceTryOut(): VNode {
  const { settings } = useAppState();
  const [trouble, setTrouble] = useState<string | null>(null);
  const feel = (name: Pattern) =>
    setTrouble(vibrate(VIBRATION_PATTERNS_BY_NAME[name] ?? []) ? null : t("ring.no_vibration"));
  const read = async () => {
    setTrouble(null);
    const lang = getLanguage();
    const how = await speakText({ text: t("senses.speech_sample"), lang }, settings.volume);
    const why: Partial<Record<typeof how, TextKey>> = {
      no_voice: "truth.tts.no_voice",
      missing: "truth.tts.missing",
      failed: "senses.speech_failed",
    };
    const key = why[how];
    if (key) setTrouble(t(key, { language: getLocalizedLanguageName(lang) }));
  };
  return html`<${CollapsibleCard} id=${getSectionId("voice")} title=${t("senses.touch_and_voice")}>
    <h3>${t("senses.patterns")}</h3>
    ${
      canVibrate()
        ? html`<div class="tones">${FELT.map(
            (name) =>
              html`<button class="plain" key=${name} aria-label=${t("senses.vibrate", {
                pattern: t(`pattern.${name}`),
              })} onClick=${() => feel(name)}>${t(`pattern.${name}`)}</button>`,
          )}</div>`
        : html`<p class="hint">${t("truth.vibrate.missing")}</p>`
    }
    <h3>${t("senses.speech")}</h3>
    <p class="hint">${describeCurrentPermissionState("tts")}</p>
    <p><button class="plain" onClick=${() => void read()}>${t("senses.speech_try")}</button></p>
    <p class="small muted said" role="status">${trouble}</p>
  <//>`;
}

/** One line for each capability with its state. The position is requested only when a channel is granted it. */
function DevicePermissionList(): VNode {
  useAppState();
  const [, draw] = useState(0);
  const again = () => draw((times) => times + 1);
  // The first touch anywhere unlocks sounds.
  useEffect(() => {
    const stop = watchRingState(again);
    return () => void stop();
  }, []);
  const mayAsk = (what: AlertPermission) => what === "notify" && getNotificationPermission() === "default";
  return html`<${CollapsibleCard} id=${getSectionId("capabilities")} title=${t("senses.device")}>
    <dl class="truths">${ALERT_PERMISSIONS.map(
      (what) =>
        html`<div key=${what}><dt>${t(`perm.${what}`)}</dt><dd>${describeCurrentPermissionState(what)} ${
          mayAsk(what) &&
          html`<button class="link"
            onClick=${() => void requestBrowserPermission(what).then(again)}>${t("senses.allow")}</button>`
        }</dd></div>`,
    )}</dl><//>`;
}

const typed = (event: Event) => (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;

export function SettingsView(): VNode {
  const { settings } = useAppState();
  return html`<${PaneHeader} title=${t("nav.settings")} />
    <${PushSwitch} />
    <${QuietHoursSettings} />
    <${Loudness} />
    <section class="card" id=${getSectionId("reports")}><h2>${t("reports.title")}</h2>
      <${SwitchRow} label=${t("reports.on")} hint=${t("reports.hint")} on=${settings.reports}
        onChange=${(on: boolean) => tryAction(() => setReporting(on))} />
      <${SwitchRow} label=${t("settings.elsewhere")} hint=${t(
        "settings.elsewhere_hint",
      )} on=${settings.elsewhere} onChange=${(elsewhere: boolean) => tryAction(() => setSettings({ elsewhere }))} />
    </section>
    <section class="card" id=${getSectionId("display")}><h2>${t("senses.display")}</h2>
      <${SettingRow} id="language" label=${t("senses.language")} hint=${
        getLanguage() !== "en" &&
        html`${t("settings.translation")} <a href=${CORRECTIONS} hreflang="en">${t("settings.translation_fix")}</a>`
      }><select id="language" value=${settings.language ?? ""}
        onChange=${(event: Event) => void tryAction(() => setSettings({ language: typed(event) || null }))}>
        <option value="">${t("settings.language_browser")}</option>
        ${Object.entries(LANGUAGES).map(([tag, { name }]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}
      </select><//>
      <${SettingRow} id="color-scheme" label=${t("scheme.title")}>
        <select id="color-scheme" data-color-schemes value=${document.documentElement.dataset.colorScheme ?? ""}>
          ${COLOR_SCHEMES.map(
            (scheme) => html`<option value=${scheme === "system" ? "" : scheme}>${t(`scheme.${scheme}`)}</option>`,
          )}
        </select><//>
    </section>
    <${DeviceOwnerSettings} />
    <${VibrationAndVoiceTryOut} />
    <${DevicePermissionList} />
    <${DeviceTransferAndRemoval} />`;
}

/** color_scheme.js listens to the select element with these (rules#color-scheme). */
const COLOR_SCHEMES = ["system", "light", "dark"] as const;

/** The page about corrections of a translation. */
const CORRECTIONS = "/docs/contributing/translations";

function Loudness(): VNode {
  const { settings } = useAppState();
  const percent = Math.round(settings.volume * 100);
  return html`<section class="card" id=${getSectionId("sounds")}><h2>${t("senses.title")}</h2>
    <${SettingRow} id="volume" label=${t("senses.volume")} hint=${t("senses.volume_hint")}>
      <span class="num muted small">${
        percent === 0 ? t("senses.volume_off") : t("senses.volume_value", { percent })
      }</span>
      <input id="volume" type="range" min="0" max="100" step="5" value=${percent} aria-describedby="volume-hint"
        onInput=${(event: Event) => void setSettings({ volume: Number(typed(event)) / 100 })} /><//>
    <${ToneTestButtons} />
  </section>`;
}
