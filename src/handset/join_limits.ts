// Limits on joining. The number of channels of one device equals the channels that a long poll can watch
// (rules#channels-of-a-device). The rate of joins and leaves is limited by device and address, because they cause
// events (rules#limit-joins).

import { conflict } from "../model/api_error.ts";
import { assertDefined } from "../model/assert.ts";
import { LIMITS } from "../model/limits.ts";
import type { DeviceCaller, HandlerContext } from "../store/handler_context.ts";
import { countJoinedChannels } from "../store/queries/device_removal_and_transfer.ts";

/** Checked after joining, in the same transaction. Concurrent joins may end a few above. @throws 409. */
export async function assertJoinedChannelsWithinLimit(
  deviceId: string,
  ctx: Pick<HandlerContext, "sql">,
): Promise<void> {
  const [row] = await ctx.sql(countJoinedChannels, { device_id: deviceId });
  if (assertDefined(row, "a count query always returns a row").joined > LIMITS.channels_of_device)
    throw conflict(
      "quota_reached",
      `A handset can join at most ${LIMITS.channels_of_device} channels. Leave one first.`,
    );
}

/** Joins and leaves of an address for each device registration. */
export const ADDRESS_JOINS_PER_DEVICE_REGISTRATION = LIMITS.joins_address / LIMITS.registrations;

const WINDOW = { seconds: LIMITS.window_seconds };

/** The limits of a call that joins or leaves several channels. */
export const BULK_JOIN_LIMITS = [
  { name: "joins-of-device", per: "device", max: LIMITS.joins_device, ...WINDOW },
  { name: "joins-of-address", per: "address", max: LIMITS.joins_address, ...WINDOW },
] as const;

/** The limits of a call that joins or leaves one channel. */
export const JOIN_LIMITS = [
  { name: "joins-on-channel", per: "subscription", max: LIMITS.joins_channel, ...WINDOW },
  ...BULK_JOIN_LIMITS,
] as const;

/**
 * Counts a call against JOINS, or without a channel against BULK_JOIN_LIMITS. Raw ids of devices go into no cache.
 * @throws 429.
 */
export function countAgainstJoinLimit(
  ctx: Pick<HandlerContext<DeviceCaller>, "caller" | "services" | "countAgainstLimit">,
  pusherId?: string,
): Promise<unknown> {
  const device = ctx.services.deviceHash(ctx.caller.id);
  const onChannel = pusherId === undefined ? [] : [`${device} ${pusherId}`];
  return ctx.countAgainstLimit(...onChannel, device, ctx.caller.address);
}
