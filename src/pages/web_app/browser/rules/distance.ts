// The distance between two positions. It imports nothing, since the page of the directory includes it in its own
// script.

/** Mean radius of the earth in kilometres (IUGG). */
const EARTH_KM = 6371.0088;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

export type Coordinates = { lat: number; lon: number };

/** Kilometres between two places, along the surface. */
export function distanceKm(a: Coordinates, b: Coordinates): number {
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const h = half(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * half(a.lon, b.lon);
  // Rounding takes h past 1 for opposite places.
  return 2 * EARTH_KM * Math.asin(Math.sqrt(Math.min(1, h)));
}
