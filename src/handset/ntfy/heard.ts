// What of channels is heard, and by whom: their handles looked up with the credential of a handset, and what was there before, within
// bounds. docs/rules.md#ntfy-listens

import { LIMITS } from "../../model/limits.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { type HeardChannel, heardChannels, heardSince } from "../../store/queries/ears.ts";
import { type Addresses, type Message, messageOf } from "./message.ts";

/** From when on: everything, the newest of each channel, an instant, or the alert that was heard last. */
export type Since = "all" | "latest" | { at: Date; after: string | null };

interface HeardOptions extends Addresses {
  orm: Orm;
  settle(channels: string[]): Promise<boolean>;
}

export function createHeard({ orm, settle, ...addresses }: HeardOptions) {
  const db = databaseOf(orm);
  return {
    /** All of them; null where one is not to be heard: foreign, private and missing ones are the same. */
    async channels(handles: readonly string[], device: string | null): Promise<HeardChannel[] | null> {
      const wanted = new Set(handles);
      const rows = await run(db, heardChannels, { handles: [...wanted], device_id: device });
      return rows.length < wanted.size ? null : rows;
    },

    /** The oldest first; of more than fit the newest. */
    async before(channels: readonly HeardChannel[], since: Since): Promise<Message[]> {
      const due = channels.filter((channel) => channel.due).map(({ id }) => id);
      const settled = due.length === 0 || (await settle(due));
      const limit = LIMITS.ntfy_messages;
      const rows = await run(db, heardSince, {
        channels: channels.map(({ id }) => id),
        since: typeof since === "object" ? since.at.toISOString() : null,
        after: typeof since === "object" ? since.after : null,
        due: !settled,
        limit,
      });
      const kept: Message[] = [];
      const told = new Set<string>();
      let bytes = 0;
      for (const row of rows) {
        if (since === "latest" && told.has(row.handle)) continue;
        told.add(row.handle);
        const message = messageOf(row, addresses);
        bytes += Buffer.byteLength(JSON.stringify(message));
        if (bytes > LIMITS.ntfy_bytes) break;
        kept.push(message);
      }
      return kept.reverse();
    },
  };
}
