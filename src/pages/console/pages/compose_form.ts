// The form of an alert, in panels in the order of its card. It has a preview, and actions at the foot of the page. It
// has a control for every field that update_alert takes. The operations validate the values.

import { randomUUID } from "node:crypto";
import { list_own_devices } from "../../../identity/session/test_devices.ts";
import type { ApiError } from "../../../model/api_error.ts";
import { assertDefined } from "../../../model/assert.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { formatLimit } from "../../../model/limits.ts";
import type { AssetKind } from "../../../model/tables/asset.ts";
import { formatDistanceKm } from "../../../ui/alert_card.ts";
import { formatDeviceCount } from "../../../ui/alert_preview.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { formatCoordinates, toGeoCircleOrNull } from "../../../ui/scaled_circle_drawing.ts";
import { getChannelPath, renderChannelAvatar } from "../channel_header.ts";
import { renderBlockquote, renderErrorSummary, renderFieldErrorAndAttributes } from "../components.ts";
import {
  addableRows,
  circleFields,
  circlePreview,
  countUsedRows,
  type FormState,
  panel,
  plainFieldControls,
  renderFormTextField,
} from "../form_controls.ts";
import type { ChannelResult, MemberPageContext } from "../page_definitions.ts";
import { renderRemovedContentReport } from "../phone_preview.ts";
import { RECURRENCE_FIELDS, renderNextOccurrences, renderRecurrenceFields } from "../recurrence_form.ts";
import {
  alertControl,
  renderFileChoiceAndUpload,
  segmentedField,
  urgentConfirmation,
} from "./compose_form_controls.ts";
import {
  ACTION_ROW_INDEXES,
  ALERT_FIELD_LABELS,
  createAlertFieldDigests,
  parseAlertForm,
  parseLinkButtons,
  REPLY_CONTROL_NAMES,
  toAlertFormValues,
  UPLOAD_FIELDS,
} from "./compose_form_values.ts";
import { optionRow } from "./compose_options.ts";
import { type AlertPreviewData, alertPagePreview, renderAlertPreviewPanel } from "./compose_preview.ts";
import { renderHiddenConfirmationFields } from "./duplicate_and_many_devices_questions.ts";
import { getUploadEndpointPath, UPLOAD_KIND_HINTS } from "./files.ts";

export interface ComposePageData extends AlertPreviewData {
  error?: ApiError;
  /** The content above the form in place of the refusal alone. */
  above?: HtmlContent;
}

function uploadOf(typed: FormState, kind: AssetKind, { files }: ComposePageData): Html {
  const fitting = files.filter((file) => file.kind === kind);
  const [to] = UPLOAD_FIELDS.filter((one) => one.kind === kind);
  return renderFileChoiceAndUpload(typed, assertDefined(to, "each kind of file has its field"), {
    files: fitting,
    hint: UPLOAD_KIND_HINTS[kind],
  });
}

function message(typed: FormState, shown: ComposePageData): Html {
  return panel(
    "Message",
    html`${alertControl(typed, "title", { example: "Main entrance closed until 14:00" })}
    ${alertControl(typed, "body", { example: "Please use the side entrance." })}
    ${segmentedField(typed, "layout", ALERT_FIELD_LABELS.layout, [
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
      hint:
        `HTML, up to ${formatLimit("alert_html")} characters as a page, ${formatLimit("alert_document")} as a ` +
        "document. A page is sanitised; a document is kept unchanged and shown in a frame where scripts do not run. " +
        "Other card types are saved without HTML.",
    })}
      ${uploadOf(typed, "html", shown)}</div>`,
  );
}

function urgencyAndTime(typed: FormState, { alert }: ComposePageData, next: HtmlContent): Html {
  const repeats = alert?.status !== "scheduled";
  // It is also shown where it is wrong, although the alert will not have a time.
  const isWrong = typed.error?.fields.some(({ param }) => RECURRENCE_FIELDS.includes(param));
  return panel(
    "Urgency and time",
    html`${segmentedField(typed, "priority", ALERT_FIELD_LABELS.priority, [
      { value: "normal", label: "Normal" },
      { value: "important", label: "Important" },
      { value: "urgent", label: "Urgent", mark: "urgent" },
    ])}
    <div class="when-urgent">${alertControl(typed, "repeat_until_acked")}</div>
    ${segmentedField(typed, "when", "Send", [
      { value: "now", label: "Now" },
      { value: "later", label: "Later" },
    ])}
    <div class="when-later">${alertControl(typed, "send_at")}</div>
    ${repeats && html`<div class="${!isWrong && "when-later"}">${renderRecurrenceFields(typed)}${next}</div>`}
    ${alertControl(typed, "expires_at")}`,
  );
}

/** Rarely used fields, which are folded. */
function moreOptions(typed: FormState, shown: ComposePageData): Html {
  const recording = html`${alertControl(typed, "audio_url")}${uploadOf(typed, "audio", shown)}`;
  const speech = html`${alertControl(typed, "tts_text")}${alertControl(typed, "tts_lang")}`;
  return panel(
    "More options",
    html`${optionRow(
      typed,
      "Sound and vibration",
      html`
      <p class="hint">The alert can use these effects; each device decides which ones to allow. Urgent alerts can use
        the full screen if the subscriber allowed it.</p>
      <div class="columns">${alertControl(typed, "sound")}
        ${alertControl(typed, "vibrate")}</div>`,
    )}
    ${optionRow(typed, "Recording", recording)}
    ${optionRow(typed, "Speech", speech)}
    ${optionRow(
      typed,
      "Limit to an area",
      html`
      <p class="hint">The area for this alert. Fill in all three fields or none. Devices outside it stay silent if
        the subscriber allows the channel to use their location. Devices never send their location.</p>
      ${circleFields(typed.form, noCircle(shown.channel), typed.error)}
      ${alertControl(typed, "geo_rule")}`,
    )}
    ${optionRow(typed, "Link, replacement key and note", html`${plainFieldControls(ALERT_FIELDS, typed)}`)}`,
  );
}

/** Only an alert's own circle silences (rules#circle-on-device), which is not what people expect of a channel's. */
function noCircle(channel: ChannelResult): HtmlContent {
  const circle = toGeoCircleOrNull(channel);
  if (!circle) return "No area: the alert applies everywhere.";
  return html`No area: the alert applies everywhere. The channel’s area,
    ${formatDistanceKm(circle.radius_km)} around ${formatCoordinates(circle)}, is for information only and does not
      silence devices.`;
}

/** The circle to scale, as the form has it. */
export const alertCirclePreview = (form: URLSearchParams, channel: ChannelResult): Html =>
  circlePreview(form, noCircle(channel));

function buttons(typed: FormState): Html {
  const rows = parseLinkButtons(typed.form);
  const form = new URLSearchParams(typed.form);
  for (const i of ACTION_ROW_INDEXES) {
    form.set(`actions.${i}.label`, rows[i]?.label ?? "");
    form.set(`actions.${i}.url`, rows[i]?.url ?? "");
  }
  const inRows = { ...typed, form };
  const { line: wrong } = renderFieldErrorAndAttributes(typed.error, "actions");
  const names = ACTION_ROW_INDEXES.map((i) => [`actions.${i}.label`, `actions.${i}.url`]);
  const answers = REPLY_CONTROL_NAMES.slice(1);
  const pairs = answers.flatMap((name, i) => (i % 2 === 0 ? [[name, ...answers.slice(i + 1, i + 2)]] : []));
  return panel(
    "Buttons and question",
    html`${alertControl(typed, "requires_ack")}
    ${optionRow(
      inRows,
      "Link buttons",
      html`${wrong}${addableRows(
        "Add button",
        ACTION_ROW_INDEXES.map(
          (i) =>
            html`<div class="columns"${i === 0 && html` id="actions"`}>${renderFormTextField(inRows, {
              name: `actions.${i}.label`,
              label: `Button ${i + 1} label`,
            })}${renderFormTextField(inRows, {
              name: `actions.${i}.url`,
              label: `Button ${i + 1} link`,
              kind: "url",
            })}</div>`,
        ),
        countUsedRows(inRows, names),
      )}`,
    )}
    ${optionRow(
      typed,
      "Question with answers",
      html`<div id="reply"><p class="hint">Devices show a button for each answer.
      Users can change their answer until the alert expires. You see counts, not who answered.</p>
      ${renderFormTextField(typed, { name: "reply.label", label: "Question" })}
      ${addableRows(
        "Add answers",
        pairs.map(
          (pair) =>
            html`<div class="columns">${pair.map((name) =>
              renderFormTextField(typed, { name, label: `Answer ${answers.indexOf(name) + 1}` }),
            )}</div>`,
        ),
        countUsedRows(typed, pairs),
      )}</div>`,
    )}`,
  );
}

/** The test on the user's own devices; without a device, the link to add one. */
function testOnDevices({ alert }: ComposePageData, devices: number): HtmlContent {
  if ((alert?.status ?? "draft") !== "draft") return null;
  if (devices === 0)
    return html`<p class="hint"><a href="/console/account/devices">Add a test device</a>
      to test alerts before you send them.</p>`;
  const target = devices === 1 ? "device" : "devices";
  return html`<button class="plain" name="act" value="test">Save and test on your ${target}</button>`;
}

/** The actions at the foot of the screen. The return key presses the first of its buttons. */
function deciding(typed: FormState, { channel, alert }: ComposePageData): Html {
  const reach = formatDeviceCount(channel.subscribers);
  const keep = alert && alert.status !== "draft" ? "Save changes" : "Save as draft";
  return html`<div class="deciding"><div class="in">
    ${urgentConfirmation(typed)}
    <p class="said">This can reach up to ${reach}. A sent alert cannot be recalled.</p>
    <div class="acts"><button class="plain" name="act" value="save">${keep}</button>
      <button class="when-now" name="act" value="send">Send to <span data-reach>${reach}</span></button>
      <button class="when-later" name="act" value="schedule">Schedule for <span
        data-reach>${reach}</span></button></div>
  </div></div>`;
}

/** When what was typed is next. */
export function renderFormNextOccurrences({ form, now }: Pick<MemberPageContext, "form" | "now">): Html {
  const { recurrence = null, send_at = null } = parseAlertForm(form);
  return renderNextOccurrences(recurrence as string | null, send_at as string | null, now);
}

/** The whole page: the errors above the form, then the form with its preview. */
export async function renderComposePage(context: MemberPageContext, shown: ComposePageData): Promise<Html> {
  const { channel, alert, form, error, above } = shown;
  const typed = { form, error };
  const [preview, { data: devices }] = await Promise.all([
    renderAlertPreviewPanel(context, shown),
    context.asPerson(list_own_devices, {}),
  ]);
  const next = renderFormNextOccurrences({ form, now: context.now });
  const base = getChannelPath(context, channel.id);
  const once = form.get("once") ?? randomUUID();
  const action = alert
    ? `${base}/alerts/${alert.id}/edit`
    : `${base}/alerts/new?${new URLSearchParams({ once }).toString()}`;
  // Preview buttons come after the fields and the return key presses "Save as draft"; uploads have buttons of their
  // own.
  return html`<p class="crumb"><a href="${base}">${channel.name}</a></p>
    <div class="dest">${renderChannelAvatar(context, channel, "dest-face", "m")}<h1>${
      alert ? "Edit alert" : "New alert"
    }</h1></div>
    ${above ?? renderErrorSummary(error)}
    ${
      alert?.review_reply &&
      html`<section class="report warn"><h2>Declined</h2><p
      class="hint">Reviewer’s comment:</p>${renderBlockquote(alert.review_reply)}</section>`
    }
    ${alert && renderRemovedContentReport(alert.blocked, 0)}
    <form class="compose" id="compose" method="post" action="${action}" enctype="multipart/form-data" novalidate
      data-compose="${base}/alerts" data-kept="${context.caller.member.id}"
        data-uploads="${getUploadEndpointPath(context)}">${context.token}
      ${
        alert
          ? html`<input type="hidden" name="version" value="${alert.updated_at}"><input type="hidden"
        name="base" value="${createAlertFieldDigests(toAlertFormValues(alert))}">`
          : html`<input type="hidden" name="once" value="${once}">`
      }${renderHiddenConfirmationFields(shown)}
      <div class="pane">${message(typed, shown)}${buttons(typed)}${urgencyAndTime(
        typed,
        shown,
        next,
      )}${moreOptions(typed, shown)}</div>
      <aside class="stick" aria-label="Preview"><details class="peek" open><summary>Preview<span
        class="muted"> on a device</span></summary>
        ${preview}
        ${alertPagePreview(context, shown)}
        <button class="plain" name="act" value="preview" data-refresh>Refresh preview</button>
        ${testOnDevices(shown, devices.length)}</details></aside>
      ${deciding(typed, shown)}
    </form>`;
}
