// A refusal as a page: what is wrong, and the way out.

import { type ApiError, type ErrorType, noSpace } from "../../../model/errors.ts";
import { sentenceForPeople } from "../../../model/for_people.ts";
import { html } from "../../../ui/html.ts";
import { keptField } from "../kept.ts";
import type { Visit } from "../visit.ts";

const TITLES: Record<ErrorType, string> = {
  invalid_request: "That did not work",
  unauthorized: "Sign in first",
  payment_required: "That did not work",
  insufficient_scope: "Not allowed",
  forbidden: "Not allowed",
  not_found: "Nothing here",
  conflict: "That did not work",
  rate_limited: "Too many attempts",
  server_error: "Something went wrong on this server",
};

/** What a person can do where the refusal itself, which programs read too, does not say it. */
const WAYS_OUT: Partial<Record<ErrorType, string>> = {
  not_found:
    "Check the address. If it is right, ask an owner of the workspace whether your account may see it.",
  server_error: "Try again in a minute. If it happens again, tell the operator of this server.",
};

/** `kept` is what was written, sealed: the way back leads to its form. */
export function errorPage(visit: Visit, error: ApiError, kept: string | null = null): Response {
  const title = TITLES[error.type];
  // A program's words for it help nobody here; those about the disk are for everybody.
  const isTheirs = error.type !== "server_error" || error.message === noSpace().message;
  const what = isTheirs ? sentenceForPeople(error) : null;
  return visit.page(
    title,
    html`<h1>${title}</h1><p class="lede">${what} ${WAYS_OUT[error.type]}</p>${
      kept === null
        ? html`<p><a class="button" href="/console">Go to the console</a></p>`
        : html`<p>What you wrote is kept in this page. It may have been taken already: look before you send it again.</p>
    <form method="post" action="${visit.url.pathname + visit.url.search}">${keptField(kept)}<button>Back to what I wrote</button></form>`
    }`,
    { status: error.status, width: "narrow" },
  );
}
