// An invite on the wire.

import { z } from "zod";
import { formatId } from "../../model/domain/type_ids.ts";
import { CHANNEL_INVITE_FIELDS } from "../../model/fields/channel.ts";
import { createResponseSchemas, formatResponseFields, selectFieldsShownTo } from "../../model/fields/field_table.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import type { InviteRow } from "../../model/tables/channel.ts";

export const inviteSchema = registerSchemaName(
  "Invite",
  z.object({
    id: z.string(),
    pusher_id: z.string(),
    code: z.string(),
    url: z.string().describe("The complete string that a QR code should encode."),
    ...createResponseSchemas(selectFieldsShownTo(CHANNEL_INVITE_FIELDS, "owner")),
    uses: z.int(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
  }),
);

/** `channelBaseUrl` and the channel's handle make the link: `{CHANNEL_BASE_URL}/<handle>?invite=<code>`. */
export function toInviteView(
  row: Omit<InviteRow, "pusher">,
  pusher: { id: string; handle: string },
  channelBaseUrl: string,
): z.infer<typeof inviteSchema> {
  const { id, code, uses } = row;
  return {
    id: formatId("inv", id),
    pusher_id: formatId("psh", pusher.id),
    code,
    url: `${channelBaseUrl}/${pusher.handle}?invite=${code}`,
    ...formatResponseFields(CHANNEL_INVITE_FIELDS, row),
    uses,
    revoked_at: toIsoMicrosOrNull(row.revoked_at ?? null),
    created_at: toIsoMicros(row.created_at),
  };
}
