// The channel on the wire: what reads and changes answer. Its fields stand in model/fields/pusher.ts.

import { z } from "zod";
import { channelNotes } from "../../model/domain/channel.ts";
import { showId } from "../../model/domain/ids.ts";
import { fold } from "../../model/domain/words.ts";
import { PUSHER_STATUSES, type PusherRow } from "../../model/entities/pusher.ts";
import { forBoth } from "../../model/error_messages.ts";
import { pattern } from "../../model/fields/accepts.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { named } from "../../model/fields/named.ts";
import { HANDLE, PUSHER } from "../../model/fields/pusher.ts";
import { answersOf, argumentsOf, shownTo } from "../../model/fields/record.ts";
import { LIMITS } from "../../model/limits.ts";
import type { PusherRecord } from "../queries/channels.ts";

export const pusherCreate = {
  handle: pattern(
    HANDLE,
    "invalid_format",
    forBoth(
      `must be ${LIMITS.handle_least} to ${LIMITS.handle} of a-z 0-9 - _ and begin and end with a letter or digit`,
      `has ${LIMITS.handle_least} to ${LIMITS.handle} small letters, digits, dashes and underscores, and begins and ends with a letter or digit`,
    ),
  ).describe("Permanent public handle; it can never be changed."),
  ...argumentsOf(PUSHER),
};

export const pusherView = named(
  "Pusher",
  z.object({
    id: z.string(),
    handle: z.string(),
    ...answersOf(shownTo(PUSHER, "owner")),
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

/** rules#channel-tags */
export function searchText(pusher: { name: string; tags: string[] }): string {
  return fold([pusher.name, ...pusher.tags].join(" "));
}

/** A row as the wire shows it. `channelBaseUrl` is the prefix of public channel addresses. */
export function showPusher(row: PusherRow | PusherRecord, channelBaseUrl: string): PusherView {
  // A nullable column reads as undefined in the entity's type only; every row has null there.
  const { id, requested_perms, created_at, updated_at, ...same } = row as PusherRecord;
  return {
    ...same,
    id: showId("psh", id),
    requested_perms: [...requested_perms],
    created_at: toIsoMicros(created_at),
    updated_at: toIsoMicros(updated_at),
    url: `${channelBaseUrl}/${row.handle}`,
  };
}

/** The same as create and update answer it. */
export function showChangedPusher(row: PusherRow, channelBaseUrl: string): z.input<typeof changedPusherView> {
  const notes = channelNotes(row.requested_perms);
  return { ...showPusher(row, channelBaseUrl), ...(notes.length > 0 ? { notes } : {}) };
}
