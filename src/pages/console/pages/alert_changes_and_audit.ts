// The author of an alert, the client used, and later actions. Lines of the audit log are shown as text, with the
// changes of each edit and of several together. The log has no contents; values replaced by edits are kept with the
// alert for a while (rules#alert-changes). Texts are compared word by word. Removed text is struck through and added
// text is underlined. Both are labelled for screen readers.

import { list_alert_changes } from "../../../identity/session/decline_and_review_aids.ts";
import { formatId } from "../../../model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { type FieldDefinitions, selectFieldDefinitionsMarkedAs } from "../../../model/fields/field_table.ts";
import { formatFieldValue } from "../../../ui/field_display_texts.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { formatPhraseAboutAlert } from "../audit_phrases.ts";
import { relativeTime } from "../components.ts";
import type { MemberPageContext, OperationResultRow } from "../page_definitions.ts";
import { type DiffBudget, type DiffPiece, diffTexts, truncateBetweenCharacters } from "../text_diff.ts";
import { ALERT_FIELD_LABELS } from "./compose_form_values.ts";

interface Field {
  name: string;
  before: unknown;
  after: unknown;
}

/** As list_alert_changes returns it. */
export interface AlertChange {
  updated_at: string;
  fields: readonly Field[];
  replied_to: string | null;
}

const FIELDS: FieldDefinitions = ALERT_FIELDS;
const MARKUP = new Set(["html", "asset_html"]);
/** Fields that are compared word by word. */
const TEXTS = new Set([...MARKUP, ...Object.keys(selectFieldDefinitionsMarkedAs(ALERT_FIELDS, "cleaned")), "actions"]);
const CARDS: Record<string, string> = { text: "Text", image: "Picture", html: "Page", document: "Document" };

/** Characters of unchanged text that are shown around a change. */
const CONTEXT_CHARACTERS = 90;
/** Limits for one changed piece, and for a text that is shown whole because it could not be compared. */
const LONGEST = 1200;
const MOST = 40;

const labelOf = (name: string) => ALERT_FIELD_LABELS[name] ?? name;

/** Several edits as one: each field as the first of them found it and the last one left it. `changes` newest first. */
function combineChanges(changes: readonly AlertChange[]): Field[] {
  const made = new Map<string, Field>();
  for (const { fields } of changes)
    for (const field of fields) {
      const later = made.get(field.name);
      made.set(field.name, later ? { ...later, before: field.before } : field);
    }
  return Object.keys(ALERT_FIELDS)
    .flatMap((name) => made.get(name) ?? [])
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

/** A value as text that can be compared or read. */
const textOf = (name: string, value: unknown): string =>
  (name === "layout" && CARDS[String(value)]) || formatFieldValue(FIELDS[name] ?? { look: "words" }, value);

/** As much of a text as fits on the page. */
function cut(text: string, effort: DiffBudget): HtmlContent {
  const shown = truncateBetweenCharacters(text, Math.min(LONGEST, effort.room));
  effort.room -= shown.length;
  const more = text.length - shown.length;
  // An added or removed line break is not shown by itself.
  const words = shown.replace(/\n/g, "↵\n");
  return more === 0
    ? words
    : html`${words}<span class="muted"> … and ${more.toLocaleString("en")} more characters</span>`;
}

const removedText = (text: string, effort: DiffBudget): Html =>
  html`<del><span class="unseen"> removed: </span>${cut(text, effort)}<span class="unseen">; </span></del>`;
const addedText = (text: string, effort: DiffBudget): Html =>
  html`<ins><span class="unseen"> added: </span>${cut(text, effort)}<span class="unseen">; </span></ins>`;

function stayed(text: string, isFirst: boolean, isLast: boolean, effort: DiffBudget): string {
  const head = isFirst ? "" : truncateBetweenCharacters(text, CONTEXT_CHARACTERS);
  const tail = isLast ? "" : text.slice(truncateBetweenCharacters(text, text.length - CONTEXT_CHARACTERS).length);
  const shown = text.length <= head.length + tail.length + 1 ? text : `${head}…${tail}`;
  effort.room -= Math.min(effort.room, shown.length);
  return shown;
}

function inWords(pieces: readonly DiffPiece[], effort: DiffBudget): HtmlContent {
  const last = pieces.length - 1;
  const shown = pieces.slice(0, MOST).map(({ kind, text }, i) => {
    if (kind === "gone") return removedText(text, effort);
    if (kind === "new") return addedText(text, effort);
    return stayed(text, i === 0, i === last, effort);
  });
  return last < MOST ? shown : [shown, html`<span class="muted"> … and more changes</span>`];
}

async function changeIn({ name, before, after }: Field, effort: DiffBudget): Promise<HtmlContent> {
  if (FIELDS[name]?.look === "file")
    return before === null ? "A file was added." : after === null ? "The file was removed." : "The file was replaced.";
  if (effort.room === 0) return html`<span class="muted">Also changed; not shown because the page is too long.</span>`;
  const [was, is] = [textOf(name, before), textOf(name, after)];
  if (!TEXTS.has(name) || was === "" || is === "")
    return html`${was === "" ? html`<span class="muted">Was empty. </span>` : removedText(was, effort)} ${
      is === "" ? html`<span class="muted"> Now empty.</span>` : addedText(is, effort)
    }`;
  const pieces = await diffTexts(was, is, effort);
  return pieces
    ? inWords(pieces, effort)
    : html`<span class="muted">Too long to compare. Before:</span> ${removedText(was, effort)} <span
      class="muted">Now:</span> ${addedText(is, effort)}`;
}

/** Field by field, what was taken out and put in. */
async function renderFieldDifferences(fields: readonly Field[], effort: DiffBudget): Promise<Html> {
  const shown: Html[] = [];
  for (const field of fields)
    shown.push(
      html`<dt>${labelOf(field.name)}</dt><dd class="written${MARKUP.has(field.name) && " code"}">${await changeIn(
        field,
        effort,
      )}</dd>`,
    );
  return html`<dl class="diff">${shown}</dl>`;
}

const BY: Record<string, string> = {
  rest: "via REST",
  mcp: "via MCP",
  cli: "from the command line",
  console: "in the console",
  operator: "on the server",
};

/** Limit of requested lines; earlier ones of a longer history are in the audit log. */
const LINES = 50;
/** Limit of shown lines before the others are folded. */
const SHOWN = 4;

type Act = OperationResultRow<"list_audit_events">;

/** The actor as text: a person by name, an assistant or a key by its own. */
export function actorLabel({ type, name }: { type: string; name: string | null }): Html {
  if (type === "operator") return html`The operator <span class="tag">on the server</span>`;
  if (type === "oauth") return html`${name ?? "An assistant"} <span class="tag assistant">assistant</span>`;
  // A name such as "first key" needs no tag.
  if (type === "key")
    return html`${name ?? "A key"}${!/\bkey$/i.test(name ?? "") && html` <span class="tag">key</span>`}`;
  return html`${name ?? "A member"}`;
}

/** Reports if the visitor did it in the console, not by a key or an assistant of the visitor. */
export const isOwnAction = ({ caller }: MemberPageContext, { actor }: Pick<Act, "actor">): boolean =>
  actor.type === "session" && actor.id === formatId("mem", caller.member.id);

/** All actions on an alert, newest first, as list_audit_events returns them. */
export async function listAlertEvents(context: MemberPageContext, alertId: string): Promise<readonly Act[]> {
  return (await context.call("list_audit_events", { subject_id: alertId, limit: LINES })).data;
}

/** The history that the page shows of an alert. */
interface AlertHistory {
  story: readonly Act[];
  changes: readonly AlertChange[];
}

/** Reads both at once. Permission to read the alert includes its history. */
export async function readAlertHistory(
  context: MemberPageContext,
  path: { pusher_id: string; alert_id: string },
): Promise<AlertHistory> {
  const [story, { data }] = await Promise.all([
    listAlertEvents(context, path.alert_id),
    context.asMember(list_alert_changes, path),
  ]);
  return { story, changes: data };
}

/** The combined changes of these actions, and the number of their edits that are no longer kept. */
function changedBy(past: AlertHistory, acts: readonly Act[]) {
  const kept = acts.map((line) => changeOf(past, line)).filter((change) => change !== undefined);
  const edits = acts.filter(({ operation }) => operation === "update_alert");
  return { kept, edits, lost: edits.filter((line) => changeOf(past, line) === undefined).length };
}

/** The changes of an action. They are stored in the same transaction, before its line in the log. */
function changeOf({ story, changes }: AlertHistory, line: Act): AlertChange | undefined {
  const earlier = story[story.indexOf(line) + 1]?.created_at ?? "";
  return changes.find(({ updated_at }) => updated_at <= line.created_at && updated_at > earlier);
}

const lostWords = (lost: number): HtmlContent =>
  lost > 0 &&
  html`<p class="hint">Details of ${
    lost === 1 ? "the first change are" : `the first ${lost} changes are`
  } no longer stored.</p>`;

/**
 * Every change since it was declined, and the reason for the decline. Null when it was not declined, or not edited
 * since.
 */
export async function renderEditsSinceDecline(past: AlertHistory, effort: DiffBudget, now: Date): Promise<HtmlContent> {
  const declined = past.story.find(({ operation }) => operation === "decline_alert");
  if (!declined) return null;
  const { kept, edits, lost } = changedBy(past, past.story.slice(0, past.story.indexOf(declined)));
  if (edits.length === 0) return null;
  const asked = kept.findLast(({ replied_to }) => replied_to !== null)?.replied_to;
  const fields = combineChanges(kept);
  const count = edits.length === 1 ? "1 edit" : `${edits.length} edits`;
  return html`<section class="report changed" aria-labelledby="changed"><h2
    id="changed">${count} since it was declined</h2>
    <p>${actorLabel(declined.actor)} declined it ${relativeTime(declined.created_at, now)}${
      asked && html`: <q>${asked}</q>`
    }</p>
    ${
      fields.length > 0
        ? await renderFieldDifferences(fields, effort)
        : html`<p>The text is
      unchanged.</p>`
    }${lostWords(lost)}</section>`;
}

/** The changes since the version that the reviewer decided about: each actor and what changed. */
export async function renderChangesSinceSeen(
  past: AlertHistory,
  seen: string,
  effort: DiffBudget,
  now: Date,
): Promise<Html> {
  // The act that made the version that was seen is written down a moment after it.
  const acts = past.story.filter(({ created_at }) => created_at >= seen).slice(0, -1);
  const { kept, lost } = changedBy(past, acts);
  const fields = combineChanges(kept);
  return html`<section class="report warn changed" role="alert" aria-labelledby="changed-since"><h2
    id="changed-since">The alert changed after you opened this page</h2> <p>Nothing was done. Check the changes and
      decide again.</p>
    ${acts.length > 0 && html`<ul>${acts.slice(0, SHOWN).map((line) => html`<li>${actWords(line, now)}</li>`)}</ul>`}
    ${fields.length > 0 && (await renderFieldDifferences(fields, effort))}${lostWords(lost)}</section>`;
}

const actWords = (act: Act, now: Date): Html =>
  html`<strong>${actorLabel(act.actor)}</strong> ${formatPhraseAboutAlert(act)} ${
    BY[act.transport] ?? ""
  }, ${relativeTime(act.created_at, now)}`;

const authoring = ({ story }: AlertHistory): Act | undefined =>
  story.find(({ operation }) => operation === "create_alert" || operation === "duplicate_alert");

/** The author and the time of creation. */
export function renderCreatedByLine(past: AlertHistory, now: Date): HtmlContent {
  const wrote = authoring(past);
  if (!wrote) return null;
  const { actor, transport, created_at } = wrote;
  return html` Created ${relativeTime(created_at, now)} by <strong>${actorLabel(actor)}</strong> ${BY[transport]}.`;
}

/** All actions on a changed alert, newest first, each edit with its changes. */
export async function historyCard(past: AlertHistory, effort: DiffBudget, now: Date): Promise<HtmlContent> {
  const { story } = past;
  if (story.every((line) => line === authoring(past))) return null;
  const lines: Html[] = [];
  for (const line of story) {
    const change = changeOf(past, line);
    const fields = change ? combineChanges([change]) : [];
    const changed = fields.length > 0 && (await renderFieldDifferences(fields, effort));
    lines.push(html`<li>${actWords(line, now)}${changed}</li>`);
  }
  const older = lines.slice(SHOWN);
  return html`<section class="card" aria-labelledby="story"><h2 id="story">History</h2>
    <ol class="story">${lines.slice(0, SHOWN)}</ol>
    ${
      older.length > 0 &&
      html`<details class="more"><summary>${older.length} earlier</summary><ol
      class="story">${older}</ol></details>`
    }</section>`;
}
