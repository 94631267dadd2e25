// The channels and history for ntfy clients: handles looked up with a handset's credential, and earlier messages, with
// limits. rules#ntfy-listens

import { LIMITS } from "../../model/limits.ts";
import { createBatcher, LOOKUP_BATCH_OPTIONS, shareNextRead } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import {
  findNtfyChannels,
  listNtfyMessagesAfter,
  listNtfyMessagesSince,
  type NtfyBacklogIdAndSize,
  type NtfyChannel,
  readNtfyMessagesById,
} from "../../store/queries/ntfy_messages.ts";
import { RenderedMessage } from "./ntfy_listener.ts";
import { type NtfyMessageUrls, toNtfyMessage } from "./ntfy_message.ts";

/** The start of the history: all, the newest of each channel, a time, or the last received alert. */
type HistoryStart = "all" | "latest" | { at: Date; after: string | null };

/** The backlog, the oldest message first: its ids, and about how many bytes each message has. */
export interface NtfyBacklogIndex {
  all: NtfyBacklogIdAndSize[];
  /** There are others after them. */
  more: boolean;
}

/** Reads messages by the ids of their alerts, without those that were withdrawn in the meantime. */
export type ReadNtfyMessagesByIds = (ids: readonly string[]) => Promise<RenderedMessage[]>;

/** Precedes the id of an alert that was sent before the device of the listener joined its channel. */
const BEFORE_JOINING = "<";
const idOf = (ref: string) => ref.replace(BEFORE_JOINING, "");

/**
 * Splits ids into parts that fit into the memory of one connection, the last part first for `pop`. Ids of alerts from
 * before joining are marked.
 */
export function splitBacklogBySize(all: readonly NtfyBacklogIdAndSize[]): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const { id, bytes, before_joining } of all) {
    if (bytes > room) {
      parts.push([]);
      room = LIMITS.ntfy_page;
    }
    room -= bytes;
    parts.at(-1)?.push(before_joining ? `${BEFORE_JOINING}${id}` : id);
  }
  return parts.reverse();
}

interface HistoryQuery {
  device_id: string | null;
  channels: string[];
  since: string | null;
  after: string | null;
  limit: number;
}

interface MessageHistoryOptions extends NtfyMessageUrls {
  orm: Orm;
  publishDue(channels: string[]): Promise<boolean>;
}

/** Parts that are read by one statement. */
const PARTS_AT_ONCE = 50;

export function createMessageHistory({ orm, publishDue, ...addresses }: MessageHistoryOptions) {
  const db = getKysely(orm);

  // Many clients may request the same, for example after a start.
  const readMessages: ReadNtfyMessagesByIds = createBatcher<readonly string[], RenderedMessage[]>(
    async (wanted) => {
      const refs = new Set(wanted.flat());
      const rows = await runStatement(db, readNtfyMessagesById, { ids: [...new Set([...refs].map(idOf))] });
      const alerts = new Map(rows.map((row) => [row.id, row]));
      const found = new Map<string, RenderedMessage>();
      for (const ref of refs) {
        const alert = alerts.get(idOf(ref));
        if (alert) found.set(ref, new RenderedMessage(toNtfyMessage(alert, addresses, ref.startsWith(BEFORE_JOINING))));
      }
      return wanted.map((ids) => ids.map((id) => found.get(id)).filter((entry) => entry !== undefined));
    },
    { ...LOOKUP_BATCH_OPTIONS, max: PARTS_AT_ONCE },
  );

  /** Many clients may request the same, each after its own changes. */
  const entries = shareNextRead(
    (from: HistoryQuery) => runStatement(db, from.after === null ? listNtfyMessagesSince : listNtfyMessagesAfter, from),
    JSON.stringify,
  );

  return {
    /** Returns all channels; null if one is not accessible. Foreign, private and missing ones are the same. */
    async findChannels(handles: readonly string[], device: string | null): Promise<NtfyChannel[] | null> {
      const wanted = new Set(handles);
      const rows = await runStatement(db, findNtfyChannels, { handles: [...wanted], device_id: device });
      return rows.length < wanted.size ? null : rows;
    },

    /** Returns the newest messages that fit, or after an alert the next ones. */
    async readBacklog(
      channels: readonly NtfyChannel[],
      since: HistoryStart,
      device: string | null,
    ): Promise<NtfyBacklogIndex> {
      const due = channels.filter((channel) => channel.due).map(({ id }) => id);
      // Alerts that cannot be published now are sent later.
      if (due.length > 0) await publishDue(due);
      const { at, after } = typeof since === "object" ? since : { at: null, after: null };
      const limit = LIMITS.ntfy_messages;
      const ids = channels.map(({ id }) => id);
      const since_at = at?.toISOString() ?? null;
      const rows = await entries({ device_id: device, channels: ids, since: since_at, after, limit });
      const handles = new Set<string>();
      const wanted = since === "latest" ? rows.filter(({ handle }) => handles.size < handles.add(handle).size) : rows;
      const all: NtfyBacklogIdAndSize[] = [];
      let room = LIMITS.ntfy_bytes;
      for (const entry of wanted) {
        room -= entry.bytes;
        // At least one, of any length.
        if (room < 0 && all.length > 0) break;
        all.push(entry);
      }
      if (after === null) return { all: all.reverse(), more: false };
      return { all, more: rows.length === limit || all.length < rows.length };
    },

    readMessages,
  };
}
