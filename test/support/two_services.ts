// Two services on one database, whose housekeeping runs only when a test calls it, and a receiver for their webhooks.

import { afterAll } from "vitest";
import { startHttpReceiver } from "./loopback_receivers.ts";
import { openWorld } from "./open_world.ts";

/** Opens them for one test file, and closes them after its tests. */
export async function openTwoServices() {
  const settings = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" };
  const world = await openWorld({ settings });
  const other = await world.replica(settings);
  afterAll(() => other.close());
  for (const one of [world, other]) await one.service.housekeeping.close();
  const sink = await startHttpReceiver((_request, response) => response.end());
  afterAll(() => sink.close());
  return { world, other, sink };
}
