// The fields of a channel that its owner sets. The entity has its id, handle, status and times.

import { z } from "zod";
import { createZodRefineParams } from "../api_and_ui_error_texts.ts";
import { LIMITS } from "../limits.ts";
import {
  booleanKind,
  enumKind,
  integerKind,
  linkFieldKind,
  numberKind,
  textKind,
  textListKind,
  timestampKind,
} from "./field_kinds.ts";
import { defineFields } from "./field_table.ts";
import {
  httpsUrlSchema,
  isWithinLength,
  latitudeSchema,
  longitudeSchema,
  radiusKmSchema,
  slugSchema,
  textSchema,
  timestampSchema,
} from "./value_schemas.ts";

export const CHANNEL_CATEGORIES = [
  "cities",
  "travel",
  "events",
  "concerts",
  "restaurants",
  "hotels",
  "business",
  "ai",
  "sports",
  "emergency",
  "community",
] as const;

/** rules#handle-shape */
export const HANDLE_PATTERN = new RegExp(
  `^[a-z0-9][a-z0-9_-]{${LIMITS.handle_least - 2},${LIMITS.handle - 2}}[a-z0-9]$`,
);

/** The permissions that a channel may request. */
export const REQUESTABLE_DEVICE_PERMISSIONS = ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"] as const;
export type RequestablePermission = (typeof REQUESTABLE_DEVICE_PERMISSIONS)[number];

const EVERYWHERE = ["owner", "list", "handset"] as const;

/** Stored in lower case without duplicates; the limit applies to the result. */
const tags = z
  .array(textSchema(1, LIMITS.channel_tag))
  .transform((found) => [...new Set(found.map((tag) => tag.trim().toLowerCase()))])
  .refine(
    (found) => found.length <= LIMITS.channel_tags,
    createZodRefineParams("wrong_item_count", `must contain at most ${LIMITS.channel_tags} tags`),
  )
  .refine(
    (found) => found.every((tag) => isWithinLength(tag, LIMITS.channel_tag)),
    createZodRefineParams("too_long", `must contain only tags of at most ${LIMITS.channel_tag} characters`),
  );

const KEPT = `must be ${LIMITS.retention_least} to ${LIMITS.retention} days, or 0 for no limit`;

/** rules#retention; 0 is for ever. */
export const retentionDaysSchema = () =>
  z
    .int()
    .min(0, KEPT)
    .max(LIMITS.retention, KEPT)
    .refine((days) => days === 0 || days >= LIMITS.retention_least, createZodRefineParams("out_of_range", KEPT));

export const CHANNEL_FIELDS = defineFields({
  name: {
    ...textKind,
    accepts: textSchema(1, LIMITS.channel_name),
    about: "Public name.",
    required: true,
    shown: EVERYWHERE,
    drawn: { label: "Name", own: ["form", "owner", "public", "feed", "app"] },
  },
  category: {
    ...enumKind(CHANNEL_CATEGORIES),
    accepts: z.enum(CHANNEL_CATEGORIES),
    about: "Topic.",
    required: true,
    shown: EVERYWHERE,
    drawn: { label: "Category", own: ["form", "owner", "public", "app"] },
  },
  description: {
    ...textKind,
    accepts: textSchema(1, LIMITS.channel_description),
    about: `At most ${LIMITS.channel_description} characters.`,
    required: true,
    shown: EVERYWHERE,
    drawn: {
      label: "Short description",
      own: ["form", "owner", "public", "feed", "app"],
      hint: "Shown in the directory and before people subscribe.",
    },
  },
  long: {
    ...textKind.orNull,
    accepts: textSchema(0, LIMITS.channel_long, { lines: true }),
    about: "Details.",
    shown: EVERYWHERE,
    drawn: { label: "Long description", own: ["form", "public", "app"], rows: 5 },
  },
  site: {
    ...linkFieldKind.orNull,
    accepts: httpsUrlSchema(),
    about: "https website.",
    shown: EVERYWHERE,
    drawn: { label: "Website", own: ["form", "public", "app"], hint: "An https address." },
  },
  city: {
    ...textKind.orNull,
    accepts: textSchema(0, LIMITS.channel_city),
    about: "Town or region.",
    shown: EVERYWHERE,
    drawn: { label: "Town or region", own: ["form", "owner", "public", "app"] },
  },
  lat: {
    ...numberKind.orNull,
    accepts: latitudeSchema(),
    about: "With lon, radius_km.",
    shown: EVERYWHERE,
    drawn: { label: "Latitude", own: ["form", "public", "app"] },
  },
  lon: {
    ...numberKind.orNull,
    accepts: longitudeSchema(),
    about: "Degrees.",
    shown: EVERYWHERE,
    drawn: { label: "Longitude", own: ["form", "public", "app"] },
  },
  radius_km: {
    ...numberKind.orNull,
    accepts: radiusKmSchema(),
    about: "Kilometres.",
    shown: EVERYWHERE,
    drawn: { label: "Radius in kilometres", own: ["form", "public", "app"] },
  },
  loc_rule: {
    ...textKind.orNull,
    accepts: slugSchema(LIMITS.channel_loc_rule),
    about: "Slug for devices.",
    shown: EVERYWHERE,
    drawn: {
      label: "Location rule",
      own: ["form"],
      hint: "A rule that your own devices apply. The server passes it to them unchanged.",
    },
  },
  requested_perms: {
    ...textListKind<RequestablePermission>(),
    accepts: z.array(z.enum(REQUESTABLE_DEVICE_PERMISSIONS)).transform((asked) => [...new Set(asked)]),
    about: "Permissions requested from subscribers.",
    shown: EVERYWHERE,
    drawn: { label: "Requested permissions", own: ["form", "public", "app"] },
  },
  alert_types: {
    ...textListKind(),
    accepts: z
      .array(textSchema(1, LIMITS.channel_alert_type))
      .max(LIMITS.channel_alert_types, `must contain at most ${LIMITS.channel_alert_types} types`),
    about: "Types of alerts.",
    shown: EVERYWHERE,
    drawn: {
      label: "Alert types",
      own: ["form", "public"],
      rows: 1,
      hint: `One per line, at most ${LIMITS.channel_alert_types}, such as closures or tides.`,
    },
  },
  tags: {
    ...textListKind(),
    accepts: tags,
    about: "Search terms.",
    shown: EVERYWHERE,
    drawn: {
      label: "Tags",
      own: ["form", "owner", "public", "app"],
      rows: 1,
      hint: `One per line, at most ${LIMITS.channel_tags}. People can search for them.`,
    },
  },
  is_public: {
    ...booleanKind(true),
    accepts: z.boolean(),
    about: "If false, only invited phones can join.",
    absent: "true",
    shown: EVERYWHERE,
    drawn: {
      label: "Visibility",
      own: ["form", "owner", "public"],
      hint: "Public channels are listed in the directory. Private channels are visible only with an invite.",
    },
  },
  retention_days: {
    ...integerKind.orNull,
    accepts: retentionDaysSchema(),
    about: "Days to keep alerts; 0 for no limit.",
    absent: "workspace's",
    shown: ["owner", "list"],
    drawn: {
      label: "Days to keep alerts",
      own: ["form"],
      hint:
        `${LIMITS.retention_least} to ${LIMITS.retention}, or 0 for no limit. If empty, the ` +
        `workspace's setting applies.`,
    },
  },
  image_url: {
    ...linkFieldKind.orNull,
    accepts: httpsUrlSchema(),
    about: "https picture URL.",
    shown: EVERYWHERE,
    drawn: {
      label: "Picture URL",
      own: ["form", "owner", "public", "feed", "app"],
      hint: "An https address, or empty for none. Devices fetch pictures from other servers only on request.",
    },
  },
  /** Derived from the handle by default. */
  gradient_from: {
    ...textKind,
    accepts: z.string(),
    about: "#rrggbb.",
    shown: EVERYWHERE,
    drawn: { label: "First colour", own: ["form", "owner", "public", "app"] },
  },
  gradient_to: {
    ...textKind,
    accepts: z.string(),
    about: "#rrggbb.",
    shown: EVERYWHERE,
    drawn: { label: "Second colour", own: ["form", "owner", "public", "app"] },
  },
  /** Derived from the name by default. */
  initials: {
    ...textKind,
    accepts: textSchema(1, LIMITS.channel_initials),
    about: `Up to ${LIMITS.channel_initials} letters.`,
    shown: EVERYWHERE,
    drawn: { label: "Initials", own: ["form", "owner", "public", "app"] },
  },
});

const USES = `must be a whole number from 1 to ${LIMITS.invite_uses}`;

/** The fields of an invite that its owner fills. */
export const CHANNEL_INVITE_FIELDS = defineFields({
  label: {
    ...textKind.orNull,
    accepts: textSchema(0, LIMITS.invite_label),
    about: "Your own note, never shown to subscribers.",
    shown: ["owner", "list"],
    drawn: {
      label: "Note",
      plain: ["form"],
      own: ["owner"],
      hint: "For your own reference, for example where you share the invite.",
    },
  },
  max_uses: {
    ...integerKind.orNull,
    accepts: z.int().min(1, USES).max(LIMITS.invite_uses, USES),
    about: "Number of phones that can join. Default: no limit.",
    shown: ["owner", "list"],
    drawn: {
      label: "Maximum devices",
      plain: ["form"],
      own: ["owner"],
      hint: "1 creates a single-use link. If empty, there is no limit.",
    },
  },
  expires_at: {
    ...timestampKind.orNull,
    accepts: timestampSchema(),
    about: "Expiry (RFC 3339). Default: never.",
    shown: ["owner", "list"],
    drawn: { label: "Expires", own: ["form", "owner"], hint: "Used when “Until…” is chosen." },
  },
});
