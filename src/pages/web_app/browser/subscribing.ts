// From one press to an audible channel: joins it, requests the browser's permission once, and registers for push
// notifications. A test notification with a tone follows.

import type { ChannelCard } from "./api_types.ts";
import { getAppState, updateAppState } from "./app_state.ts";
import { joinChannel, updateSubscription } from "./channel_actions.ts";
import { playTestTone, unlockSound } from "./outputs/alert_player.ts";
import { getNotificationPermission, showNotification } from "./outputs/notifications.ts";
import { enablePush, requestNotificationPermission, waitForServiceWorker } from "./push_notifications.ts";
import { getPriorityVolumeFactor } from "./rules/alert_decision.ts";
import { hasNoticeablePermission } from "./rules/alerting_problem.ts";
import { t } from "./texts/translate.ts";

const SIGN = "/static/icon.svg";

/**
 * Joins a channel with these permissions. To be called in a gesture: the browser's permission is requested first.
 * Joining waits neither for its answer nor for the push service. @throws ServiceRefusedError, ServiceUnreachableError
 */
export async function subscribeToChannel(
  card: ChannelCard,
  permissions: string[],
  invite: string | null,
): Promise<void> {
  const ready = hasNoticeablePermission(permissions) ? prepareAlerts(permissions) : null;
  await joinChannel(card, permissions, invite);
  if (ready) void finishAlerts(card, permissions, ready);
}

/** The permissions that "Subscribe" grants in a list that does not show them: none concerns the user's position. */
const LISTED_PERMISSIONS: readonly string[] = ["notify", "sound", "vibrate"];

export const subscribeFromList = (card: ChannelCard): Promise<void> =>
  subscribeToChannel(
    card,
    card.requested_perms.filter((one) => LISTED_PERMISSIONS.includes(one)),
    null,
  );

/** Grants a followed channel these permissions, or all that it requests. To be called in a gesture. */
export async function grantChannelPermissions(card: ChannelCard): Promise<void> {
  const granted = card.subscription?.permissions ?? [];
  const permissions = hasNoticeablePermission(granted.filter((one) => card.requested_perms.includes(one)))
    ? granted
    : card.requested_perms;
  const ready = prepareAlerts(permissions);
  if (permissions !== granted) await updateSubscription(card, { permissions });
  await finishAlerts(card, permissions, ready);
}

/** Requests the browser's permission, and unlocks sounds. */
function prepareAlerts(permissions: readonly string[]): Promise<NotificationPermission | "missing"> {
  if (permissions.includes("sound")) void unlockSound();
  return requestNotificationPermission();
}

async function finishAlerts(
  card: ChannelCard,
  permissions: readonly string[],
  answer: Promise<NotificationPermission | "missing">,
): Promise<void> {
  updateAppState({ confirmed: null });
  const registered = enablePush(answer);
  // The test needs the worker and the permission, but no push service.
  await answer;
  const test = await showTest(card, permissions);
  await registered;
  if (getAppState().wakes === "on") updateAppState({ confirmed: { handle: card.handle, test } });
}

/** A notification like those of the channel's alerts, and the tone of a normal one. Returns whether it was shown. */
async function showTest({ handle, name }: ChannelCard, permissions: readonly string[]): Promise<boolean> {
  const { volume } = getAppState().settings;
  const sounds = permissions.includes("sound") && volume > 0;
  const shown =
    permissions.includes("notify") &&
    getNotificationPermission() === "granted" &&
    (await waitForServiceWorker().catch(() => null)) !== null &&
    (await showNotification(t("hello.title", { channel: name }), {
      body: t("hello.body"),
      tag: `hello ${handle}`,
      icon: SIGN,
      badge: SIGN,
      // The page plays the tone itself.
      silent: sounds,
    }));
  if (sounds) void playTestTone("default", getPriorityVolumeFactor("normal") * volume);
  return shown;
}
