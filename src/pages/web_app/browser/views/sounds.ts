// What an alert sounds like, to be heard again or read instead: every sound has words beside it.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { html } from "../markup.ts";
import { isHere } from "../rings.ts";
import { PATTERNS, TONE_NAMES } from "../rules/decide.ts";
import { tryRecording, tryTone } from "../senses/ring.ts";
import { speak } from "../senses/speak.ts";
import { useApp } from "../state.ts";
import type { KeptAlert } from "../store.ts";
import { languageName } from "../texts/formats.ts";
import { languageNow, t } from "../texts/texts.ts";
import { icon } from "./icons.ts";
import { hostOf } from "./picture.ts";

type Tone = (typeof TONE_NAMES)[number];
type Pattern = keyof typeof PATTERNS;

export function Sounds({ alert }: { alert: KeptAlert }): VNode | null {
  const { settings } = useApp();
  const [trouble, setTrouble] = useState<string | null>(null);
  const recording = alert.audio_asset_url ?? alert.audio_url;
  const tone = (TONE_NAMES as readonly string[]).includes(alert.sound ?? "") ? (alert.sound as Tone) : null;
  const pattern =
    alert.vibrate && alert.vibrate !== "none" && Object.hasOwn(PATTERNS, alert.vibrate)
      ? (alert.vibrate as Pattern)
      : null;
  const heard = recording !== null || (tone !== null && tone !== "silent");
  if (!heard && !pattern && !alert.tts_text) return null;
  const play = async () => {
    setTrouble(null);
    if (recording === null) return tone === null ? undefined : tryTone(tone, settings.volume);
    if ((await tryRecording(recording, settings.volume)) === "failed")
      setTrouble(t("alert.recording_failed"));
  };
  const read = async (text: string) => {
    setTrouble(null);
    const lang = alert.tts_lang ?? languageNow();
    const how = await speak({ text, lang }, settings.volume);
    if (how === "no_voice") setTrouble(t("truth.tts.no_voice", { language: languageName(lang) }));
    if (how === "missing" || how === "failed") setTrouble(t("truth.tts.missing"));
  };
  return html`<section class="sounds" aria-label=${t("alert.sounds")}>
    ${
      heard &&
      html`<p class="line"><button class="plain" onClick=${() => void play()}>${icon("sound", "s")}${t("alert.play")}</button>
      <span class="small muted">${recording === null ? tone && t(`tone.${tone}`) : isHere(recording) ? t("alert.recording") : t("alert.recording_at", { host: hostOf(recording) })}</span></p>`
    }
    ${pattern && html`<p class="small muted">${t("senses.vibrate", { pattern: t(`pattern.${pattern}` as "pattern.sos") })}</p>`}
    ${
      alert.tts_text &&
      html`<div><p class="line"><button class="plain" onClick=${() => void read(alert.tts_text ?? "")}>${icon("bell", "s")}${t("alert.read_aloud")}</button></p>
      <blockquote class="small" lang=${alert.tts_lang ?? undefined}>${alert.tts_text}</blockquote></div>`
    }
    <p class="small muted" role="status">${trouble}</p>
  </section>`;
}
