// What happened, as the outside may be told: five events, never a device's identity.

export const EVENTS = [
  "alert.sent",
  "alert.scheduled",
  "alert.cancelled",
  "subscriber.created",
  "subscriber.deleted",
] as const;

export type EventName = (typeof EVENTS)[number];

/** `data` always includes `pusher_id` in its wire form. `workspaceId` addresses the event and is not sent. */
export interface DomainEvent {
  event: EventName;
  workspaceId: string;
  data: { pusher_id: string } & Record<string, unknown>;
}
