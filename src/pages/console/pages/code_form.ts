// The form of the second step: a code of the app, or a recovery code when the phone is gone.

import type { ApiError } from "../../../model/errors.ts";
import { html } from "../../../ui/html.ts";
import { PEOPLE_STYLES } from "../page.ts";
import { field, problem } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { handedOn, stepPath, wantedBy } from "./wanted.ts";

export const CODE_PATH = "/console/sign-in/code";

export function codeForm(visit: Visit, error?: ApiError, cookies: readonly string[] = []): Response {
  const wanted = wantedBy(visit);
  const recovering = error?.fields[0]?.param === "recovery";
  return visit.page(
    "Enter your code",
    html`<h1>Enter your code</h1>
    <p class="lede">The password was right. Your account has two-factor authentication.</p>
    ${problem(error)}
    <div class="card wide"><form method="post" action="${CODE_PATH}" novalidate>
      ${handedOn(visit)}
      ${field({ name: "code", label: "6-digit code", hint: "Your app shows it, a new one every 30 seconds.", autocomplete: "one-time-code", inputmode: "numeric", maxlength: 12, autofocus: !recovering, error })}
      <button>Sign in</button>
    </form></div>
    <details class="more"${recovering && html` open`}><summary>I do not have my phone</summary>
      <form method="post" action="${CODE_PATH}" novalidate>
        ${handedOn(visit)}
        ${field({ name: "recovery", label: "Recovery code", hint: "One of those that you kept. Each works once.", autocomplete: "off", maxlength: 40, error })}
        <button>Sign in with it</button>
      </form>
      <p class="hint">No recovery code either? The operator of this server can turn two-factor authentication off for you.</p>
    </details>
    ${wanted.kept === null && html`<p class="hint"><a href="${stepPath("/console/sign-in", wanted)}">Start again</a></p>`}`,
    { status: error?.status ?? 200, width: "narrow", styles: [PEOPLE_STYLES], cookies },
  );
}
