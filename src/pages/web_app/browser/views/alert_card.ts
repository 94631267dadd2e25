// The alert card: sender, priority and time; the text; place and end; actions. It is the same in the inbox and on a
// channel's view. The priority has a colour and a label. A picture of this service is shown. One of another site is
// shown only on request, since that site learns of the device by it.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { renderAlertActions } from "../../../../ui/alert_actions.ts";
import { isOwnOrigin } from "../alert_effects.ts";
import type { FetchedInboxAlert } from "../api_types.ts";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import type { AppSettings, StoredAlert } from "../local_store.ts";
import { markAlertWithUndo, recordReadOrAck, recordReply } from "../reports.ts";
import { routeHashes } from "../router.ts";
import { isSnoozed } from "../rules/current_alerts_and_history.ts";
import { findCityOfCircle, toCompleteCircle } from "../rules/geo_circle.ts";
import { isOpenForReplies } from "../rules/replies.ts";
import { formatDayAndTime, formatDistance, formatList, formatTime, formatUtc } from "../texts/formats.ts";
import type { TextKey } from "../texts/text_types.ts";
import { t } from "../texts/translate.ts";
import { LinkedText, useOneTimeCodeButton } from "./alert_text.ts";
import { ChannelAvatar, describeActionError, renderSymbolIcon, tryAction } from "./components.ts";

/** The address of the picture, the uploaded one first. */
const getPictureUrl = (alert: FetchedInboxAlert): string | null => alert.image_asset_url ?? alert.image_url;

/** Reports if it is fetched without confirmation. */
const canFetchWithoutConfirmation = (address: string, { elsewhere }: AppSettings): boolean =>
  elsewhere || isOwnOrigin(address);

export function AlertPicture({ alert, inList = false }: { alert: FetchedInboxAlert; inList?: boolean }): VNode | null {
  const { settings } = useAppState();
  const [asked, setAsked] = useState(false);
  const [broken, setBroken] = useState(false);
  const address = getPictureUrl(alert);
  if (address === null) return null;
  if (broken) return html`<p class="xs muted">${t("alert.picture_missing")}</p>`;
  if (asked || canFetchWithoutConfirmation(address, settings)) {
    const picture = html`<img class=${inList ? "picture" : "picture whole"} src=${address}
      alt=${t("alert.picture_of", { title: alert.title })}
      loading="lazy" decoding="async" referrerpolicy="no-referrer" onError=${() => setBroken(true)} />`;
    return inList
      ? picture
      : html`<a class="enlarge" href=${address} target="_blank" rel="noopener noreferrer">${picture}</a>`;
  }
  const hint = t("alert.show_picture_hint", { host: getUrlHost(address) });
  return html`<div class="fetch">
    <button class="plain" title=${inList ? hint : undefined}
      onClick=${() => setAsked(true)}>${renderSymbolIcon("picture", "s")}${t("alert.show_picture")}</button>
    ${!inList && html`<p class="xs muted">${hint}</p>`}
  </div>`;
}

export function getUrlHost(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return "";
  }
}

export const HIGH_PRIORITY_TEXT_KEYS = { important: "alert.important", urgent: "alert.urgent" } as const;
export const isHighPriority = (priority: string): priority is keyof typeof HIGH_PRIORITY_TEXT_KEYS =>
  Object.hasOwn(HIGH_PRIORITY_TEXT_KEYS, priority);

/** Why the alert needs no action any more. Null where it does, and for one from before joining, whose facts show it. */
export function getInactiveAlertTextKey(
  { status, acked_at, before, dismissed, ended, archived, snoozed_until, reminded }: StoredAlert,
  over: boolean,
): TextKey | null {
  if (status !== "sent") return "alert.taken_back";
  if (acked_at) return "alert.seen";
  if (ended) return "channel.out";
  if (archived) return "alert.archived";
  if (over && snoozed_until && !reminded) return "alert.snoozed";
  if (!over || before) return null;
  return dismissed ? "alert.dismissed" : "alert.over";
}

interface CardProps {
  alert: StoredAlert;
  over: boolean;
  chosen?: boolean;
  /** On its channel's page, which has the channel's name. */
  inChannel?: boolean;
  /** Below a heading with its day. */
  underDay?: boolean;
  /** In the list of archived alerts. */
  inArchive?: boolean;
}

/** `over`: it left the spotlight, so that nothing of it is wanted any more. */
export function AlertCard({ alert, over, chosen, inChannel, underDay, inArchive }: CardProps): VNode {
  const { at: now, settings } = useAppState();
  const picture = over ? null : getPictureUrl(alert);
  const open = picture !== null && canFetchWithoutConfirmation(picture, settings);
  const loud = isHighPriority(alert.priority) && !over;
  const classes = [
    "alert",
    loud ? alert.priority : "",
    alert.read_at ? "read" : "",
    over ? "past" : "",
    inChannel ? "inchannel" : "",
  ];
  return html`<article class=${classes.filter(Boolean).join(" ")} aria-labelledby=${`${alert.id}-title`}>
    <${AlertCardHeader} alert=${alert} over=${over} inChannel=${inChannel} underDay=${underDay}
      inArchive=${inArchive} />
    ${open && html`<${AlertPicture} alert=${alert} inList />`}
    <h3 id=${`${alert.id}-title`} dir="auto"><a href=${routeHashes.alert(alert.id)}
      aria-current=${chosen ? "true" : undefined}>${alert.title}</a></h3>
    ${alert.body && !over && html`<p class="text clamp"><bdi><${LinkedText} text=${alert.body} /></bdi></p>`}
    ${picture !== null && !open && html`<${AlertPicture} alert=${alert} inList />`}
    <${AlertFacts} alert=${alert} at=${now} />
    ${!over && html`<${AlertActions} alert=${alert} />`}
  </article>`;
}

interface CardHeaderProps {
  alert: StoredAlert;
  over: boolean;
  /** Without the dot of what is unread. */
  bare?: boolean;
  inChannel?: boolean;
  underDay?: boolean;
  inArchive?: boolean;
}

export function AlertCardHeader({ alert, over, bare, inChannel, underDay, inArchive }: CardHeaderProps): VNode {
  const { at: now, channels } = useAppState();
  const channel = channels.get(alert.handle) ?? null;
  const sent = Date.parse(alert.sent_at);
  const mark = isHighPriority(alert.priority) && !over ? alert.priority : null;
  const state = getInactiveAlertTextKey(inArchive ? { ...alert, archived: false } : alert, over);
  return html`<header>${
    !inChannel &&
    html`<${ChannelAvatar} card=${channel} size="m" /><span class="name"
      dir="auto">${channel?.name ?? `@${alert.handle}`}</span>`
  }
    <span class="when">
      ${alert.test_until && html`<span class="tag">${t("alert.test")}</span>`}
      ${mark && html`<span class=${`tag ${mark}`}>${t(HIGH_PRIORITY_TEXT_KEYS[mark])}</span>`}
      ${state && html`<span class="tag">${t(state)}</span>`}
      <time datetime=${alert.sent_at} title=${formatUtc(sent)}>${
        over && !underDay ? formatDayAndTime(sent, now) : formatTime(sent)
      }</time>
      ${!alert.read_at && !bare && html`<span class="dot" role="img" aria-label=${t("alert.unread")}></span>`}
    </span>
    ${!bare && html`<${PutAside} alert=${alert} over=${over} />`}
  </header>`;
}

/** Dismisses a current alert, and archives an earlier one. */
function PutAside({ alert, over }: { alert: StoredAlert; over: boolean }): VNode | null {
  if (alert.archived) return null;
  const label = t(over ? "alert.archive" : "alert.dismiss");
  const put = () =>
    over
      ? markAlertWithUndo(alert, { archived: true, snoozed_until: null }, t("undo.archived"))
      : markAlertWithUndo(alert, { dismissed: true, snoozed_until: null }, t("undo.dismissed"));
  return html`<button class="link put" aria-label=${label} title=${label} onClick=${() => void tryAction(put)}>
    ${renderSymbolIcon(over ? "archive" : "close", "s")}</button>`;
}

/** "Within 12 km of Porto". */
export function describeCircle(km: number, city: string | null): string {
  const distance = formatDistance(km);
  return city ? t("alert.within_city", { distance, city }) : t("alert.within", { distance });
}

/** Where and until when it counts, and what the person did. */
export function AlertFacts({ alert, at: now }: { alert: StoredAlert; at: number }): VNode | null {
  const { channels } = useAppState();
  const circle = toCompleteCircle(alert);
  const until = alert.expires_at === null ? null : Date.parse(alert.expires_at);
  const snoozed = isSnoozed(alert, now);
  const acked = alert.acked_at === null ? null : Date.parse(alert.acked_at);
  const facts = [
    alert.test_until && html`<span>${t("alert.test_hint")}</span>`,
    circle &&
      html`${renderSymbolIcon("place", "s")}<span>${describeCircle(
        circle.radius_km,
        findCityOfCircle(alert, channels.get(alert.handle) ?? null),
      )}</span>`,
    snoozed && html`<span>${t("snooze.until", { time: formatDayAndTime(alert.snoozed_until ?? now, now) })}</span>`,
    until !== null &&
      html`${renderSymbolIcon("clock", "s")}<span title=${formatUtc(until)}>${t(
        until > now ? "alert.until" : "alert.was_until",
        { time: formatDayAndTime(until, now) },
      )}</span>`,
    acked !== null &&
      html`${renderSymbolIcon("check", "s")}<span title=${formatUtc(acked)}>${t("alert.acked_at", {
        time: formatDayAndTime(acked, now),
      })}</span>`,
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return html`<p class="xs facts-line">${facts.map((fact) => html`<span class="line">${fact}</span>`)}</p>`;
}

/** Links that the app may open. */
const listAlertLinks = ({ actions }: FetchedInboxAlert) =>
  actions.filter(({ type, url }) => type !== "reply" && isWebUrl(url));

const awaitsAck = ({ requires_ack, acked_at, status }: StoredAlert): boolean =>
  requires_ack && acked_at === null && status === "sent";

const findQuestion = ({ actions }: FetchedInboxAlert) =>
  actions.find(({ type, choices }) => type === "reply" && Array.isArray(choices));

/** Buttons of an alert in a list. */
const BUTTONS_IN_LIST = 2;

/**
 * The acknowledgement button and the links. `whole`: in the opened alert, with the question. Its chosen answer is
 * marked and can be changed. Without anything else to do, the first link is the main action. A list has one row of
 * buttons, and the question opens the alert.
 */
export function AlertActions({ alert, whole }: { alert: StoredAlert; whole?: boolean }): VNode | null {
  const { at: now, settings, connection } = useAppState();
  const code = useOneTimeCodeButton(alert);
  const asks = awaitsAck(alert);
  const question = findQuestion(alert);
  const all = listAlertLinks(alert);
  const links = whole ? all : (question ? [question] : all).slice(0, BUTTONS_IN_LIST - Number(!!code) - Number(asks));
  const closed = !isOpenForReplies(alert, now);
  const hint = !settings.reports
    ? "alert.reply_stays"
    : connection === "away" && alert.reply
      ? "alert.reply_waits"
      : null;
  return renderAlertActions<VNode, FetchedInboxAlert["actions"][number]>(
    {
      html,
      icon: renderSymbolIcon,
      choice: (choice) => {
        const chosen = alert.reply === choice;
        return html`<button class=${chosen ? "" : "plain"} aria-pressed=${chosen} disabled=${closed}
          onClick=${() => void recordReply(alert, choice).catch(describeActionError)}>${
            chosen && renderSymbolIcon("check", "s")
          }<bdi>${choice}</bdi></button>`;
      },
      acknowledge: (content) =>
        html`<button
          onClick=${() => void recordReadOrAck(alert, "ack").catch(describeActionError)}>${content}</button>`,
      link: (link, content) =>
        link === question
          ? html`<a class=${asks || alert.reply ? "button plain" : "button"}
              href=${routeHashes.alert(alert.id)}>${alert.reply && renderSymbolIcon("check", "s")}<bdi>${
                alert.reply ?? link.label
              }</bdi></a>`
          : html`<a class=${whole && !asks && !question && link === links[0] ? "button" : "button plain"}
              href=${link.url} target="_blank" rel="noopener noreferrer">${content}</a>`,
    },
    {
      question:
        whole && question
          ? {
              label: question.label,
              choices: question.choices ?? [],
              hint: hint && !closed ? html`<p class="hint">${t(hint)}</p>` : null,
            }
          : null,
      first: code ? [code] : [],
      acknowledge: asks ? t("alert.ack") : null,
      links,
    },
  );
}

/** A field without a drawing of its own. */
export function GenericAlertField({
  look,
  label,
  value,
}: {
  look: string;
  label: string;
  value: unknown;
}): VNode | null {
  if (value === null || value === "" || (look === "link" && !isWebUrl(String(value)))) return null;
  return look === "link"
    ? html`<p><a class="withicon" href=${value} target="_blank"
      rel="noopener noreferrer">${label}${renderSymbolIcon("out", "s")}</a></p>`
    : html`<p class="text"><strong>${label}</strong> <bdi>${
        Array.isArray(value) ? formatList(value) : String(value)
      }</bdi></p>`;
}

/** The service accepts only https addresses; the app checks them itself anyway. */
export const isWebUrl = (address: string): boolean => /^https?:\/\//i.test(address);
