// One alert in full. Opening it marks it as read. Its sounds can be played again, and every sound has a text.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isOwnOrigin } from "../alert_effects.ts";
import { useAppState } from "../app_state.ts";
import { GENERICALLY_SHOWN_ALERT_FIELDS } from "../generated_fields.ts";
import { html } from "../html_template.ts";
import type { StoredAlert } from "../local_store.ts";
import { playTestTone, tryRecording } from "../outputs/alert_player.ts";
import { speakText } from "../outputs/speech.ts";
import { recordReadOrAck, setDismissed } from "../reports.ts";
import { routeHashes } from "../router.ts";
import { TONE_NAMES, VIBRATION_PATTERNS_BY_NAME } from "../rules/alert_decision.ts";
import { arrangeInbox, getSpotlightEnd } from "../rules/current_alerts_and_history.ts";
import { markupRepeatsPlainText } from "../rules/markup_starts_with_text.ts";
import { formatDay, formatTime, formatUtc, getLocalizedLanguageName } from "../texts/formats.ts";
import type { TextKey } from "../texts/text_types.ts";
import { getLanguage, t } from "../texts/translate.ts";
import {
  AlertActions,
  AlertFacts,
  AlertPicture,
  GenericAlertField,
  getInactiveAlertTextKey,
  getUrlHost,
  HIGH_PRIORITY_TEXT_KEYS,
  isHighPriority,
} from "./alert_card.ts";
import { AlertText } from "./alert_text.ts";
import { ChannelAvatar, EmptyState, NoteStrip, PaneHeader, renderSymbolIcon } from "./components.ts";
import { MarkupFrame } from "./markup_frame.ts";
import { AlertArchiveButton, SnoozeAndDismissActions } from "./snooze_and_archive_actions.ts";

export function AlertView({ id }: { id: string }): VNode {
  const { alerts, channels, settings, connection, at: now } = useAppState();
  const alert = alerts.find((one) => one.id === id) ?? null;
  useEffect(() => {
    if (alert) void recordReadOrAck(alert, "read");
  }, [id, alert === null]);
  if (!alert)
    return html`<${PaneHeader} title=${null} back=${routeHashes.inbox} />
      <${EmptyState} missing sign="inbox" title=${t("alert.gone")} text=${t("alert.gone_hint")}><p class="narrowonly"><a
        class="button plain" href=${routeHashes.inbox}>${t("inbox.open")}</a></p><//>`;

  const channel = channels.get(alert.handle) ?? null;
  const sent = Date.parse(alert.sent_at);
  const over = !arrangeInbox(alerts, now).spotlight.includes(alert);
  const state = getInactiveAlertTextKey(alert, over);
  const back = alert.dismissed && alert.acked_at === null && alert.status === "sent" && getSpotlightEnd(alert) > now;
  const mark = isHighPriority(alert.priority) ? alert.priority : null;
  const markup = alert.layout === "document" ? null : alert.html;
  const showsText = alert.body && !(markup && markupRepeatsPlainText(markup, alert.body));
  const from = html`<p class="from"><${ChannelAvatar} card=${channel} /><span><a
    href=${routeHashes.channel(alert.handle)}><strong dir="auto">${channel?.name ?? `@${alert.handle}`}</strong></a>
    <time class="muted small" datetime=${alert.sent_at} title=${formatUtc(sent)}>${t("time.day_and_time", {
      day: formatDay(sent, now),
      time: formatTime(sent),
    })}</time></span></p>`;
  return html`<${PaneHeader} title=${null} face=${from} back=${routeHashes.inbox}><${AlertArchiveButton}
      alert=${alert} /><//>
    <article class=${`whole card ${over ? "" : (mark ?? "")}`}>
      ${
        (alert.test_until || mark || state || alert.before) &&
        html`<p class="line">
        ${alert.test_until && html`<span class="tag">${t("alert.test")}</span>`}
        ${mark && html`<span class=${`tag ${mark}`}>${t(HIGH_PRIORITY_TEXT_KEYS[mark])}</span>`}
        ${state && html`<span class="tag">${t(state)}</span>`}
        ${alert.before && html`<span class="tag">${t("alert.before")}</span>`}</p>`
      }
      <h1 class="head" tabindex="-1" dir="auto">${alert.title}</h1>
      ${alert.status !== "sent" && html`<${NoteStrip} tone="warn" sign="careful"><p>${t("alert.withdrawn")}</p><//>`}
      <${AlertPicture} alert=${alert} />
      ${showsText && html`<${AlertText} key=${alert.id} alert=${alert} body=${alert.body} />`}
      ${
        alert.html &&
        html`<${MarkupFrame} key=${alert.id} markup=${alert.html} title=${alert.title} whole=${
          alert.layout === "document"
        } />`
      }
      <${AlertFacts} alert=${alert} at=${now} />
      ${GENERICALLY_SHOWN_ALERT_FIELDS.map(
        ({ name, look }) =>
          html`<${GenericAlertField} look=${look} label=${t(`alert.${name}`)} value=${alert[name]} />`,
      )}
      <div class="alertacts"><${AlertActions} alert=${alert} whole /></div>
      <div class="line asides"><${SnoozeAndDismissActions} alert=${alert} over=${over} /></div>
      <${AlertPlaybackControls} alert=${alert} />
      ${
        back &&
        html`<p><button class="link" onClick=${() => void setDismissed(alert, false)}>${t(
          "alert.bring_back",
        )}</button></p>`
      }
      ${alert.acked_at && !settings.reports && html`<p class="hint">${t("alert.ack_stays")}</p>`}
      ${
        alert.acked_at && settings.reports && connection === "away" && html`<p class="hint">${t("alert.ack_waits")}</p>`
      }
      ${
        alert.because &&
        alert.because.length > 0 &&
        html`<details class="more"><summary>${t("why.title")}</summary><ul
          class="why">${alert.because.map((why) => html`<li>${t(why as TextKey)}</li>`)}</ul></details>`
      }
    </article>`;
}

type Tone = (typeof TONE_NAMES)[number];
type Pattern = keyof typeof VIBRATION_PATTERNS_BY_NAME;

/** Buttons that play and read the alert, each with what it plays. */
function AlertPlaybackControls({ alert }: { alert: StoredAlert }): VNode | null {
  const { settings } = useAppState();
  const [trouble, setTrouble] = useState<string | null>(null);
  const recording = alert.audio_asset_url ?? alert.audio_url;
  const tone = (TONE_NAMES as readonly string[]).includes(alert.sound ?? "") ? (alert.sound as Tone) : null;
  const pattern =
    alert.vibrate && alert.vibrate !== "none" && Object.hasOwn(VIBRATION_PATTERNS_BY_NAME, alert.vibrate)
      ? (alert.vibrate as Pattern)
      : null;
  const heard = recording !== null || (tone !== null && tone !== "silent");
  if (!heard && !pattern && !alert.tts_text) return null;
  const play = async () => {
    setTrouble(null);
    if (recording === null) return tone === null ? undefined : playTestTone(tone, settings.volume);
    if ((await tryRecording(recording, settings.volume)) === "failed") setTrouble(t("alert.recording_failed"));
  };
  const read = async (text: string) => {
    setTrouble(null);
    const lang = alert.tts_lang ?? getLanguage();
    const how = await speakText({ text, lang }, settings.volume);
    if (how === "no_voice") setTrouble(t("truth.tts.no_voice", { language: getLocalizedLanguageName(lang) }));
    if (how === "missing" || how === "failed") setTrouble(t("truth.tts.missing"));
  };
  const label =
    recording === null && tone && tone !== "default" ? t("senses.play", { tone: t(`tone.${tone}`) }) : t("alert.play");
  const facts = [
    recording !== null && !isOwnOrigin(recording) && t("alert.recording_at", { host: getUrlHost(recording) }),
    pattern && t("senses.vibrate", { pattern: t(`pattern.${pattern}` as "pattern.sos") }),
  ].filter(Boolean);
  return html`${
    (heard || facts.length > 0) &&
    html`<p class="line playback">${
      heard &&
      html`<button class="link small"
        onClick=${() => void play()}>${renderSymbolIcon("sound", "s")}${label}</button>`
    }<span class="small muted facts-line">${facts.map((fact) => html`<span class="line">${fact}</span>`)}</span></p>`
  }${
    alert.tts_text &&
    html`<p class="line playback"><button class="link small"
        onClick=${() => void read(alert.tts_text ?? "")}>${renderSymbolIcon("speech", "s")}${t(
          "alert.read_aloud",
        )}</button>
      <q class="small" dir="auto" lang=${alert.tts_lang ?? undefined}>${alert.tts_text}</q></p>`
  }
    <p class="small muted" role="status">${trouble}</p>`;
}
