// The channel on the wire: what create and update accept, and what a read answers.

import { z } from "zod";
import { MAX_INITIALS } from "../domain/avatar.ts";
import { channelNotes } from "../domain/capabilities.ts";
import { showId } from "../domain/ids.ts";
import { CAPABILITIES, CATEGORIES, PUSHER_STATUSES, type PusherRow } from "../entities/pusher.ts";
import { httpsUrl, isWithin, latitude, longitude, radiusKm, slug, text } from "../fields/accepts.ts";
import { toIsoMicros } from "../fields/columns.ts";
import { named } from "../fields/named.ts";
import type { PusherRecord } from "../queries/channels.ts";

/** Stored lowercased and deduplicated; the bound counts what is left. */
const tags = z
  .array(text(1, 40))
  .transform((list) => [...new Set(list.map((tag) => tag.trim().toLowerCase()))])
  .refine((list) => list.length <= 20, "must be at most 20 tags")
  .refine((list) => list.every((tag) => isWithin(tag, 40)), "must be tags of at most 40 characters");

/** Every field that both create and update accept, all optional here; absent means untouched. */
const fields = {
  name: text(1, 80),
  category: z.enum(CATEGORIES),
  description: text(1, 200).describe("One line shown in search results."),
  long: text(0, 4000, { lines: true }).nullable(),
  site: httpsUrl().nullable(),
  city: text(0, 80).nullable(),
  lat: latitude().nullable().describe("Geofence centre; lat, lon and radius_km belong together."),
  lon: longitude().nullable(),
  radius_km: radiusKm().nullable(),
  loc_rule: slug(40).nullable(),
  requested_perms: z
    .array(z.enum(CAPABILITIES))
    .transform((list) => [...new Set(list)])
    .describe("Capabilities the channel asks subscribers for."),
  alert_types: z.array(text(1, 40)).max(20, "must be at most 20 types"),
  tags,
  is_public: z.boolean().describe("A private channel answers nobody without an invite."),
  image_url: httpsUrl().nullable(),
  gradient_from: z.string().describe("#rrggbb; an invalid colour keeps the current one."),
  gradient_to: z.string(),
  initials: text(1, MAX_INITIALS),
};

const required = ["name", "category", "description"] as const;

export const pusherPatch = z.object(fields).partial().shape;

export const pusherCreate = {
  handle: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{1,28}[a-z0-9]$/,
      "must be 3 to 30 of a-z 0-9 - _ and begin and end with a letter or digit",
    )
    .describe("Permanent public handle; it can never be changed."),
  ...pusherPatch,
  ...(Object.fromEntries(required.map((name) => [name, fields[name]])) as Pick<
    typeof fields,
    (typeof required)[number]
  >),
};

/** What owners and handsets alike see of a channel. */
export const pusherFace = {
  name: z.string(),
  category: z.string(),
  description: z.string(),
  long: z.string().nullable(),
  site: z.string().nullable(),
  city: z.string().nullable(),
  lat: z.number().nullable(),
  lon: z.number().nullable(),
  radius_km: z.number().nullable(),
  loc_rule: z.string().nullable(),
  requested_perms: z.array(z.string()),
  alert_types: z.array(z.string()),
  tags: z.array(z.string()),
  is_public: z.boolean(),
  image_url: z.string().nullable(),
  gradient_from: z.string(),
  gradient_to: z.string(),
  initials: z.string(),
};

export const pusherView = named(
  "Pusher",
  z.object({
    id: z.string(),
    handle: z.string(),
    ...pusherFace,
    url: z.string().describe("The public channel address."),
    status: z.enum(PUSHER_STATUSES),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);

/** What create and update answer. */
export const changedPusherView = pusherView.extend({
  notes: z
    .array(z.object({ capability: z.string(), field: z.string(), message: z.string() }))
    .optional()
    .describe("There when the channel asks subscribers for nothing."),
});

export type PusherView = z.infer<typeof pusherView>;

/** docs/rules.md#channel-tags */
export function searchText(pusher: { name: string; tags: string[] }): string {
  return [pusher.name, ...pusher.tags].join(" ").toLowerCase();
}

/** A row as the wire shows it. `publicBase` is the prefix of public channel addresses. */
export function showPusher(row: PusherRow | PusherRecord, publicBase: string): PusherView {
  // A nullable column reads as undefined in the entity's type only; every row has null there.
  const { id, requested_perms, created_at, updated_at, ...same } = row as PusherRecord;
  return {
    ...same,
    id: showId("psh", id),
    requested_perms: [...requested_perms],
    created_at: toIsoMicros(created_at),
    updated_at: toIsoMicros(updated_at),
    url: `${publicBase}/${row.handle}`,
  };
}

/** The same as create and update answer it. */
export function showChangedPusher(row: PusherRow, publicBase: string): z.input<typeof changedPusherView> {
  const notes = channelNotes(row.requested_perms);
  return { ...showPusher(row, publicBase), ...(notes.length > 0 ? { notes } : {}) };
}
