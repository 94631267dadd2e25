// A channel's address as people take it: a link, a text to copy, and a code for the camera of a phone.

import { isLoopbackName } from "../../identity/auth/redirects.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { qrDrawing } from "../../ui/qr.ts";
import { channelBase } from "./channel_head.ts";
import { copyable } from "./parts.ts";
import { type Channel, type MemberVisit, mayUse } from "./visit.ts";

/** @param says stands between the title and the address, `more` below it; `what` it is the address of */
export function addressCard(
  url: string,
  title: string,
  says: Content,
  { more = null, what = "the channel’s address" }: { more?: Content; what?: string } = {},
): Html {
  return html`<section class="card scan" aria-labelledby="address">${qrDrawing(url, `QR code of ${what}`)}<div><h2 id="address">${title}</h2>
    ${says}${copyable(html`<a href="${url}">${url}</a>`, what)}${
      isLoopbackName(new URL(url).hostname) &&
      html`<p class="hint">This address works on this machine alone: open it in a browser here. For phones the operator sets PUBLIC_URL to an address that they reach.</p>`
    }${more}</div></section>`;
}

/** What comes before a first alert: somebody who is subscribed. */
export function firstSubscriber(
  visit: MemberVisit,
  { id, name, url, is_public }: Pick<Channel, "id" | "name" | "url" | "is_public">,
): Html {
  const says = html`<p>Nobody is subscribed to ${name} yet. Point your phone’s camera at the code, or open the address, and subscribe: then you see what your alerts look like.</p>`;
  if (is_public) return addressCard(url, "Subscribe your phone", says);
  return html`<section class="card" aria-labelledby="address"><h2 id="address">Subscribe your phone</h2>
    <p>Nobody is subscribed to ${name} yet. The channel is private, so a phone needs an invite.</p>${
      mayUse(visit, "create_invite") &&
      html`<p><a class="button" href="${channelBase(visit, id)}/invites">Make an invite</a></p>`
    }</section>`;
}
