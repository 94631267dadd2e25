// How many channels one device may have joined: so many as one held poll can wait for (docs/rules.md#channels-of-a-device).

import { conflict } from "../model/errors.ts";
import { LIMITS } from "../model/limits.ts";
import { need } from "../model/need.ts";
import type { Context } from "../store/context.ts";
import { channelsJoined } from "../store/queries/moving.ts";

/** Asked after joining, in the same transaction. Joins at the same moment may end a few above. @throws 409. */
export async function refuseTooMany(deviceId: string, ctx: Pick<Context, "sql">): Promise<void> {
  const [row] = await ctx.sql(channelsJoined, { device_id: deviceId });
  if (need(row, "a count has a row").joined > LIMITS.channels_of_device)
    throw conflict(
      `A handset joins at most ${LIMITS.channels_of_device} channels; leave some that are not needed first.`,
    );
}
