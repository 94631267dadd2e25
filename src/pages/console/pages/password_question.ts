// A page with one form: a signed-in person confirms a change with the password.

import type { ApiError } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { errorSummary, renderInputField } from "../components.ts";
import type { PersonPageContext } from "../page_context.ts";

const ACCOUNT = "/console/account";

/** The field of such a form, as operations take it. */
export const parsePasswordField = ({ form }: PersonPageContext) => ({ present: form.get("present") ?? "" });

const passwordField = (error?: ApiError): Html =>
  renderInputField({
    name: "present",
    label: "Your password",
    type: "password",
    autocomplete: "current-password",
    maxlength: LIMITS.password,
    autofocus: true,
    error,
  });

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
    ${errorSummary(error)}
    <form method="post" action="${action}" novalidate>${context.token}
      ${passwordField(error)}
      <div class="actions"><button${danger && html` class="danger"`}>${act}</button><a class="button plain"
        href="${ACCOUNT}">Back to your account</a></div>
    </form>`,
    { width: "narrow", error, styles: ["people"] },
  );
}
