// A handset that a person linked to the own account by an act on that handset, and the draft that it is shown as a test
// (docs/rules.md#own-devices). The person's alone: no channel and no other member learns of it.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import { Device } from "./handset.ts";

export const OwnDevice = defineEntity({
  name: "OwnDevice",
  tableName: "own_device",
  uniques: [
    { name: "own_device_device", properties: ["device"] },
    { name: "own_device_code", properties: ["code_hash"] },
  ],
  indexes: [
    { name: "own_device_person", properties: ["user_id"] },
    { name: "own_device_end", properties: ["expires_at"], where: "device_id is null" },
  ],
  properties: {
    id: p.uuid().primary(),
    user_id: p.text(),
    /** Null until the handset has opened the link; a person has one such row at most. */
    device: () => p.manyToOne(Device).ref().nullable().deleteRule("cascade").updateRule("no action"),
    /** Of the link, which works once; only its hash is kept. */
    code_hash: p.blob().nullable(),
    expires_at: instant().nullable(),
    created_at: writtenAt(),
    /** The draft and the version of it that is shown, as which alert, and since when. Until when, the device says. */
    draft_id: p.uuid().nullable(),
    draft_version: instant().nullable(),
    shown_as: p.uuid().nullable(),
    shown_at: instant().nullable(),
  },
});
