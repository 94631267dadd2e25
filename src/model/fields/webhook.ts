// The fields of a webhook endpoint that its owner fills. Its secret and what became of deliveries are the entity's own.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { textKind, textListKind } from "./field_kinds.ts";
import { defineFields } from "./field_table.ts";
import { textSchema } from "./value_schemas.ts";

/**
 * What happened, as the outside may be told: never a device's identity. The last three are told where an endpoint of
 * the workspace asks for them, and cost nothing elsewhere (rules#events-asked-for).
 */
export const EVENT_NAMES = [
  "alert.sent",
  "alert.scheduled",
  "alert.cancelled",
  "subscriber.created",
  "subscriber.deleted",
  "alert.visible",
  "alert.acknowledged",
  "alert.replied",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export const WEBHOOK_FIELDS = defineFields({
  url: {
    ...textKind,
    accepts: textSchema(1, LIMITS.url),
    about: "https, reachable from the internet.",
    required: true,
    shown: ["owner", "list"],
    drawn: { label: "Address", own: ["form", "owner"], hint: "An https URL reachable from the internet." },
  },
  events: {
    ...textListKind(),
    accepts: z
      .array(z.enum(EVENT_NAMES))
      .min(1)
      .transform((named) => [...new Set(named)]),
    about: "Events to receive.",
    required: true,
    shown: ["owner", "list"],
    drawn: { label: "Events", own: ["form", "owner"] },
  },
});
