// Pages of one question, or of one sentence. The link in a list leads to a page that requires confirmation before
// something is deleted. Only its form acts, without a script. The caller's page decides what is deleted, and who may
// delete it. One tick requires approval before keys and assistants publish (rules#asks-first). Also shows a refusal as
// a page: what is wrong, and what to do.

import { formatErrorForUi } from "../../../model/api_and_ui_error_texts.ts";
import { type ApiError, createDiskFullError, type ErrorType } from "../../../model/api_error.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { checkbox, renderErrorSummary } from "../components.ts";
import { preservedFormField } from "../form_submission.ts";
import type { MemberPageContext, PageContext } from "../page_definitions.ts";

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

/** The advice to a person, where the refusal itself (which programs also read) has none. */
const WAYS_OUT: Partial<Record<ErrorType, string>> = {
  not_found: "Check the address, or ask a workspace owner for access.",
  server_error: "Try again in a minute. If it happens again, contact the operator of this server.",
};

/** `kept` is what was written, sealed: the way back leads to its form. */
export function renderErrorPage(context: PageContext, error: ApiError, kept: string | null = null): Response {
  const title = TITLES[error.type];
  // Internal error texts of a program are hidden; those about the disk are shown.
  const isTheirs = error.type !== "server_error" || error.message === createDiskFullError().message;
  const what = isTheirs ? formatErrorForUi(error) : null;
  return context.page(
    title,
    html`<h1>${title}</h1><p class="lede">${what} ${WAYS_OUT[error.type]}</p>${
      kept === null
        ? html`<p><a class="button" href="/console">Go to the console</a></p>`
        : html`<p>Your text is kept on this page. It may have been saved already: check before you submit it again.</p>
    <form method="post" action="${context.url.pathname + context.url.search}">${preservedFormField(
      kept,
    )}<button>Back to my text</button></form>`
    }`,
    { status: error.status, width: "narrow" },
  );
}

interface Confirmation {
  /** The whole question, with the name of what would end: "Revoke the key deploys?" */
  title: string;
  /** The effect, and whether it can be undone. */
  effect: HtmlContent;
  /** A condition before the action: a box, an explanation. */
  condition?: HtmlContent;
  act: string;
  /** The address for cancelling. */
  back: string;
  keep?: string;
  error?: ApiError;
}

/**
 * The page that requires confirmation. Its form is sent to the same path, which acts at once, with the visit's token
 * and the condition's fields.
 */
export function renderConfirmationPage(context: PageContext, question: Confirmation): Response {
  const { title, effect, condition, act, back, keep = "Cancel" } = question;
  return context.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">${effect}</p>
    ${renderErrorSummary(question.error)}
    <form method="post" action="${context.url.pathname}">${context.token}${condition}
      <div class="actions"><button class="danger">${act}</button><a class="button plain"
        href="${back}">${keep}</a></div>
    </form>`,
    { width: "narrow", status: question.error?.status ?? 200 },
  );
}

const NAME = "requires_approval";

/** The box; an unticked one sends nothing. */
export const renderApprovalSettingCheckbox = (checked: boolean): HtmlContent =>
  checkbox({
    id: "asks-first",
    name: NAME,
    value: "yes",
    label: "Require my approval before publishing",
    note:
      "Alerts that it sends or schedules wait for your approval. It gives you a link to the page where you decide. " +
      "It can still cancel alerts, but it cannot make a channel public.",
    checked,
  });

export const parseRequiresApproval = (sent: URLSearchParams): boolean => sent.has(NAME);

/** The text in a list, and the link to change it. */
export const renderApprovalSettingLink = (asksFirst: boolean, href: string, whose: HtmlContent): HtmlContent =>
  html`<a href="${href}">${asksFirst ? "Approval required" : "No approval required"}<span
    class="unseen">: change for ${whose}</span></a>`;

/** The page on which it is changed. Its form is sent to the same path. */
export const renderApprovalSettingPage = (
  context: MemberPageContext,
  { title, asksFirst, back }: { title: string; asksFirst: boolean; back: string },
): Response =>
  context.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">The change takes effect with its next call.</p>
    <form class="card setting" method="post" action="${context.url.pathname}">${context.token}
      ${renderApprovalSettingCheckbox(asksFirst)}
      <div class="save"><button>Save</button><a class="button plain" href="${back}">Back</a></div>
    </form>`,
    { width: "narrow" },
  );
