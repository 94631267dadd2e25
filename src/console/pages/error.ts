// A refusal as a page: what is wrong, and the way out.

import type { ApiError, ErrorType } from "../../errors.ts";
import { html } from "../html.ts";
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
  server_error: "Something went wrong on this side",
};

export function errorPage(visit: Visit, error: ApiError): Response {
  const title = TITLES[error.type];
  return visit.page(
    title,
    html`<h1>${title}</h1><p class="lede">${error.message}</p><p><a class="button" href="/console">Go to the console</a></p>`,
    { status: error.status, narrow: true },
  );
}
