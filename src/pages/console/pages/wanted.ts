// What the steps of signing in hand on to each other: the request of an assistant, the page that was wanted, and the form that
// somebody had written when the session was over.

import { type Html, html } from "../../../ui/html.ts";
import { KEPT_FIELD, keptField, MAX_KEPT } from "../kept.ts";
import { openPage, type Page, type Visit } from "../visit.ts";

/** Only a path of the console itself; anything else could lead to another site. */
export const ownPath = (path: string | null): string =>
  path && /^\/console(\/[\w-]+)*\/?(\?[\w.:~=&%+-]*)?$/.test(path) ? path : "/console";

export interface Wanted {
  /** The signed request of an assistant. */
  oauthQuery: string | null;
  next: string;
  kept: string | null;
}

export const wantedBy = ({ form, url }: Pick<Visit, "form" | "url">): Wanted => ({
  oauthQuery: form.get("oauth_query") ?? (url.searchParams.has("sig") ? url.search.replace(/^\?/, "") : null),
  next: ownPath(form.get("next") ?? url.searchParams.get("next")),
  kept: form.get(KEPT_FIELD),
});

/** The address of a step with what it hands on, but for a form, which no address holds. */
export const stepPath = (path: string, { oauthQuery, next }: Wanted): string =>
  `${path}?${new URLSearchParams(oauthQuery ?? { next })}`;

/** What takes such a form, which may hold what was written. */
export const handingOn = (path: string, answer: (visit: Visit) => Promise<Response>): Page => ({
  ...openPage("POST", path, answer),
  maxBody: MAX_KEPT,
});

/** The hidden fields of a step's form. */
export function handedOn(visit: Visit): Html {
  const { oauthQuery, next, kept } = wantedBy(visit);
  return html`${visit.token}
    ${oauthQuery && html`<input type="hidden" name="oauth_query" value="${oauthQuery}">`}
    <input type="hidden" name="next" value="${next}">${keptField(kept)}`;
}
