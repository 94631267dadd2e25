// What the handset API answers, as far as the app reads it. A newer server may answer more, and words that the app
// does not know: it takes them as the plainest ones.

import type { AppAlertFields, AppChannelFields } from "./fields.ts";
import type { RuleAlert as RuledAlert, RuleChannel as RuledChannel } from "./rules/rule_types.ts";

/** A row of the inbox. Instants are texts in UTC with six decimals, so their order is that of the texts. */
export interface InboxAlert extends RuledAlert, AppAlertFields {
  image_asset_url: string | null;
}

/** The card of a channel, with what the person settled with it. */
export interface ChannelCard extends RuledChannel, AppChannelFields {
  handle: string;
  url: string;
  requested_perms: string[];
  subscription: SubscriptionAnswer | null;
}

export interface SubscriptionAnswer {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}

export interface ApiPage<Row> {
  data: Row[];
  meta: { next_before: string | null };
}

export type ReportKind = "read" | "ack" | "reply";

/** What every refusal says. */
export interface ApiErrorBody {
  error: { type: string; code: string; message: string; param: string | null };
}
