// Pages to sign in with an OpenID Connect provider, and to connect an account to it. A GET redirects the browser to the
// provider, so that Back returns here. A form with a kept text continues from a page.

import type { OidcSignIn } from "../../../identity/auth/oidc_sign_in.ts";
import { OIDC_CALLBACK_PATH, type OidcReturnTarget } from "../../../identity/auth/oidc_types.ts";
import { begin_oidc_connection, remove_oidc_connection } from "../../../identity/session/own_sign_in_methods.ts";
import { ApiError, notFound } from "../../../model/api_error.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { canShowErrorInForm, withFormErrors } from "../form_submission.ts";
import { type ConsolePage, defineAnonymousPage, defineSignedInPage, type PageContext } from "../page_definitions.ts";
import { askPassword, readCurrentPasswordArgument } from "./password_question.ts";
import { renderSignInPage } from "./sign_in.ts";
import {
  createSignInResponse,
  defineSignInStepForm,
  getSignInTarget,
  OIDC_PATH,
  redirectOrShowContinuePage,
} from "./sign_in_flow.ts";

const ACCOUNT = "/console/account";

/** @throws 404 without OIDC_ISSUER. */
function requireOidc({ deps }: PageContext): OidcSignIn {
  if (deps.people.oidc === null) throw notFound("page");
  return deps.people.oidc;
}

/** Sends the browser to the provider. */
async function leave(context: PageContext, target: OidcReturnTarget, connect = false): Promise<Response> {
  const oidc = requireOidc(context);
  const { url, cookies } = await oidc.begin(target, context.request, context.address, connect);
  if (context.request.method !== "POST") return context.goTo(url, undefined, cookies);
  const text: HtmlContent = `You will sign in with ${oidc.name} and return here.`;
  return redirectOrShowContinuePage(context, url, cookies, { title: `Continue with ${oidc.name}`, text });
}

/** The sign-in page with what was refused, and with the text that the person wrote. */
const refused = (context: PageContext, target: OidcReturnTarget | null, error: unknown): Promise<Response> =>
  withFormErrors<PageContext>(
    {
      again: (again, refusal) => renderSignInPage(target ? withTarget(again, target) : again, { error: refusal }),
      when: ({ status }) => status !== 500 && status !== 404,
    },
    () => Promise.reject(error),
  )(context);

/** The visit as if the sign-in form had sent the target. */
function withTarget(context: PageContext, { next, oauthQuery, kept }: OidcReturnTarget): PageContext {
  const form = new URLSearchParams({ next });
  if (oauthQuery !== null) form.set("oauth_query", oauthQuery);
  if (kept !== null) form.set("kept_form", kept);
  return { ...context, form };
}

async function begin(context: PageContext): Promise<Response> {
  const { kept, ...target } = getSignInTarget(context);
  const own = { ...target, kept: context.deps.forms.kept(kept) === null ? null : kept };
  return leave(context, own).catch((error) => refused(context, own, error));
}

async function receive(context: PageContext): Promise<Response> {
  const oidc = requireOidc(context);
  const target = await oidc.findTarget(context.request);
  try {
    const opened = await oidc.finish(context.request, target?.oauthQuery ?? null, context.address);
    if (opened === null) return context.goTo(ACCOUNT, "oidc-connected");
    const wanted = target ?? { next: "/console", oauthQuery: null, kept: null };
    return createSignInResponse(withTarget(context, wanted), opened, wanted);
  } catch (error) {
    if (context.session && error instanceof ApiError && error.status < 500)
      return context.page(
        "Not connected",
        html`<h1>Single sign-on was not connected</h1><p class="lede">${error.ui}</p>
        <p><a class="button" href="${ACCOUNT}">Back to your account</a></p>`,
        { error, width: "narrow" },
      );
    return refused(context, target, error);
  }
}

const CONNECT = `${ACCOUNT}/oidc`;
const DISCONNECT = `${CONNECT}/off`;

const connectQuestion = (context: PageContext) => {
  const { name } = requireOidc(context);
  return {
    title: `Connect ${name}`,
    lede: `Sign in with ${name} once. You can then use ${name} to sign in to this account without a password.`,
    act: "Continue",
    action: CONNECT,
  };
};

const disconnectQuestion = (context: PageContext) => {
  const { name } = requireOidc(context);
  return {
    title: `Disconnect ${name}?`,
    lede: `You will no longer be able to use ${name} to sign in to this account.`,
    act: "Disconnect",
    action: DISCONNECT,
    danger: true as const,
  };
};

export const OIDC_PAGES: readonly ConsolePage[] = [
  { ...defineAnonymousPage("GET", OIDC_PATH, begin), writes: true },
  defineSignInStepForm(OIDC_PATH, begin),
  { ...defineAnonymousPage("GET", OIDC_CALLBACK_PATH, receive), writes: true },

  defineSignedInPage("GET", CONNECT, async (context) => askPassword(context, connectQuestion(context))),
  defineSignedInPage(
    "POST",
    CONNECT,
    withFormErrors(
      { again: (context, error) => askPassword(context, connectQuestion(context), error), when: canShowErrorInForm },
      async (context) => {
        await context.asPerson(begin_oidc_connection, readCurrentPasswordArgument(context));
        return leave(context, { next: ACCOUNT, oauthQuery: null, kept: null }, true);
      },
    ),
  ),
  defineSignedInPage("GET", DISCONNECT, async (context) => askPassword(context, disconnectQuestion(context))),
  defineSignedInPage(
    "POST",
    DISCONNECT,
    withFormErrors(
      { again: (context, error) => askPassword(context, disconnectQuestion(context), error), when: canShowErrorInForm },
      async (context) => {
        await context.asPerson(remove_oidc_connection, readCurrentPasswordArgument(context));
        return context.goTo(ACCOUNT, "oidc-disconnected");
      },
    ),
  ),
];
