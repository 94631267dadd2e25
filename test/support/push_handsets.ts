// Handsets with push notifications, as tests make them, and the service's metrics about push notifications.

import { createEncryption } from "../../src/store/secret/encryption.ts";
import { joinChannel, parseUuid, registerHandset } from "./handsets.ts";
import type { World } from "./world.ts";

/** A new handset that joined, is granted `notify` by default, and receives push notifications at this endpoint. */
export async function joinWithPush(
  world: World,
  handle: string,
  endpoint: string,
  { permissions = ["notify"], kind = "web_push" }: { permissions?: string[]; kind?: string } = {},
) {
  const device = await registerHandset(world);
  await joinChannel(world, device.token, handle);
  await world.handset("PUT", `/subscriptions/${handle}`, device.token, { permissions });
  const { status, body } = await registerPush(world, device.token, endpoint, kind);
  if (status !== 204) throw new Error(`PUT push answered ${status}: ${JSON.stringify(body)}`);
  return device;
}

export const registerPush = (world: World, token: string, endpoint: string, kind = "web_push", keys?: object) =>
  world.handset("PUT", "/devices/me/push", token, { endpoint, kind, ...(keys && { keys }) });

/** The number of push notifications with this result so far. */
export async function countPushes(world: World, outcome: string): Promise<number> {
  const text = String((await world.request("GET", "/metrics")).body);
  const line = new RegExp(`^belfry_push_notifications_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
}

/** This number of handsets at once with push notifications for a channel, by SQL. Their ids begin at `from`. */
export async function insertPushHandsets(
  world: { settings: Record<string, string>; sql(text: string, parameters?: unknown[]): Promise<unknown> },
  pusherId: string,
  count: number,
  endpointOf: (n: number) => string,
  from = 1_000_000,
): Promise<void> {
  const seal = createEncryption(world.settings.SECRET!, "push endpoints");
  const boxes = Array.from({ length: count }, (_, n) => `"\\\\x${seal.encrypt(endpointOf(n)).toString("hex")}"`);
  await world.sql(
    `with made as (
        insert into device (id, token_hash, platform, app_version, locale, timezone)
        select ? + n, sha256(gen_random_uuid()::text::bytea), 'web', '1.0.0', 'en', 'Europe/Lisbon'
        from generate_series(0, ?::int - 1) n returning id)
      insert into push_endpoint (device_id, kind, endpoint)
      select made.id, 'web_push', box from made
      join unnest(?::bytea[]) with ordinality b (box, n) on made.id = ? + b.n - 1`,
    [from, count, `{${boxes.join(",")}}`, from],
  );
  await world.sql(
    `insert into subscription (device_id, pusher_id, permissions)
      select ? + n, ?::uuid, '{notify}' from generate_series(0, ?::int - 1) n`,
    [from, parseUuid(pusherId), count],
  );
}
