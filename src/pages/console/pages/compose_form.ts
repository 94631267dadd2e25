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
      hint: `HTML, up to ${said("alert_html")} characters as a page, ${said("alert_document")} as a document. A page is sanitised; a document is kept unchanged and shown in a frame where scripts do not run.`,
    })}
      ${uploadOf(typed, "html", shown)}</div>`,
  );
}

function loudness(typed: Typed, shown: Shown): Html {
  return panel(
    "Priority",
    html`${segments(typed, "priority", LABELS.priority, [
      { value: "normal", label: "Normal" },
      { value: "important", label: "Important" },
      { value: "urgent", label: "Urgent", mark: "urgent" },
    ])}
    <p class="hint">The most an alert may do; each device decides what it allows. Urgent alerts can use the full screen if the subscriber allowed it.</p>
    <div class="columns">${alertControl(typed, "sound")}
      ${alertControl(typed, "vibrate")}</div>
    ${alertControl(typed, "requires_ack")}
    ${alertControl(typed, "repeat_until_acked")}
    ${folded(
      typed,
      "Recording and text to read aloud",
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
    "Time and place",
    html`${segments(typed, "when", "Send", [
      { value: "now", label: "Now" },
      { value: "later", label: "Later" },
    ])}
    <div class="when-later">${alertControl(typed, "send_at")}</div>
    ${repeats && html`<div class="${!isWrong && "when-later"}">${repeatFields(typed)}${next}</div>`}
    ${alertControl(typed, "expires_at")}
    ${folded(
      typed,
      "Limit to an area",
      ["lat", "lon", "radius_km", "geo_rule"],
      html`
      <p class="hint">An area for this alert: fill in all three fields or none. Devices outside it that share their location with the channel stay silent. Devices never send their location.</p>
      ${circleFields(typed.form, noCircle(channel), typed.error)}
      ${alertControl(typed, "geo_rule")}`,
    )}`,
  );
}

/** Only an alert's own circle silences (rules#circle-on-device), which is not what people expect of a channel's. */
function noCircle(channel: Channel): Content {
  const circle = circleOf(channel);
  if (!circle) return "No area: the alert applies everywhere.";
  return html`No area: the alert applies everywhere. The channel’s area, ${distanceWords(circle.radius_km)} around ${positionWords(circle)}, is informative only and does not silence devices.`;
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
        html`<div class="columns"${i === 0 && html` id="actions"`}>${written(inRows, { name: `actions.${i}.label`, label: `Button ${i + 1} label` })}${written(inRows, { name: `actions.${i}.url`, label: `Button ${i + 1} link`, kind: "url" })}</div>`,
    )}
    <fieldset class="plain" id="reply"><legend>Ask a question</legend>
      <p class="hint">Devices show a button for each answer. Users can change their answer until the alert expires. You see counts, not who answered.</p>
      ${written(typed, { name: "reply.label", label: "Question" })}
      <div class="columns">${REPLY_FIELDS.slice(1).map((name, i) => written(typed, { name, label: `Answer ${i + 1}` }))}</div></fieldset>
    ${plainControls(ALERT, typed)}`,
  );
}

/** What is decided, at the foot of the screen. The first of its buttons is what the return key presses. */
function deciding(typed: Typed, { channel, alert }: Shown): Html {
  const reach = devices(channel.subscribers);
  const keep = alert && alert.status !== "draft" ? "Save changes" : "Save as draft";
  return html`<div class="deciding"><div class="in">
    ${sureBox(typed)}
    <p class="said">Reaches ${reach}. A sent alert cannot be recalled.</p>
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
    <div class="dest">${channelFace(visit, channel, "dest-face", "m")}<h1>${alert ? "Edit alert" : "New alert"}</h1></div>
    ${above ?? problem(error)}
    ${alert?.review_reply && html`<section class="report warn"><h2>Declined</h2><p class="hint">Reviewer’s comment:</p>${quoted(alert.review_reply)}</section>`}
    ${alert && removalReport(alert.blocked, 0)}
    <form class="compose" method="post" action="${action}" enctype="multipart/form-data" novalidate data-compose="${base}/alerts" data-uploads="${uploadsAt(visit)}">${visit.token}
      ${alert ? html`<input type="hidden" name="version" value="${alert.updated_at}"><input type="hidden" name="base" value="${baseOf(formOf(alert))}">` : html`<input type="hidden" name="once" value="${once}">`}${askedField(shown)}
      <div class="pane">${message(typed, shown)}${loudness(typed, shown)}${whenAndWhere(typed, shown, next)}${others(typed)}</div>
      <aside class="stick" aria-label="Preview"><details class="peek" open><summary>Preview<span class="muted"> on a device</span></summary>
        ${await preview(visit, shown)}
        ${pagePreview(visit, shown)}
        <button class="plain" name="act" value="preview" data-refresh>Refresh preview</button>
        ${(alert?.status ?? "draft") === "draft" && html`<button class="plain" name="act" value="test">Save and test</button>`}</details></aside>
      ${deciding(typed, shown)}
    </form>`;
}
