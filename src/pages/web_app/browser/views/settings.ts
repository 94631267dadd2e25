// The settings of this device: what leaves it, what it fetches, when it is quiet, in which language it speaks.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { setSettings } from "../device.ts";
import { html } from "../markup.ts";
import { setReporting } from "../reports.ts";
import { at } from "../router.ts";
import { areQuietHours } from "../rules/quiet_hours.ts";
import { useApp } from "../state.ts";
import { LANGUAGES, t } from "../texts/texts.ts";
import { attempt, PaneHead, SwitchRow } from "./parts.ts";
import { DeviceCan, Tones, TouchAndVoice } from "./senses.ts";
import { OwnDevice, ThisDevice } from "./this_device.ts";
import { WakeUpSwitch } from "./wake_ups.ts";

const typed = (event: Event) => (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;

export function Settings(): VNode {
  const { settings } = useApp();
  return html`<${PaneHead} title=${t("nav.settings")} back=${at.inbox} />
    <section class="card"><h2>${t("reports.title")}</h2>
      <${SwitchRow} label=${t("reports.on")} hint=${t("reports.hint")} on=${settings.reports} onChange=${(on: boolean) => attempt(() => setReporting(on))} />
      <${SwitchRow} label=${t("settings.elsewhere")} hint=${t("settings.elsewhere_hint")} on=${settings.elsewhere} onChange=${(elsewhere: boolean) => attempt(() => setSettings({ elsewhere }))} />
    </section>
    <${WakeUpSwitch} />
    <${Quiet} />
    <${Loudness} />
    <${TouchAndVoice} />
    <${DeviceCan} />
    <section class="card"><h2>${t("senses.language")}</h2>
      <label class="unseen" for="language">${t("senses.language")}</label>
      <select id="language" value=${settings.language ?? ""} onChange=${(event: Event) => void attempt(() => setSettings({ language: typed(event) || null }))}>
        <option value="">${t("settings.language_browser")}</option>
        ${Object.entries(LANGUAGES).map(([tag, { name }]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}
      </select>
    </section>
    <${OwnDevice} />
    <${ThisDevice} />`;
}

const USUAL_HOURS = { from: "22:00", to: "07:00" };

function Quiet(): VNode {
  const { settings } = useApp();
  const hours = settings.quiet_hours;
  const [draft, setDraft] = useState(hours ?? USUAL_HOURS);
  const set = (part: Partial<typeof USUAL_HOURS>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (areQuietHours(next)) void attempt(() => setSettings({ quiet_hours: next }));
  };
  return html`<section class="card"><h2>${t("quiet.title")}</h2>
    <${SwitchRow} label=${t("quiet.on")} hint=${`${t("quiet.hint")} ${t("quiet.breaks")}`} on=${hours !== null} onChange=${(on: boolean) => attempt(() => setSettings({ quiet_hours: on ? draft : null }))} />
    ${
      hours &&
      html`<div class="times"><div><label for="quiet-from">${t("quiet.from")}</label><input id="quiet-from" type="time" required value=${draft.from} onChange=${(event: Event) => set({ from: typed(event) })} /></div>
      <div><label for="quiet-to">${t("quiet.to")}</label><input id="quiet-to" type="time" required value=${draft.to} onChange=${(event: Event) => set({ to: typed(event) })} /></div></div>`
    }
    ${hours && !areQuietHours(draft) && html`<p class="wrong" role="alert">${t("quiet.different")}</p>`}
  </section>`;
}

function Loudness(): VNode {
  const { settings } = useApp();
  const percent = Math.round(settings.volume * 100);
  return html`<section class="card"><h2>${t("senses.title")}</h2>
    <div class="between"><label for="volume">${t("senses.volume")}</label><span class="num muted small">${percent === 0 ? t("senses.volume_off") : t("senses.volume_value", { percent })}</span></div>
    <input id="volume" type="range" min="0" max="100" step="5" value=${percent} aria-describedby="volume-hint" onInput=${(event: Event) => void setSettings({ volume: Number(typed(event)) / 100 })} />
    <p class="hint" id="volume-hint">${t("senses.volume_hint")}</p>
    <${Tones} />
  </section>`;
}
