// Handsets for the tests of invites, subscribers and statistics: with a known raw id, facts of their own, or many at
// once by SQL.

import { createHmac } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect } from "vitest";
import { setChannelSuspended } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import type { Answer, World } from "./world.ts";

export const DEVICE_FACTS = { platform: "android", app_version: "1.0.0", locale: "en", timezone: "Europe/Lisbon" };

/** A registered handset: its raw id, which no owner may ever see, and its token. */
export async function registerHandset(world: World, facts: Partial<typeof DEVICE_FACTS> = {}) {
  const { body } = await world.handset("POST", "/devices", null, { ...DEVICE_FACTS, ...facts });
  return body as { id: string; token: string };
}

/** Joins a channel, with an invite's code where it is private. */
export function joinChannel(world: World, token: string, handle: string, code?: string): Promise<Answer> {
  return world.handset("PUT", `/subscriptions/${handle}`, token, code === undefined ? {} : { invite: code });
}

/** A new handset that joined. */
export async function joinNewHandset(
  world: World,
  handle: string,
  code?: string,
  facts: Partial<typeof DEVICE_FACTS> = {},
) {
  const device = await registerHandset(world, facts);
  const { status } = await joinChannel(world, device.token, handle, code);
  if (status !== 200) throw new Error(`join answered ${status}`);
  return device;
}

/**
 * The pseudonym of a raw device id under the tests' own secret, computed from the rule alone (rules#subscriber-device).
 */
export const pseudonym = (deviceId: string) =>
  createHmac("sha256", "a secret of the tests that is long enough").update(deviceId).digest("hex").slice(0, 10);

export const parseUuid = (id: string) => parseIdOrNull(id.slice(0, 3) as "psh", id)!;

/** rules#channel-suspended */
export const suspend = (world: World, handle: string, suspended = true) =>
  setChannelSuspended(world.service.orm.em.fork() as SqlEntityManager, handle, suspended);

/**
 * Waits until an account was notified of this number of subscribers; each event has the difference from the one before.
 */
export async function waitForSubscriberCount(world: World, pusherId: string, count: number) {
  const told = () => listChannelEvents(world, pusherId).filter(({ event }) => event.startsWith("subscriber")) as any[];
  await expect.poll(() => told().at(-1)?.count).toBe(count);
  let before = told()[0].count - told()[0].delta;
  for (const one of told()) {
    expect([one.count - before, one.event]).toEqual([
      one.delta,
      one.delta > 0 ? "subscriber.created" : "subscriber.deleted",
    ]);
    before = one.count;
  }
}

/** The events about one channel so far, without how they were addressed. */
export const listChannelEvents = (world: World, pusherId: string) =>
  world.events
    .filter(({ data }) => data.pusher_id === pusherId)
    .map(({ event, data: { pusher_id: _, ...data } }) => ({ event, ...data }));
