// Is the device inside of an alert's circle? Answered here, on the device; a position goes nowhere. "Cannot say" is an
// answer of its own, and the caller rings then: a warning too many is better than one too few.

import { LIMITS } from "../../../../model/limits.ts";
import { type Coordinates, distanceKm } from "./distance.ts";
import type { AlertCircle, Position } from "./rule_types.ts";

/** A position that is older says nothing of where the device is now. */
export const POSITION_MAX_AGE_MS = LIMITS.position_minutes * 60_000;

/** The centre and radius of a circle that is whole; null when there is none. */
export function toCompleteCircle({ lat, lon, radius_km }: AlertCircle): (Coordinates & { radius_km: number }) | null {
  return lat === null || lon === null || radius_km === null ? null : { lat, lon, radius_km };
}

/**
 * True inside, false outside, null when nobody can say: no position, or one that is too inexact for this border.
 * Without a circle everywhere is inside.
 */
export function isInCircle(
  position: Pick<Position, "lat" | "lon" | "accuracy_m"> | null,
  circle: AlertCircle,
): boolean | null {
  const whole = toCompleteCircle(circle);
  if (whole === null) return true;
  if (position === null) return null;
  const distance = distanceKm(position, whole);
  const off = position.accuracy_m / 1000;
  if (distance + off <= whole.radius_km) return true;
  if (distance - off > whole.radius_km) return false;
  return null;
}
