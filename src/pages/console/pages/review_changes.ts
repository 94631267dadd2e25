// What edits changed of an alert, for whoever decides about it: each edit by itself, and several together as one. Texts are compared
// word by word; what was taken out is struck through, what was put in is underlined, and a screen reader is told which is which.

import { ALERT } from "../../../model/fields/alert.ts";
import { type Fields, marked } from "../../../model/fields/record.ts";
import { valueWords } from "../../../ui/field_facts.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { compareTexts, type Effort, type Piece, startOf } from "../text_changes.ts";
import { LABELS } from "./compose_fields.ts";

interface Field {
  name: string;
  before: unknown;
  after: unknown;
}

/** As list_alert_changes answers it. */
export interface Change {
  updated_at: string;
  fields: readonly Field[];
  replied_to: string | null;
}

const FIELDS: Fields = ALERT;
const MARKUP = new Set(["html", "asset_html"]);
/** What is compared word by word. */
const TEXTS = new Set([...MARKUP, ...Object.keys(marked(ALERT, "cleaned")), "actions"]);
const CARDS: Record<string, string> = {
  text: "Text",
  image: "Picture",
  html: "Page",
  document: "Document",
};

/** Of what stayed, so much is shown beside a change. */
const BESIDE = 90;
/** Of one piece that changed, and of a text that is shown whole because it could not be compared. */
const LONGEST = 1200;
const MOST = 40;

const labelOf = (name: string) => LABELS[name] ?? name;

/** "Title, Text": which fields. */
export const namesOf = (fields: readonly Field[]): string =>
  fields
    .map(({ name }, i) => (i === 0 ? labelOf(name) : labelOf(name).replace(/^./, (c) => c.toLowerCase())))
    .join(", ");

/** Several edits as one: each field as the first of them found it and the last one left it. `changes` newest first. */
export function together(changes: readonly Change[]): Field[] {
  const made = new Map<string, Field>();
  for (const { fields } of changes)
    for (const field of fields) {
      const later = made.get(field.name);
      made.set(field.name, later ? { ...later, before: field.before } : field);
    }
  return Object.keys(ALERT)
    .flatMap((name) => made.get(name) ?? [])
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

/** A value as text that can be compared or read. */
const textOf = (name: string, value: unknown): string =>
  (name === "layout" && CARDS[String(value)]) || valueWords(FIELDS[name] ?? { look: "words" }, value);

/** So much of a text as there is room for on the page. */
function cut(text: string, effort: Effort): Content {
  const shown = startOf(text, Math.min(LONGEST, effort.room));
  effort.room -= shown.length;
  const more = text.length - shown.length;
  // A line break that came or went is nothing to look at by itself.
  const words = shown.replace(/\n/g, "↵\n");
  return more === 0
    ? words
    : html`${words}<span class="muted"> … and ${more.toLocaleString("en")} more characters</span>`;
}

const gone = (text: string, effort: Effort): Html =>
  html`<del><span class="unseen"> taken out: </span>${cut(text, effort)}<span class="unseen">; </span></del>`;
const come = (text: string, effort: Effort): Html =>
  html`<ins><span class="unseen"> put in: </span>${cut(text, effort)}<span class="unseen">; </span></ins>`;

function stayed(text: string, isFirst: boolean, isLast: boolean, effort: Effort): string {
  const head = isFirst ? "" : startOf(text, BESIDE);
  const tail = isLast ? "" : text.slice(startOf(text, text.length - BESIDE).length);
  const shown = text.length <= head.length + tail.length + 1 ? text : `${head}…${tail}`;
  effort.room -= Math.min(effort.room, shown.length);
  return shown;
}

function inWords(pieces: readonly Piece[], effort: Effort): Content {
  const last = pieces.length - 1;
  const shown = pieces.slice(0, MOST).map(({ kind, text }, i) => {
    if (kind === "gone") return gone(text, effort);
    if (kind === "new") return come(text, effort);
    return stayed(text, i === 0, i === last, effort);
  });
  return last < MOST ? shown : [shown, html`<span class="muted"> … and more that changed below</span>`];
}

async function changeOf({ name, before, after }: Field, effort: Effort): Promise<Content> {
  if (FIELDS[name]?.look === "file")
    return before === null
      ? "A file was added."
      : after === null
        ? "The file was taken off."
        : "Another file.";
  if (effort.room === 0)
    return html`<span class="muted">Changed as well; this page has no more room to show it.</span>`;
  const [was, is] = [textOf(name, before), textOf(name, after)];
  if (!TEXTS.has(name) || was === "" || is === "")
    return html`${was === "" ? html`<span class="muted">Was empty. </span>` : gone(was, effort)} ${is === "" ? html`<span class="muted"> Now empty.</span>` : come(is, effort)}`;
  const pieces = await compareTexts(was, is, effort);
  return pieces
    ? inWords(pieces, effort)
    : html`<span class="muted">Too much to compare. Before:</span> ${gone(was, effort)} <span class="muted">Now:</span> ${come(is, effort)}`;
}

/** Field by field, what was taken out and put in. */
export async function differences(fields: readonly Field[], effort: Effort): Promise<Html> {
  const shown: Html[] = [];
  for (const field of fields)
    shown.push(
      html`<dt>${labelOf(field.name)}</dt><dd class="written${MARKUP.has(field.name) && " code"}">${await changeOf(field, effort)}</dd>`,
    );
  return html`<dl class="diff">${shown}</dl>`;
}
