// Several alerts at once, as after a sleep or when somebody sends three in a row: each is noted, one is heard. The
// loudest decision keeps its sound, vibration, speech and screen; the others only their line. And an urgent alert that waits to be
// acknowledged may be shown again, by the handset's own count: so often, so far apart, and not long after its hour. The server keeps no
// state of it (rules#repeats). Pure.

import { LIMITS } from "../../../../model/limits.ts";
import { type Decision, decide, SILENT } from "./decide.ts";
import { arrange, newestFirst, rankOf } from "./spotlight.ts";
import type { Alert, Channel, Device } from "./types.ts";

export interface Arrival<A> {
  alert: A;
  decision: Decision;
}

/**
 * Decisions on what has just arrived, oldest first, as a list of notifications wants them.
 * `held` is all that the device has, the new ones included: an alert that another one replaces does not ring.
 */
export function arrivals<A extends Alert>(
  arrived: readonly A[],
  held: readonly A[],
  channelOf: (handle: string) => Channel | null,
  device: Device,
  now: number,
): Arrival<A>[] {
  const { spotlight } = arrange(held, now);
  const standing = new Set(spotlight.map(({ id }) => id));
  const decided = arrived
    .filter(({ id }) => standing.has(id))
    .toSorted((a, b) => newestFirst(b, a))
    .map((alert) => {
      const channel = channelOf(alert.handle) ?? { requested_perms: [], subscription: null };
      return { alert, decision: decide(alert, channel, device, now) };
    });
  const first = loudest(decided);
  return decided.map((one) => (one === first ? one : { ...one, decision: quietened(one.decision) }));
}

/** Of what makes itself heard: the most urgent, then the newest. */
function loudest<A extends Alert>(decided: readonly Arrival<A>[]): Arrival<A> | null {
  const heard = decided.filter(({ decision }) => isHeard(decision));
  return (
    heard.toSorted((a, b) => rankOf(b.alert.priority) - rankOf(a.alert.priority) || newestFirst(a.alert, b.alert))[0] ??
    null
  );
}

/** Whether anything of it can be noticed without looking. */
export const isHeard = ({ sound, vibrate, speak, full }: Decision): boolean =>
  sound !== null || vibrate !== null || speak !== null || full;

function quietened(decision: Decision): Decision {
  if (!isHeard(decision)) return decision;
  const because = [...decision.because, "why.another_rings" as const];
  return { ...SILENT, notify: decision.notify, because };
}

const EVERY_MS = LIMITS.alert_repeat_minutes * 60_000;

export interface Repeated extends Alert {
  repeat_until_acked: boolean;
  /** When the device had it, in milliseconds since 1970. */
  arrived_at: number;
  /** Which of its repeats the last one was. */
  repeated?: number;
}

/** Which repeat is due; null for none. One that was slept through is not made up for. */
export function repeatDue(alert: Repeated, now: number): number | null {
  if (!alert.repeat_until_acked || !alert.requires_ack || alert.priority !== "urgent") return null;
  const passed = Math.floor((now - alert.arrived_at) / EVERY_MS);
  return passed >= 1 && passed <= LIMITS.alert_repeats && passed > (alert.repeated ?? 0) ? passed : null;
}

/** What a repeat may do: what the alert itself may, and in quiet hours nothing unless the channel may break them. */
export function decideAgain(alert: Alert, channel: Channel, device: Device, now: number): Decision | null {
  const decision = decide(alert, channel, device, now);
  return decision.because.includes("why.quiet_hours") || !(decision.notify || decision.sound) ? null : decision;
}
