// Signing in and out, and requesting a link when the password is lost. With the signed query of an assistant's request,
// signing in continues that request. The second step is a code of the app, or a recovery code without the phone. A
// passkey covers both steps.

import { toSignedInPerson } from "../../../identity/auth/console_sessions.ts";
import { createResetMail } from "../../../identity/auth/mail.ts";
import { ONE_TIME_LINK_LIFETIME_TEXTS } from "../../../identity/auth/one_time_links.ts";
import { parsePasskeyResponseOrNull, presentedPasskeySchema } from "../../../identity/auth/passkeys.ts";
import { formatErrorForUi } from "../../../model/api_and_ui_error_texts.ts";
import { ApiError, forbidden, throwFieldErrors } from "../../../model/api_error.ts";
import { getEmailFailure } from "../../../model/domain/account_input_validation.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderErrorSummary, renderInputField } from "../components.ts";
import { getCookie, withFormErrors } from "../form_submission.ts";
import { type ConsolePage, defineAnonymousPage, defineSignedInPage, type PageContext } from "../page_definitions.ts";
import {
  allowsPasskeysAtPublicUrl,
  buildSignInStepPath,
  createSignInResponse,
  defineSignInStepForm,
  getSignInTarget,
  KNOWN_BROWSER_COOKIE,
  OIDC_PATH,
  renderSecondFactorCodePage,
  SECOND_FACTOR_CODE_PATH,
  signInTargetFields,
  toConsolePath,
} from "./sign_in_flow.ts";

/** The help for a lost password. */
export const lostPasswordHint = (mails: boolean): HtmlContent =>
  mails
    ? html`<a href="/console/forgot">Forgot your password?</a> We will e-mail you a reset link.`
    : html`<a href="/console/forgot">Forgot your password?</a> Ask a workspace owner or the operator for a link.`;

export async function renderSignInPage(
  context: PageContext,
  options: { email?: string; error?: ApiError } = {},
): Promise<Response> {
  const { oauthQuery, kept } = getSignInTarget(context);
  const asking = oauthQuery ? await context.deps.people.accessRequest(oauthQuery) : null;
  const { error } = options;
  const { oidc } = context.deps.people;
  return context.page(
    "Sign in",
    html`<h1>Sign in to Belfry</h1>
    ${
      asking
        ? html`<p class="lede"><strong>${asking.clientName ?? "An assistant"}</strong> wants to connect. Sign in to
          review its request; nothing is shared until you agree.</p>`
        : context.deps.forms.kept(kept)
          ? html`<p class="lede">Sign in to return to your form. Your text is kept.</p>`
          : !oidc?.only && html`<p class="lede">Use the e-mail address and password you chose when you joined.</p>`
    }
    ${renderErrorSummary(error)}
    ${!oidc?.only && passwordForm(context, options)}
    ${oidc && oidcButton(context, oidc)}
    ${allowsPasskeysAtPublicUrl(context) && passkeyForm(context)}
    ${!oidc?.only && html`<p class="hint">${lostPasswordHint(context.deps.mail !== null)}</p>`}
    <p class="hint">No account yet? A workspace owner can add you.</p>`,
    { error, width: "narrow", styles: ["people"], scripts: allowsPasskeysAtPublicUrl(context) ? ["passkey"] : [] },
  );
}

const passwordForm = (context: PageContext, { email, error }: { email?: string; error?: ApiError }): Html =>
  html`<div class="card wide"><form method="post" action="/console/sign-in" novalidate>
      ${signInTargetFields(context)}
      ${renderInputField({
        ...{ name: "email", label: "E-mail address", type: "email", value: email, autocomplete: "username" },
        ...{ maxlength: LIMITS.email, autofocus: !email, error },
      })}
      ${renderInputField({
        ...{ name: "password", label: "Password", type: "password", autocomplete: "current-password" },
        ...{ maxlength: LIMITS.password, autofocus: !!email, error },
      })}
      <button>Sign in</button>
    </form></div>`;

/** A link, so that Back returns from the provider; a form where it hands on a written text. */
function oidcButton(context: PageContext, { name, only }: { name: string; only: boolean }): Html {
  const target = getSignInTarget(context);
  const label = `Sign in with ${name}`;
  return html`${!only && html`<p class="or">or</p>`}${
    target.kept === null
      ? html`<p><a class="button${!only && " plain"}" href="${buildSignInStepPath(OIDC_PATH, target)}">${label}</a></p>`
      : html`<form method="post" action="${OIDC_PATH}">${signInTargetFields(context)}
        <button${!only && html` class="plain"`}>${label}</button></form>`
  }`;
}

/** Shown by its script, since passkeys need one. */
const passkeyForm = (context: PageContext): HtmlContent =>
  html`<form method="post" action="/console/sign-in/passkey" data-passkey="use"
    data-begin="/console/sign-in/passkey/begin" hidden>
      <p class="or">or</p>
      ${signInTargetFields(context)}<input type="hidden" name="answer" value="">
      <button class="plain">Sign in with a passkey</button>
      <p class="hint said" role="status" data-said></p>
    </form>`;

/** @throws 403 where passwords are turned off (OIDC_ONLY). */
function refuseWithoutPasswords({ deps }: PageContext): void {
  const { oidc } = deps.people;
  if (oidc?.only)
    throw forbidden("not_permitted", `Passwords are turned off on this server. Sign in with ${oidc.name}.`);
}

/** Requesting a link. The response is the same for every address, known or not. */
function forgot(context: PageContext, error?: ApiError): Response {
  refuseWithoutPasswords(context);
  const mails = context.deps.mail !== null;
  return context.page(
    "Forgot your password?",
    html`<h1>Forgot your password?</h1>
    ${
      mails
        ? html`<p class="lede">Enter your e-mail address to get a password reset link.</p>
    ${renderErrorSummary(error)}
    <div class="card wide"><form method="post" action="/console/forgot" novalidate>
      ${context.token}
      ${renderInputField({
        name: "email",
        label: "E-mail address",
        type: "email",
        value: context.form.get("email") ?? "",
        autocomplete: "username",
        maxlength: LIMITS.email,
        autofocus: true,
        error,
      })}
      <button>Send reset link</button>
    </form></div>`
        : html`<p class="lede">This server sends no e-mail. There are two ways to get a reset link:</p>
    <section class="card"><ul class="goes"><li>Ask an owner of your workspace. Owners create links under Members.</li>
      <li>Ask the operator of this server.</li></ul></section>`
    }
    <p><a class="button plain" href="/console/sign-in">Back to sign in</a></p>`,
    { error, width: "narrow", styles: ["people"] },
  );
}

const emailOf = ({ form }: PageContext): string => (form.get("email") ?? "").slice(0, LIMITS.email);

export const SIGN_IN_PAGES: readonly ConsolePage[] = [
  defineAnonymousPage("GET", "/console/sign-in", async (context) => {
    // An assistant may require a fresh sign-in; any other signed-in person continues.
    if (context.session && !context.url.searchParams.has("sig"))
      return context.goTo(toConsolePath(context.url.searchParams.get("next")));
    return renderSignInPage(context);
  }),

  defineSignInStepForm(
    "/console/sign-in",
    withFormErrors(
      // A temporary problem is shown next to the form, which can be sent again.
      {
        again: (context, error) => renderSignInPage(context, { email: emailOf(context), error }),
        when: ({ status }) => status !== 500,
      },
      async (context) => {
        const { form: sent, request, address, deps } = context;
        refuseWithoutPasswords(context);
        const email = emailOf(context);
        const password = (sent.get("password") ?? "").slice(0, 256);
        throwFieldErrors({
          email: getEmailFailure(email.trim()),
          password: password === "" && { code: "field_required", message: "Enter your password." },
        });
        const at = { address, browser: getCookie(request.headers, KNOWN_BROWSER_COOKIE) };
        const wanted = getSignInTarget(context);
        const opened = await deps.people.signIn({ email, password }, wanted.oauthQuery, request, at);
        return createSignInResponse(context, opened, wanted);
      },
    ),
  ),

  defineAnonymousPage("GET", "/console/forgot", async (context) => forgot(context)),

  defineAnonymousPage("POST", "/console/forgot", async (context) => {
    refuseWithoutPasswords(context);
    const { deps, form: sent, address } = context;
    const { mail } = deps;
    if (mail === null) return forgot(context);
    const email = (sent.get("email") ?? "").trim().slice(0, LIMITS.email);
    try {
      throwFieldErrors({ email: getEmailFailure(email) });
      await deps.joining.askReset(email, address, (to, link) => mail(createResetMail(to, link)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return forgot(context, error);
    }
    return context.page(
      "Check your e-mail",
      html`<h1>Check your e-mail</h1>
      <p class="lede">If an account with this address exists, we have sent a password reset link to it. The link works
        once and expires in
        ${ONE_TIME_LINK_LIFETIME_TEXTS.person}.</p>
      <p class="hint">No e-mail? Check your spam folder and the address you entered, or ask a workspace owner or the
        operator of this server for a link.</p>
      <p><a class="button" href="/console/sign-in">Back to sign in</a></p>`,
      { width: "narrow" },
    );
  }),

  defineSignedInPage("POST", "/console/sign-out", async (context) =>
    context.goTo(
      "/console/sign-in",
      "signed-out",
      await context.deps.people.signOut(context.request, toSignedInPerson(context.session)),
    ),
  ),
];

const json = (body: object, cookies: readonly string[] = []): Response => {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  headers.set("x-content-type-options", "nosniff");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(JSON.stringify(body), { headers });
};

/** The input of a page's script: the request to the browser, or an error with its field. */
export async function createPasskeyOptionsResponse(
  begin: () => Promise<{ options: object; cookies?: readonly string[] }>,
): Promise<Response> {
  try {
    const { options, cookies } = await begin();
    return json({ options }, cookies);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type === "server_error") throw error;
    return json({ said: formatErrorForUi(error), field: error.fields[0]?.param });
  }
}

export const SIGN_IN_CHALLENGE_PAGES: readonly ConsolePage[] = [
  defineAnonymousPage("GET", SECOND_FACTOR_CODE_PATH, async (context) =>
    (await context.deps.people.owesSecond(context.request.headers))
      ? renderSecondFactorCodePage(context)
      : context.goTo(buildSignInStepPath("/console/sign-in", getSignInTarget(context))),
  ),

  defineSignInStepForm(
    SECOND_FACTOR_CODE_PATH,
    withFormErrors(
      {
        again: (context, error) =>
          error.type === "unauthorized"
            ? renderSignInPage(context, { error })
            : renderSecondFactorCodePage(context, error),
      },
      async (context) => {
        const { form: sent, request, address, deps } = context;
        const kind = sent.has("recovery") ? "recovery" : "code";
        const text = (sent.get(kind) ?? "").slice(0, 64);
        const wanted = getSignInTarget(context);
        const at = { address, browser: getCookie(request.headers, KNOWN_BROWSER_COOKIE) };
        const opened = await deps.people.showSecond({ kind, text }, wanted.oauthQuery, request, at);
        return createSignInResponse(context, opened, wanted);
      },
    ),
  ),

  defineAnonymousPage("POST", "/console/sign-in/passkey/begin", (context) =>
    createPasskeyOptionsResponse(() => context.deps.people.beginPasskey(context.request, context.address)),
  ),

  defineSignInStepForm(
    "/console/sign-in/passkey",
    withFormErrors({ again: (context, error) => renderSignInPage(context, { error }) }, async (context) => {
      const { form: sent, request, address, deps } = context;
      const wanted = getSignInTarget(context);
      const shown = parsePasskeyResponseOrNull(presentedPasskeySchema, sent.get("answer"));
      return createSignInResponse(
        context,
        await deps.people.usePasskey(shown, wanted.oauthQuery, request, address),
        wanted,
      );
    }),
  ),
];
