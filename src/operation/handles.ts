// A channel is named by its id or, where the caller sees it, by its handle, which is what people say.

import { parseId, showId } from "../model/domain/ids.ts";
import { LIMITS } from "../model/limits.ts";
import type { Caller } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { channelOfHandle, sight } from "../store/queries/channels.ts";

const CHANNEL_ARGUMENTS = ["pusher_id", "to_pusher_id"];

const isHandle = (text: string) => text.length <= LIMITS.handle && /^[a-z0-9_-]+$/.test(text);

/**
 * The input with the id of each channel in place of its handle (docs/rules.md#handle-for-an-id). What names no channel that the
 * caller sees stays as it is: the handler refuses it as a missing one.
 */
export async function withChannelIds<I extends Record<string, unknown>>(
  input: I,
  orm: Orm,
  caller: Caller,
): Promise<I> {
  const named = CHANNEL_ARGUMENTS.filter((name) => {
    const value = input[name];
    return typeof value === "string" && isHandle(value) && parseId("psh", value) === null;
  });
  if (named.length === 0) return input;
  const found = await Promise.all(
    named.map(async (name) => {
      const handle = input[name] as string;
      const [channel] = await run(databaseOf(orm), channelOfHandle, { ...sight(caller), handle });
      return [name, channel ? showId("psh", channel.id) : handle];
    }),
  );
  return { ...input, ...Object.fromEntries(found) };
}
