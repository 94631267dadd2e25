// Defaults for fields that the service left out of an alert, and that an older version of the app did not store. A
// missing field gets the neutral value. Without it one such row would prevent drawing every view.

import type { FetchedInboxAlert } from "./api_types.ts";
import { ALERT_FIELD_DEFAULTS, CHANNEL_FIELD_DEFAULTS } from "./generated_fields.ts";
import type { StoredAlert, StoredChannel } from "./local_store.ts";

const PLAIN_ROW = { ...ALERT_FIELD_DEFAULTS, status: "sent", image_asset_url: null, audio_asset_url: null };

/** Each field of an alert without which it can be shown. The others have been there from the beginning. */
const PLAIN_ALERT: Omit<
  StoredAlert,
  | "id"
  | "handle"
  | "title"
  | "sent_at"
  | "because"
  | "reply"
  | "repeated"
  | "pushed"
  | "dismissed"
  | "before"
  | "before_joining"
  | "body_length"
  | "ended"
  | "test_until"
> = { ...PLAIN_ROW, arrived_at: 0, read_at: null, acked_at: null };

const PLAIN_CHANNEL: Omit<StoredChannel, "handle" | "url" | "name"> = {
  ...CHANNEL_FIELD_DEFAULTS,
  category: "community",
  description: "",
  gradient_from: "#56607a",
  gradient_to: "#56607a",
  initials: "",
  subscription: null,
  looked_at: 0,
};

const PLAIN_SUBSCRIPTION = { muted: false, permissions: [], subscribed_at: "" };

/** An alert of a lean response with all omitted fields. */
export const fillInboxAlertDefaults = (row: FetchedInboxAlert): FetchedInboxAlert => filled(PLAIN_ROW, row);

export const fillStoredAlertDefaults = (kept: StoredAlert): StoredAlert => filled(PLAIN_ALERT, kept);

export function fillStoredChannelDefaults(kept: StoredChannel): StoredChannel {
  const named = { url: `/c/${kept.handle}`, name: `@${kept.handle}` };
  const whole = filled({ ...PLAIN_CHANNEL, ...named }, kept);
  const { subscription } = whole;
  return subscription ? { ...whole, subscription: filled(PLAIN_SUBSCRIPTION, subscription) } : whole;
}

/** Present values stay, null included; missing ones come from the default. */
const filled = <Row extends object>(plain: Partial<Row>, kept: Row): Row => ({ ...plain, ...kept });
