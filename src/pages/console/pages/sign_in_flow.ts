// The steps of signing in. They pass on an assistant's request, the page that was requested, and the form that was
// written when the session was over. Also has the form of the second step, and the address after the last. A form's
// policy cannot name every address of an app, and would block a redirect there. A page therefore leads to the app.

import { getPasskeyHost } from "../../../identity/auth/passkey_host.ts";
import { isLoopbackHost } from "../../../identity/auth/redirect_uris.ts";
import type { AcceptedSignIn } from "../../../identity/auth/sign_in.ts";
import type { ApiError } from "../../../model/api_error.ts";
import { KNOWN_REDIRECT_SCHEMES } from "../../../model/domain/private_redirect_schemes.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderErrorSummary, renderInputField } from "../components.ts";
import { MAX_PRESERVED_FORM_BYTES, PRESERVED_FORM_FIELD, preservedFormField } from "../form_submission.ts";
import { type ConsolePage, defineAnonymousPage, type PageContext } from "../page_definitions.ts";

/** Only a path of the console itself; anything else could lead to another site. */
export const toConsolePath = (path: string | null): string =>
  path && /^\/console(\/[\w-]+)*\/?(\?[\w.:~=&%+-]*)?$/.test(path) ? path : "/console";

interface SignInTarget {
  /** The signed request of an assistant. */
  oauthQuery: string | null;
  next: string;
  kept: string | null;
}

export const getSignInTarget = ({ form, url }: Pick<PageContext, "form" | "url">): SignInTarget => ({
  oauthQuery: form.get("oauth_query") ?? (url.searchParams.has("sig") ? url.search.replace(/^\?/, "") : null),
  next: toConsolePath(form.get("next") ?? url.searchParams.get("next")),
  kept: form.get(PRESERVED_FORM_FIELD),
});

/** The address of a step with its state, but without the form, which is not part of an address. */
export const buildSignInStepPath = (path: string, { oauthQuery, next }: SignInTarget): string =>
  `${path}?${new URLSearchParams(oauthQuery ?? { next })}`;

/** Handles such a form, which may carry the text that was written. */
export const defineSignInStepForm = (
  path: string,
  answer: (context: PageContext) => Promise<Response>,
): ConsolePage => ({ ...defineAnonymousPage("POST", path, answer), maxBody: MAX_PRESERVED_FORM_BYTES });

/** The hidden fields of a step's form. */
export function signInTargetFields(context: PageContext): Html {
  const { oauthQuery, next, kept } = getSignInTarget(context);
  return html`${context.token}
    ${oauthQuery && html`<input type="hidden" name="oauth_query" value="${oauthQuery}">`}
    <input type="hidden" name="next" value="${next}">${preservedFormField(kept)}`;
}

export const OIDC_PATH = "/console/sign-in/oidc";

export const SECOND_FACTOR_CODE_PATH = "/console/sign-in/code";

export function renderSecondFactorCodePage(
  context: PageContext,
  error?: ApiError,
  cookies: readonly string[] = [],
): Response {
  const wanted = getSignInTarget(context);
  const recovering = error?.fields[0]?.param === "recovery";
  return context.page(
    "Enter your code",
    html`<h1>Enter your code</h1>
    <p class="lede">Your account uses two-factor authentication.</p>
    ${renderErrorSummary(error)}
    <div class="card wide"><form method="post" action="${SECOND_FACTOR_CODE_PATH}" novalidate>
      ${signInTargetFields(context)}
      ${renderInputField({
        name: "code",
        label: "6-digit code",
        hint: "Your authenticator app shows a new code every 30 seconds.",
        autocomplete: "one-time-code",
        inputmode: "numeric",
        maxlength: 12,
        autofocus: !recovering,
        error,
      })}
      <button>Sign in</button>
    </form></div>
    <details class="more"${recovering && html` open`}><summary>I don’t have my phone</summary>
      <form method="post" action="${SECOND_FACTOR_CODE_PATH}" novalidate>
        ${signInTargetFields(context)}
        ${renderInputField({
          name: "recovery",
          label: "Recovery code",
          hint: "One of your saved codes. Each works once.",
          autocomplete: "off",
          maxlength: 40,
          error,
        })}
        <button>Use recovery code</button>
      </form>
      <p class="hint">No recovery code? The operator of this server can turn off two-factor authentication for you.</p>
    </details>
    ${
      wanted.kept === null &&
      html`<p class="hint"><a
      href="${buildSignInStepPath("/console/sign-in", wanted)}">Start again</a></p>`
    }`,
    { error, width: "narrow", styles: ["people"], cookies },
  );
}

export function redirectOrShowContinuePage(
  context: PageContext,
  next: string,
  cookies: readonly string[] = [],
  words: { title: string; text: HtmlContent } = {
    title: "Back to your assistant",
    text: "You can close this page once the assistant reports that it is connected.",
  },
): Response {
  const own = new URL(context.deps.publicUrl).origin;
  const url = new URL(next, own);
  if (url.origin === own && url.pathname.startsWith("/console/"))
    return context.goTo(url.pathname + url.search, undefined, cookies);
  return context.page(
    words.title,
    html`<h1>${words.title}</h1><p class="lede">${words.text}</p>
    <p>You are being redirected to ${describeRedirectTarget(url)}. If nothing happens, choose Continue.</p>
    <p><a class="button" href="${url.href}">Continue</a></p>`,
    { width: "narrow", onwards: url.href, cookies },
  );
}

/** Known by its scheme alone, which any app on the device may have taken. */
const programOf = (protocol: string): string => {
  const name = KNOWN_REDIRECT_SCHEMES[protocol.slice(0, -1)];
  return name ? `the app that opens ${name}’s links` : "an app";
};

/** An address as a person should read it: who gets the answer. */
export function describeRedirectTarget(url: URL): string {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${programOf(url.protocol)} on this device (${url.href.split("?")[0]})`;
  if (isLoopbackHost(url.hostname)) return `an app on this computer (${url.host})`;
  return url.host;
}

/** The browser's earlier accounts. It grants nothing, and keeps guesses by strangers from slowing this browser down. */
export const KNOWN_BROWSER_COOKIE = "belfry_known";
const YEAR = 365 * 24 * 3600;

/** Reports if browsers create and use passkeys under this server's address. */
export const allowsPasskeysAtPublicUrl = ({ deps }: PageContext): boolean => getPasskeyHost(deps.publicUrl) !== null;

/** Back to the form that was written, which its own page shows again. */
function toKept(context: PageContext, at: string, kept: string | null, cookies: readonly string[]): Response {
  return context.page(
    "Back to your text",
    html`<h1>You are signed in again</h1>
    <p class="lede">Nothing was submitted. Your text is kept on this page.</p>
    <form method="post" action="${at}" data-onwards>${preservedFormField(
      kept,
    )}<button>Continue with my text</button></form>`,
    { width: "narrow", scripts: ["onwards"], cookies },
  );
}

export function createSignInResponse(
  context: PageContext,
  opened: AcceptedSignIn,
  wanted: SignInTarget,
  flash?: "password-reset",
): Response {
  const written = context.deps.forms.kept(wanted.kept);
  if (opened.owesSecond)
    return written
      ? renderSecondFactorCodePage(context, undefined, opened.cookies)
      : context.goTo(buildSignInStepPath(SECOND_FACTOR_CODE_PATH, wanted), flash, opened.cookies);
  const cookies = [...opened.cookies, context.deps.forms.cookie(KNOWN_BROWSER_COOKIE, opened.mark, YEAR)];
  if (opened.next) return redirectOrShowContinuePage(context, opened.next, cookies);
  if (written) return toKept(context, written.at, wanted.kept, cookies);
  return context.goTo(wanted.next, flash, cookies);
}
