// The fields of a webhook endpoint that its owner sets. The entity has its secret and the results of deliveries.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { textKind, textListKind } from "./field_kinds.ts";
import { defineFields } from "./field_table.ts";
import { textSchema } from "./value_schemas.ts";

/**
 * The event names. Events never contain a device's identity. The last three are sent only if an endpoint of the
 * workspace subscribes to them, and cost nothing otherwise (rules#events-asked-for).
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
    about: "https URL reachable from the internet.",
    required: true,
    shown: ["owner", "list"],
    drawn: { label: "Address", own: ["form", "owner"], hint: "An https address that is reachable from the internet." },
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
