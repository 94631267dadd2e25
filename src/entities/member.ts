// A person in a workspace: a role, and optionally the only channels that this member sees.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { writtenAt } from "./columns.ts";
import { Workspace } from "./workspace.ts";

export const ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export const Member = defineEntity({
  name: "Member",
  tableName: "member",
  uniques: [{ name: "member_email", properties: ["workspace", "email"] }],
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    email: p.text(),
    role: p.enum(ROLES),
    /** Null: every channel. A list, the empty one included: only these. */
    pusher_ids: p.array().columnType("uuid[]").nullable(),
    created_at: writtenAt(),
  },
});

export type MemberRow = InferEntity<typeof Member>;
