// The notifications that Chromium has displayed, as its developer tools record them.

import type { CDPSession } from "playwright-core";

export interface ShownNotification {
  title: string;
  body: string;
}

/**
 * Records the notifications of all pages and workers of a browser's context from now on. Polling `getNotifications`
 * instead can lose one: the call deletes the records of notifications that are not displayed yet.
 */
export async function recordNotifications(session: CDPSession): Promise<ShownNotification[]> {
  const shown: ShownNotification[] = [];
  session.on("BackgroundService.backgroundServiceEventReceived", ({ backgroundServiceEvent }) => {
    const { eventName, eventMetadata } = backgroundServiceEvent;
    const read = (key: string) => eventMetadata.find((entry) => entry.key === key)?.value ?? "";
    if (eventName === "Notification displayed") shown.push({ title: read("Title"), body: read("Body") });
  });
  const service = "notifications";
  await session.send("BackgroundService.startObserving", { service });
  await session.send("BackgroundService.setRecording", { service, shouldRecord: true });
  return shown;
}
