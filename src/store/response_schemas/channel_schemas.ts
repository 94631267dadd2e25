// The channel on the wire: the results of reads and changes. Its fields are defined in model/fields/channel.ts.

import { z } from "zod";
import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { getNoRequestedPermissionsNotes } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { toLowerCaseNfc } from "../../model/domain/search_terms.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { CHANNEL_FIELDS, HANDLE_PATTERN } from "../../model/fields/channel.ts";
import {
  createInsertArgumentSchemas,
  createResponseSchemas,
  selectFieldsShownTo,
} from "../../model/fields/field_table.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { patternSchema } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import { CHANNEL_STATUSES, type ChannelRow } from "../../model/tables/channel.ts";
import type { ChannelRecord } from "../queries/channels.ts";

export const channelCreateFields = {
  handle: patternSchema(
    HANDLE_PATTERN,
    createApiAndUiText(
      `must be ${LIMITS.handle_least} to ${LIMITS.handle} characters long, contain only a-z, 0-9, - and _, and start ` +
        "and end with a letter or digit",
      `must consist of ${LIMITS.handle_least} to ${LIMITS.handle} lowercase letters, digits, dashes or underscores, ` +
        "and start and end with a letter or digit",
    ),
  ).describe("Public and permanent; 3 to 30 of a-z 0-9 _ -."),
  ...createInsertArgumentSchemas(CHANNEL_FIELDS),
};

export const ownerChannelSchema = registerSchemaName(
  "Pusher",
  z.object({
    id: z.string(),
    handle: z.string(),
    ...createResponseSchemas(selectFieldsShownTo(CHANNEL_FIELDS, "owner")),
    url: z.string().describe("The public channel address."),
    status: z.enum(CHANNEL_STATUSES),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);

/** The result of create and update. */
export const changedChannelSchema = ownerChannelSchema.extend({
  notes: z
    .array(z.object({ capability: z.string(), field: z.string(), message: z.string() }))
    .optional()
    .describe("Present if the channel requests no permissions."),
});

type OwnerChannelView = z.infer<typeof ownerChannelSchema>;

/** rules#channel-tags */
export function buildChannelSearchText(pusher: { name: string; tags: string[] }): string {
  return toLowerCaseNfc([pusher.name, ...pusher.tags].join(" "));
}

/** A row as the wire shows it. `channelBaseUrl` is the prefix of public channel addresses. */
export function toOwnerChannelView(row: ChannelRow | ChannelRecord, channelBaseUrl: string): OwnerChannelView {
  // A nullable column reads as undefined in the entity's type only; every row has null there.
  const { id, requested_perms, created_at, updated_at, ...same } = row as ChannelRecord;
  return {
    ...same,
    id: formatId("psh", id),
    requested_perms: [...requested_perms],
    created_at: toIsoMicros(created_at),
    updated_at: toIsoMicros(updated_at),
    url: `${channelBaseUrl}/${row.handle}`,
  };
}

/** The same as create and update return it. */
export function toChannelViewWithNotes(row: ChannelRow, channelBaseUrl: string): z.input<typeof changedChannelSchema> {
  const notes = getNoRequestedPermissionsNotes(row.requested_perms);
  return { ...toOwnerChannelView(row, channelBaseUrl), ...(notes.length > 0 ? { notes } : {}) };
}
