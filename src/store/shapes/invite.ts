// An invite on the wire.

import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import type { InviteRow } from "../../model/entities/pusher.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { named } from "../../model/fields/named.ts";
import { INVITE } from "../../model/fields/pusher.ts";
import { answersOf, showFields, shownTo } from "../../model/fields/record.ts";

export const inviteView = named(
  "Invite",
  z.object({
    id: z.string(),
    pusher_id: z.string(),
    code: z.string(),
    url: z.string().describe("The whole string that a QR code should encode."),
    ...answersOf(shownTo(INVITE, "owner")),
    uses: z.int(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
  }),
);

/** `channelBaseUrl` and the channel's handle make the link: `{CHANNEL_BASE_URL}/<handle>?invite=<code>`. */
export function showInvite(
  row: Omit<InviteRow, "pusher">,
  pusher: { id: string; handle: string },
  channelBaseUrl: string,
): z.infer<typeof inviteView> {
  const { id, code, uses } = row;
  return {
    id: showId("inv", id),
    pusher_id: showId("psh", pusher.id),
    code,
    url: `${channelBaseUrl}/${pusher.handle}?invite=${code}`,
    ...showFields(INVITE, row),
    uses,
    revoked_at: toIsoMicrosOrNull(row.revoked_at ?? null),
    created_at: toIsoMicros(row.created_at),
  };
}
