// The reason why a channel cannot alert this device while the app is closed. Pure.

import type { AlertPermission, RuleChannel } from "./rule_types.ts";

/** Permissions by which an alert can be noticed without looking at the inbox. */
const NOTICEABLE: readonly string[] = ["notify", "sound", "vibrate", "tts", "full"] satisfies AlertPermission[];

export const hasNoticeablePermission = (permissions: readonly string[]): boolean =>
  permissions.some((one) => NOTICEABLE.includes(one));

/** Reports if its alerts make a sound while the app is open. */
export const canSoundInOpenApp = (permissions: readonly string[]): boolean =>
  permissions.some((one) => one === "sound" || one === "tts");

/**
 * Why a followed channel cannot alert this device: `not_allowed` where the user granted it nothing that can be
 * noticed, else the state of push notifications. Null where it can, and where nothing is expected of it: it is muted,
 * not followed, or requests nothing (rules#app-says-silence).
 */
export function findChannelAlertingProblem<State extends string>(
  { requested_perms, subscription }: RuleChannel,
  push: State | "on" | null,
): State | "not_allowed" | null {
  if (subscription === null || subscription.muted || !hasNoticeablePermission(requested_perms)) return null;
  if (!hasNoticeablePermission(subscription.permissions.filter((one) => requested_perms.includes(one))))
    return "not_allowed";
  return push === null || push === "on" ? null : (push as State);
}
