// A way into a private channel. Revoking keeps the row and its first `revoked_at`.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import { INVITE } from "../fields/invite.ts";
import { propertiesOf } from "../fields/record.ts";
import { Pusher } from "./pusher.ts";

export const Invite = defineEntity({
  name: "Invite",
  tableName: "invite",
  indexes: [{ name: "invite_list", properties: ["pusher", "created_at"] }],
  properties: {
    id: p.uuid().primary(),
    pusher: () => p.manyToOne(Pusher).ref().deleteRule("cascade"),
    /** Shown to the owner again and again, so it is stored as it is; 128 random bits or more. */
    code: p.text().unique("invite_code"),
    ...propertiesOf(INVITE),
    uses: p.integer().default(0),
    revoked_at: instant().nullable(),
    created_at: writtenAt(),
  },
});

export type InviteRow = InferEntity<typeof Invite>;
