// The account, which owns channels, members, keys and webhook endpoints; and a person in it: a role, and optionally
// the only channels that this member sees.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { timestampColumn, writtenAtColumn } from "../fields/timestamp_columns.ts";

export const Workspace = defineEntity({
  name: "Workspace",
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** The last place of the feed of events that was given to one (docs/decisions/0018). */
    last_event_position: p.bigint("string").default("0"),
    /** The channel that tells of drafts which wait for a review. No foreign key: one that is gone takes nothing. */
    review_channel_id: p.uuid().nullable(),
    /** What holds for channels that say nothing of their own (rules#retention); null and 0: for ever. */
    retention_days: p.integer().nullable(),
    retention_starts_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

export const ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export const Member = defineEntity({
  name: "Member",
  uniques: [
    { name: "member_email", properties: ["workspace", "email"] },
    { name: "member_user", properties: ["workspace", "user_id"], where: "user_id is not null" },
  ],
  indexes: [{ name: "member_of_user", properties: ["user_id"], where: "user_id is not null" }],
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    email: p.text(),
    name: p.text().nullable(),
    role: p.enum(ROLES),
    /** Null: every channel. A list, the empty one included: only these. */
    pusher_ids: p.array().columnType("uuid[]").nullable(),
    /** The signed-in person behind it, once the link was followed. */
    user_id: p.text().nullable(),
    /** Whether a mail tells of each draft that waits. */
    wants_draft_emails: p.boolean().default(false),
    created_at: writtenAtColumn(),
  },
});

/**
 * Who asked for a link: the operator on the machine, an owner or admin, or the person by mail to the member's
 * address.
 */
export const LINK_ISSUERS = ["operator", "manager", "person"] as const;
export type LinkIssuer = (typeof LINK_ISSUERS)[number];

/** A one-time link that makes somebody this member, or lets the member choose a new password; only its hash is kept. */
export const MemberLink = defineEntity({
  name: "MemberLink",
  indexes: [
    { name: "member_link_member", properties: ["member"] },
    { name: "member_link_expiry", properties: ["expires_at"] },
  ],
  properties: {
    token_hash: p.blob().primary(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    issued_by: p.enum(LINK_ISSUERS),
    expires_at: timestampColumn(),
    used_at: timestampColumn().nullable(),
    /** When a newer one took its place. */
    replaced_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

export type MemberRow = InferEntity<typeof Member>;
