// Following a one-time link: makes an account, or joins the workspace with the account that one has.

import { MIN_PASSWORD } from "../../auth/sign_in_library.ts";
import { ApiError } from "../../errors.ts";
import { html } from "../html.ts";
import { field, problem } from "../parts.ts";
import { openPage, type Page, type Visit } from "../visit.ts";

async function form(visit: Visit, token: string, error?: ApiError): Promise<Response> {
  const link = await visit.deps.people.linkOf(token);
  const sent = visit.form;
  // The first owner has a stand-in for an address.
  const invited = link.email.endsWith("@localhost") ? "" : link.email;
  return visit.page(
    `Join ${link.workspace_name}`,
    html`<h1>Welcome to ${link.workspace_name}</h1>
    <p class="lede">Choose how you sign in from now on. If you have an account on this server already, give its e-mail address and password.</p>
    ${problem(error)}
    <div class="card wide"><form method="post" action="/console/welcome">
      ${visit.token}
      <input type="hidden" name="token" value="${token}">
      ${field({ name: "name", label: "Your name", value: sent.get("name") ?? "", autocomplete: "name", maxlength: 80, autofocus: true })}
      ${field({ name: "email", label: "E-mail address", type: "email", value: sent.get("email") ?? invited, autocomplete: "username", maxlength: 254, hint: "Only for signing in. This server sends no mail." })}
      ${field({ name: "password", label: "Password", type: "password", autocomplete: "new-password", minlength: MIN_PASSWORD, maxlength: 128, hint: `At least ${MIN_PASSWORD} characters. A few words are easier to keep in mind than signs.` })}
      <button>Join</button>
    </form></div>
    <p class="hint">This link works once. After that you sign in with your address and password.</p>`,
    { status: error?.status ?? 200, narrow: true },
  );
}

export const WELCOME_PAGES: readonly Page[] = [
  openPage("GET", "/console/welcome", (visit) => form(visit, visit.url.searchParams.get("token") ?? "")),

  openPage("POST", "/console/welcome", async (visit) => {
    const { form: sent, request, address } = visit;
    const { people } = visit.deps;
    const token = sent.get("token") ?? "";
    const [name, email, password] = ["name", "email", "password"].map((key) => sent.get(key) ?? "") as [
      string,
      string,
      string,
    ];
    try {
      await people.claim(token, { name, email, password }, address);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type === "server_error" || error.type === "not_found")
        throw error;
      return form(visit, token, error);
    }
    const { cookies } = await people.signIn({ email, password }, null, request, address);
    return visit.goTo("/console", undefined, cookies);
  }),
];
