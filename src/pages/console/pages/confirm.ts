// Asking first. The link in a list leads to a page that asks once more before something ends; only its form acts, so a slip of
// the finger ends nothing and nothing of it needs a script. What ends, and who may end it, is decided by the caller's page. And
// one tick has keys and assistants ask before anything is published (docs/rules.md#asks-first).

import type { ApiError } from "../../../model/errors.ts";
import { type Content, html } from "../../../ui/html.ts";
import { problem, tick } from "../parts.ts";
import type { MemberVisit, Visit } from "../visit.ts";

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

const NAME = "asks_first";

/** The box; an unticked one sends nothing. */
export const askFirstTick = (checked: boolean): Content =>
  tick({
    id: "asks-first",
    name: NAME,
    value: "yes",
    label: "Ask me before anything is published",
    note: "What it wants to send or schedule waits, and you decide on the page that it is given. It opens no channel to everybody. It may still withdraw alerts.",
    checked,
  });

export const askFirstOf = (sent: URLSearchParams): boolean => sent.has(NAME);

/** What a list says of it, and the way to change it. */
export const askFirstLink = (asksFirst: boolean, href: string, whose: Content): Content =>
  html`<a href="${href}">${asksFirst ? "Asks first" : "Does not ask first"}<span class="unseen">: change it for ${whose}</span></a>`;

/** The page on which it is changed; its form goes to the same path. */
export const askFirstPage = (
  visit: MemberVisit,
  { title, asksFirst, back }: { title: string; asksFirst: boolean; back: string },
): Response =>
  visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">It counts from the next call on.</p>
    <div class="card"><form method="post" action="${visit.url.pathname}">${visit.token}
      ${askFirstTick(asksFirst)}
      <div class="actions"><button>Save</button><a class="button plain" href="${back}">Back</a></div>
    </form></div>`,
    { width: "narrow" },
  );
