// Where somebody goes after a step of signing in: to the next step, back to the assistant that asked, or to the page that was
// wanted.

import { passkeyHost } from "../../../identity/auth/passkey_shapes.ts";
import type { Opened } from "../../../identity/auth/signing_in.ts";
import type { Visit } from "../visit.ts";
import { carryOn } from "./carry_on.ts";

/** Only a path of the console itself; anything else could lead to another site. */
export const ownPath = (path: string | null): string =>
  path && /^\/console(\/[\w-]+)*\/?$/.test(path) ? path : "/console";

/** Which browser signed in to which account before: it opens nothing, and keeps strangers' guesses from slowing it. */
export const KNOWN_COOKIE = "belfry_known";
const YEAR = 365 * 24 * 3600;

/** What the steps hand on: the signed request of an assistant, or the page that was wanted. */
export interface Wanted {
  oauthQuery: string | null;
  next: string;
}

export const wantedBy = ({ form, url }: Visit): Wanted => ({
  oauthQuery: form.get("oauth_query") ?? (url.searchParams.has("sig") ? url.search.replace(/^\?/, "") : null),
  next: ownPath(form.get("next") ?? url.searchParams.get("next")),
});

/** The address of a step with what it hands on. */
export const stepPath = (path: string, { oauthQuery, next }: Wanted): string =>
  `${path}?${new URLSearchParams(oauthQuery ?? { next })}`;

/** Whether browsers make and use passkeys under this server's address. */
export const hasPasskeys = ({ deps }: Visit): boolean => passkeyHost(deps.publicUrl) !== null;

export function goOn(visit: Visit, opened: Opened, wanted: Wanted, flash?: "password-reset"): Response {
  if (opened.owesSecond) return visit.goTo(stepPath("/console/sign-in/code", wanted), flash, opened.cookies);
  const cookies = [...opened.cookies, visit.deps.forms.cookie(KNOWN_COOKIE, opened.mark, YEAR)];
  if (opened.next) return carryOn(visit, opened.next, cookies);
  return visit.goTo(wanted.next, flash, cookies);
}
