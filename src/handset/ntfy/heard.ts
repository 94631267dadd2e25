// What of channels is heard, and by whom: their handles looked up with the credential of a handset, and what was there before, within
// bounds. docs/rules.md#ntfy-listens

import { LIMITS } from "../../model/limits.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { type HeardChannel, heardAfter, heardChannels, heardSince } from "../../store/queries/ears.ts";
import { type Addresses, type Message, messageOf } from "./message.ts";

/** From when on: everything, the newest of each channel, an instant, or the alert that was heard last. */
export type Since = "all" | "latest" | { at: Date; after: string | null };

export interface Before {
  messages: Message[];
  more: boolean;
}

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

    /** The oldest first. Of more than fit the newest, and after an alert those that came next: `more` says that there are others. */
    async before(channels: readonly HeardChannel[], since: Since): Promise<Before> {
      const due = channels.filter((channel) => channel.due).map(({ id }) => id);
      // What cannot be settled comes when it can.
      if (due.length > 0) await settle(due);
      const { at, after } = typeof since === "object" ? since : { at: null, after: null };
      const limit = LIMITS.ntfy_messages;
      const rows = await run(db, after === null ? heardSince : heardAfter, {
        channels: channels.map(({ id }) => id),
        since: at?.toISOString() ?? null,
        after,
        limit,
      });
      const told = new Set<string>();
      const wanted =
        since === "latest" ? rows.filter(({ handle }) => told.size < told.add(handle).size) : rows;
      const messages: Message[] = [];
      let bytes = 0;
      for (const row of wanted) {
        const message = messageOf(row, addresses);
        bytes += Buffer.byteLength(JSON.stringify(message));
        if (bytes > LIMITS.ntfy_bytes) break;
        messages.push(message);
      }
      if (after === null) return { messages: messages.reverse(), more: false };
      return { messages, more: rows.length === limit || messages.length < rows.length };
    },
  };
}
