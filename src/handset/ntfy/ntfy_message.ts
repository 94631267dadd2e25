// An alert as the programs of ntfy know a message (https://docs.ntfy.sh/subscribe/api/#json-message-format), and the
// ways in which one is written on a connection. Our ids are theirs: they take any text for one.

import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { getOpenUrlActions } from "../../model/fields/split_alert_actions.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import type { NtfyAlert } from "../../store/queries/ntfy_messages.ts";

export interface NtfyMessage {
  id: string;
  /** Seconds. */
  time: number;
  event: "open" | "keepalive" | "message" | "message_delete";
  topic: string;
  title?: string;
  message?: string;
  priority?: number;
  tags?: string[];
  [more: string]: unknown;
}

const NTFY_STREAM_FORMATS = ["json", "sse", "raw", "ws"] as const;
export type NtfyStreamFormat = (typeof NTFY_STREAM_FORMATS)[number];

const PRIORITY: Partial<Record<NtfyAlert["priority"], number>> = { important: 4, urgent: 5 };

const secondsOf = (instant: string) => Math.floor(Date.parse(toIsoMicros(instant)) / 1000);

export interface NtfyMessageUrls {
  channelBaseUrl: string;
  assets: AssetUrlResolver;
}

/** `before_joining`: the alert was sent before the device of the listener joined the channel. */
export function toNtfyMessage(
  alert: NtfyAlert,
  { channelBaseUrl, assets }: NtfyMessageUrls,
  before_joining = false,
): NtfyMessage {
  const { title, body, priority, source_url, image_asset_id, expires_at, collapse_key, icon } = alert;
  const id = formatId("alr", alert.id);
  const number = PRIORITY[priority];
  // Only public channels have a page for markup.
  const click = source_url ?? (alert.has_page && alert.is_public ? `${channelBaseUrl}/${alert.handle}` : null);
  const picture = image_asset_id ? assets.urlOf(image_asset_id) : alert.image_url;
  const actions = getOpenUrlActions(alert.actions).map(({ label, url }, i) => ({
    id: `${id}_${i + 1}`,
    action: "view",
    label,
    url,
    clear: false,
  }));
  return {
    id,
    time: secondsOf(alert.sent_at),
    ...(expires_at && { expires: secondsOf(expires_at) }),
    event: "message",
    topic: alert.handle,
    ...(body && { title }),
    message: body || title,
    ...(alert.body_length && { body_length: alert.body_length }),
    ...(before_joining && { before_joining }),
    ...(number && { priority: number }),
    ...(click && { click }),
    ...(icon && { icon }),
    ...(picture && { attachment: { name: nameOf(picture), url: picture } }),
    ...(actions.length > 0 && { actions }),
    ...(collapse_key && { sequence_id: collapse_key }),
  };
}

const nameOf = (url: string) => new URL(url).pathname.split("/").at(-1) || "picture";

/** Encodes a message for a connection; empty if the format does not support it. */
export function encodeNtfyMessage(message: NtfyMessage, format: NtfyStreamFormat): string {
  if (format === "raw") {
    if (message.event === "message_delete") return "";
    return `${(message.message ?? "").replaceAll("\n", " ")}\n`;
  }
  const json = JSON.stringify(message);
  if (format === "ws") return json;
  if (format === "json") return `${json}\n`;
  return `${message.event === "message" ? "" : `event: ${message.event}\n`}data: ${json}\n\n`;
}
