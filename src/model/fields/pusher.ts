// The fields of a channel that its owner fills. Its id, handle, status and instants are the entity's own.

import { z } from "zod";
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

/** What a channel may ask its subscribers for. */
export const CAPABILITIES = ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Letters of the avatar. */
export const MAX_INITIALS = 3;

const EVERYWHERE = ["owner", "list", "handset"] as const;

/** Stored in small letters, each once; the bound counts what is left. */
const tags = z
  .array(text(1, 40))
  .transform((found) => [...new Set(found.map((tag) => tag.trim().toLowerCase()))])
  .refine((found) => found.length <= 20, "must be at most 20 tags")
  .refine((found) => found.every((tag) => isWithin(tag, 40)), "must be tags of at most 40 characters");

export const PUSHER = defineFields({
  name: { ...words, accepts: text(1, 80), required: true, shown: EVERYWHERE },
  category: { ...oneOf(CATEGORIES), accepts: z.enum(CATEGORIES), required: true, shown: EVERYWHERE },
  description: {
    ...words,
    accepts: text(1, 200),
    about: "One line shown in search results.",
    required: true,
    shown: EVERYWHERE,
  },
  long: { ...words.orNull, accepts: text(0, 4000, { lines: true }), shown: EVERYWHERE },
  site: { ...words.orNull, accepts: httpsUrl(), shown: EVERYWHERE },
  city: { ...words.orNull, accepts: text(0, 80), shown: EVERYWHERE },
  lat: {
    ...number.orNull,
    accepts: latitude(),
    about: "Geofence centre; lat, lon and radius_km belong together.",
    shown: EVERYWHERE,
  },
  lon: { ...number.orNull, accepts: longitude(), shown: EVERYWHERE },
  radius_km: { ...number.orNull, accepts: radiusKm(), shown: EVERYWHERE },
  loc_rule: { ...words.orNull, accepts: slug(40), shown: EVERYWHERE },
  requested_perms: {
    ...list<Capability>(),
    accepts: z.array(z.enum(CAPABILITIES)).transform((asked) => [...new Set(asked)]),
    about: "Capabilities the channel asks subscribers for.",
    shown: EVERYWHERE,
  },
  alert_types: {
    ...list(),
    accepts: z.array(text(1, 40)).max(20, "must be at most 20 types"),
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
  initials: { ...words, accepts: text(1, MAX_INITIALS), shown: EVERYWHERE },
});
