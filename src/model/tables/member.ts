// A workspace, which owns channels, members, keys and webhook endpoints, and its members: their role, and optionally
// the only channels that they see.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";

export const Workspace = defineEntity({
  name: "Workspace",
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** The last place of the feed of events that was given to one (docs/decisions/0018). */
    last_event_position: p.bigint("string").default("0"),
    /**
     * The channel that notifies reviewers of waiting drafts. It has no foreign key, so its deletion has no effect here.
     */
    review_channel_id: p.uuid().nullable(),
    /** The default retention of channels (rules#retention); null and 0 mean no limit. */
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
    /** Sends an e-mail for each waiting draft. */
    wants_draft_emails: p.boolean().default(false),
    created_at: writtenAtColumn(),
  },
});

/**
 * The issuer of a link: the operator on the machine, an owner or admin, or the person by mail to the member's address.
 */
export const LINK_ISSUERS = ["operator", "manager", "person"] as const;
export type LinkIssuer = (typeof LINK_ISSUERS)[number];

/** A one-time link to join as this member, or to reset its password. Only its hash is stored. */
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
