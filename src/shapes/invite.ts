// An invite on the wire.

import { z } from "zod";
import { showId } from "../domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../entities/columns.ts";
import type { InviteRecord } from "../queries/invites.ts";
import { named } from "./named.ts";

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

/** `handle` and `publicBase` make the link: `{PUBLIC_BASE}/<handle>?invite=<code>`. */
export function showInvite(
  record: InviteRecord,
  handle: string,
  publicBase: string,
): z.infer<typeof inviteView> {
  return {
    ...record,
    id: showId("inv", record.id),
    pusher_id: showId("psh", record.pusher_id),
    url: `${publicBase}/${handle}?invite=${record.code}`,
    expires_at: toIsoMicrosOrNull(record.expires_at),
    revoked_at: toIsoMicrosOrNull(record.revoked_at),
    created_at: toIsoMicros(record.created_at),
  };
}
