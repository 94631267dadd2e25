// Who wrote an alert, by which way, and what was done to it since: lines of the audit log in words, and beside an edit what it
// changed. The log holds no contents; what edits replaced is kept with the alert, for a while (docs/rules.md#alert-changes).

import { list_alert_changes } from "../../../identity/session/reviews.ts";
import { showId } from "../../../model/domain/ids.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { instant } from "../parts.ts";
import type { Effort } from "../text_changes.ts";
import type { MemberVisit, RowOf } from "../visit.ts";
import { type Change, differences, namesOf, together } from "./review_changes.ts";

const DID: Record<string, string> = {
  create_alert: "wrote it",
  update_alert: "edited it",
  duplicate_alert: "copied it from another alert",
  decline_alert: "declined it",
  test_alert: "tested it on own devices",
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

type Act = RowOf<"list_audit_events">;

/** Who acted, in words: a person by name, an assistant or a key by its own. */
export function actorWords({ type, name }: { type: string; name: string | null }): Html {
  if (type === "operator") return html`The operator <span class="tag">on the machine</span>`;
  if (type === "oauth") return html`${name ?? "An assistant"} <span class="tag assistant">assistant</span>`;
  if (type === "key") return html`${name ?? "A key"} <span class="tag">key</span>`;
  return html`${name ?? "A member"}`;
}

/** Whether the visitor did it in the console, and none of the keys and assistants that act for the visitor. */
export const isOwn = ({ caller }: MemberVisit, { actor }: Pick<Act, "actor">): boolean =>
  actor.type === "session" && actor.id === showId("mem", caller.member.id);

/** Everything that was done to an alert, newest first, as list_audit_events answers it. */
export async function storyOf(visit: MemberVisit, alertId: string): Promise<readonly Act[]> {
  return (await visit.call("list_audit_events", { subject_id: alertId, limit: LINES })).data;
}

/** What the page shows of an alert's past. */
export interface Past {
  story: readonly Act[];
  changes: readonly Change[];
}

/** Reads both at once. Whoever may read the alert may read what it was. */
export async function pastOf(
  visit: MemberVisit,
  path: { pusher_id: string; alert_id: string },
): Promise<Past> {
  const [story, { data }] = await Promise.all([
    storyOf(visit, path.alert_id),
    visit.asMember(list_alert_changes, path),
  ]);
  return { story, changes: data };
}

/** What these acts changed together; and how many edits of them are no longer kept. */
function changedBy(past: Past, acts: readonly Act[]) {
  const kept = acts.map((line) => changeOf(past, line)).filter((change) => change !== undefined);
  const edits = acts.filter(({ operation }) => operation === "update_alert");
  return { kept, edits, lost: edits.filter((line) => changeOf(past, line) === undefined).length };
}

/** What an act changed: it is written down in the same transaction, and before its line in the log. */
function changeOf({ story, changes }: Past, line: Act): Change | undefined {
  const earlier = story[story.indexOf(line) + 1]?.created_at ?? "";
  return changes.find(({ updated_at }) => updated_at <= line.created_at && updated_at > earlier);
}

const lostWords = (lost: number): Content =>
  lost > 0 &&
  html`<p class="hint">What ${lost === 1 ? "the first of them" : `the first ${lost} of them`} changed is not kept any more.</p>`;

/** Everything that changed since it was declined, and what was asked for then; null when nobody has declined it, or edited it since. */
export async function sinceDeclined(past: Past, effort: Effort, now: Date): Promise<Content> {
  const declined = past.story.find(({ operation }) => operation === "decline_alert");
  if (!declined) return null;
  const { kept, edits, lost } = changedBy(past, past.story.slice(0, past.story.indexOf(declined)));
  if (edits.length === 0) return null;
  const asked = kept.findLast(({ replied_to }) => replied_to !== null)?.replied_to;
  const fields = together(kept);
  const count = edits.length === 1 ? "1 edit" : `${edits.length} edits`;
  return html`<section class="report changed" aria-labelledby="changed"><h2 id="changed">${count} since it was declined</h2>
    <p>${actorWords(declined.actor)} declined it ${instant(declined.created_at, now)}${asked && html`: <q>${asked}</q>`}</p>
    ${fields.length > 0 ? await differences(fields, effort) : html`<p>It reads as it did then.</p>`}${lostWords(lost)}</section>`;
}

/** For who decided about a version that is not the present one: who did what meanwhile, and what it changed. */
export async function sinceSeen(past: Past, seen: string, effort: Effort, now: Date): Promise<Html> {
  // The act that made the version that was seen is written down a moment after it.
  const acts = past.story.filter(({ created_at }) => created_at >= seen).slice(0, -1);
  const { kept, lost } = changedBy(past, acts);
  const fields = together(kept);
  return html`<section class="report warn changed" role="alert" aria-labelledby="changed-since"><h2 id="changed-since">It changed after you opened this page</h2>
    <p>Nothing was done. Look at what changed, and decide again.</p>
    ${acts.length > 0 && html`<ul>${acts.slice(0, SHOWN).map((line) => html`<li>${actWords(line, now)}</li>`)}</ul>`}
    ${fields.length > 0 && (await differences(fields, effort))}${lostWords(lost)}</section>`;
}

const actWords = ({ actor, operation, transport, created_at }: Act, now: Date): Html =>
  html`<strong>${actorWords(actor)}</strong> ${DID[operation] ?? operation} ${BY[transport] ?? ""}, ${instant(created_at, now)}`;

const authoring = ({ story }: Past): Act | undefined =>
  story.find(({ operation }) => operation === "create_alert" || operation === "duplicate_alert");

/** Who wrote it; said once, since the story goes on from there. */
export function byline(past: Past, now: Date): Content {
  const wrote = authoring(past);
  return wrote && html`<p class="byline">${actWords(wrote, now)}</p>`;
}

/** Everything that was done to it since, newest first, with what each edit changed folded below its line. */
export async function storyCard(past: Past, effort: Effort, now: Date): Promise<Content> {
  const wrote = authoring(past);
  const story = past.story.filter((line) => line !== wrote);
  if (story.length === 0) return null;
  const lines: Html[] = [];
  for (const line of story) {
    const change = changeOf(past, line);
    const fields = change ? together([change]) : [];
    const changed =
      fields.length > 0 &&
      html`<details class="more"><summary>${namesOf(fields)}</summary>${await differences(fields, effort)}</details>`;
    lines.push(html`<li>${actWords(line, now)}${changed}</li>`);
  }
  const older = lines.slice(SHOWN);
  return html`<section class="card" aria-labelledby="story"><h2 id="story">What was done to it</h2>
    <ol class="story">${lines.slice(0, SHOWN)}</ol>
    ${older.length > 0 && html`<details class="more"><summary>${older.length} earlier</summary><ol class="story">${older}</ol></details>`}</section>`;
}
