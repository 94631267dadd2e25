// Two people who edited one alert: who was faster, what both changed, and both texts beside each other. The form below keeps what
// was typed and takes over what only the other one changed, so nothing is lost and nothing is overwritten unseen.

import type { Action } from "../../../model/fields/alert_action.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { instant } from "../parts.ts";
import type { Alert, MemberVisit } from "../visit.ts";
import { LABELS, merge } from "./compose_fields.ts";
import { actorWords, storyOf } from "./review_story.ts";

/** Who changed the alert last, and when, as the audit log has it. */
export async function editedSince(visit: MemberVisit, alert: Alert): Promise<Content> {
  const [last] = await storyOf(visit, alert.id);
  if (!last) return "Somebody";
  return html`${actorWords(last.actor)}, ${instant(last.created_at, visit.now)},`;
}

const shown = (name: string, value: unknown): string => {
  if (value === null || value === "") return "(nothing)";
  if (name === "actions")
    return (
      (value as Action[])
        .map(({ label, url, choices }) => `${label}: ${choices?.join(" · ") ?? url}`)
        .join("\n") || "(none)"
    );
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
};

/** Brings `form` up to date with the alert, and says what happened. The version that the form carries next is the alert's. */
export function clashReport(
  visit: MemberVisit,
  { alert, form, who }: { alert: Alert; form: URLSearchParams; who: Content },
): Html {
  const { clashes, taken } = merge(form, alert);
  const names = (fields: readonly string[]) => fields.map((name) => LABELS[name] ?? name).join(", ");
  return html`<section class="report warn clash" role="alert" aria-labelledby="clash"><h2 id="clash">Somebody changed this alert while you were writing</h2>
    <p>${who} saved it before you. Nothing of yours was saved yet, and nothing of yours is lost: it stands in the form below.
    ${taken.length > 0 && html`From the saved one the form took over what you had not touched: ${names(taken)}.`}</p>
    ${
      clashes.length === 0
        ? html`<p>You changed nothing that was changed there. Save again to keep both.</p>`
        : html`<p>Both of you changed ${names(clashes.map(({ name }) => name))}. Saving again replaces the saved text by yours.</p>
    ${clashes.map(({ name, yours, theirs }) => html`<div class="both"><div><h3>${LABELS[name] ?? name}, yours</h3><p class="written">${shown(name, yours)}</p></div><div><h3>As it is saved</h3><p class="written">${shown(name, theirs)}</p></div></div>`)}`
    }
    <p><a href="${visit.url.pathname}">Leave yours and edit the saved one</a></p></section>`;
}
