// Several alerts at once, as after a sleep: each is noted, one is played. The loudest decision keeps its sound,
// vibration, speech and screen; the others only their notification. An urgent alert that awaits an acknowledgement may
// be shown again, by the handset's own count. The repeats are limited in number, have intervals, and end soon after its
// time. The server keeps no state of it (rules#repeats). Pure.

import { LIMITS } from "../../../../model/limits.ts";
import { type AlertEffects, decideAlertEffects, SILENT_EFFECTS } from "./alert_decision.ts";
import { arrangeInbox, compareNewestFirst, getPriorityRank } from "./current_alerts_and_history.ts";
import type { RuleAlert, RuleChannel, RuleDevice } from "./rule_types.ts";

interface AlertWithEffects<A> {
  alert: A;
  decision: AlertEffects;
}

/**
 * Decisions on what has just arrived, oldest first, as a list of notifications wants them.
 * `held` is all that the device has, the new ones included: an alert that another one replaces does not ring.
 */
export function decideEffectsOfNewAlerts<A extends RuleAlert>(
  arrived: readonly A[],
  held: readonly A[],
  channelOf: (handle: string) => RuleChannel | null,
  device: RuleDevice,
  now: number,
): AlertWithEffects<A>[] {
  const { spotlight } = arrangeInbox(held, now);
  const standing = new Set(spotlight.map(({ id }) => id));
  const decided = arrived
    .filter(({ id }) => standing.has(id))
    .toSorted((a, b) => compareNewestFirst(b, a))
    .map((alert) => {
      const channel = channelOf(alert.handle) ?? { requested_perms: [], subscription: null };
      return { alert, decision: decideAlertEffects(alert, channel, device, now) };
    });
  const first = loudest(decided);
  return decided.map((one) => (one === first ? one : { ...one, decision: quietened(one.decision) }));
}

/** The most urgent of the audible alerts, then the newest. */
function loudest<A extends RuleAlert>(decided: readonly AlertWithEffects<A>[]): AlertWithEffects<A> | null {
  const heard = decided.filter(({ decision }) => hasNoticeableEffect(decision));
  return (
    heard.toSorted(
      (a, b) =>
        getPriorityRank(b.alert.priority) - getPriorityRank(a.alert.priority) || compareNewestFirst(a.alert, b.alert),
    )[0] ?? null
  );
}

/** Reports if any effect can be noticed without looking. */
export const hasNoticeableEffect = ({ sound, vibrate, speak, full }: AlertEffects): boolean =>
  sound !== null || vibrate !== null || speak !== null || full;

function quietened(decision: AlertEffects): AlertEffects {
  if (!hasNoticeableEffect(decision)) return decision;
  const because = [...decision.because, "why.another_rings" as const];
  return { ...SILENT_EFFECTS, notify: decision.notify, because };
}

const EVERY_MS = LIMITS.alert_repeat_minutes * 60_000;

export interface RepeatedAlert extends RuleAlert {
  repeat_until_acked: boolean;
  /** When the device had it, in milliseconds since 1970. */
  arrived_at: number;
  /** The number of its last repeat. */
  repeated?: number;
}

/** The repeat that is due; null for none. A repeat that was missed during sleep is not made up for. */
export function getDueRepeatNumber(alert: RepeatedAlert, now: number): number | null {
  if (!alert.repeat_until_acked || !alert.requires_ack || alert.priority !== "urgent") return null;
  const passed = Math.floor((now - alert.arrived_at) / EVERY_MS);
  return passed >= 1 && passed <= LIMITS.alert_repeats && passed > (alert.repeated ?? 0) ? passed : null;
}

/** The permitted effects of a repeat: those of the alert, and in quiet hours none unless the channel may break them. */
export function decideRepeatEffects(
  alert: RuleAlert,
  channel: RuleChannel,
  device: RuleDevice,
  now: number,
): AlertEffects | null {
  const decision = decideAlertEffects(alert, channel, device, now);
  return decision.because.includes("why.quiet_hours") || !(decision.notify || decision.sound) ? null : decision;
}
