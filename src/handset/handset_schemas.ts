// Channels, subscriptions and alerts as a handset sees them: nothing of the owner's, nothing of other devices'.

import { z } from "zod";
import type { AssetUrlResolver } from "../model/domain/asset_rules.ts";
import { formatId } from "../model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../model/fields/alert.ts";
import { CHANNEL_FIELDS, REQUESTABLE_DEVICE_PERMISSIONS } from "../model/fields/channel.ts";
import { DEVICE_FIELDS } from "../model/fields/device.ts";
import { createResponseSchemas, getBlankValues, selectFieldsShownTo } from "../model/fields/field_table.ts";
import { registerSchemaName } from "../model/fields/schema_names.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../model/fields/sql_statement_types.ts";
import type { InboxRecord } from "../store/queries/inbox.ts";
import type { ChannelCardRecord } from "../store/queries/subscriptions_and_directory.ts";
import {
  fullBodyLengthSchema,
  handsetAlertFields,
  toAlertAssetFields,
} from "../store/response_schemas/alert_schemas.ts";

export const grantedPermissionsSchema = z
  .array(z.enum(REQUESTABLE_DEVICE_PERMISSIONS))
  .transform((list) => [...new Set(list)]);

const own = { muted: z.boolean(), permissions: z.array(z.string()), subscribed_at: z.string() };

export const subscriptionSchema = z.object({ handle: z.string(), ...own });

/** Incremented when the format of exports changes. */
export const EXPORT_VERSION = 1 as const;

/** The details of a handset. */
export const deviceSchema = registerSchemaName(
  "Device",
  z.object({ id: z.string(), ...createResponseSchemas(DEVICE_FIELDS) }),
);

/** The person to whose account a handset is linked. */
export const ownerSchema = z.object({ name: z.string().nullable() });

export const channelCardSchema = registerSchemaName(
  "ChannelCard",
  z.object({
    handle: z.string(),
    url: z.string(),
    ...createResponseSchemas(selectFieldsShownTo(CHANNEL_FIELDS, "handset")),
    subscription: z.object(own).nullable(),
  }),
);

export function toChannelCardView(
  record: ChannelCardRecord,
  channelBaseUrl: string,
): z.input<typeof channelCardSchema> {
  const { muted: _, permissions: __, subscribed_at: ___, created_at: ____, ...card } = record;
  return {
    ...card,
    url: `${channelBaseUrl}/${card.handle}`,
    subscription: record.subscribed_at === null ? null : toSubscriptionFields(record),
  };
}

export function toSubscriptionFields({
  muted,
  permissions: granted,
  subscribed_at,
}: {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}) {
  return { muted, permissions: granted, subscribed_at: toIsoMicros(subscribed_at) };
}

export const inboxItem = registerSchemaName(
  "InboxItem",
  z.object({
    id: z.string(),
    handle: z.string(),
    status: z.literal("sent"),
    sent_at: z.string(),
    ...handsetAlertFields,
    body_length: fullBodyLengthSchema,
    before_joining: z
      .boolean()
      .optional()
      .describe(
        "If true, the alert was sent before the device joined the channel. It counts as read and needs no " +
          "acknowledgement.",
      ),
    test_until: z
      .string()
      .optional()
      .describe("Only for a draft being tested on its author's handsets: the time when the test ends."),
  }),
);

/** Values that a lean card omits. */
const BLANKS: Readonly<Record<string, unknown>> = {
  status: "sent",
  ...getBlankValues(selectFieldsShownTo(ALERT_FIELDS, "handset")),
  image_asset_url: null,
  audio_asset_url: null,
};

export const inboxItemWithoutDefaults = registerSchemaName(
  "LeanInboxItem",
  z.object(
    Object.fromEntries(
      Object.entries(inboxItem.shape).map(([name, shows]) => [
        name,
        Object.hasOwn(BLANKS, name) ? (shows as z.ZodType).optional() : shows,
      ]),
    ),
  ),
);

/** Returns a card without the fields that have their default value (rules#inbox-lean). */
export const omitInboxItemDefaults = (item: z.output<typeof inboxItem>): z.input<typeof inboxItemWithoutDefaults> =>
  Object.fromEntries(
    Object.entries(item).filter(([name, value]) => {
      const blank = BLANKS[name];
      return !(Object.hasOwn(BLANKS, name) && (value === blank || isEmpty(value, blank)));
    }),
  );

const isEmpty = (value: unknown, blank: unknown) =>
  Array.isArray(value) && Array.isArray(blank) && value.length + blank.length === 0;

export function toInboxItem(
  record: Omit<InboxRecord, "following" | "so_far">,
  assets: AssetUrlResolver,
): z.input<typeof inboxItem> {
  return {
    ...record,
    id: formatId("alr", record.id),
    status: "sent",
    sent_at: toIsoMicros(record.sent_at),
    expires_at: toIsoMicrosOrNull(record.expires_at),
    ...toAlertAssetFields(record, assets),
    body_length: record.body_length ?? undefined,
    before_joining: record.before_joining || undefined,
    test_until: record.test_until && toIsoMicros(record.test_until),
  };
}
