// A circle is whole or absent, for channels and alerts alike (docs/rules.md#channel-geofence).

import { invalidRequest } from "../errors.ts";
import { forBoth } from "../for_people.ts";

export interface Geofence {
  lat?: number | null;
  lon?: number | null;
  radius_km?: number | null;
}

/** @throws 422 naming the first member that is missing while another one is set. */
export function checkGeofence(merged: Geofence): void {
  const members = ["lat", "lon", "radius_km"] as const;
  const missing = members.filter((member) => (merged[member] ?? null) === null);
  if (missing.length > 0 && missing.length < members.length)
    throw invalidRequest(
      forBoth(
        "lat, lon and radius_km belong together: send all three, or null for all three.",
        "Latitude, longitude and radius belong together: fill in all three, or none.",
      ),
      missing[0],
    );
}
