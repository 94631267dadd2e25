// The descriptions of response fields, by their names. The document alone has them: tools of assistants list fields
// without texts. A description at the declaration of a field has precedence.

import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { JsonSchema } from "../../operation/validation_errors.ts";
import { getObjectKind } from "./examples.ts";

const DEGREES = {
  lat: "Latitude of the centre, -90 to 90 degrees.",
  lon: "Longitude of the centre, -180 to 180 degrees.",
};
const RADIUS = `Radius in kilometres, above 0 and at most ${formatLimit("radius")}.`;

/** The keys are kinds of objects (see examples.ts), or the name of the field that contains the object. */
const BY_KIND: Record<string, Record<string, string>> = {
  alert: {
    ...DEGREES,
    radius_km: RADIUS,
    id: "Permanent ID: `alr_` and 26 characters.",
    status: "Current state of the alert.",
    title: `One line of 1 to ${LIMITS.alert_title} characters.`,
    body: `Text of at most ${formatLimit("alert_body")} characters.`,
    priority: "Urgency. Each device decides whether to ring.",
    layout: "Arrangement of the alert on devices.",
    source_url: "An https address with more information.",
    image_url: "An https address of a picture.",
    image_asset_id: "ID of the uploaded picture, `ast_…`.",
    audio_asset_id: "ID of the uploaded recording, `ast_…`.",
    audio_asset_url: "URL of the uploaded recording.",
    html_asset_id: "ID of the uploaded page, `ast_…`.",
    html: `Sanitised markup of at most ${formatLimit("alert_document")} characters.`,
    actions: `Up to ${LIMITS.alert_actions} links and one reply.`,
    requires_ack: "If true, the alert requests an acknowledgement.",
    repeat_until_acked: "If true, devices repeat the urgent alert until it is acknowledged.",
    send_at: "Scheduled time in UTC; null without a schedule.",
    recurrence: "RFC 5545 rule and time zone, such as `FREQ=DAILY Europe/Lisbon`.",
    expires_at: "Time in UTC when the alert ends; null for never.",
    sound: "Sound on arrival; null for the device's default.",
    audio_url: "An https address of a recording; replaces the sound.",
    vibrate: "Vibration on arrival; null for the device's default.",
    tts_text: `Text to read aloud, at most ${formatLimit("alert_tts_text")} characters.`,
    tts_lang: "Language tag of `tts_text`, such as pt-BR.",
    geo_rule: `A label for devices, at most ${LIMITS.alert_geo_rule} characters.`,
    collapse_key: "A newer alert with the same key replaces this one.",
    review_note: `Note to the reviewer, at most ${formatLimit("alert_review_note")} characters.`,
    sent_at: "Time of publication in UTC; null before publication.",
    cancelled_at: "Time of cancellation in UTC; otherwise null.",
  },
  actions: {
    type: "The button opens a link, or asks a question.",
    label: `Text of the button or the question, at most ${LIMITS.alert_action_label} characters.`,
  },
  notes: {
    capability: "The permission that the note is about, or `none`.",
    field: "The field that the note is about.",
    message: "The note in plain English.",
  },
  blocked: {
    kind: "The type of the removed item.",
    name: "The name of the removed item.",
    count: "Number of removed items with this name.",
  },
  channel: {
    ...DEGREES,
    radius_km: RADIUS,
    id: "Permanent ID: `psh_` and 26 characters.",
    name: `Public name of 1 to ${LIMITS.channel_name} characters.`,
    category: "Topic in the directory.",
    description: `Short public description, at most ${LIMITS.channel_description} characters.`,
    long: `Long public description, at most ${formatLimit("channel_long")} characters.`,
    site: "An https address of the channel's website.",
    city: `Town or region, at most ${LIMITS.channel_city} characters.`,
    loc_rule: `A label for devices, at most ${LIMITS.channel_loc_rule} characters.`,
    requested_perms: "Permissions that the channel requests from subscribers.",
    alert_types: `Types of the channel's alerts, at most ${LIMITS.channel_alert_types}.`,
    tags: `Search terms in lower case, at most ${LIMITS.channel_tags}.`,
    is_public: "If true, the directory lists the channel; otherwise, it requires an invite.",
    retention_days: "Days to keep ended alerts; null for the workspace's setting.",
    image_url: "An https address of a picture.",
    gradient_from: "First colour, as `#rrggbb`.",
    gradient_to: "Second colour, as `#rrggbb`.",
    initials: `Letters in place of a picture, at most ${LIMITS.channel_initials}.`,
    url: "The public channel address.",
    status: "Current state of the channel.",
    subscription: "The device's subscription; null without one.",
  },
  invite: {
    id: "Permanent ID: `inv_` and 26 characters.",
    code: "The secret code in the link.",
    label: `The owner's own note, at most ${LIMITS.invite_label} characters.`,
    max_uses: "Number of devices that can join; null for no limit.",
    expires_at: "Time in UTC when the code expires; null for never.",
    uses: "Number of devices that have joined with the invite.",
    revoked_at: "Time of revocation in UTC; otherwise null.",
  },
  webhook: {
    id: "Permanent ID: `whk_` and 26 characters.",
    url: `An https address of the receiver, at most ${formatLimit("url")} characters.`,
    events: "Names of the events that the endpoint receives.",
    disabled: `If true, the endpoint was disabled after ${LIMITS.webhook_failures} failures in a row.`,
    disabled_at: "Time in UTC when the endpoint was disabled; null if it was not.",
    last_delivery_at: "Time of the last delivery in UTC; null before one.",
    last_status: "HTTP status of the last delivery; null without a response.",
  },
  made_by: { id: "ID of the key, connection or member.", name: "Name of the key, connection or member." },
  delivery: {
    webhook_id: "ID of the endpoint, `whk_…`.",
    event: "Name of the event, such as `alert.sent`.",
    duration_ms: "Duration of the delivery in milliseconds; null while in progress.",
    redelivery_of: "ID of the repeated delivery, `dlv_…`; otherwise null.",
  },
  event: { event: "Name of the event, such as `alert.sent`." },
  choices: { choice: "Text of the choice.", count: "Number of devices that chose it." },
  line: {
    id: "Permanent ID: `aud_` and 26 characters.",
    actor: "The key, assistant, member or operator that made the change.",
    transport: "The interface that received the call.",
    operation: "Name of the operation, such as `send_alert`.",
  },
  actor: { type: "Kind of the actor." },
  device: {
    id: "ID of the device as a string of digits.",
    platform: "Platform of the app.",
    app_version: `Version of the app, at most ${LIMITS.app_version} characters.`,
    locale: "Language tag of the device, such as pt-PT.",
    timezone: "IANA name of the time zone, such as Europe/Lisbon.",
  },
};

/** In objects of every other kind, and where a kind has no description of its own. */
const SHARED: Record<string, string> = {
  pusher_id: "ID of the channel, `psh_` and 26 characters.",
  handle: "Permanent public name of the channel, as in its address.",
  alert_id: "ID of the alert, `alr_` and 26 characters.",
  created_at: "Time of creation in UTC.",
  updated_at: "Time of the last change in UTC.",
  subscribed_at: "Time of joining in UTC.",
  muted: "If true, the subscriber muted the channel.",
  permissions: "Permissions that the subscriber granted.",
  data: "The entries of the list.",
  next_before: "Start of the next page; null on the last page.",
  note: "Explanation of the result in plain English.",
};

/** Adds a description to every field that has none. `name` is the field that contains the object. */
export function addMissingDescriptions(schema: JsonSchema, name = ""): JsonSchema {
  const described = { ...schema };
  if (schema.properties) {
    const kind = BY_KIND[getObjectKind(schema.properties, name)] ?? {};
    described.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([field, inner]) => {
        const description = inner.description ?? kind[field] ?? SHARED[field];
        return [field, { ...addMissingDescriptions(inner, field), ...(description && { description }) }];
      }),
    );
  }
  if (schema.items) described.items = addMissingDescriptions(schema.items, name);
  if (schema.anyOf) described.anyOf = schema.anyOf.map((branch) => addMissingDescriptions(branch, name));
  return described;
}
