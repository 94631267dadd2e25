// Who wrote an alert, by which way, and what was done to it since: lines of the audit log in words. The log holds no contents, so
// neither do they.

import { type Content, type Html, html } from "../../look/html.ts";
import { instant } from "../parts.ts";
import type { MemberVisit } from "../visit.ts";

const DID: Record<string, string> = {
  create_alert: "wrote it",
  update_alert: "edited it",
  duplicate_alert: "copied it from another alert",
  decline_alert: "declined it",
  schedule_alert: "scheduled it",
  send_alert: "sent it",
  cancel_alert: "cancelled it",
};

const BY: Record<string, string> = {
  rest: "over REST",
  mcp: "over MCP",
  cli: "from the command line",
  console: "in the console",
  operator: "on the machine",
};

/** So many lines are asked for; the first ones of a longer story stand in the audit log. */
const LINES = 50;
/** So many are shown before the others are folded. */
const SHOWN = 4;

/** Who acted, in words: a person by name, an assistant or a key by its own. */
export function actorWords({ type, name }: { type: string; name: string | null }): Html {
  if (type === "operator") return html`The operator`;
  if (type === "oauth") return html`${name ?? "An assistant"} <span class="tag assistant">assistant</span>`;
  if (type === "key") return html`${name ?? "A key"} <span class="tag">key</span>`;
  return html`${name ?? "A member"}`;
}

/** Everything that was done to an alert, newest first, as list_audit_events answers it. */
export async function storyOf(visit: MemberVisit, alertId: string): Promise<readonly any[]> {
  return (await visit.call("list_audit_events", { subject_id: alertId, limit: LINES })).data;
}

/** "2 edits since it was declined", for who looks at it again; null when nobody has declined it. */
function sinceDeclined(story: readonly any[]): Content {
  const at = story.findIndex(({ operation }) => operation === "decline_alert");
  if (at < 0) return null;
  const edits = story.slice(0, at).filter(({ operation }) => operation === "update_alert").length;
  const count = edits === 0 ? "Nobody has edited it" : edits === 1 ? "1 edit" : `${edits} edits`;
  return html`<p class="since">${count} since it was declined.</p>`;
}

const lineOf = ({ actor, operation, transport, created_at }: any, now: Date): Html =>
  html`<li><strong>${actorWords(actor)}</strong> ${DID[operation] ?? operation} ${BY[transport] ?? ""}, ${instant(created_at, now)}</li>`;

export function storyCard({ now }: MemberVisit, story: readonly any[]): Content {
  if (story.length === 0) return null;
  const older = story.slice(SHOWN);
  return html`<section class="card" aria-labelledby="story"><h2 id="story">Who wrote it</h2>
    ${sinceDeclined(story)}
    <ol class="story">${story.slice(0, SHOWN).map((line) => lineOf(line, now))}</ol>
    ${older.length > 0 && html`<details class="more"><summary>${older.length} earlier</summary><ol class="story">${older.map((line) => lineOf(line, now))}</ol></details>`}</section>`;
}
