// The alert card: who speaks, how loudly, when; what is said; where and until when; what to do. The same in the inbox and on a
// channel's view; loudness is said by tone and by word. A picture of this service is shown; one of another site only after the person asked
// for it, since that site learns of the device by it.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { html } from "../markup.ts";
import { did, dismiss, isOpen, reply } from "../reports.ts";
import { isHere } from "../rings.ts";
import { at } from "../router.ts";
import { wholeCircle } from "../rules/circle.ts";
import { useApp } from "../state.ts";
import type { KeptAlert, Settings } from "../store.ts";
import { distanceOf, momentOf, timeOf, utcOf } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import type { Key } from "../texts/types.ts";
import type { Alert } from "../wire.ts";
import { Face, icon, wordsFor } from "./parts.ts";

/** The address of the picture, the uploaded one first. */
export const pictureOf = (alert: Alert): string | null => alert.image_asset_url ?? alert.image_url;

/** Whether it is fetched without asking. */
export const mayFetch = (address: string, { elsewhere }: Settings): boolean => elsewhere || isHere(address);

export function Picture({ alert, inList = false }: { alert: Alert; inList?: boolean }): VNode | null {
  const { settings } = useApp();
  const [asked, setAsked] = useState(false);
  const [broken, setBroken] = useState(false);
  const address = pictureOf(alert);
  if (address === null) return null;
  if (broken) return html`<p class="xs muted">${t("alert.picture_missing")}</p>`;
  if (asked || mayFetch(address, settings))
    return html`<img class=${inList ? "picture" : "picture whole"} src=${address} alt=${t("alert.picture_of", { title: alert.title })}
      loading="lazy" decoding="async" referrerpolicy="no-referrer" onError=${() => setBroken(true)} />`;
  const hint = t("alert.show_picture_hint", { host: hostOf(address) });
  return html`<div class="fetch">
    <button class="plain" title=${inList ? hint : undefined} onClick=${() => setAsked(true)}>${icon("picture", "s")}${t("alert.show_picture")}</button>
    ${!inList && html`<p class="xs muted">${hint}</p>`}
  </div>`;
}

export function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return "";
  }
}

export const LOUD = { important: "alert.important", urgent: "alert.urgent" } as const;
export const isLoud = (priority: string): priority is keyof typeof LOUD => Object.hasOwn(LOUD, priority);

/** Why nothing of the alert is wanted any more; null where something is, and for one from before joining, whose facts say so. */
export function markOf({ status, acked_at, before, dismissed, ended }: KeptAlert, over: boolean): Key | null {
  if (status !== "sent") return "alert.taken_back";
  if (acked_at) return "alert.seen";
  if (ended) return "channel.out";
  if (!over || before) return null;
  return dismissed ? "alert.dismissed" : "alert.over";
}

interface CardProps {
  alert: KeptAlert;
  over: boolean;
  chosen?: boolean;
}

/** `over`: it left the spotlight, so that nothing of it is wanted any more. */
export function AlertCard({ alert, over, chosen }: CardProps): VNode {
  const { at: now, settings } = useApp();
  const picture = over ? null : pictureOf(alert);
  const open = picture !== null && mayFetch(picture, settings);
  const loud = isLoud(alert.priority) && !over;
  const classes = ["alert", loud ? alert.priority : "", alert.read_at ? "read" : "", over ? "past" : ""];
  return html`<article class=${classes.filter(Boolean).join(" ")} aria-labelledby=${`${alert.id}-title`}>
    <${CardHead} alert=${alert} over=${over} />
    ${open && html`<${Picture} alert=${alert} inList />`}
    <h3 id=${`${alert.id}-title`}><a href=${at.alert(alert.id)} aria-current=${chosen ? "true" : undefined}>${alert.title}</a></h3>
    ${alert.body && !over && html`<p class="text clamp">${alert.body}</p>`}
    ${picture !== null && !open && html`<${Picture} alert=${alert} inList />`}
    <${Facts} alert=${alert} at=${now} />
    ${!over && html`<${Acts} alert=${alert} />`}
  </article>`;
}

/** `bare`: without the dot of what is unread. */
export function CardHead({ alert, over, bare }: { alert: KeptAlert; over: boolean; bare?: boolean }): VNode {
  const { at: now, channels } = useApp();
  const channel = channels.get(alert.handle) ?? null;
  const sent = Date.parse(alert.sent_at);
  const mark = isLoud(alert.priority) && !over ? alert.priority : null;
  const state = markOf(alert, over);
  return html`<header><${Face} card=${channel} size="m" /><span class="name">${channel?.name ?? `@${alert.handle}`}</span>
    ${alert.test_until && html`<span class="tag">${t("alert.test")}</span>`}
    ${mark && html`<span class=${`tag ${mark}`}>${t(LOUD[mark])}</span>`}
    ${state && html`<span class="tag">${t(state)}</span>`}
    <time datetime=${alert.sent_at} title=${utcOf(sent)}>${over ? momentOf(sent, now) : timeOf(sent)}</time>
    ${!alert.read_at && !bare && html`<span class="dot" role="img" aria-label=${t("alert.unread")}></span>`}
    ${!over && !bare && html`<button class="link put" aria-label=${t("alert.dismiss")} onClick=${() => void dismiss(alert, true)}>${icon("close", "s")}</button>`}
  </header>`;
}

/** Where and until when it counts, and what the person did. */
export function Facts({ alert, at: now }: { alert: KeptAlert; at: number }): VNode | null {
  const circle = wholeCircle(alert);
  const until = alert.expires_at === null ? null : Date.parse(alert.expires_at);
  const acked = alert.acked_at === null ? null : Date.parse(alert.acked_at);
  const facts = [
    alert.test_until && html`<span>${t("alert.test_hint")}</span>`,
    alert.before && html`<span>${t("alert.before")}</span>`,
    circle && html`${icon("place", "s")}<span>${t("alert.within", { distance: distanceOf(circle.radius_km) })}</span>`,
    until !== null &&
      html`<span title=${utcOf(until)}>${t(until > now ? "alert.until" : "alert.was_until", { time: momentOf(until, now) })}</span>`,
    acked !== null &&
      html`${icon("check", "s")}<span title=${utcOf(acked)}>${t("alert.acked_at", { time: momentOf(acked, now) })}</span>`,
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return html`<p class="xs line">${facts.map((fact, i) => html`${i > 0 && html`<span aria-hidden="true">·</span>`}${fact}`)}</p>`;
}

/** What can be done: confirm, and where the channel leads. One filled button at most. */
export function Acts({ alert }: { alert: KeptAlert }): VNode | null {
  const asks = alert.requires_ack && alert.acked_at === null && alert.status === "sent";
  const links = alert.actions.filter(({ type, url }) => type !== "reply" && isWeb(url));
  const question = alert.actions.find(({ type, choices }) => type === "reply" && Array.isArray(choices));
  if (!asks && links.length === 0 && !question) return null;
  return html`${question && html`<${Question} alert=${alert} label=${question.label} choices=${question.choices ?? []} />`}
  ${
    (asks || links.length > 0) &&
    html`<footer>
    ${asks && html`<button onClick=${() => void did(alert, "ack").catch(wordsFor)}>${icon("check", "s")}${t("alert.ack")}</button>`}
    ${links.map(
      ({ label, url }) =>
        html`<a class="button plain" href=${url} target="_blank" rel="noopener noreferrer">${icon("out", "s")}${label}</a>`,
    )}
  </footer>`
  }`;
}

/** What the channel asks. The chosen answer is marked, and can be changed for as long as the alert holds. */
function Question({ alert, label, choices }: { alert: KeptAlert; label: string; choices: string[] }): VNode {
  const { at: now, settings, connection } = useApp();
  const closed = !isOpen(alert, now);
  const hint = !settings.reports
    ? "alert.reply_stays"
    : connection === "away" && alert.reply
      ? "alert.reply_waits"
      : null;
  return html`<fieldset class="asked" disabled=${closed}><legend>${label}</legend>
    ${choices.map((choice) => {
      const chosen = alert.reply === choice;
      return html`<button class=${chosen ? "" : "plain"} aria-pressed=${chosen} onClick=${() => void reply(alert, choice).catch(wordsFor)}>${chosen && icon("check", "s")}${choice}</button>`;
    })}
    ${hint && !closed && html`<p class="hint">${t(hint)}</p>`}
  </fieldset>`;
}

/** A field without a drawing of its own. */
export function Plain({ look, label, value }: { look: string; label: string; value: unknown }): VNode | null {
  if (value === null || value === "" || (look === "link" && !isWeb(String(value)))) return null;
  return look === "link"
    ? html`<p><a class="withicon" href=${value} target="_blank" rel="noopener noreferrer">${label}${icon("out", "s")}</a></p>`
    : html`<p class="text"><strong>${label}</strong> ${Array.isArray(value) ? value.join(", ") : String(value)}</p>`;
}

/** The service takes https addresses alone; an app does not rely on what somebody else checked. */
export const isWeb = (address: string): boolean => /^https?:\/\//i.test(address);
