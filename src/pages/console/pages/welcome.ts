// Following a one-time link: the page that takes its secret, what became of a link that no longer works, and the form that
// makes an account, joins with one that is there, or sets a new password.

import type { LinkState, OpenedLink } from "../../../identity/auth/joining.ts";
import { LINK_LIFE, LINK_PAGE, tokenOf } from "../../../identity/auth/links.ts";
import type { ApiError } from "../../../model/errors.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Content, html } from "../../../ui/html.ts";
import { orAgain } from "../forms.ts";
import { field, problem } from "../parts.ts";
import { openPage, type Page, type Visit } from "../visit.ts";
import { goOn } from "./going_on.ts";
import { lostPassword } from "./sign_in.ts";

/** A browser with script goes on by itself; one without asks for the link, since it keeps what stands behind the "#". */
function takeLink(visit: Visit): Response {
  return visit.page(
    "Open your link",
    html`<h1>Open your link</h1>
    <p class="lede">This page goes on by itself. If it does not, paste the whole link here.</p>
    <div class="card wide"><form method="post" action="${LINK_PAGE}/open">
      ${visit.token}
      ${field({ name: "link", label: "Your link", autocomplete: "off", maxlength: 500 })}
      <button>Continue</button>
    </form></div>`,
    { width: "narrow", scripts: ["link"] },
  );
}

function ended(visit: Visit, state: Exclude<LinkState, "live">, link: OpenedLink | null): Response {
  const askForOne =
    link?.joined && visit.deps.mail !== null
      ? html`<a href="/console/forgot">ask for a new one</a>`
      : "ask whoever gave it to you for a new one";
  const words: Record<typeof state, [title: string, what: Content]> = {
    used: [
      "This link was used already",
      html`Sign in with your e-mail address and your password. If it was not you who used the link, tell whoever gave it to you.`,
    ],
    replaced: ["A newer link took the place of this one", html`Use the newest link that you got, or ${askForOne}.`],
    expired: [
      "This link has expired",
      html`It worked for ${link ? LINK_LIFE[link.madeBy] : "a short time"}. To go on, ${askForOne}.`,
    ],
    unknown: [
      "This link is not known here",
      html`Check that you copied the whole link. If you did, it is no longer kept: ask whoever gave it to you for a new one.`,
    ],
  };
  const [title, what] = words[state];
  return visit.page(
    title,
    html`<h1>${title}</h1><p class="lede">${what}</p>
    <p><a class="button" href="/console/sign-in">Go to sign in</a></p>`,
    { status: 404, width: "narrow" },
  );
}

interface Words {
  title: string;
  lede: Content;
  button: string;
}

/** The account might be one that somebody else made ready for this address. */
const unproved = (visit: Visit): Response =>
  visit.page(
    "Show first that this address is yours",
    html`<h1>Show first that this address is yours</h1>
    <p class="lede">This address has an account on this server already, and nobody has shown yet that it belongs to who reads the address.
    ${
      visit.deps.mail === null
        ? "Ask the operator of this server for a link: it lets you set a new password and join."
        : html`<a href="/console/forgot">Ask for a new password by mail</a>, then open this link again.`
    }</p>`,
    { status: 403, width: "narrow" },
  );

function wordsOf({ kind, joined, proved, workspaceName }: OpenedLink): Words {
  const ends = `Every session${proved ? " and passkey" : ", passkey and two-factor authentication"} of this account ends.`;
  if (kind === "new")
    return {
      title: `Welcome to ${workspaceName}`,
      lede: "Choose your name and a password. You sign in with the address and the password from now on.",
      button: "Join",
    };
  if (kind === "known")
    return {
      title: `Join ${workspaceName}`,
      lede: "This address has an account on this server already. Give its password to join.",
      button: "Join",
    };
  return {
    title: "Choose a new password",
    lede: joined
      ? `You sign in with it from now on. ${ends}`
      : `This address has an account on this server already. With a new password you join ${workspaceName}. ${ends}`,
    button: "Save and sign in",
  };
}

/** The field that shows the address, or asks for it where the link names none. */
function address(visit: Visit, { email }: OpenedLink, error?: ApiError): Content {
  const common = { name: "email", label: "E-mail address", type: "email", autocomplete: "username" } as const;
  if (email !== null) return field({ ...common, value: email, readonly: true, hint: `Your link is for ${email}.` });
  return field({
    ...common,
    value: visit.form.get("email") ?? "",
    maxlength: LIMITS.email,
    hint:
      visit.deps.mail === null
        ? "You sign in with it. This server sends no mail."
        : "You sign in with it. Mail comes only when somebody asks for a link for you.",
    error,
  });
}

async function form(visit: Visit, token: string, error?: ApiError): Promise<Response> {
  const link = await visit.deps.joining.open(token);
  if (link?.state !== "live") return ended(visit, link?.state ?? "unknown", link);
  if (link.kind === "known" && !link.proved) return unproved(visit);
  const { title, lede, button } = wordsOf(link);
  const { kind } = link;
  const long = `At least ${LIMITS.password_least} characters. A few words are easier to remember than signs.`;
  return visit.page(
    title,
    html`<h1>${title}</h1><p class="lede">${lede}</p>
    ${problem(error)}
    <div class="card wide"><form method="post" action="${LINK_PAGE}" novalidate>
      ${visit.token}
      <input type="hidden" name="token" value="${token}">
      ${kind === "new" && field({ name: "name", label: "Your name", value: visit.form.get("name") ?? "", autocomplete: "name", maxlength: LIMITS.name, autofocus: true, error })}
      ${address(visit, link, error)}
      ${field({
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
    <p class="hint">${kind === "known" ? lostPassword(visit.deps.mail !== null) : "This link works once."}</p>`,
    { error, width: "narrow" },
  );
}

const sentToken = (visit: Visit) => tokenOf(visit.form.get("token") ?? "");

export const WELCOME_PAGES: readonly Page[] = [
  openPage("GET", LINK_PAGE, async (visit) => takeLink(visit)),

  openPage("POST", `${LINK_PAGE}/open`, (visit) => form(visit, tokenOf(visit.form.get("link") ?? ""))),

  openPage(
    "POST",
    LINK_PAGE,
    orAgain({ again: (visit, error) => form(visit, sentToken(visit), error) }, async (visit) => {
      const { form: sent, request, address, deps } = visit;
      const read = (name: string) => (sent.get(name) ?? "").slice(0, 500);
      const password = read("password");
      const claim = { name: read("name"), email: read("email"), password };
      const { kind, email } = await deps.joining.claim(sentToken(visit), claim, address);
      const opened = await deps.people.openSession({ email, password }, null, request, address);
      if (!opened) return visit.goTo("/console/sign-in");
      const flash = kind === "reset" ? "password-reset" : undefined;
      return goOn(visit, opened, { oauthQuery: null, next: "/console", kept: null }, flash);
    }),
  ),
];
