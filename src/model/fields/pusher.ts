// The fields of a channel that its owner fills. Its id, handle, status and instants are the entity's own.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { httpsUrl, isWithin, latitude, longitude, radiusKm, slug, text } from "./accepts.ts";
import { list, number, oneOf, words, yesOr } from "./kinds.ts";
import { defineFields } from "./record.ts";

export const CATEGORIES = [
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

/** docs/rules.md#handle-shape */
export const HANDLE = new RegExp(
  `^[a-z0-9][a-z0-9_-]{${LIMITS.handle_least - 2},${LIMITS.handle - 2}}[a-z0-9]$`,
);

/** What a channel may ask its subscribers for. */
export const CAPABILITIES = ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"] as const;
export type Capability = (typeof CAPABILITIES)[number];

const EVERYWHERE = ["owner", "list", "handset"] as const;

/** Stored in small letters, each once; the bound counts what is left. */
const tags = z
  .array(text(1, LIMITS.channel_tag))
  .transform((found) => [...new Set(found.map((tag) => tag.trim().toLowerCase()))])
  .refine((found) => found.length <= LIMITS.channel_tags, `must be at most ${LIMITS.channel_tags} tags`)
  .refine(
    (found) => found.every((tag) => isWithin(tag, LIMITS.channel_tag)),
    `must be tags of at most ${LIMITS.channel_tag} characters`,
  );

export const PUSHER = defineFields({
  name: { ...words, accepts: text(1, LIMITS.channel_name), required: true, shown: EVERYWHERE },
  category: { ...oneOf(CATEGORIES), accepts: z.enum(CATEGORIES), required: true, shown: EVERYWHERE },
  description: {
    ...words,
    accepts: text(1, LIMITS.channel_description),
    about: "One line shown in search results.",
    required: true,
    shown: EVERYWHERE,
  },
  long: { ...words.orNull, accepts: text(0, LIMITS.channel_long, { lines: true }), shown: EVERYWHERE },
  site: { ...words.orNull, accepts: httpsUrl(), shown: EVERYWHERE },
  city: { ...words.orNull, accepts: text(0, LIMITS.channel_city), shown: EVERYWHERE },
  lat: {
    ...number.orNull,
    accepts: latitude(),
    about: "Geofence centre; lat, lon and radius_km belong together.",
    shown: EVERYWHERE,
  },
  lon: { ...number.orNull, accepts: longitude(), shown: EVERYWHERE },
  radius_km: { ...number.orNull, accepts: radiusKm(), shown: EVERYWHERE },
  loc_rule: { ...words.orNull, accepts: slug(LIMITS.channel_loc_rule), shown: EVERYWHERE },
  requested_perms: {
    ...list<Capability>(),
    accepts: z.array(z.enum(CAPABILITIES)).transform((asked) => [...new Set(asked)]),
    about: "Capabilities the channel asks subscribers for.",
    shown: EVERYWHERE,
  },
  alert_types: {
    ...list(),
    accepts: z
      .array(text(1, LIMITS.channel_alert_type))
      .max(LIMITS.channel_alert_types, `must be at most ${LIMITS.channel_alert_types} types`),
    shown: EVERYWHERE,
  },
  tags: { ...list(), accepts: tags, shown: EVERYWHERE },
  is_public: {
    ...yesOr(true),
    accepts: z.boolean(),
    about: "A private channel answers nobody without an invite.",
    shown: EVERYWHERE,
  },
  image_url: { ...words.orNull, accepts: httpsUrl(), shown: EVERYWHERE },
  /** Made of the handle where nobody chooses it. */
  gradient_from: {
    ...words,
    accepts: z.string(),
    about: "#rrggbb; an invalid colour keeps the current one.",
    shown: EVERYWHERE,
  },
  gradient_to: { ...words, accepts: z.string(), shown: EVERYWHERE },
  /** Made of the name where nobody chooses them. */
  initials: { ...words, accepts: text(1, LIMITS.channel_initials), shown: EVERYWHERE },
});
