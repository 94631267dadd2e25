// A picture of a phone that shows an alert: the card, the sounds, and the alert's page in an inert frame. Text lists
// the removed parts, and where the alert may stay silent. It also has the number of devices that it could reach, and of
// those with push notifications.

import { get_wake_ups } from "../../identity/session/linked_devices.ts";
import { type AlertAction, getLinkActions, getReplyQuestion } from "../../model/fields/alert_action.ts";
import type { Capability } from "../../model/fields/channel.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { type ActionElements, renderAlertActions } from "../../ui/alert_actions.ts";
import { alertCard } from "../../ui/alert_card.ts";
import { type AvatarData, externalPicture } from "../../ui/avatar.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { CAPABILITY_LABELS } from "./channel_form_values.ts";
import { capitalize } from "./form_controls.ts";
import type { ChannelResult, MemberContext } from "./page_context.ts";

/** The parts of an alert that a phone draws, stored or typed. */
export interface PreviewedAlert {
  title: string;
  body: string | null;
  priority: "normal" | "important" | "urgent";
  picture: string | null;
  /** A picture that its author has on another server: fetched only on request. */
  elsewhere: string | null;
  requires_ack: boolean;
  actions: readonly Pick<AlertAction, "type" | "label" | "choices">[];
  sound: string | null;
  vibrate: string | null;
  /** A recording is played in place of the sound. */
  recording: boolean;
  tts_text: string | null;
  radius_km: number | null;
  at: Date;
  expires_at: Date | null;
}

const inertButton = (content: Content): Html => html`<span class="button plain">${content}</span>`;

/** The buttons of the app as pictures: they are not controls, and nothing happens when they are pressed. */
const INERT_ELEMENTS: ActionElements<Html, { label: string }> = {
  html: html as ActionElements<Html, { label: string }>["html"],
  icon,
  choice: (label) => inertButton(html`<bdi>${label}</bdi>`),
  acknowledge: (content) => html`<span class="button">${content}</span>`,
  link: (_, content) => inertButton(content),
};

/** The question and the buttons of an alert, drawn as the app draws them. */
export const inertActions = ({ requires_ack, actions }: Pick<PreviewedAlert, "requires_ack" | "actions">): Content =>
  renderAlertActions(INERT_ELEMENTS, {
    question: getReplyQuestion({ actions }) ?? null,
    acknowledge: requires_ack ? "Acknowledge" : null,
    links: getLinkActions(actions),
  });

/** "Siren", "Long": the requested sound and vibration. */
function capsOf({ sound, vibrate, recording, tts_text }: PreviewedAlert): Html[] {
  const heard = recording ? "Recording" : sound && sound !== "silent" ? capitalize(sound) : null;
  return [
    ...(heard ? [html`<span>${icon("sound", "s")}${heard}</span>`] : []),
    ...(vibrate && vibrate !== "none" ? [html`<span>${icon("shake", "s")}${capitalize(vibrate)}</span>`] : []),
    ...(tts_text ? [html`<span>${icon("speech", "s")}Read aloud</span>`] : []),
  ];
}

/** The card of an alert as devices show it. @param id unique on the page */
export const previewCard = (
  channel: AvatarData & { name: string },
  drawn: PreviewedAlert,
  now: Date,
  id: string,
): Html =>
  alertCard({
    id,
    channel,
    title: drawn.title.trim() === "" ? "Alert title" : drawn.title,
    text: drawn.body,
    priority: drawn.priority,
    state: drawn.expires_at && drawn.expires_at <= now ? "past" : "unread",
    sentAt: drawn.at,
    now,
    expiresAt: drawn.expires_at,
    picture: drawn.picture,
    radiusKm: drawn.radius_km,
    also: drawn.elsewhere && externalPicture(drawn.elsewhere),
    actions: inertActions(drawn),
  });

/** @param channel as get_pusher answers it */
export function phonePreview(channel: AvatarData & { name: string }, drawn: PreviewedAlert, now: Date): Html {
  const caps = capsOf(drawn);
  return html`<div class="phone"><div class="screen">
    ${previewCard(channel, drawn, now, "drawn")}
    ${caps.length > 0 && html`<p class="caps"><span class="unseen">Uses: </span>${caps}</p>`}
  </div></div>`;
}

/** The frame in which an alert's page is shown. `src` is null until a form fills it. */
export const alertPageFrame = (src: string | null): Html =>
  html`<iframe class="paper" name="page" sandbox="" referrerpolicy="no-referrer" title="The page of this alert"${
    src !== null && html` src="${src}"`
  }></iframe>`;

/** The way to see in the frame what markup has on other servers, which would learn of it. */
export const externalPicturesLink = (markup: string | null, path: string): Content =>
  markup !== null &&
  /<(img|picture|image)\b[^>]*https:|url\(/i.test(markup) &&
  html`<p class="hint"><a href="${path}?pictures=shown" target="page">Show pictures from other servers</a>, which can then see that it was opened.</p>`;

/** Markup for the frame: no script, no form, no request but for pictures, of other servers only with `pictures`. */
export function markupResponse(markup: string, pictures: boolean): Response {
  const head =
    '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>' +
    "html{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#1b1c22;background:#fff}" +
    "body{margin:16px;overflow-wrap:break-word}img,table{max-width:100%}img{height:auto}</style>";
  return new Response(head + markup, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; sandbox; style-src 'unsafe-inline'; img-src 'self'${pictures ? " https:" : ""} data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
  });
}

interface Blocked {
  kind: string;
  name: string;
  count: number;
}

const BLOCKED_WORDS: Record<string, (name: string) => Content> = {
  element: (name) => html`the element <code>&lt;${name}&gt;</code>`,
  attribute: (name) => html`the attribute <code>${name}</code>`,
  url: (name) => html`${name} links`,
  style: (name) => html`the style <code>${name}</code>`,
  character: (name) => html`invisible characters (${name})`,
};

/** The parts that the sanitiser removed from an alert, or, `typed`, will remove from typed text; null without any. */
export function removalReport(blocked: readonly Blocked[], scripts: number, typed = false): Content {
  if (blocked.length === 0 && scripts === 0) return null;
  const title = "Removed content";
  const [id, heading] = typed
    ? ["removed-typed", html`<h3 id="removed-typed">${title}</h3>`]
    : ["removed", html`<h2 id="removed">${title}</h2>`];
  return html`<section class="report warn" aria-labelledby="${id}">${heading}
    ${blocked.length > 0 && html`<ul>${blocked.map(({ kind, name, count }) => html`<li>${BLOCKED_WORDS[kind]?.(name) ?? name}${count > 1 && html`, ${count} times`}</li>`)}</ul>`}
    ${scripts > 0 && html`<p>${scripts === 1 ? "A script" : `${scripts} scripts`} in this document will not run: devices show it in a frame that blocks scripts.</p>`}</section>`;
}

/**
 * Where the alert may stay silent, since its channel does not request a permission that it uses.
 * @param notes as operations return them; their texts are for authors of calls, these are for people at a form
 * @param settings where its owner changes the requested permissions
 */
export function capabilityReport(notes: readonly { capability: Capability }[], settings: string): Content {
  const unasked = [...new Set(notes.map(({ capability }) => capability))];
  if (unasked.length === 0) return null;
  return html`<section class="report" aria-labelledby="unasked"><h3 id="unasked">Permissions this channel doesn’t request</h3>
    <ul>${unasked.map((name) => html`<li><strong>${CAPABILITY_LABELS[name].label}.</strong> ${CAPABILITY_LABELS[name].without}</li>`)}</ul>
    <p><a href="${settings}#requested_perms">Change requested permissions</a></p></section>`;
}

/** "1 device", "412 devices" */
export const formatDeviceCount = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "device" : "devices"}`;

/** "5 devices subscribed; 3 can receive push while the app is closed." */
export async function describeReach(visit: MemberContext, { id, subscribers }: ChannelResult): Promise<string> {
  const { enabled, looked_at, woken } = await visit.asMember(get_wake_ups, { pusher_id: id });
  const reach = `${formatDeviceCount(subscribers)} subscribed`;
  if (subscribers === 0) return `${reach}.`;
  if (!enabled) return `${reach}; none can receive push while the app is closed. The operator can turn on WEB_PUSH.`;
  const of = looked_at < LIMITS.wakes_looked_at ? "" : ` of the ${formatLimit("wakes_looked_at")} checked`;
  return `${reach}; ${woken === 0 ? "none" : woken.toLocaleString("en")}${of} can receive push while the app is closed.`;
}
