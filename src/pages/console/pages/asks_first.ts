// One tick for keys and assistants: a person decides before anything is published (docs/rules.md#asks-first).

import { type Content, html } from "../../../ui/html.ts";
import { tick } from "../parts.ts";
import type { MemberVisit } from "../visit.ts";

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
