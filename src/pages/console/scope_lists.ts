// Scopes as lists show them, in the groups of the consent page: what a credential may look at, change and publish.

import { ALL_SCOPES, PUBLISH } from "../../model/scopes.ts";
import { type Content, html } from "../../ui/html.ts";
import { scopeLine } from "./parts.ts";
import { SCOPE_GROUPS } from "./scope_groups.ts";

/** What a credential may do, folded; the fold itself says whether it publishes. */
export function mayDo(scopes: readonly string[]): Content {
  const held = ALL_SCOPES.filter((scope) => scopes.includes(scope));
  const count = `${held.length} ${held.length === 1 ? "permission" : "permissions"}`;
  return html`<details class="more"><summary>${count}${held.includes(PUBLISH) && ", publishes"}</summary>
    <dl class="scopes">${SCOPE_GROUPS.map(({ title, holds }) => {
      const own = held.filter(holds);
      return (
        own.length > 0 && html`<dt>${title}</dt>${own.map((scope) => html`<dd>${scopeLine(scope)}</dd>`)}`
      );
    })}</dl></details>`;
}
