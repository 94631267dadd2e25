// The password with which a signed-in person confirms a change: its field, and a page with one form for it.

import type { ApiError } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderErrorSummary, renderInputField } from "../components.ts";
import type { PersonPageContext } from "../page_definitions.ts";

const ACCOUNT = "/console/account";

/** The field of the password in a form. `autofocus` gives it the focus when the page opens without an error. */
export const renderCurrentPasswordField = (more: { label?: string; autofocus?: boolean; error?: ApiError }): Html =>
  renderInputField({
    ...{ name: "present", label: "Your password", type: "password", autocomplete: "current-password" },
    maxlength: LIMITS.password,
    ...more,
  });

/** The value of that field, as operations take it. */
export const readCurrentPasswordArgument = ({ form }: PersonPageContext) => ({ present: form.get("present") ?? "" });

/** A page with one form that needs the password. */
export function askPassword(
  context: PersonPageContext,
  {
    title,
    lede,
    act,
    action,
    danger,
  }: { title: string; lede: HtmlContent; act: string; action: string; danger?: true },
  error?: ApiError,
): Response {
  return context.page(
    title,
    html`<h1>${title}</h1><p class="lede">${lede}</p>
    ${renderErrorSummary(error)}
    <form method="post" action="${action}" novalidate>${context.token}
      ${renderCurrentPasswordField({ autofocus: true, error })}
      <div class="actions"><button${danger && html` class="danger"`}>${act}</button><a class="button plain"
        href="${ACCOUNT}">Back to your account</a></div>
    </form>`,
    { width: "narrow", error, styles: ["people"] },
  );
}
