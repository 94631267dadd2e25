// Pages of one question, or of one sentence. The link in a list leads to a page that asks once more before something
// ends; only its form acts, so a slip of the finger ends nothing and nothing of it needs a script. What ends, and who
// may end it, is decided by the caller's page. One tick has keys and assistants ask before anything is published
// (rules#asks-first). And a refusal as a page: what is wrong, and the way out.

import { type ApiError, type ErrorType, insufficientStorage } from "../../../model/api_error.ts";
import { uiMessage } from "../../../model/error_messages.ts";
import { type Content, html } from "../../../ui/html.ts";
import { checkbox, errorSummary } from "../components.ts";
import { savedFormField } from "../form_submission.ts";
import type { MemberContext, PageContext } from "../page_context.ts";

const TITLES: Record<ErrorType, string> = {
  invalid_request: "Request failed",
  unauthorized: "Sign in first",
  payment_required: "Request failed",
  insufficient_scope: "Not allowed",
  forbidden: "Not allowed",
  not_found: "Not found",
  conflict: "Request failed",
  rate_limited: "Too many attempts",
  server_error: "Something went wrong on this server",
};

/** What a person can do where the refusal itself, which programs read too, does not say it. */
const WAYS_OUT: Partial<Record<ErrorType, string>> = {
  not_found: "Check the address, or ask an owner of the workspace for access.",
  server_error: "Try again in a minute. If it happens again, contact the operator of this server.",
};

/** `kept` is what was written, sealed: the way back leads to its form. */
export function errorPage(visit: PageContext, error: ApiError, kept: string | null = null): Response {
  const title = TITLES[error.type];
  // A program's words for it help nobody here; those about the disk are for everybody.
  const isTheirs = error.type !== "server_error" || error.message === insufficientStorage().message;
  const what = isTheirs ? uiMessage(error) : null;
  return visit.page(
    title,
    html`<h1>${title}</h1><p class="lede">${what} ${WAYS_OUT[error.type]}</p>${
      kept === null
        ? html`<p><a class="button" href="/console">Go to the console</a></p>`
        : html`<p>Your text is kept on this page. It may have been saved already: check before you submit it again.</p>
    <form method="post" action="${visit.url.pathname + visit.url.search}">${savedFormField(kept)}<button>Back to my text</button></form>`
    }`,
    { status: error.status, width: "narrow" },
  );
}

export interface Confirmation {
  /** The whole question, with the name of what would end: "Revoke the key deploys?" */
  title: string;
  /** What happens then, and whether it can be undone. */
  effect: Content;
  /** What has to be said before it may be done: a box, an explanation. */
  condition?: Content;
  act: string;
  /** Where a person goes who does not want it. */
  back: string;
  keep?: string;
  error?: ApiError;
}

/**
 * The page that asks. Its form goes to the same path, which acts at once, with the visit's token and what the
 * condition holds.
 */
export function confirmationPage(visit: PageContext, question: Confirmation): Response {
  const { title, effect, condition, act, back, keep = "Cancel" } = question;
  return visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">${effect}</p>
    ${errorSummary(question.error)}
    <form method="post" action="${visit.url.pathname}">${visit.token}${condition}
      <div class="actions"><button class="danger">${act}</button><a class="button plain" href="${back}">${keep}</a></div>
    </form>`,
    { width: "narrow", status: question.error?.status ?? 200 },
  );
}

const NAME = "requires_approval";

/** The box; an unticked one sends nothing. */
export const approvalCheckbox = (checked: boolean): Content =>
  checkbox({
    id: "asks-first",
    name: NAME,
    value: "yes",
    label: "Require my approval before publishing",
    note: "Alerts that it sends or schedules wait for your decision on a page it links to. It cannot make a channel public. It can still cancel alerts.",
    checked,
  });

export const parseApproval = (sent: URLSearchParams): boolean => sent.has(NAME);

/** What a list says of it, and the way to change it. */
export const approvalLink = (asksFirst: boolean, href: string, whose: Content): Content =>
  html`<a href="${href}">${asksFirst ? "Approval required" : "No approval required"}<span class="unseen">: change it for ${whose}</span></a>`;

/** The page on which it is changed; its form goes to the same path. */
export const approvalPage = (
  visit: MemberContext,
  { title, asksFirst, back }: { title: string; asksFirst: boolean; back: string },
): Response =>
  visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">The change applies from its next call.</p>
    <div class="card"><form method="post" action="${visit.url.pathname}">${visit.token}
      ${approvalCheckbox(asksFirst)}
      <div class="actions"><button>Save</button><a class="button plain" href="${back}">Back</a></div>
    </form></div>`,
    { width: "narrow" },
  );
