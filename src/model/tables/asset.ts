// A file that a member uploaded in the console. The content is in the store under the row's id. It belongs to the
// workspace and survives the member who uploaded it.

import { defineEntity, p } from "@mikro-orm/core";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { LIMITS } from "../limits.ts";
import { Member, Workspace } from "./member.ts";

export const ASSET_KINDS = ["image", "audio", "html"] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export const Asset = defineEntity({
  name: "Asset",
  checks: [
    { name: "asset_text", expression: "(kind = 'html') = (text is not null)" },
    {
      name: "asset_attached",
      expression: `reference_count >= 0 and (reference_count > 0) = (attached_at is not null)
          and (reference_count > 0) = (expires_at is null)`,
    },
  ],
  indexes: [
    { name: "asset_list", properties: ["workspace", "created_at"] },
    { name: "asset_unattached", properties: ["member", "expires_at"], where: "expires_at is not null" },
    { name: "asset_expiry", properties: ["expires_at"], where: "expires_at is not null" },
  ],
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    /** The uploader. Callers without access to the whole workspace attach only their own member's files. */
    member: () => p.manyToOne(Member).ref().nullable().deleteRule("set null"),
    kind: p.enum(ASSET_KINDS),
    /** The detected type of the content, never the declared one. */
    content_type: p.text(),
    bytes: p.integer(),
    sha256: p.blob(),
    /** The owner's file name, cleaned; for people. */
    name: p.text(),
    /** The text of an html file, so that attaching it inside a transaction never waits for the store. */
    text: p.text().nullable(),
    /** The row is written before the file and deleted after it. While this is false, the file is not found. */
    stored: p.boolean().default(false),
    /** The number of references by alerts and channels. Triggers maintain it and the two times. */
    reference_count: p.integer().default(0),
    attached_at: timestampColumn().nullable(),
    /**
     * When the file is removed unless an alert or a channel uses it; null while one does. The default as PostgreSQL
     * prints it.
     */
    expires_at: timestampColumn()
      .nullable()
      .defaultRaw(`(clock_timestamp() + '${LIMITS.waiting_files_hours}:00:00'::interval)`),
    created_at: writtenAtColumn(),
  },
});
