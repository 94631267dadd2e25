// A line in the device's own list of notifications: what it says, and whether it makes a sound of its own.

import type { AlertDecision } from "../rules/alert_decision.ts";
import type { RuleAlert } from "../rules/rule_types.ts";

/** What lib.dom leaves out of the options; every Chromium has them. */
export interface NotificationLine extends NotificationOptions {
  vibrate?: number[];
  renotify?: boolean;
  timestamp?: number;
  actions?: { action: string; title: string }[];
  data: { alert_id: string; handle: string };
}

type NotifiedAlert = Pick<
  RuleAlert,
  "id" | "handle" | "sent_at" | "priority" | "requires_ack" | "collapse_key" | "test_until"
> & {
  title: string;
  body: string | null;
};

/** As much of a text as a notification shows. */
const BODY = 240;

/**
 * The title and the options of an alert's notification.
 * @param channel its name, as people know it
 * @param ack the words on the button that acknowledges
 * @param test the word before the title of a draft's test
 * @param page whether the app is open and rings by itself: then the line is silent, else the device may ring
 */
export function buildNotification(
  alert: NotifiedAlert,
  decision: Pick<AlertDecision, "sound" | "vibrate">,
  { channel, ack, test, icon, page }: { channel: string; ack: string; test: string; icon: string; page: boolean },
): { title: string; options: NotificationLine } {
  const heard = decision.sound !== null || decision.vibrate !== null;
  // Of a channel and key one line stands, the newest; it may ring again when it takes another's place.
  const tag = alert.collapse_key === null ? alert.id : `${alert.handle} ${alert.collapse_key}`;
  const silent = page || decision.sound === null;
  return {
    title: alert.test_until ? `${test}: ${alert.title}` : alert.title,
    options: {
      body: cut(alert.body ? `${channel}\n${alert.body}` : channel),
      tag,
      icon,
      badge: icon,
      silent,
      // A silent line with a pattern is refused by browsers.
      ...(!silent && decision.vibrate !== null && { vibrate: decision.vibrate }),
      renotify: heard && !page,
      requireInteraction: alert.priority === "urgent",
      timestamp: Date.parse(alert.sent_at),
      data: { alert_id: alert.id, handle: alert.handle },
      ...(alert.requires_ack && { actions: [{ action: "ack", title: ack }] }),
    },
  };
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length <= BODY
    ? text
    : `${letters
        .slice(0, BODY - 1)
        .join("")
        .trimEnd()}…`;
}

/** What the browser allows, and whether it can at all. */
export function getNotificationPermission(): NotificationPermission | "missing" {
  return "Notification" in globalThis ? Notification.permission : "missing";
}

/** Shows a line through the worker, which phones demand. False when it could not be shown. */
export async function showNotification(title: string, options: NotificationOptions): Promise<boolean> {
  if (getNotificationPermission() !== "granted") return false;
  const registration = await navigator.serviceWorker?.getRegistration();
  if (!registration?.active) return false;
  return registration.showNotification(title, options).then(
    () => true,
    () => false,
  );
}
