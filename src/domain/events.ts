// What happened, as the outside may be told: five events, never a device's identity.

import type { EventName } from "../fields/webhook.ts";

/** `data` always includes `pusher_id` in its wire form. `workspaceId` and `listening` address the event and are not sent. */
export interface DomainEvent {
  event: EventName;
  workspaceId: string;
  /** False when it is known that no endpoint waits for the workspace's events. */
  listening: boolean;
  data: { pusher_id: string } & Record<string, unknown>;
}
