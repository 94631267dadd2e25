// A notification in the device's own list: its text, and whether it makes a sound.

import { hasRightToLeftCharacter, isolateText } from "../../../../model/domain/text_isolation.ts";
import type { AlertEffects } from "../rules/alert_decision.ts";
import { listReplyChoices } from "../rules/replies.ts";
import type { RuleAlert } from "../rules/rule_types.ts";

/** Options that lib.dom leaves out; every Chromium has them. */
interface ExtendedNotificationOptions extends NotificationOptions {
  vibrate?: number[];
  renotify?: boolean;
  timestamp?: number;
  actions?: { action: string; title: string }[];
  data: { alert_id: string; handle: string };
}

type NotifiedAlert = Pick<
  RuleAlert,
  "id" | "handle" | "sent_at" | "priority" | "requires_ack" | "collapse_key" | "test_until"
> & { title: string; body: string | null; actions?: readonly { type: string; choices?: string[] }[] };

/** Choices of a question that a notification offers. */
const MOST_REPLIES = 2;
/** Before the number of a choice, in the name of its action. */
const REPLY = "reply:";

/** Buttons that the browser shows in one notification; 0 where it has none. */
const getMaxActions = (): number =>
  "Notification" in globalThis ? ((Notification as { maxActions?: number }).maxActions ?? 0) : 0;

/** The acknowledgement first, then the first choices of the question, as many as the browser shows. */
function listActions(alert: NotifiedAlert, ack: string, replies: boolean): { action: string; title: string }[] {
  const choices = replies ? listReplyChoices(alert.actions ?? []).slice(0, MOST_REPLIES) : [];
  return [
    ...(alert.requires_ack ? [{ action: "ack", title: ack }] : []),
    ...choices.map((title, i) => ({ action: `${REPLY}${i}`, title })),
  ].slice(0, getMaxActions());
}

/** The choice behind the name of an action; null for any other action. */
export const findReplyChoice = (
  action: string,
  actions: readonly { type: string; choices?: string[] }[],
): string | null =>
  action.startsWith(REPLY) ? (listReplyChoices(actions)[Number(action.slice(REPLY.length))] ?? null) : null;

interface NotificationContext {
  channel: string;
  ack: string;
  test: string;
  icon: string;
  page: boolean;
  replies?: boolean;
}

/** As much of a text as a notification shows. */
const BODY = 240;

/**
 * The title and the options of an alert's notification.
 * @param channel its name.
 * @param ack label of the button that acknowledges.
 * @param test before the title of a draft's test.
 * @param replies false where answers stay on the device, so none is offered outside of the app.
 * @param page true while the app is open and rings: then the notification is silent.
 */
export function buildNotification(
  alert: NotifiedAlert,
  decision: Pick<AlertEffects, "sound" | "vibrate">,
  { channel, ack, test, icon, page, replies = true }: NotificationContext,
): { title: string; options: ExtendedNotificationOptions } {
  const actions = listActions(alert, ack, replies);
  const heard = decision.sound !== null || decision.vibrate !== null;
  // A channel and key have one notification, the newest. It may ring again when it replaces another.
  const tag = alert.collapse_key === null ? alert.id : `${alert.handle} ${alert.collapse_key}`;
  const silent = page || decision.sound === null;
  return {
    title: alert.test_until
      ? `${test}: ${isolateText(alert.title, hasRightToLeftCharacter(test) ? "ar" : "en")}`
      : alert.title,
    options: {
      // Each paragraph has the direction of its text: the channel is one, the alert's text another.
      dir: "auto",
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
      ...(actions.length > 0 && { actions }),
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

/** The browser's permission, and whether notifications are available at all. */
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
