// Signing in and out. With the signed query of an assistant's request, signing in carries on with that request.

import { ApiError } from "../../errors.ts";
import { html } from "../html.ts";
import { field, problem } from "../parts.ts";
import { openPage, type Page, personPage, type Visit } from "../visit.ts";
import { carryOn } from "./carry_on.ts";

/** Only a path of the console itself; anything else could lead to another site. */
const ownPath = (path: string | null): string =>
  path && /^\/console(\/[\w-]+)*\/?$/.test(path) ? path : "/console";

async function form(visit: Visit, options: { email?: string; error?: ApiError } = {}): Promise<Response> {
  const sent = visit.form;
  const oauthQuery =
    sent.get("oauth_query") ??
    (visit.url.searchParams.has("sig") ? visit.url.search.replace(/^\?/, "") : null);
  const next = ownPath(sent.get("next") ?? visit.url.searchParams.get("next"));
  const asking = oauthQuery ? await visit.deps.people.accessRequest(oauthQuery) : null;
  const { error } = options;
  return visit.page(
    "Sign in",
    html`<h1>Sign in to Belfry</h1>
    ${
      asking
        ? html`<p class="lede"><strong>${asking.clientName ?? "An assistant"}</strong> asks to connect. Sign in to see what it wants; nothing is shared before you agree.</p>`
        : html`<p class="lede">With the account that your link made.</p>`
    }
    ${problem(error)}
    <div class="card wide"><form method="post" action="/console/sign-in">
      ${visit.token}
      ${oauthQuery && html`<input type="hidden" name="oauth_query" value="${oauthQuery}">`}
      <input type="hidden" name="next" value="${next}">
      ${field({ name: "email", label: "E-mail address", type: "email", value: options.email, autocomplete: "username", maxlength: 254, autofocus: !options.email })}
      ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", maxlength: 128, autofocus: !!options.email })}
      <button>Sign in</button>
    </form></div>
    <p class="hint">No account yet, or the password is lost? Ask an owner of your workspace for a link. The operator of this server can make one for the owner.</p>`,
    { status: error?.status ?? 200, narrow: true },
  );
}

export const SIGN_IN_PAGES: readonly Page[] = [
  openPage("GET", "/console/sign-in", async (visit) => {
    // An assistant may ask for a fresh sign-in; everybody else who is signed in goes on.
    if (visit.session && !visit.url.searchParams.has("sig"))
      return visit.goTo(ownPath(visit.url.searchParams.get("next")));
    return form(visit);
  }),

  openPage("POST", "/console/sign-in", async (visit) => {
    const { form: sent, request, address } = visit;
    const email = (sent.get("email") ?? "").slice(0, 254);
    const credentials = { email, password: (sent.get("password") ?? "").slice(0, 256) };
    try {
      const { cookies, next } = await visit.deps.people.signIn(
        credentials,
        sent.get("oauth_query"),
        request,
        address,
      );
      if (next) return carryOn(visit, next, cookies);
      return visit.goTo(ownPath(sent.get("next")), undefined, cookies);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type === "server_error") throw error;
      const answer = await form(visit, { email, error });
      const retryAfter = error.headers["retry-after"];
      if (retryAfter) answer.headers.set("retry-after", retryAfter);
      return answer;
    }
  }),

  personPage("POST", "/console/sign-out", async (visit) =>
    visit.goTo("/console/sign-in", "signed-out", await visit.deps.people.signOut(visit.request)),
  ),
];
