// The responses of the handset API, as far as the app reads them. A newer server may return more fields and unknown
// values. The app treats an unknown value as the plainest one.

import type { HandsetAlertFields, HandsetChannelFields } from "./generated_fields.ts";
import type { RuleAlert as RuledAlert, RuleChannel as RuledChannel } from "./rules/rule_types.ts";

/** A row of the inbox. Times are texts in UTC with six decimals, so their order is that of the texts. */
export interface FetchedInboxAlert extends RuledAlert, HandsetAlertFields {
  image_asset_url: string | null;
}

/** The card of a channel, with the person's settings for it. */
export interface ChannelCard extends RuledChannel, HandsetChannelFields {
  handle: string;
  url: string;
  requested_perms: string[];
  subscription: SubscriptionState | null;
}

export interface SubscriptionState {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}

export interface ApiPage<Row> {
  data: Row[];
  meta: { next_before: string | null };
}

export type ReportKind = "read" | "ack" | "reply";

/** The body of every refusal. */
export interface ApiErrorBody {
  error: { type: string; code: string; message: string; param: string | null };
}
