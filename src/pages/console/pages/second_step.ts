// The second step of signing in: a code of the app, or a recovery code when the phone is gone. And signing in with a passkey,
// which takes both steps at once.

import { readPasskey, shownPasskey } from "../../../identity/auth/own_passkeys.ts";
import { ApiError } from "../../../model/errors.ts";
import { sentenceForPeople } from "../../../model/for_people.ts";
import { cookieOf, orAgain } from "../forms.ts";
import { openPage, type Page } from "../visit.ts";
import { CODE_PATH, codeForm, goOn, handingOn, KNOWN_COOKIE, stepPath, wantedBy } from "./going_on.ts";
import { signInForm } from "./sign_in.ts";

const json = (body: object, cookies: readonly string[] = []): Response => {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  headers.set("x-content-type-options", "nosniff");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(JSON.stringify(body), { headers });
};

/** What a page's script is told: what to ask the browser for, or a sentence and the field that it is about. */
export async function answerScript(
  begin: () => Promise<{ options: object; cookies?: readonly string[] }>,
): Promise<Response> {
  try {
    const { options, cookies } = await begin();
    return json({ options }, cookies);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type === "server_error") throw error;
    return json({ said: sentenceForPeople(error), field: error.fields[0]?.param });
  }
}

export const SECOND_STEP_PAGES: readonly Page[] = [
  openPage("GET", CODE_PATH, async (visit) =>
    (await visit.deps.people.owesSecond(visit.request.headers))
      ? codeForm(visit)
      : visit.goTo(stepPath("/console/sign-in", wantedBy(visit))),
  ),

  handingOn(
    CODE_PATH,
    orAgain(
      {
        again: (visit, error) =>
          error.type === "unauthorized" ? signInForm(visit, { error }) : codeForm(visit, error),
      },
      async (visit) => {
        const { form: sent, request, address, deps } = visit;
        const kind = sent.has("recovery") ? "recovery" : "code";
        const text = (sent.get(kind) ?? "").slice(0, 64);
        const wanted = wantedBy(visit);
        const at = { address, browser: cookieOf(request.headers, KNOWN_COOKIE) };
        const opened = await deps.people.showSecond({ kind, text }, wanted.oauthQuery, request, at);
        return goOn(visit, opened, wanted);
      },
    ),
  ),

  openPage("POST", "/console/sign-in/passkey/begin", (visit) =>
    answerScript(() => visit.deps.people.beginPasskey(visit.request, visit.address)),
  ),

  handingOn(
    "/console/sign-in/passkey",
    orAgain({ again: (visit, error) => signInForm(visit, { error }) }, async (visit) => {
      const { form: sent, request, address, deps } = visit;
      const wanted = wantedBy(visit);
      const shown = readPasskey(shownPasskey, sent.get("answer"));
      return goOn(visit, await deps.people.usePasskey(shown, wanted.oauthQuery, request, address), wanted);
    }),
  ),
];
