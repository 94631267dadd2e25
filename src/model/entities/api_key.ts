// A bearer key: only its hash is stored. It acts for its member and can never do more than that member.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import { Member } from "./member.ts";

export const ApiKey = defineEntity({
  name: "ApiKey",
  tableName: "api_key",
  properties: {
    id: p.uuid().primary(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    name: p.text(),
    /** SHA-256 of the whole key. */
    hash: p.blob().unique("api_key_hash"),
    scopes: p.array(),
    /** A person decides before it publishes. */
    asks_first: p.boolean().default(false),
    /** The program that it was made for (model/fields/programs.ts); it speaks every tongue all the same. */
    made_for: p.text().nullable(),
    /** The one channel that the key sees. No foreign key: a key whose channel is gone sees nothing, never everything. */
    pusher_id: p.uuid().nullable(),
    expires_at: instant().nullable(),
    revoked_at: instant().nullable(),
    last_used_at: instant().nullable(),
    created_at: writtenAt(),
  },
});
