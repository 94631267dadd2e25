// What rings right now, to be seen and stopped; and the alert that stands over everything until it is answered.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../markup.ts";
import { did } from "../reports.ts";
import { at } from "../router.ts";
import { type Ringing, silence, TROUBLE_VALUES, whatRings } from "../senses/ring.ts";
import { change, useApp } from "../state.ts";
import { languageName } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { CardHead, Facts } from "./card.ts";
import { icon } from "./parts.ts";

export function RingStrip(): VNode | null {
  const { alerts } = useApp();
  const [ringing, setRinging] = useState<Ringing | null>(null);
  useEffect(() => {
    const stop = whatRings(setRinging);
    return () => void stop();
  }, []);
  const alert = alerts.find(({ id }) => id === ringing?.alert_id);
  if (!ringing || !alert) return null;
  const { sounding, speech, trouble } = ringing;
  const silent = trouble.includes("ring.locked") || trouble.includes("ring.no_sound");
  const rings = trouble.length === 0 || (sounding && !silent);
  const values = { ...TROUBLE_VALUES, language: languageName(speech?.lang ?? "en") };
  return html`<div class="ringing" role="alert">
    ${icon("bell")}
    <div><p><strong><a href=${at.alert(alert.id)}>${t(rings ? "ring.now" : "ring.new", { title: alert.title })}</a></strong></p>
      ${trouble.map((key) => html`<p>${t(key, values)}</p>`)}
      ${speech && html`<p lang=${speech.lang}>${trouble.length > 0 ? speech.text : t("ring.spoken", { text: speech.text })}</p>`}
    </div>
    <button class="plain" onClick=${silence}>${t(sounding ? "ring.stop" : "do.close")}</button>
  </div>`;
}

/** Over everything else, by the browser's own dialog: the keyboard stays in it, Escape closes it. */
export function FullAlert(): VNode | null {
  const { full, alerts, at: now } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const alert = full === null ? null : (alerts.find(({ id }) => id === full) ?? null);
  useEffect(() => {
    if (alert && dialog.current && !dialog.current.open) dialog.current.showModal();
  }, [alert?.id]);
  if (!alert) return null;
  const close = () => {
    silence();
    change({ full: null });
  };
  const answer = () => {
    close();
    if (alert.requires_ack) void did(alert, "ack");
    else location.hash = at.alert(alert.id);
  };
  return html`<dialog class="full" ref=${dialog} aria-labelledby="full-title" onClose=${close}>
    <article class="alert urgent">
      <${CardHead} alert=${alert} over=${false} bare />
      <h2 id="full-title">${alert.title}</h2>
      ${alert.body && html`<p class="text">${alert.body}</p>`}
      <${Facts} alert=${alert} at=${now} />
      <footer><button onClick=${answer}>${icon("check", "s")}${t(alert.requires_ack ? "alert.ack" : "do.open")}</button>
      <button class="plain" onClick=${close}>${t("do.close")}</button></footer>
    </article>
  </dialog>`;
}
