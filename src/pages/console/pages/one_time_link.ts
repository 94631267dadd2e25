// Following a one-time link: the page that takes its secret, the reason why a link no longer works, and the form. The
// form makes an account, joins with an existing one, or sets a new password.

import type { LinkState, OpenedLink } from "../../../identity/auth/link_redemption.ts";
import {
  extractLinkToken,
  ONE_TIME_LINK_LIFETIME_TEXTS,
  ONE_TIME_LINK_PAGE_PATH,
} from "../../../identity/auth/one_time_links.ts";
import type { ApiError } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { renderErrorSummary, renderInputField } from "../components.ts";
import { formatPublicUrlMismatch, withFormErrors } from "../form_submission.ts";
import { type ConsolePage, defineAnonymousPage, type PageContext } from "../page_definitions.ts";
import { lostPasswordHint } from "./sign_in.ts";
import { createSignInResponse, OIDC_PATH } from "./sign_in_flow.ts";

/**
 * A browser with script submits the form by itself. Without script the page has a field for the link, since browsers do
 * not send the part behind the "#". At another host than that of PUBLIC_URL, the browser blocks the script, so the page
 * names both. It still has the form, because a proxy may replace `Host`.
 */
function takeLink(context: PageContext): Response {
  const { origin, host } = new URL(context.deps.publicUrl);
  const isElsewhere = context.url.host !== host;
  return context.page(
    "Open your link",
    html`<h1>Open your link</h1>
    ${
      isElsewhere &&
      html`<div class="flash careful"><p>${formatPublicUrlMismatch(context.url.host, origin)}</p>
      <p>To use your link, replace the part before <code>${ONE_TIME_LINK_PAGE_PATH}</code> with
        <code>${origin}</code>.</p></div>`
    }
    <p class="lede">${
      isElsewhere
        ? "If nothing happens, paste the whole link here."
        : "The next step opens automatically. If it does not, paste the whole link here."
    }</p>
    <div class="card wide"><form method="post" action="${ONE_TIME_LINK_PAGE_PATH}/open">
      ${context.token}
      ${renderInputField({ name: "link", label: "Your link", autocomplete: "off", maxlength: 500 })}
      <button>Continue</button>
    </form></div>`,
    { width: "narrow", scripts: ["link"] },
  );
}

function ended(context: PageContext, state: Exclude<LinkState, "live">, link: OpenedLink | null): Response {
  const askForOne =
    link?.joined && context.deps.mail !== null
      ? html`<a href="/console/forgot">ask for a new link</a>`
      : "ask the person who gave it to you for a new one";
  const words: Record<typeof state, [title: string, what: HtmlContent]> = {
    used: [
      "This link has already been used",
      html`Sign in with your e-mail address and password. If you did not use the link, contact the person who gave it to
        you.`,
    ],
    replaced: ["This link was replaced", html`Use the newest link you received, or ${askForOne}.`],
    expired: [
      "This link has expired",
      html`It was valid for ${
        link ? ONE_TIME_LINK_LIFETIME_TEXTS[link.madeBy] : "a short time"
      }. To continue, ${askForOne}.`,
    ],
    unknown: [
      "This link is not valid",
      html`Check that you copied the whole link, or ask the person who gave it to you for a new one.`,
    ],
  };
  const [title, what] = words[state];
  return context.page(
    title,
    html`<h1>${title}</h1><p class="lede">${what}</p>
    <p><a class="button" href="/console/sign-in">Go to sign in</a></p>`,
    { status: 404, width: "narrow" },
  );
}

interface LinkFormTexts {
  title: string;
  lede: HtmlContent;
  button: string;
}

/** Another person might have prepared the account for this address. */
const unproved = (context: PageContext): Response =>
  context.page(
    "Verify your e-mail address",
    html`<h1>Verify your e-mail address</h1>
    <p class="lede">An unverified account with this address already exists. ${
      context.deps.mail === null
        ? "Ask the operator of this server for a link to set a new password and join."
        : html`<a href="/console/forgot">Reset your password by e-mail</a>, then open this link again.`
    }</p>`,
    { status: 403, width: "narrow" },
  );

/** The page of a link where passwords are turned off: the provider signs in, and the address makes the member. */
function withoutPassword(context: PageContext, { email, workspaceName }: OpenedLink, error?: ApiError): Response {
  const name = context.deps.people.oidc?.name ?? "single sign-on";
  return context.page(
    `Join ${workspaceName}`,
    html`<h1>Join ${workspaceName}</h1>
    <p class="lede">Passwords are turned off on this server.
      Sign in with ${name}${email && html` and the e-mail address ${email}`}.</p>
    <p><a class="button" href="${OIDC_PATH}">Sign in with ${name}</a></p>`,
    { error, width: "narrow" },
  );
}

function wordsOf({ kind, joined, proved, workspaceName }: OpenedLink): LinkFormTexts {
  const ends = `This ends every session of this account and removes its passkeys${
    proved ? "" : " and two-factor authentication"
  }.`;
  if (kind === "new")
    return {
      title: `Welcome to ${workspaceName}`,
      lede: "Enter your name and choose a password. You will sign in with your e-mail address and password.",
      button: "Join",
    };
  if (kind === "known")
    return {
      title: `Join ${workspaceName}`,
      lede: "An account with this address already exists. Enter its password to join.",
      button: "Join",
    };
  return {
    title: "Choose a new password",
    lede: joined
      ? `You will sign in with this password. ${ends}`
      : `An account with this address already exists. Set a new password to join ${workspaceName}. ${ends}`,
    button: "Save and sign in",
  };
}

/** The field that shows the address, or takes it where the link names none. */
function address(context: PageContext, { email }: OpenedLink, error?: ApiError): HtmlContent {
  const common = { name: "email", label: "E-mail address", type: "email", autocomplete: "username" } as const;
  if (email !== null)
    return renderInputField({ ...common, value: email, readonly: true, hint: `Your link is for ${email}.` });
  return renderInputField({
    ...common,
    value: context.form.get("email") ?? "",
    maxlength: LIMITS.email,
    hint:
      context.deps.mail === null
        ? "You will sign in with this address. This server does not send e-mail."
        : "You will sign in with this address. We only send e-mail when someone requests a sign-in link for you.",
    error,
  });
}

async function form(context: PageContext, token: string, error?: ApiError): Promise<Response> {
  const link = await context.deps.joining.open(token);
  if (link?.state !== "live") return ended(context, link?.state ?? "unknown", link);
  if (!link.allowed) return withoutPassword(context, link, error);
  if (link.kind === "known" && !link.proved) return unproved(context);
  const { title, lede, button } = wordsOf(link);
  const { kind } = link;
  const long = `At least ${LIMITS.password_least} characters. A few words are easier to remember than symbols.`;
  return context.page(
    title,
    html`<h1>${title}</h1><p class="lede">${lede}</p>
    ${renderErrorSummary(error)}
    <div class="card wide"><form method="post" action="${ONE_TIME_LINK_PAGE_PATH}" novalidate>
      ${context.token}
      <input type="hidden" name="token" value="${token}">
      ${
        kind === "new" &&
        renderInputField({
          name: "name",
          label: "Your name",
          value: context.form.get("name") ?? "",
          autocomplete: "name",
          maxlength: LIMITS.name,
          autofocus: true,
          error,
        })
      }
      ${address(context, link, error)}
      ${renderInputField({
        name: "password",
        label: kind === "reset" ? "New password" : "Password",
        type: "password",
        autocomplete: kind === "known" ? "current-password" : "new-password",
        maxlength: LIMITS.password,
        autofocus: kind !== "new",
        ...(kind === "known" ? {} : { minlength: LIMITS.password_least, hint: long }),
        error,
      })}
      <button>${button}</button>
    </form></div>
    <p class="hint">${kind === "known" ? lostPasswordHint(context.deps.mail !== null) : "This link works once."}</p>`,
    { error, width: "narrow" },
  );
}

const sentToken = (context: PageContext) => extractLinkToken(context.form.get("token") ?? "");

export const ONE_TIME_LINK_PAGES: readonly ConsolePage[] = [
  defineAnonymousPage("GET", ONE_TIME_LINK_PAGE_PATH, async (context) => takeLink(context)),

  defineAnonymousPage("POST", `${ONE_TIME_LINK_PAGE_PATH}/open`, (context) =>
    form(context, extractLinkToken(context.form.get("link") ?? "")),
  ),

  defineAnonymousPage(
    "POST",
    ONE_TIME_LINK_PAGE_PATH,
    withFormErrors({ again: (context, error) => form(context, sentToken(context), error) }, async (context) => {
      const { form: sent, request, address, deps } = context;
      const read = (name: string) => (sent.get(name) ?? "").slice(0, 500);
      const password = read("password");
      const claim = { name: read("name"), email: read("email"), password };
      const { kind, email } = await deps.joining.claim(sentToken(context), claim, address);
      const opened = await deps.people.openSession({ email, password }, null, request, address);
      if (!opened) return context.goTo("/console/sign-in");
      const flash = kind === "reset" ? "password-reset" : undefined;
      return createSignInResponse(context, opened, { oauthQuery: null, next: "/console", kept: null }, flash);
    }),
  ),
];
