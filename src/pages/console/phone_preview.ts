// A picture of a phone that shows an alert: the card, the sounds, and the alert's page in an inert frame. Text lists
// the removed parts, and where the alert may stay silent. It also has the number of devices that it could reach, and of
// those with push notifications.

import { count_push_reachable_devices } from "../../identity/session/test_devices.ts";
import type { RequestablePermission } from "../../model/fields/channel.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import {
  formatDeviceCount,
  listAlertEffects,
  type PreviewedAlert,
  renderAlertPreviewCard,
} from "../../ui/alert_preview.ts";
import type { AvatarData } from "../../ui/avatar.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { REQUESTED_PERMISSION_LABELS } from "./channel_form_values.ts";
import type { ChannelResult, MemberPageContext } from "./page_definitions.ts";

type Preview = [channel: AvatarData & { name: string }, drawn: PreviewedAlert, now: Date];

/** The card of an alert, with its sound, vibration and speech. The channel is as get_pusher returns it. */
export function renderAlertPreviewWithEffects(...[channel, drawn, now]: Preview): Html {
  const caps = listAlertEffects(drawn);
  return html`${renderAlertPreviewCard(channel, drawn, now, "drawn")}
    ${caps.length > 0 && html`<p class="caps"><span class="unseen">Uses: </span>${caps}</p>`}`;
}

/** The same on a phone. */
export const phonePreview = (...preview: Preview): Html =>
  html`<div class="phone"><div class="screen">${renderAlertPreviewWithEffects(...preview)}</div></div>`;

/** The frame in which an alert's page is shown. `src` is null until a form fills it. */
export const renderAlertPageIframe = (src: string | null, isShort = false): Html =>
  html`<iframe class="paper${isShort && " short"}" name="page" sandbox="" referrerpolicy="no-referrer"
    title="Alert page"${src !== null && html` src="${src}"`}></iframe>`;

/** The way to see in the frame what markup has on other servers, which would learn of it. */
export const externalPicturesLink = (markup: string | null, path: string): HtmlContent =>
  markup !== null &&
  /<(img|picture|image)\b[^>]*https:|url\(/i.test(markup) &&
  html`<p class="hint"><a
    href="${path}?pictures=shown" target="page">Show pictures from other servers</a>, which can then see that this
    preview was opened.</p>`;

/** Markup for the frame: no script, no form, no request but for pictures, of other servers only with `pictures`. */
export function createAlertMarkupResponse(markup: string, pictures: boolean): Response {
  const head =
    '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>' +
    "html{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu " +
    "Sans',sans-serif;color:#1b1c22;background:#fff}" +
    "body{margin:16px;overflow-wrap:break-word}img,table{max-width:100%}img{height:auto}</style>";
  return new Response(head + markup, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; sandbox; style-src 'unsafe-inline'; img-src 'self'${
        pictures ? " https:" : ""
      } data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
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

const BLOCKED_WORDS: Record<string, (name: string) => HtmlContent> = {
  element: (name) => html`<code>&lt;${name}&gt;</code> element`,
  attribute: (name) => html`<code>${name}</code> attribute`,
  url: (name) => html`${name} links`,
  style: (name) => html`<code>${name}</code> style`,
  character: (name) => html`invisible characters (${name})`,
};

/** The parts that the sanitiser removed from an alert, or, `typed`, will remove from typed text; null without any. */
export function renderRemovedContentReport(blocked: readonly Blocked[], scripts: number, typed = false): HtmlContent {
  if (blocked.length === 0 && scripts === 0) return null;
  const title = "Removed content";
  const [id, heading] = typed
    ? ["removed-typed", html`<h3 id="removed-typed">${title}</h3>`]
    : ["removed", html`<h2 id="removed">${title}</h2>`];
  return html`<section class="report warn" aria-labelledby="${id}">${heading}
    ${
      blocked.length > 0 &&
      html`<ul>${blocked.map(
        ({ kind, name, count }) =>
          html`<li>${BLOCKED_WORDS[kind]?.(name) ?? name}${count > 1 && html`, ${count} times`}</li>`,
      )}</ul>`
    }
    ${
      scripts > 0 &&
      html`<p>${scripts === 1 ? "One script" : `${scripts} scripts`} in this document will not run: devices
      show it in a frame that blocks scripts.</p>`
    }</section>`;
}

/**
 * Where the alert may stay silent, since its channel does not request a permission that it uses.
 * @param notes as operations return them; their texts are for authors of calls, these are for people at a form
 * @param settings where its owner changes the requested permissions
 */
export function renderMissingPermissionNotes(
  notes: readonly { capability: RequestablePermission }[],
  settings: string,
): HtmlContent {
  const unasked = [...new Set(notes.map(({ capability }) => capability))];
  if (unasked.length === 0) return null;
  return html`<section class="report" aria-labelledby="unasked"><h3
    id="unasked">Permissions this channel doesn’t request</h3>
    <ul>${unasked.map(
      (name) => html`<li><strong>${REQUESTED_PERMISSION_LABELS[name].label}.</strong>
      ${REQUESTED_PERMISSION_LABELS[name].without}</li>`,
    )}</ul>
    <p><a href="${settings}#requested_perms">Change requested permissions</a></p></section>`;
}

/** "5 devices subscribed; 3 can receive push while the app is closed." */
export async function describeReach(context: MemberPageContext, { id, subscribers }: ChannelResult): Promise<string> {
  const { enabled, looked_at, woken } = await context.asMember(count_push_reachable_devices, { pusher_id: id });
  const reach = `${formatDeviceCount(subscribers)} subscribed`;
  if (subscribers === 0) return `${reach}.`;
  if (!enabled)
    return `${reach}; none can receive push notifications while the app is closed. The operator can turn on WEB_PUSH.`;
  const of = looked_at < LIMITS.wakes_looked_at ? "" : ` of the ${formatLimit("wakes_looked_at")} checked`;
  const receivers = woken === 0 ? "none" : woken.toLocaleString("en");
  return `${reach}; ${receivers}${of} can receive push notifications while the app is closed.`;
}
