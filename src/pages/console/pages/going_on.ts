// Where somebody goes after a step of signing in: to the next step, back to the assistant that asked, or to the page that was
// wanted.

import { passkeyHost } from "../../../identity/auth/passkey_shapes.ts";
import type { Opened } from "../../../identity/auth/signing_in.ts";
import { html } from "../../../ui/html.ts";
import { keptField } from "../kept.ts";
import { ONWARDS_SCRIPT } from "../page.ts";
import type { Visit } from "../visit.ts";
import { carryOn } from "./carry_on.ts";
import { CODE_PATH, codeForm } from "./code_form.ts";
import { stepPath, type Wanted } from "./wanted.ts";

/** Which browser signed in to which account before: it opens nothing, and keeps strangers' guesses from slowing it. */
export const KNOWN_COOKIE = "belfry_known";
const YEAR = 365 * 24 * 3600;

/** Whether browsers make and use passkeys under this server's address. */
export const hasPasskeys = ({ deps }: Visit): boolean => passkeyHost(deps.publicUrl) !== null;

/** Back to the form that was written, which its own page shows again. */
function toKept(visit: Visit, at: string, kept: string | null, cookies: readonly string[]): Response {
  return visit.page(
    "Back to what you wrote",
    html`<h1>You are signed in again</h1>
    <p class="lede">Nothing was done meanwhile. Everything that you wrote is kept in this page.</p>
    <form method="post" action="${at}" data-onwards>${keptField(kept)}<button>Go on with what you wrote</button></form>`,
    { width: "narrow", scripts: [ONWARDS_SCRIPT], cookies },
  );
}

export function goOn(visit: Visit, opened: Opened, wanted: Wanted, flash?: "password-reset"): Response {
  const written = visit.deps.forms.kept(wanted.kept);
  if (opened.owesSecond)
    return written
      ? codeForm(visit, undefined, opened.cookies)
      : visit.goTo(stepPath(CODE_PATH, wanted), flash, opened.cookies);
  const cookies = [...opened.cookies, visit.deps.forms.cookie(KNOWN_COOKIE, opened.mark, YEAR)];
  if (opened.next) return carryOn(visit, opened.next, cookies);
  if (written) return toKept(visit, written.at, wanted.kept, cookies);
  return visit.goTo(wanted.next, flash, cookies);
}
