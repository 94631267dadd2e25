// The preview of the form. It shows the typed values on a phone, the parts that the sanitiser would remove, and
// permissions that the channel does not request. The sanitiser runs through preview_html, so the preview shows what
// would be stored.

import { list_files } from "../../../identity/session/uploaded_files.ts";
import { formatFieldErrorForUi } from "../../../model/api_and_ui_error_texts.ts";
import { ApiError } from "../../../model/api_error.ts";
import { getMissingPermissionNotes } from "../../../model/domain/channel_capabilities_and_defaults.ts";
import { PRIORITIES } from "../../../model/fields/alert.ts";
import { parseTimestamp } from "../../../model/fields/value_schemas.ts";
import { formatDeviceCount } from "../../../ui/alert_preview.ts";
import { type Html, html } from "../../../ui/html.ts";
import { getChannelPath } from "../channel_header.ts";
import type { ChannelResult, GetAlertResult, MemberPageContext } from "../page_definitions.ts";
import {
  describeReach,
  externalPicturesLink,
  phonePreview,
  renderAlertPageIframe,
  renderMissingPermissionNotes,
  renderRemovedContentReport,
} from "../phone_preview.ts";
import { hasHtmlLayout, parseActions, parseAlertForm } from "./compose_form_values.ts";

const FILES_SHOWN = 100;

export const listNewestAssets = async (context: MemberPageContext) =>
  (await context.asMember(list_files, { limit: FILES_SHOWN })).data;

type Files = Awaited<ReturnType<typeof listNewestAssets>>;

const instantOf = (value: unknown): Date | null => {
  const at = typeof value === "string" ? parseTimestamp(value) : null;
  return at === null ? null : new Date(at);
};

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

const wordsOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The typed values as a phone draws them. Invalid fields are left out: the form reports them. */
export function parsePreviewedAlert(form: URLSearchParams, files: Files, alert: GetAlertResult | null, now: Date) {
  const args = parseAlertForm(form);
  const [image_url, audio_url, audio_asset_id] = [
    wordsOf(args.image_url),
    wordsOf(args.audio_url),
    wordsOf(args.audio_asset_id),
  ];
  const uploaded = files.find(({ id }) => id === args.image_asset_id)?.url;
  const kept = alert?.image_asset_id === args.image_asset_id ? alert?.image_asset_url : null;
  const typed = /^https:/i.test(image_url ?? "") && URL.canParse(image_url ?? "") ? image_url : null;
  // A stored address may be another author's: it is fetched only on request.
  const isOwn = image_url !== alert?.image_url;
  return {
    title: wordsOf(args.title) ?? "",
    body: wordsOf(args.body),
    priority: PRIORITIES.find((known) => known === args.priority) ?? "normal",
    picture: uploaded ?? kept ?? (isOwn ? typed : null),
    elsewhere: isOwn ? null : typed,
    requires_ack: form.has("requires_ack"),
    actions: parseActions(form),
    sound: wordsOf(args.sound),
    audio_url,
    audio_asset_id,
    recording: audio_asset_id !== null || audio_url !== null,
    vibrate: wordsOf(args.vibrate),
    tts_text: wordsOf(args.tts_text),
    lat: numberOf(args.lat),
    radius_km: numberOf(args.radius_km),
    at: instantOf(args.send_at) ?? now,
    expires_at: instantOf(args.expires_at),
  };
}

/** The result of preview_html for the markup; a refusal has its own text. */
async function sanitised(context: MemberPageContext, form: URLSearchParams) {
  const markup = form.get("html") ?? "";
  if (markup === "" || !hasHtmlLayout(form)) return { blocked: [], script_count: 0, refusal: null };
  const layout = form.get("layout") === "document" ? "document" : "html";
  try {
    return { ...(await context.call("preview_html", { html: markup, layout })), refusal: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return {
      blocked: [],
      script_count: 0,
      refusal: error.fields[0] ? formatFieldErrorForUi(error.fields[0], "HTML") : error.ui,
    };
  }
}

export interface AlertPreviewData {
  channel: ChannelResult;
  /** The alert that is edited; null for a new one. */
  alert: GetAlertResult | null;
  form: URLSearchParams;
  files: Files;
}

/**
 * Everything of the preview that follows what is typed, but for the alert's page, which a frame of its own shows. A
 * script puts it in the place of what it was.
 */
export async function renderAlertPreviewPanel(
  context: MemberPageContext,
  { channel, alert, form, files }: AlertPreviewData,
): Promise<Html> {
  const { blocked, script_count, refusal } = await sanitised(context, form);
  const now = context.deps.now();
  const drawn = parsePreviewedAlert(form, files, alert, now);
  const notes = getMissingPermissionNotes(drawn, channel.requested_perms);
  const reach = channel.subscribers;
  const could = await describeReach(context, channel);
  return html`<div id="preview" data-reach="${formatDeviceCount(reach)}"${
    alert && html` data-version="${alert.updated_at}"`
  }>
    <h2 class="unseen">Preview</h2>
    ${phonePreview(channel, drawn, now)}
    <div class="beside"><p class="could"><strong>${could}</strong> Each device decides whether to ring.</p>
    ${refusal && html`<p class="wrong">${refusal}</p>`}
    ${renderRemovedContentReport(blocked, script_count, true)}
    ${renderMissingPermissionNotes(notes, `${getChannelPath(context, channel.id)}/edit`)}</div>
  </div>`;
}

/** The alert's page below the phone. Unsaved values are sent to the frame by the form's own button. */
export function alertPagePreview(context: MemberPageContext, { channel, alert, form, files }: AlertPreviewData): Html {
  const base = getChannelPath(context, channel.id);
  const chosen = files.find(({ id }) => id === form.get("html_asset_id"));
  const kept = alert && (form.get("html") || null) === alert.html && form.get("layout") === alert.layout;
  const framed = chosen?.frame_url && new URL(chosen.frame_url, context.deps.publicUrl);
  const src = framed
    ? framed.origin === new URL(context.deps.publicUrl).origin
      ? framed.pathname
      : null
    : kept && alert.html
      ? `${base}/alerts/${alert.id}/page`
      : null;
  return html`<section class="opened when-page" aria-labelledby="opened"><h3 id="opened">When opened</h3>
    ${renderAlertPageIframe(src)}
    ${alert && kept && externalPicturesLink(alert.html, `${base}/alerts/${alert.id}/page`)}
    <button class="plain" formaction="${base}/alerts/page" formtarget="page"
      formenctype="application/x-www-form-urlencoded" data-page>Show page</button>
  </section>`;
}
