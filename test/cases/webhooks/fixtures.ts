// Fixtures that several of the tables about webhook endpoints share.

import { expect } from "vitest";
import type { World } from "../../support/world.ts";

export const RECEIVER_URL = "https://1.1.1.1/hook?token=x";

export const ALL_EVENTS = [
  "alert.sent",
  "alert.scheduled",
  "alert.cancelled",
  "subscriber.created",
  "subscriber.deleted",
];

export const createWebhook = async (world: World, key: string, fields: Record<string, unknown> = {}) => {
  const answer = await world.rest("create_webhook", { url: RECEIVER_URL, events: ALL_EVENTS, ...fields }, key);
  expect(answer.status).toBe(201);
  return answer.body;
};

export const listWebhooks = async (world: World, key: string) =>
  (await world.rest("list_webhooks", {}, key)).body.data.map(({ id }: { id: string }) => id);

/** An account of its own with an endpoint. */
export async function createAccountWithWebhook(world: World, fields: Record<string, unknown> = {}) {
  const key = await world.foreignKey();
  const { secret, ...endpoint } = await createWebhook(world, key, fields);
  return { key, endpoint, secret };
}
