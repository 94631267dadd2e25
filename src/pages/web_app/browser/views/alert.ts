// One alert, whole: to open it is to read it. And what it sounds like, to be heard again or read instead: every sound has words beside it.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ALERT_PLAIN } from "../fields.ts";
import { fetchText } from "../inbox.ts";
import { html } from "../markup.ts";
import { did, dismiss } from "../reports.ts";
import { isHere } from "../rings.ts";
import { at } from "../router.ts";
import { PATTERNS, TONE_NAMES } from "../rules/decide.ts";
import { hasSameWords } from "../rules/same_words.ts";
import { arrange, leavesAt } from "../rules/spotlight.ts";
import { tryRecording, tryTone } from "../senses/ring.ts";
import { speak } from "../senses/speak.ts";
import { useApp } from "../state.ts";
import type { KeptAlert } from "../store.ts";
import { languageName, momentOf, numberOf, utcOf } from "../texts/formats.ts";
import { languageNow, t } from "../texts/texts.ts";
import type { Key } from "../texts/types.ts";
import { Acts, Facts, hostOf, isLoud, LOUD, markOf, Picture, Plain } from "./card.ts";
import { MarkupFrame } from "./frame.ts";
import { Face, icon, Note, PaneHead } from "./parts.ts";

export function AlertView({ id }: { id: string }): VNode {
  const { alerts, channels, settings, connection, at: now } = useApp();
  const alert = alerts.find((one) => one.id === id) ?? null;
  useEffect(() => {
    if (alert) void did(alert, "read");
  }, [id, alert === null]);
  if (!alert)
    return html`<${PaneHead} title=${t("alert.gone")} back=${at.inbox} /><p class="muted">${t("alert.gone_hint")}</p>`;

  const channel = channels.get(alert.handle) ?? null;
  const sent = Date.parse(alert.sent_at);
  const over = !arrange(alerts, now).spotlight.includes(alert);
  const state = markOf(alert, over);
  const back = alert.dismissed && alert.acked_at === null && alert.status === "sent" && leavesAt(alert) > now;
  const mark = isLoud(alert.priority) ? alert.priority : null;
  return html`<${PaneHead} title=${alert.title} back=${at.inbox} />
    <article class="whole">
      <p class="from"><${Face} card=${channel} /><span><a href=${at.channel(alert.handle)}><strong>${channel?.name ?? `@${alert.handle}`}</strong></a>
        <time class="muted small" datetime=${alert.sent_at} title=${utcOf(sent)}>${momentOf(sent, now)}</time></span>
        ${alert.test_until && html`<span class="tag">${t("alert.test")}</span>`}
        ${mark && html`<span class=${`tag ${mark}`}>${t(LOUD[mark])}</span>`}
        ${state && html`<span class="tag">${t(state)}</span>`}</p>
      ${alert.status !== "sent" && html`<${Note} tone="warn" sign="careful"><p>${t("alert.withdrawn")}</p><//>`}
      <${Picture} alert=${alert} />
      ${alert.body && !(alert.html && alert.layout !== "document" && hasSameWords(alert.html, alert.body)) && html`<${Text} key=${alert.id} alert=${alert} />`}
      ${alert.html && html`<${MarkupFrame} key=${alert.id} markup=${alert.html} title=${alert.title} whole=${alert.layout === "document"} />`}
      <${Facts} alert=${alert} at=${now} />
      <${Sounds} alert=${alert} />
      ${ALERT_PLAIN.map(({ name, look }) => html`<${Plain} look=${look} label=${t(`alert.${name}`)} value=${alert[name]} />`)}
      <div class="alertacts"><${Acts} alert=${alert} /></div>
      ${back && html`<p><button class="link" onClick=${() => void dismiss(alert, false)}>${t("alert.bring_back")}</button></p>`}
      ${alert.acked_at && !settings.reports && html`<p class="hint">${t("alert.ack_stays")}</p>`}
      ${alert.acked_at && settings.reports && connection === "away" && html`<p class="hint">${t("alert.ack_waits")}</p>`}
      ${
        alert.because &&
        alert.because.length > 0 &&
        html`<details class="more"><summary>${t("why.title")}</summary><ul class="why">${alert.because.map((why) => html`<li>${t(why as Key)}</li>`)}</ul></details>`
      }
    </article>`;
}

/** The text, or its beginning with a way to the whole (rules#card-text). */
function Text({ alert }: { alert: KeptAlert }): VNode {
  const { connection } = useApp();
  const [state, setState] = useState<"asking" | "here" | "away" | "gone" | null>(null);
  const { body, body_length } = alert;
  if (body_length === undefined) return html`<p class="text">${body}</p>`;
  const show = async () => {
    setState("asking");
    setState(await fetchText(alert));
  };
  const why = state === "gone" ? "alert.rest_gone" : (state === "away" || connection === "away") && "alert.rest_away";
  const counts = { shown: numberOf([...(body ?? "")].length), all: numberOf(body_length) };
  return html`<p class="text">${body}…</p>
    <p class="line"><button class="plain" disabled=${state === "asking"} onClick=${() => void show()}>${t("alert.show_all")}</button>
    <span class="small muted" role="status">${why ? t(why) : t("alert.cut", counts)}</span></p>`;
}

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
    if ((await tryRecording(recording, settings.volume)) === "failed") setTrouble(t("alert.recording_failed"));
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
