// The fields of a webhook endpoint that its owner fills. Its secret and what became of deliveries are the entity's own.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { text } from "./accepts.ts";
import { list, words } from "./kinds.ts";
import { defineFields } from "./record.ts";

/**
 * What happened, as the outside may be told: never a device's identity. The last three are told where an endpoint of the workspace
 * asks for them, and cost nothing elsewhere (rules#events-asked-for).
 */
export const EVENTS = [
  "alert.sent",
  "alert.scheduled",
  "alert.cancelled",
  "subscriber.created",
  "subscriber.deleted",
  "alert.visible",
  "alert.acknowledged",
  "alert.replied",
] as const;

export type EventName = (typeof EVENTS)[number];

export const WEBHOOK = defineFields({
  url: {
    ...words,
    accepts: text(1, LIMITS.url),
    about: "https, reachable from the internet.",
    required: true,
    shown: ["owner", "list"],
    drawn: { label: "Address", own: ["form", "owner"], hint: "An https URL reachable from the internet." },
  },
  events: {
    ...list(),
    accepts: z
      .array(z.enum(EVENTS))
      .min(1)
      .transform((named) => [...new Set(named)]),
    required: true,
    shown: ["owner", "list"],
    drawn: { label: "Events", own: ["form", "owner"] },
  },
});
