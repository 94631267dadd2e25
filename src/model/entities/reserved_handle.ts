// Handles that nobody can claim again: those of channels deleted while suspended.

import { defineEntity, p } from "@mikro-orm/core";

export const ReservedHandle = defineEntity({
  name: "ReservedHandle",
  tableName: "reserved_handle",
  properties: { handle: p.text().primary() },
});
