// The form of an alert, in four panels, with the preview beside it and what is decided at the foot of the page. A control for
// every field that update_alert takes; what each may hold, the operations say.

import { randomUUID } from "node:crypto";
import type { AssetKind } from "../../../model/entities/asset.ts";
import type { ApiError } from "../../../model/errors.ts";
import { ALERT } from "../../../model/fields/alert.ts";
import { said } from "../../../model/limits.ts";
import { need } from "../../../model/need.ts";
import { distanceWords } from "../../../ui/alert_card.ts";
import { circleOf, positionWords } from "../../../ui/circle.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { channelBase, channelFace } from "../channel_head.ts";
import { circleFields, circleShown, folded, panel, plainControls, type Typed, written } from "../controls.ts";
import { problem, quoted, wrongWith } from "../parts.ts";
import { devices, removalReport } from "../phone.ts";
import { nextOnes, REPEAT_FIELDS, repeatFields } from "../recurrence_form.ts";
import type { Channel, MemberVisit } from "../visit.ts";
import { alertControl, askedField, segments, sureBox, upload } from "./compose_controls.ts";
import {
  ACTION_ROWS,
  actionsOf,
  argumentsOf,
  baseOf,
  formOf,
  LABELS,
  REPLY_FIELDS,
  UPLOADS,
} from "./compose_fields.ts";
import { type Previewed, pagePreview, preview } from "./compose_preview.ts";
import { FILE_HINTS, uploadsAt } from "./files.ts";

export interface Shown extends Previewed {
  error?: ApiError;
  /** What stands above the form instead of the refusal alone. */
  above?: Content;
}

function uploadOf(typed: Typed, kind: AssetKind, { files }: Shown): Html {
  const fitting = files.filter((file) => file.kind === kind);
  const [to] = UPLOADS.filter((one) => one.kind === kind);
  return upload(typed, need(to, "each kind of file has its field"), {
    files: fitting,
    hint: FILE_HINTS[kind],
  });
}

function message(typed: Typed, shown: Shown): Html {
  return panel(
    "Message",
    html`${alertControl(typed, "title")}
    ${alertControl(typed, "body")}
    ${segments(typed, "layout", LABELS.layout, [
      { value: "text", label: "Text" },
      { value: "image", label: "Picture" },
      { value: "html", label: "Page" },
      { value: "document", label: "Document" },
    ])}
    <div class="when-picture">${alertControl(typed, "image_url")}
      ${uploadOf(typed, "image", shown)}</div>
    <div class="when-page">${alertControl(typed, "html", {
      code: true,
      most: undefined,
      hint: `HTML, up to ${said("alert_html")} characters as a page, ${said("alert_document")} as a document. A page is cleaned; a document is kept whole, and phones show it in a frame where scripts are inert.`,
    })}
      ${uploadOf(typed, "html", shown)}</div>`,
  );
}

function loudness(typed: Typed, shown: Shown): Html {
  return panel(
    "How loud",
    html`${segments(typed, "priority", LABELS.priority, [
      { value: "normal", label: "Normal" },
      { value: "important", label: "Important" },
      { value: "urgent", label: "Urgent", mark: "urgent" },
    ])}
    <p class="hint">A ceiling, never a promise: each phone decides what it lets through. Urgent may take over the screen where its owner allowed that.</p>
    <div class="columns">${alertControl(typed, "sound")}
      ${alertControl(typed, "vibrate")}</div>
    ${alertControl(typed, "requires_ack")}
    ${alertControl(typed, "repeat_until_acked")}
    ${folded(
      typed,
      "A recording, and words to read aloud",
      ["audio_url", "audio_asset_id", "audio_file", "tts_text", "tts_lang"],
      html`
      ${alertControl(typed, "audio_url")}
      ${uploadOf(typed, "audio", shown)}
      ${alertControl(typed, "tts_text")}
      ${alertControl(typed, "tts_lang")}`,
    )}`,
  );
}

function whenAndWhere(typed: Typed, { channel, alert }: Shown, next: Content): Html {
  const repeats = alert?.status !== "scheduled";
  // It is seen where it is wrong, too, though it shall have no time.
  const isWrong = typed.error?.fields.some(({ param }) => REPEAT_FIELDS.includes(param));
  return panel(
    "When and where",
    html`${segments(typed, "when", "Phones show it", [
      { value: "now", label: "When it is sent" },
      { value: "later", label: "At a time" },
    ])}
    <div class="when-later">${alertControl(typed, "send_at")}</div>
    ${repeats && html`<div class="${!isWrong && "when-later"}">${repeatFields(typed)}${next}</div>`}
    ${alertControl(typed, "expires_at")}
    ${folded(
      typed,
      "Only near a place",
      ["lat", "lon", "radius_km", "geo_rule"],
      html`
      <p class="hint">A circle of its own: fill in all three, or none. Outside of it, phones that granted the channel their place do not ring. They compare it themselves; no place leaves a phone.</p>
      ${circleFields(typed.form, noCircle(channel), typed.error)}
      ${alertControl(typed, "geo_rule")}`,
    )}`,
  );
}

/** Only an alert's own circle silences (docs/rules.md#circle-on-device), which is not what people expect of a channel's. */
function noCircle(channel: Channel): Content {
  const circle = circleOf(channel);
  if (!circle) return "No circle: it is for every place.";
  return html`No circle: it is for every place. The channel’s own, ${distanceWords(circle.radius_km)} around ${positionWords(circle)}, says what the channel is about and keeps no phone from ringing.`;
}

/** The circle to scale, as the form has it. */
export const alertCircle = (form: URLSearchParams, channel: Channel): Html => circleShown(form, noCircle(channel));

function others(typed: Typed): Html {
  const rows = actionsOf(typed.form);
  const form = new URLSearchParams(typed.form);
  for (const i of ACTION_ROWS) {
    form.set(`actions.${i}.label`, rows[i]?.label ?? "");
    form.set(`actions.${i}.url`, rows[i]?.url ?? "");
  }
  const inRows = { ...typed, form };
  const { line: wrong } = wrongWith(typed.error, "actions");
  return panel(
    "Buttons, links and notes",
    html`${wrong}${ACTION_ROWS.map(
      (i) =>
        html`<div class="columns"${i === 0 && html` id="actions"`}>${written(inRows, { name: `actions.${i}.label`, label: `Button ${i + 1} says` })}${written(inRows, { name: `actions.${i}.url`, label: `Button ${i + 1} opens`, kind: "url" })}</div>`,
    )}
    <fieldset class="plain" id="reply"><legend>A question</legend>
      <p class="hint">Phones show a button for each answer, and their people can change it until the alert is over. You are told how many chose what, never who.</p>
      ${written(typed, { name: "reply.label", label: "Asks" })}
      <div class="columns">${REPLY_FIELDS.slice(1).map((name, i) => written(typed, { name, label: `Answer ${i + 1}` }))}</div></fieldset>
    ${plainControls(ALERT, typed)}`,
  );
}

/** What is decided, at the foot of the screen. The first of its buttons is what the return key presses. */
function deciding(typed: Typed, { channel, alert }: Shown): Html {
  const reach = channel.subscribers.toLocaleString("en");
  const could = devices(channel.subscribers);
  const keep = alert && alert.status !== "draft" ? "Save changes" : "Save as draft";
  return html`<div class="deciding"><div class="in">
    ${sureBox(typed)}
    <p class="said">It could reach ${could}. A sent alert cannot be unsent.</p>
    <div class="acts"><button class="plain" name="act" value="save">${keep}</button>
      <button class="when-now" name="act" value="send">Send to <span data-reach>${reach}</span></button>
      <button class="when-later" name="act" value="schedule">Schedule for <span data-reach>${reach}</span></button></div>
  </div></div>`;
}

/** When what was typed is next. */
export function nextTyped({ form, now }: Pick<MemberVisit, "form" | "now">): Html {
  const { recurrence = null, send_at = null } = argumentsOf(form);
  return nextOnes(recurrence as string | null, send_at as string | null, now);
}

/** The whole page: above the form what went wrong, then the form with its preview. */
export async function composePage(visit: MemberVisit, shown: Shown): Promise<Html> {
  const { channel, alert, form, error, above } = shown;
  const typed = { form, error };
  const next = nextTyped({ form, now: visit.now });
  const base = channelBase(visit, channel.id);
  const once = form.get("once") ?? randomUUID();
  const action = alert
    ? `${base}/alerts/${alert.id}/edit`
    : `${base}/alerts/new?${new URLSearchParams({ once }).toString()}`;
  // Preview buttons come after the fields and the return key presses "Save as draft"; uploads have buttons of their own.
  return html`<p class="crumb"><a href="${base}">${channel.name}</a></p>
    <div class="dest">${channelFace(visit, channel, "dest-face", "m")}<h1>${alert ? "Edit the alert" : "New alert"}</h1></div>
    ${above ?? problem(error)}
    ${alert?.review_reply && html`<section class="report warn"><h2>It was declined</h2><p class="hint">In the words of who declined it:</p>${quoted(alert.review_reply)}</section>`}
    ${alert && removalReport(alert.blocked, 0)}
    <form class="compose" method="post" action="${action}" enctype="multipart/form-data" novalidate data-compose="${base}/alerts" data-uploads="${uploadsAt(visit)}">${visit.token}
      ${alert ? html`<input type="hidden" name="version" value="${alert.updated_at}"><input type="hidden" name="base" value="${baseOf(formOf(alert))}">` : html`<input type="hidden" name="once" value="${once}">`}${askedField(shown)}
      <div class="pane">${message(typed, shown)}${loudness(typed, shown)}${whenAndWhere(typed, shown, next)}${others(typed)}</div>
      <aside class="stick" aria-label="Preview"><details class="peek" open><summary>Preview<span class="muted"> as a phone shows it</span></summary>
        ${await preview(visit, shown)}
        ${pagePreview(visit, shown)}
        <button class="plain" name="act" value="preview" data-refresh>Refresh the preview</button>
        ${(alert?.status ?? "draft") === "draft" && html`<button class="plain" name="act" value="test">Save and test on my devices</button>`}</details></aside>
      ${deciding(typed, shown)}
    </form>`;
}
