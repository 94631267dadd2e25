// The account: what owns channels, members, keys and webhook endpoints.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { writtenAt } from "../fields/columns.ts";

export const Workspace = defineEntity({
  name: "Workspace",
  tableName: "workspace",
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    created_at: writtenAt(),
  },
});

export type WorkspaceRow = InferEntity<typeof Workspace>;
