// ntfy's publishing API (https://docs.ntfy.sh/publish/): a topic is a channel's handle, a message an alert.

import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { isTimeZone } from "../../model/fields/zoned_time_conversion.ts";
import { LIMITS } from "../../model/limits.ts";
import { escapeText } from "../../model/sanitizer/attributes.ts";
import type {
  AdapterResponse,
  AlertInput,
  IngestedAlertOutcome,
  IngestRequest,
  ParsedIngestRequest,
  SenderAdapter,
} from "./adapter.ts";
import { FILE_TOO_LARGE_NOTE } from "./attached_pictures.ts";
import { appendTagsToAlertBody } from "./fit_alert_to_limits.ts";
import { alertmanagerAdapter } from "./formats/alertmanager_prometheus.ts";
import { formatQuantity } from "./formats/format_helpers.ts";
import { fillTemplate } from "./formats/generic_json.ts";
import { grafanaAdapter } from "./formats/grafana.ts";
import { convertHtmlToPlainText } from "./html_to_text.ts";
import { parseHttpsUrl, splitTitle, splitTitleAndRenderMarkdown, toOneLine } from "./message_text.ts";
import { parseNtfyActions } from "./ntfy_actions.ts";
import { parseNtfyDelay } from "./ntfy_delay.ts";
import { isNtfyFalse, isNtfyTrue, type NtfyParamName, type NtfyParams, parseNtfyParams } from "./ntfy_params.ts";
import { getSequenceCollapseKey } from "./ntfy_sequences.ts";

export const NTFY_PRIORITY_NUMBERS: Record<string, number> = { min: 1, low: 2, default: 3, high: 4, max: 5, urgent: 5 };

const PRIORITY_BY_NUMBER: Record<string, AlertInput["priority"]> = { 4: "important", 5: "urgent" };

const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i;
const SOUND = /\.(?:mp3|ogg|wav|m4a|flac)$/i;

/** The number of a priority; null for what is not one. */
function parsePriority(priority: string): number | null {
  if (priority === "") return 3;
  return NTFY_PRIORITY_NUMBERS[priority.toLowerCase()] ?? (/^[0-5]$/.test(priority) ? Number(priority) || 3 : null);
}

/** Emoji come before the title, as in ntfy's own apps; other tags are below the text. */
async function splitTags(tags: string): Promise<{ emoji: string; others: string }> {
  const names = tags.split(",").map(toOneLine).filter(Boolean);
  if (names.length === 0) return { emoji: "", others: "" };
  const { nameToEmoji } = await import("gemoji");
  const isEmoji = (name: string) => Object.hasOwn(nameToEmoji, name);
  const known = names.filter(isEmoji);
  const others = names.filter((name) => !isEmoji(name));
  return {
    emoji: known.map((name) => nameToEmoji[name]).join(" "),
    others: others.length > 0 ? `Tags: ${others.join(", ")}` : "",
  };
}

/** Notes on parameters that are ignored. */
const IGNORED_PARAMETERS: [Name: NtfyParamName, isMeant: (value: string) => boolean, note: string][] = [
  ["icon", Boolean, "Icon is ignored: an alert shows its channel's picture."],
  ["cache", isNtfyFalse, "Cache is ignored: alerts are always stored."],
  ["firebase", isNtfyFalse, "The Firebase field is ignored."],
  ["email", Boolean, "The Email field is ignored."],
  ["call", Boolean, "The Call field is ignored."],
  ["unifiedpush", isNtfyTrue, "UnifiedPush is ignored; the message is published as a normal alert."],
  ["poll_id", Boolean, "Poll-ID is ignored; the message is published as a normal alert."],
];

/** The text of a message; without one, ntfy's own default. */
function getMessageText({ text, file, attach, filename }: NtfyParams): string {
  const url = parseHttpsUrl(attach);
  const name = file?.name ?? (url && (filename || new URL(url).pathname.split("/").at(-1)));
  return text || (file || name ? `You received a file: ${toOneLine(name || "attachment")}` : "triggered");
}

async function read(request: IngestRequest): Promise<ParsedIngestRequest> {
  const params = parseNtfyParams(request);
  paramsByRequest.set(request, params);
  const notes = IGNORED_PARAMETERS.filter(([name, isMeant]) => isMeant(params[name])).map(([, , note]) => note);
  if (params.json !== null) notes.push(JSON_NOTES[params.json]);
  if (params.ignoredFields > 0)
    notes.push(`Ignored in the JSON: ${formatQuantity(params.ignoredFields, "unknown or unreadable field")}.`);
  if (params.filename !== "" && params.file === null && params.attach === "")
    notes.push("Filename is ignored, because there is neither a file nor an Attach header.");
  if (params.template !== "" && !isNtfyFalse(params.template)) await fillTemplates(params, request, notes);
  const number = parsePriority(params.priority) ?? 3;
  if (parsePriority(params.priority) === null)
    notes.push(
      "The priority is not one of 1, 2, 3, 4, 5, min, low, default, high or max, so the alert has normal priority.",
    );
  const { emoji, others } = await splitTags(params.tags);
  if (request.isTooLarge) {
    if (params.text === "" && params.title === "")
      throw new ApiError("body_too_large", `${FILE_TOO_LARGE_NOTE} Send a text message instead.`, { status: 413 });
    notes.push(FILE_TOO_LARGE_NOTE);
  }
  const text = getMessageText(params);
  const named = params.title || null;
  const { title, body, html } = isNtfyTrue(params.markdown)
    ? await splitTitleAndRenderMarkdown(named, text, notes)
    : { html: null, ...splitTitle(named, text, notes) };
  const fields: AlertInput = {
    title: emoji === "" ? title : `${emoji} ${title}`,
    body: appendTagsToAlertBody(body || (html ? convertHtmlToPlainText(html) : ""), others, notes),
    priority: PRIORITY_BY_NUMBER[number] ?? "normal",
  };
  if (html) fields.html = others === "" ? html : `${html}\n<p>${escapeText(others)}</p>`;
  if (number < 3) {
    notes.push("Messages with priority 1 or 2 are published with normal priority, without sound or vibration.");
    Object.assign(fields, { sound: "silent", vibrate: "none" });
  }
  if (params.delay !== "") fields.send_at = parseSendAt(params, request.now, notes);
  else if (params.timezone !== "") notes.push("Timezone has no effect without a delay.");
  const address = parseHttpsUrl(params.click);
  if (address) fields.source_url = address;
  else if (params.click !== "") notes.push("Click accepts only https URLs; the URL was ignored.");
  const actions = parseNtfyActions(params.actions, notes);
  attach(params, fields, actions, notes);
  if (actions.length > 0) fields.actions = actions;
  const sequenceId = params.sequence_id || undefined;
  if (sequenceId !== undefined) fields.collapse_key = getSequenceCollapseKey(sequenceId);
  const files = request.isTooLarge || params.file === null ? [] : [params.file];
  return { alerts: [{ fields, files, sequenceId }], notes: [...new Set(notes)], channel: params.topic };
}

const JSON_NOTES = {
  read: "The JSON was read as an ntfy message. Next time, post it to the server root instead of a topic.",
  shown:
    "The JSON is shown unchanged. To have it interpreted, post it to the server root with a topic, or to " +
    "/api/v1/pushers/{id}/ingest.",
};

/** ntfy's templates in the message and the title, as far as ours can do the same: `{{.name}}` and `{{.a.b}}`. */
async function fillTemplates(params: NtfyParams, request: IngestRequest, notes: string[]) {
  if (!isNtfyTrue(params.template)) return applyNamedTemplate(params, request, notes);
  const { message, title } = params;
  try {
    if (OTHER_TAG.test(message + title))
      throw invalidRequest("invalid_format", "Templates with functions are not supported.");
    const value = request.object();
    if (message !== "") params.text = await fillTemplate(message.replace(GO_FIELD, "{{$1}}"), value, notes);
    if (title !== "") params.title = await fillTemplate(title.replace(GO_FIELD, "{{$1}}"), value, notes);
  } catch {
    notes.push(
      "The template was ignored. It can contain only {{.name}} and {{.a.b}}, and the body must be a JSON object.",
    );
  }
}

/** ntfy's templates by name, which read the webhooks of a program. */
const TEMPLATES: Record<string, SenderAdapter> = { grafana: grafanaAdapter, alertmanager: alertmanagerAdapter };

async function applyNamedTemplate(params: NtfyParams, request: IngestRequest, notes: string[]) {
  const program = Object.hasOwn(TEMPLATES, params.template) ? TEMPLATES[params.template] : undefined;
  try {
    const fields = (await program?.read(request))?.alerts[0]?.fields;
    if (fields) {
      const { title, body, source_url, priority, collapse_key } = fields;
      params.title ||= title;
      params.text = body ?? title;
      params.click ||= source_url ?? "";
      params.priority ||= { urgent: "5", important: "4", normal: "3" }[priority ?? "normal"];
      params.sequence_id ||= collapse_key ?? "";
      return;
    }
  } catch {
    // The note names the right address.
  }
  notes.push(
    "Only the named templates grafana and alertmanager are supported. For others, send to " +
      "/api/v1/pushers/{id}/ingest?from=NAME.",
  );
}

const GO_FIELD = /\{\{-?\s*\.([\w.]+)\s*-?\}\}/g;
const OTHER_TAG = /\{\{(?!-?\s*\.[\w.]+\s*-?\}\})/;

function parseSendAt({ delay: text, timezone }: NtfyParams, now: Date, notes: string[]): string {
  const zone = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(timezone) && isTimeZone(timezone) ? timezone : null;
  const delay = parseNtfyDelay(text, now, zone ?? "UTC");
  if (delay === null)
    throw invalidRequest(
      "invalid_timestamp",
      "The delay is invalid or in the past. See https://docs.ntfy.sh/publish/#scheduled-delivery.",
      "send_at",
    );
  if (timezone !== "" && zone === null)
    notes.push("The time zone is unknown, so the delay was interpreted in UTC. Use a name such as Europe/Lisbon.");
  else if (zone === null && delay.byClock) notes.push("The delay was interpreted in UTC.");
  return delay.at.toISOString();
}

/** A picture or a recording by its address; anything else becomes a button. */
function attach(
  { attach: address, filename, text }: NtfyParams,
  fields: AlertInput,
  actions: NonNullable<AlertInput["actions"]>,
  notes: string[],
) {
  if (address === "") return;
  const url = parseHttpsUrl(address);
  if (url === null) {
    notes.push("Attach accepts only https URLs; the URL was ignored.");
    return;
  }
  const name = filename || new URL(url).pathname;
  // Without a text, the file name is the text.
  if (filename !== "" && text !== "") notes.push("Filename is not shown: it only sets the kind of the attachment.");
  if (PICTURE.test(name)) fields.image_url = url;
  else if (SOUND.test(name)) fields.audio_url = url;
  else if (actions.length < LIMITS.alert_actions) actions.push({ type: "open_url", label: "Open the attachment", url });
  else notes.push("The attachment was ignored: the alert already has the maximum number of buttons.");
}

/** As they were read, with templates filled. */
const paramsByRequest = new WeakMap<IngestRequest, NtfyParams>();

function answer([one]: IngestedAlertOutcome[], request: IngestRequest): AdapterResponse {
  if (!one) return { status: 200, body: { success: true } };
  const params = paramsByRequest.get(request) ?? parseNtfyParams(request);
  const { fields, id, state } = one;
  const at = fields.send_at ? Date.parse(fields.send_at) : request.now.getTime();
  const priority = parsePriority(params.priority) ?? 3;
  const tags = params.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    status: 200,
    body: {
      id,
      time: Math.floor(at / 1000),
      event: "message",
      topic: params.topic,
      ...(params.title === "" ? {} : { title: params.title }),
      message: getMessageText(params),
      ...(priority === 3 ? {} : { priority }),
      ...(tags.length > 0 ? { tags } : {}),
      ...(fields.source_url ? { click: fields.source_url } : {}),
      ...(isNtfyTrue(params.markdown) ? { content_type: "text/markdown" } : {}),
      ...(params.sequence_id ? { sequence_id: params.sequence_id } : {}),
      // Its own programs pass over what they do not know, and print it.
      belfry: { state, said: one.summary },
    },
  };
}

/** The ntfy error number of a refusal. */
const CODES: Record<string, number> = {
  priority: 40007,
  send_at: 40004,
  topic: 40009,
  attach: 40014,
  actions: 40018,
  template: 40043,
  since: 40008,
  upgrade: 40016,
  json: 40024,
};

export function formatNtfyError(problem: ApiError): AdapterResponse {
  const { status, param, message } = problem;
  const code =
    status === 422
      ? (CODES[param ?? ""] ?? 40000)
      : status * 100 + Number([401, 403, 404, 413, 429, 500].includes(status));
  const http = Math.floor(code / 100);
  return { status: http, body: { code, http, error: message, link: "https://docs.ntfy.sh/publish/" } };
}

export const ntfyAdapter = {
  name: "ntfy",
  matches: ({ headers }: IngestRequest) =>
    ["x-title", "x-priority", "x-tags", "x-click", "x-actions"].some((name) => headers.has(name)),
  read,
  answer,
  refuse: formatNtfyError,
} satisfies SenderAdapter;
