// The position of the device: requested from the browser, cached in memory for a while, compared with circles here,
// sent nowhere.

import { POSITION_MAX_AGE_MS } from "../rules/geo_circle.ts";
import type { Position } from "../rules/rule_types.ts";

/** An alert does not wait longer than this for a position. */
const FOUND_WITHIN_MS = 4000;

let last: Position | null = null;

/**
 * The current or a recent position of the device; null if unknown. Requests the person's permission if it was not
 * requested yet.
 */
export async function getPosition(now: number): Promise<Position | null> {
  if (last !== null && now - last.at < POSITION_MAX_AGE_MS / 6) return last;
  if (!("geolocation" in navigator)) return null;
  const { promise, resolve } = Promise.withResolvers<Position | null>();
  // The browser's own limit begins only once the person has answered.
  const timer = setTimeout(() => resolve(null), FOUND_WITHIN_MS * 1.5);
  navigator.geolocation.getCurrentPosition(
    ({ coords, timestamp }) => {
      last = { lat: coords.latitude, lon: coords.longitude, accuracy_m: coords.accuracy, at: timestamp };
      resolve(last);
    },
    () => resolve(null),
    { maximumAge: POSITION_MAX_AGE_MS / 6, timeout: FOUND_WITHIN_MS, enableHighAccuracy: false },
  );
  const found = await promise;
  clearTimeout(timer);
  return found ?? last;
}
