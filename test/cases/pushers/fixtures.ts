// Fixtures that several of the tables about channels share.

import { type getSharedPusher, suspend } from "../fixtures.ts";

export const REQUIRED_FIELDS = { name: "Harbour Watch", category: "community", description: "Tides and closures" };

export const longText = (n: number) => "x".repeat(n);

export const CHANNEL_CIRCLE = { lat: 38.7, lon: -9.1, radius_km: 2.5 };

export async function suspendedPusher(world: Parameters<typeof getSharedPusher>[0]) {
  const pusher = await world.pusher();
  await suspend(world, pusher.handle);
  return pusher;
}

/** The fields that null clears. */
export const CLEARED_CHANNEL_FIELDS = {
  long: null,
  site: null,
  city: null,
  loc_rule: null,
  image_url: null,
  lat: null,
  lon: null,
  radius_km: null,
};
