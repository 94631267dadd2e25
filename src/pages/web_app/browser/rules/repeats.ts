// An urgent alert that waits to be acknowledged may be shown again, by the handset's own count: so often, so far apart, and not long
// after its hour. The server keeps no state of it (docs/rules.md#repeats). Pure.

import { LIMITS } from "#limits";
import { type Decision, decide } from "./decide.ts";
import type { Alert, Channel, Device } from "./types.ts";

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
  return decision.because.includes("why.quiet_hours") || !(decision.notify || decision.sound)
    ? null
    : decision;
}
