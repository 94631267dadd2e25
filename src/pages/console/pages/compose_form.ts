// The form of an alert, in four panels, with a preview, and with actions at the foot of the page. It has a control for
// every field that update_alert takes. The operations validate the values.

import { randomUUID } from "node:crypto";
import { list_own_devices } from "../../../identity/session/linked_devices.ts";
import type { ApiError } from "../../../model/api_error.ts";
import { assertDefined } from "../../../model/assert.ts";
import type { AssetKind } from "../../../model/entities/asset.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { getFieldNames, selectPlainOn } from "../../../model/fields/field_table.ts";
import { formatLimit } from "../../../model/limits.ts";
import { formatDistance } from "../../../ui/alert_card.ts";
import { formatDeviceCount } from "../../../ui/alert_preview.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { formatPosition, toMapCircle } from "../../../ui/map_circle_drawing.ts";
import { channelAvatar, getChannelPath } from "../channel_header.ts";
import { errorParts, errorSummary, quotedText } from "../components.ts";
import {
  circleFields,
  circlePreview,
  collapsibleFields,
  type FormState,
  formTextField,
  panel,
  plainFieldControls,
} from "../form_controls.ts";
import type { ChannelResult, MemberContext } from "../page_context.ts";
import { removalReport } from "../phone_preview.ts";
import { nextOccurrences, RECURRENCE_FIELDS, recurrenceFields } from "../recurrence_form.ts";
import { alertControl, fileUploadField, segmentedField, urgentConfirmation } from "./compose_controls.ts";
import {
  ACTION_ROWS,
  ALERT_LABELS,
  createAlertForm,
  createFieldMarks,
  parseAlertForm,
  parseLinkButtons,
  REPLY_FIELDS,
  UPLOAD_FIELDS,
} from "./compose_fields.ts";
import { alertPagePreview, alertPreview, type PreviewData } from "./compose_preview.ts";
import { FILE_HINTS, getUploadPath } from "./files.ts";
import { confirmationFields } from "./send_confirmation.ts";

export interface ComposePageData extends PreviewData {
  error?: ApiError;
  /** The content above the form in place of the refusal alone. */
  above?: Content;
}

function uploadOf(typed: FormState, kind: AssetKind, { files }: ComposePageData): Html {
  const fitting = files.filter((file) => file.kind === kind);
  const [to] = UPLOAD_FIELDS.filter((one) => one.kind === kind);
  return fileUploadField(typed, assertDefined(to, "each kind of file has its field"), {
    files: fitting,
    hint: FILE_HINTS[kind],
  });
}

function message(typed: FormState, shown: ComposePageData): Html {
  return panel(
    "Message",
    html`${alertControl(typed, "title")}
    ${alertControl(typed, "body")}
    ${segmentedField(typed, "layout", ALERT_LABELS.layout, [
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
      hint: `HTML, up to ${formatLimit("alert_html")} characters as a page, ${formatLimit("alert_document")} as a
        document. A page is sanitised; a document is kept unchanged and shown in a frame where scripts do not run. Other
          cards are saved without it.`,
    })}
      ${uploadOf(typed, "html", shown)}</div>`,
  );
}

function loudness(typed: FormState, shown: ComposePageData): Html {
  return panel(
    "Priority",
    html`${segmentedField(typed, "priority", ALERT_LABELS.priority, [
      { value: "normal", label: "Normal" },
      { value: "important", label: "Important" },
      { value: "urgent", label: "Urgent", mark: "urgent" },
    ])}
    <p class="hint">The alert uses at most these effects; each device decides which ones it allows. Urgent alerts can use the full screen
      if the subscriber allowed it.</p>
    <div class="columns">${alertControl(typed, "sound")}
      ${alertControl(typed, "vibrate")}</div>
    ${alertControl(typed, "requires_ack")}
    ${alertControl(typed, "repeat_until_acked")}
    ${collapsibleFields(
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

function whenAndWhere(typed: FormState, { channel, alert }: ComposePageData, next: Content): Html {
  const repeats = alert?.status !== "scheduled";
  // It is also shown where it is wrong, although the alert will not have a time.
  const isWrong = typed.error?.fields.some(({ param }) => RECURRENCE_FIELDS.includes(param));
  return panel(
    "Time and place",
    html`${segmentedField(typed, "when", "Send", [
      { value: "now", label: "Now" },
      { value: "later", label: "Later" },
    ])}
    <div class="when-later">${alertControl(typed, "send_at")}</div>
    ${repeats && html`<div class="${!isWrong && "when-later"}">${recurrenceFields(typed)}${next}</div>`}
    ${alertControl(typed, "expires_at")}
    ${collapsibleFields(
      typed,
      "Limit to an area",
      ["lat", "lon", "radius_km", "geo_rule"],
      html`
      <p class="hint">An area for this alert: fill in all three fields or none. Devices outside it that share their
        location with the channel stay silent. Devices never send their location.</p>
      ${circleFields(typed.form, noCircle(channel), typed.error)}
      ${alertControl(typed, "geo_rule")}`,
    )}`,
  );
}

/** Only an alert's own circle silences (rules#circle-on-device), which is not what people expect of a channel's. */
function noCircle(channel: ChannelResult): Content {
  const circle = toMapCircle(channel);
  if (!circle) return "No area: the alert applies everywhere.";
  return html`No area: the alert applies everywhere. The channel’s area,
    ${formatDistance(circle.radius_km)} around ${formatPosition(circle)}, is for information only and does not silence devices.`;
}

/** The circle to scale, as the form has it. */
export const alertCirclePreview = (form: URLSearchParams, channel: ChannelResult): Html =>
  circlePreview(form, noCircle(channel));

function others(typed: FormState): Html {
  const rows = parseLinkButtons(typed.form);
  const form = new URLSearchParams(typed.form);
  for (const i of ACTION_ROWS) {
    form.set(`actions.${i}.label`, rows[i]?.label ?? "");
    form.set(`actions.${i}.url`, rows[i]?.url ?? "");
  }
  const inRows = { ...typed, form };
  const { line: wrong } = errorParts(typed.error, "actions");
  const plain = getFieldNames(selectPlainOn(ALERT_FIELDS, "form"));
  const buttons = ACTION_ROWS.flatMap((i) => [`actions.${i}.label`, `actions.${i}.url`]);
  return panel(
    "Buttons, question and notes",
    html`${collapsibleFields(
      inRows,
      "Buttons",
      ["actions", ...buttons],
      html`${wrong}${ACTION_ROWS.map(
        (i) =>
          html`<div class="columns"${i === 0 && html` id="actions"`}>${formTextField(inRows, {
            name: `actions.${i}.label`,
            label: `Button ${i + 1} label`,
          })}${formTextField(inRows, { name: `actions.${i}.url`, label: `Button ${i + 1} link`, kind: "url" })}</div>`,
      )}`,
    )}
    ${collapsibleFields(
      typed,
      "Question with answers",
      REPLY_FIELDS,
      html`<div id="reply"><p class="hint">Devices show a button for each answer.
      Users can change their answer until the alert expires. You see counts, not who answered.</p>
      ${formTextField(typed, { name: "reply.label", label: "Question" })}
      <div class="columns">${REPLY_FIELDS.slice(1).map((name, i) =>
        formTextField(typed, { name, label: `Answer ` + `${i + 1}` }),
      )}</div></div>`,
    )}
    ${collapsibleFields(
      typed,
      "Link, replacement key and note to the reviewer",
      plain,
      html`${plainFieldControls(ALERT_FIELDS, typed)}`,
    )}`,
  );
}

/** The test on the user's own devices; without a device, the link to add one. */
function testOnDevices({ alert }: ComposePageData, devices: number): Content {
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
    <p class="said">Reaches ${reach}. A sent alert cannot be recalled.</p>
    <div class="acts"><button class="plain" name="act" value="save">${keep}</button>
      <button class="when-now" name="act" value="send">Send to <span data-reach>${reach}</span></button>
      <button class="when-later" name="act" value="schedule">Schedule for <span
        data-reach>${reach}</span></button></div>
  </div></div>`;
}

/** When what was typed is next. */
export function nextOccurrencesPreview({ form, now }: Pick<MemberContext, "form" | "now">): Html {
  const { recurrence = null, send_at = null } = parseAlertForm(form);
  return nextOccurrences(recurrence as string | null, send_at as string | null, now);
}

/** The whole page: the errors above the form, then the form with its preview. */
export async function composePage(context: MemberContext, shown: ComposePageData): Promise<Html> {
  const { channel, alert, form, error, above } = shown;
  const typed = { form, error };
  const [preview, { data: devices }] = await Promise.all([
    alertPreview(context, shown),
    context.asPerson(list_own_devices, {}),
  ]);
  const next = nextOccurrencesPreview({ form, now: context.now });
  const base = getChannelPath(context, channel.id);
  const once = form.get("once") ?? randomUUID();
  const action = alert
    ? `${base}/alerts/${alert.id}/edit`
    : `${base}/alerts/new?${new URLSearchParams({ once }).toString()}`;
  // Preview buttons come after the fields and the return key presses "Save as draft"; uploads have buttons of their
  // own.
  return html`<p class="crumb"><a href="${base}">${channel.name}</a></p>
    <div class="dest">${channelAvatar(context, channel, "dest-face", "m")}<h1>${
      alert ? "Edit alert" : "New alert"
    }</h1></div>
    ${above ?? errorSummary(error)}
    ${
      alert?.review_reply &&
      html`<section class="report warn"><h2>Declined</h2><p
      class="hint">Reviewer’s comment:</p>${quotedText(alert.review_reply)}</section>`
    }
    ${alert && removalReport(alert.blocked, 0)}
    <form class="compose" id="compose" method="post" action="${action}" enctype="multipart/form-data" novalidate
      data-compose="${base}/alerts" data-kept="${context.caller.member.id}"
        data-uploads="${getUploadPath(context)}">${context.token}
      ${
        alert
          ? html`<input type="hidden" name="version" value="${alert.updated_at}"><input type="hidden" name="base"
        value="${createFieldMarks(createAlertForm(alert))}">`
          : html`<input type="hidden" name="once" value="${once}">`
      }${confirmationFields(shown)}
      <div class="pane">${message(typed, shown)}${loudness(typed, shown)}${whenAndWhere(
        typed,
        shown,
        next,
      )}${others(typed)}</div>
      <aside class="stick" aria-label="Preview"><details class="peek" open><summary>Preview<span
        class="muted"> on a device</span></summary>
        ${preview}
        ${alertPagePreview(context, shown)}
        <button class="plain" name="act" value="preview" data-refresh>Refresh preview</button>
        ${testOnDevices(shown, devices.length)}</details></aside>
      ${deciding(typed, shown)}
    </form>`;
}
