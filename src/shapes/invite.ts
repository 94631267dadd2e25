// An invite on the wire.

import { z } from "zod";
import { showId } from "../domain/ids.ts";
import type { InviteRow } from "../entities/invite.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../fields/columns.ts";
import { named } from "../fields/named.ts";

export const inviteView = named(
  "Invite",
  z.object({
    id: z.string(),
    pusher_id: z.string(),
    code: z.string(),
    url: z.string().describe("The whole string that a QR code should encode."),
    label: z.string().nullable(),
    max_uses: z.int().nullable(),
    uses: z.int(),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
  }),
);

/** `publicBase` and the channel's handle make the link: `{PUBLIC_BASE}/<handle>?invite=<code>`. */
export function showInvite(
  row: Omit<InviteRow, "pusher">,
  pusher: { id: string; handle: string },
  publicBase: string,
): z.infer<typeof inviteView> {
  const { id, code, uses } = row;
  return {
    id: showId("inv", id),
    pusher_id: showId("psh", pusher.id),
    code,
    url: `${publicBase}/${pusher.handle}?invite=${code}`,
    label: row.label ?? null,
    max_uses: row.max_uses ?? null,
    uses,
    expires_at: toIsoMicrosOrNull(row.expires_at ?? null),
    revoked_at: toIsoMicrosOrNull(row.revoked_at ?? null),
    created_at: toIsoMicros(row.created_at),
  };
}
