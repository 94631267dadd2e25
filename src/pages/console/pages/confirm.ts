// Asking once more before something ends. The link in a list leads here; only the form on this page acts, so a slip of the
// finger ends nothing and nothing of it needs a script. What ends, and who may end it, is decided by the caller's page.

import type { ApiError } from "../../../model/errors.ts";
import { type Content, html } from "../../../ui/html.ts";
import { problem } from "../parts.ts";
import type { Visit } from "../visit.ts";

export interface Question {
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

/** The page that asks. Its form goes to the same path, which acts at once, with the visit's token and what the condition holds. */
export function askOnce(visit: Visit, question: Question): Response {
  const { title, effect, condition, act, back, keep = "Keep it" } = question;
  return visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">${effect}</p>
    ${problem(question.error)}
    <form method="post" action="${visit.url.pathname}">${visit.token}${condition}
      <div class="actions"><button class="danger">${act}</button><a class="button plain" href="${back}">${keep}</a></div>
    </form>`,
    { width: "narrow", status: question.error?.status ?? 200 },
  );
}
