// What the handset API answers, as far as the app reads it. A newer server may answer more, and words that the app does not know: it
// takes them as the plainest ones.

import type { Alert as RuledAlert, Channel as RuledChannel } from "./rules/types.ts";

/** A row of the inbox. Instants are texts in UTC with six decimals, so their order is that of the texts. */
export interface Alert extends RuledAlert {
  title: string;
  body: string | null;
  layout: string;
  source_url: string | null;
  image_url: string | null;
  image_asset_url: string | null;
  html: string | null;
  actions: { type: string; label: string; url: string }[];
}

/** The card of a channel, with what the person settled with it. */
export interface Card extends RuledChannel {
  handle: string;
  /** Of the channel's page. */
  url: string;
  name: string;
  category: string;
  description: string;
  long: string | null;
  site: string | null;
  city: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  requested_perms: string[];
  tags: string[];
  is_public: boolean;
  image_url: string | null;
  gradient_from: string;
  gradient_to: string;
  initials: string;
  subscription: Subscription | null;
}

export interface Subscription {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}

export interface Page<Row> {
  data: Row[];
  meta: { next_before: string | null };
}

export type ReportKind = "read" | "ack";

/** What every refusal says. */
export interface Envelope {
  error: { type: string; message: string; param: string | null };
}
