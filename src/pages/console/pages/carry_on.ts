// Where an assistant's request goes on: to a page of ours at once, to the assistant by a page that leads there. A redirect
// right after a form would be held against the form's policy (form-action), which cannot name every address of an app.

import { isLoopbackName } from "../../../identity/auth/redirects.ts";
import { KNOWN_SCHEMES } from "../../../model/domain/redirect_schemes.ts";
import { type Content, html } from "../../../ui/html.ts";
import type { Visit } from "../visit.ts";

export function carryOn(
  visit: Visit,
  next: string,
  cookies: readonly string[] = [],
  words: { title: string; text: Content } = {
    title: "Back to your assistant",
    text: "You can close this page when the assistant says that it is connected.",
  },
): Response {
  const own = new URL(visit.deps.publicUrl).origin;
  const url = new URL(next, own);
  if (url.origin === own && url.pathname.startsWith("/console/"))
    return visit.goTo(url.pathname + url.search, undefined, cookies);
  return visit.page(
    words.title,
    html`<h1>${words.title}</h1><p class="lede">${words.text}</p>
    <p>The answer goes to ${destination(url)}. If nothing happens, press Continue.</p>
    <p><a class="button" href="${url.href}">Continue</a></p>`,
    { width: "narrow", onwards: url.href, cookies },
  );
}

/** Known by its scheme alone, which any app on the device may have taken. */
const programOf = (protocol: string): string => {
  const name = KNOWN_SCHEMES[protocol.slice(0, -1)];
  return name ? `the app that opens ${name}'s addresses` : "an app";
};

/** An address as a person should read it: who gets the answer. */
export function destination(url: URL): string {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${programOf(url.protocol)} on this device (${url.href.split("?")[0]})`;
  if (isLoopbackName(url.hostname)) return `an app on the computer that you are using (${url.host})`;
  return url.host;
}
