// What an alert sounds like, to be heard again or read instead: every sound has words beside it.

import type { VNode } from "preact";
import { html } from "../markup.ts";
import { isHere } from "../rings.ts";
import { PATTERNS, TONE_NAMES } from "../rules/decide.ts";
import { playRecording } from "../senses/audio.ts";
import { silence, tryTone } from "../senses/ring.ts";
import { speak } from "../senses/speak.ts";
import { useApp } from "../state.ts";
import type { KeptAlert } from "../store.ts";
import { languageNow, t } from "../texts/texts.ts";
import { icon } from "./icons.ts";
import { hostOf } from "./picture.ts";

type Tone = (typeof TONE_NAMES)[number];
type Pattern = keyof typeof PATTERNS;

export function Sounds({ alert }: { alert: KeptAlert }): VNode | null {
  const { settings } = useApp();
  const recording = alert.audio_asset_url ?? alert.audio_url;
  const tone = (TONE_NAMES as readonly string[]).includes(alert.sound ?? "") ? (alert.sound as Tone) : null;
  const pattern =
    alert.vibrate && alert.vibrate !== "none" && Object.hasOwn(PATTERNS, alert.vibrate)
      ? (alert.vibrate as Pattern)
      : null;
  const heard = recording !== null || (tone !== null && tone !== "silent");
  if (!heard && !pattern && !alert.tts_text) return null;
  const play = () => {
    silence();
    if (recording !== null) playRecording(recording, settings.volume);
    else void tryTone(tone!, settings.volume);
  };
  return html`<section class="sounds" aria-label=${t("alert.sounds")}>
    ${
      heard &&
      html`<p class="line"><button class="plain" onClick=${play}>${icon("sound", "s")}${t("alert.play")}</button>
      <span class="small muted">${recording === null ? t(`tone.${tone!}`) : isHere(recording) ? t("alert.recording") : t("alert.recording_at", { host: hostOf(recording) })}</span></p>`
    }
    ${pattern && html`<p class="small muted">${t("senses.vibrate", { pattern: t(`pattern.${pattern}` as "pattern.sos") })}</p>`}
    ${
      alert.tts_text &&
      html`<div><p class="line"><button class="plain" onClick=${() => void speak({ text: alert.tts_text!, lang: alert.tts_lang ?? languageNow() }, settings.volume)}>${icon("bell", "s")}${t("alert.read_aloud")}</button></p>
      <blockquote class="small" lang=${alert.tts_lang ?? undefined}>${alert.tts_text}</blockquote></div>`
    }
  </section>`;
}
