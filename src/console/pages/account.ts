// A person's own account: where it is signed in, and the password.

import { MIN_PASSWORD } from "../../domain/passwords.ts";
import { ApiError, notFound } from "../../errors.ts";
import { html } from "../../look/html.ts";
import change_password from "../../session/change_password.ts";
import end_session from "../../session/end_session.ts";
import list_sessions from "../../session/list_sessions.ts";
import { workspacePath } from "../page.ts";
import { field, instant, problem, table } from "../parts.ts";
import { type Page, type PersonVisit, personPage } from "../visit.ts";
import { askOnce } from "./confirm.ts";

/** A browser's own description in a few words; it is the browser's word, and only shown to its owner. */
function deviceWords({ user_agent }: { user_agent: string | null }): string {
  const agent = user_agent ?? "";
  const browser = [/\bEdg\//, /\bFirefox\//, /\bOPR\//, /Chrome\//, /\bSafari\//].findIndex((p) =>
    p.test(agent),
  );
  const system = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS X/, /Linux/].findIndex((p) => p.test(agent));
  const name = ["Edge", "Firefox", "Opera", "Chrome", "Safari"][browser] ?? "A browser";
  const on = ["Android", "iOS", "Windows", "macOS", "Linux"][system];
  return on ? `${name} on ${on}` : name;
}

async function account(visit: PersonVisit, error?: ApiError): Promise<Response> {
  const { session, token, now } = visit;
  const { data: sessions } = await visit.asPerson(list_sessions, {});
  return visit.page(
    "Your account",
    html`<h1>Your account</h1>
    <p class="lede">${session.user.name} · ${session.user.email}</p>
    <h2>Workspaces</h2>
    <ul>${session.memberships.map(
      (membership) =>
        html`<li><a href="${workspacePath(membership.workspace_id)}">${membership.workspace_name}</a>, ${membership.role}</li>`,
    )}</ul>
    <h2>Where you are signed in</h2>
    ${table(
      "Sessions",
      ["Browser", "Address", "Signed in", "Ends", ""],
      sessions.map((row) => [
        html`<strong>${deviceWords(row)}</strong>${row.current && html`<span class="badge good">this one</span>`}`,
        row.address || "unknown",
        instant(row.created_at, now),
        instant(row.expires_at, now),
        row.current
          ? html`<form method="post" action="/console/sign-out">${token}<button class="plain">Sign out</button></form>`
          : html`<a class="button danger" href="/console/account/sessions/${row.id}/end">End<span class="unseen"> the session: ${deviceWords(row)}</span></a>`,
      ]),
    )}
    <section class="card" aria-labelledby="password-title"><h2 id="password-title">Change the password</h2>
      ${problem(error)}
      <form method="post" action="/console/account/password" novalidate>${token}
        <div class="columns">
        ${field({ name: "present", label: "Current password", type: "password", autocomplete: "current-password", maxlength: 128, error })}
        ${field({ name: "next", label: `New password, at least ${MIN_PASSWORD} characters`, type: "password", autocomplete: "new-password", minlength: MIN_PASSWORD, maxlength: 128, error })}
        </div>
        <p class="hint">All your other sessions end. Connected assistants stay connected; you can disconnect them on the page Assistants.</p>
        <button>Change the password</button>
      </form></section>`,
    { status: error?.status ?? 200 },
  );
}

export const ACCOUNT_PAGES: readonly Page[] = [
  personPage("GET", "/console/account", (visit) => account(visit)),

  personPage("POST", "/console/account/password", async (visit) => {
    const { form: sent } = visit;
    try {
      const passwords = { present: sent.get("present") ?? "", next: sent.get("next") ?? "" };
      await visit.asPerson(change_password, passwords);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type === "server_error") throw error;
      return account(visit, error);
    }
    return visit.goTo("/console/account", "password-changed");
  }),

  personPage("GET", "/console/account/sessions/:id/end", async (visit) => {
    const { data: sessions } = await visit.asPerson(list_sessions, {});
    const row = sessions.find(({ id }) => id === visit.params.id);
    if (!row) throw notFound("session");
    return askOnce(visit, {
      title: `End the session: ${deviceWords(row)}?`,
      effect: "That browser is signed out from its next page on. It can sign in again with the password.",
      act: "End the session",
      action: `/console/account/sessions/${row.id}/end`,
      back: "/console/account",
    });
  }),

  personPage("POST", "/console/account/sessions/:id/end", async (visit) => {
    await visit.asPerson(end_session, { session_id: visit.params.id ?? "" });
    return visit.goTo("/console/account", "session-ended");
  }),
];
