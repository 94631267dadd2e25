// An alert. `visible_at` is generated from the status, so that what handsets see can never drift from it.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import { Asset } from "./asset.ts";
import { Pusher } from "./pusher.ts";

export const ALERT_STATUSES = ["draft", "scheduled", "sent", "cancelled"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const PRIORITIES = ["normal", "important", "urgent"] as const;
export const LAYOUTS = ["text", "image", "html", "document"] as const;
export const SOUNDS = ["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent"] as const;
export const VIBRATIONS = ["default", "none", "short", "double", "long", "sos", "heartbeat"] as const;

export interface AlertAction {
  type: "open_url";
  label: string;
  url: string;
}

export const VISIBLE_AT = "case status when 'sent' then sent_at when 'scheduled' then send_at else null end";

export const Alert = defineEntity({
  name: "Alert",
  tableName: "alert",
  checks: [
    { name: "alert_visible", expression: "(status in ('sent', 'scheduled')) = (visible_at is not null)" },
    { name: "alert_geofence", expression: "num_nonnulls(lat, lon, radius_km) in (0, 3)" },
  ],
  indexes: [
    {
      name: "alert_inbox",
      properties: ["pusher", "visible_at", "id"],
      columns: [{ name: "pusher" }, { name: "visible_at", sort: "DESC" }, { name: "id", sort: "DESC" }],
      where: "status = 'sent'",
    },
    { name: "alert_scheduled", properties: ["pusher", "visible_at"], where: "status = 'scheduled'" },
    {
      name: "alert_list",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
    },
    {
      name: "alert_draft",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
      where: "status = 'draft'",
    },
    {
      name: "alert_cancelled",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
      where: "status = 'cancelled'",
    },
    { name: "alert_image_asset", properties: ["image_asset"], where: "image_asset_id is not null" },
    { name: "alert_audio_asset", properties: ["audio_asset"], where: "audio_asset_id is not null" },
    { name: "alert_html_asset", properties: ["html_asset"], where: "html_asset_id is not null" },
  ],
  properties: {
    id: p.uuid().primary(),
    pusher: () => p.manyToOne(Pusher).ref().deleteRule("cascade"),
    status: p.enum(ALERT_STATUSES).default("draft"),
    title: p.text(),
    body: p.text().nullable(),
    priority: p.enum(PRIORITIES).default("normal"),
    layout: p.enum(LAYOUTS).default("text"),
    image_url: p.text().nullable(),
    image_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    audio_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    html_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    html: p.text().nullable(),
    /** The sanitised text of the html asset: what handsets are shown as `html`. */
    asset_html: p.text().nullable(),
    actions: p.json<AlertAction[]>().defaultRaw("'[]'::jsonb"),
    requires_ack: p.boolean().default(false),
    send_at: instant().nullable(),
    expires_at: instant().nullable(),
    sound: p.enum(SOUNDS).nullable(),
    audio_url: p.text().nullable(),
    vibrate: p.enum(VIBRATIONS).nullable(),
    tts_text: p.text().nullable(),
    tts_lang: p.text().nullable(),
    lat: p.double().$type<number>().nullable(),
    lon: p.double().$type<number>().nullable(),
    radius_km: p.double().$type<number>().nullable(),
    geo_rule: p.text().nullable(),
    collapse_key: p.text().nullable(),
    sent_at: instant().nullable(),
    cancelled_at: instant().nullable(),
    visible_at: instant().nullable().generated(`(${VISIBLE_AT}) stored`),
    created_at: writtenAt(),
    updated_at: writtenAt(),
  },
});

export type AlertRow = InferEntity<typeof Alert>;
