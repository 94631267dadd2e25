// One alert, whole. To open it is to read it.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ALERT_PLAIN } from "../fields.ts";
import { html } from "../markup.ts";
import { did, dismiss } from "../reports.ts";
import { at } from "../router.ts";
import { arrange, leavesAt } from "../rules/spotlight.ts";
import { useApp } from "../state.ts";
import { momentOf, utcOf } from "../texts/formats.ts";
import { type Key, t } from "../texts/texts.ts";
import { Acts, Facts, isLoud, LOUD, markOf, Plain } from "./card.ts";
import { MarkupFrame } from "./frame.ts";
import { Face, Note, PaneHead } from "./parts.ts";
import { Picture } from "./picture.ts";
import { Sounds } from "./sounds.ts";

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
      ${alert.body && html`<p class="text">${alert.body}</p>`}
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
