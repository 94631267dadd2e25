// Checks if the device is inside an alert's circle. The check runs on the device; a position is sent nowhere. "Unknown"
// is a result of its own, and the caller rings then: a false alarm is better than a missed warning.

import { LIMITS } from "../../../../model/limits.ts";
import { type Coordinates, distanceKm } from "./distance.ts";
import type { AlertGeoCircle, Position } from "./rule_types.ts";

/** An older position is not evidence of the present one. */
export const POSITION_MAX_AGE_MS = LIMITS.position_minutes * 60_000;

/** The centre and radius of a complete circle; null without one. */
export function toCompleteCircle({
  lat,
  lon,
  radius_km,
}: AlertGeoCircle): (Coordinates & { radius_km: number }) | null {
  return lat === null || lon === null || radius_km === null ? null : { lat, lon, radius_km };
}

/** The centre of a circle may be this part of its radius away from the centre of the channel that names its city. */
const SAME_CENTRE = 0.1;

/** The channel's city, if the circle has the same centre as the channel's area; null for a circle somewhere else. */
export function findCityOfCircle(
  circle: AlertGeoCircle,
  channel: (AlertGeoCircle & { city: string | null }) | null,
): string | null {
  const [whole, area] = [toCompleteCircle(circle), channel && toCompleteCircle(channel)];
  if (!whole || !area) return null;
  return distanceKm(whole, area) <= whole.radius_km * SAME_CENTRE ? (channel?.city ?? null) : null;
}

/**
 * True inside, false outside, null if unknown: no position, or one that is too inexact for this border. Without a
 * circle everywhere is inside.
 */
export function isInCircle(
  position: Pick<Position, "lat" | "lon" | "accuracy_m"> | null,
  circle: AlertGeoCircle,
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
