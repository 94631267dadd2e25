// Programs of ntfy that listen to channels (rules#ntfy-listens): each follows its channels and gets first
// what was there before. One whose access may have changed is ended: it comes back if it may, and says what it heard
// last.

import { randomBytes } from "node:crypto";
import { showId } from "../../model/domain/ids.ts";
import type { ChangeHub } from "../../store/changes/hub.ts";
import type { Log } from "../../store/context.ts";
import type { HeardChannel, HeardEntry } from "../../store/queries/ears.ts";
import { type ChannelTracker, type Delta, NEWEST } from "../held/channel_tracker.ts";
import type { Connections, ConnectionsOptions, Sink } from "../held/connection.ts";
import { createBacklogs } from "./backlogs.ts";
import { type Before, partsOf, type ReadMessages } from "./heard.ts";
import { type Hearing, Listener, Told } from "./listener.ts";
import { type Addresses, type Message, messageOf } from "./message.ts";

export interface ListenersOptions extends Addresses, Pick<ConnectionsOptions, "readSendQueues"> {
  hub: Pick<ChangeHub, "listen">;
  tracker: ChannelTracker;
  connections: Connections;
  log: Log;
  now(): Date;
  readMessages: ReadMessages;
}

interface Telling {
  before(): Promise<Before>;
  once: boolean;
  left(): void;
}

/** Of each channel the newest that may still come as news; `all` has the oldest first. */
function newestOf(all: readonly HeardEntry[]): string[] {
  return [...Map.groupBy(all, ({ handle }) => handle).values()].flatMap((of) => of.slice(-NEWEST).map(({ id }) => id));
}

export function createListeners(options: ListenersOptions) {
  const { hub, tracker, connections, log, now, readMessages, readSendQueues, ...addresses } = options;
  const listeners = new Set<Listener>();
  const backlogs = createBacklogs({ readMessages, readSendQueues });
  let isStopped = false;

  const about = (event: Message["event"], topic: string, more: Partial<Message> = {}) =>
    new Told({
      id: randomBytes(9).toString("base64url"),
      time: Math.floor(now().getTime() / 1000),
      event,
      topic,
      ...more,
    });
  const keepalive = (topic: string) => about("keepalive", topic);

  const made = new WeakMap<Delta, readonly Told[]>();
  /** Once for all who listen. */
  function messagesOf(delta: Delta): readonly Told[] {
    const messages = made.get(delta) ?? makeMessages(delta);
    made.set(delta, messages);
    return messages;
  }

  function makeMessages({ before, now, added, removed }: Delta): Told[] {
    const replaced = new Set([...now.alerts.values()].map(({ sequence }) => sequence));
    const gone = removed
      .map((id) => before.alerts.get(id)?.sequence || showId("alr", id))
      // Where another alert has taken its place there is nothing to take away.
      .filter((sequence) => !replaced.has(sequence))
      .map((sequence_id) => about("message_delete", now.topic, { sequence_id }));
    const come = added
      .filter(({ over }) => over !== true)
      .map((alert) => new Told(messageOf({ ...alert, is_public: now.isPublic }, addresses)));
    return [...gone, ...come];
  }

  /**
   * Finds the backlog and prepares its listener for news that it has as well. No more of it than its ids stays in
   * memory.
   */
  async function prepare(listener: Listener, ids: readonly string[], before: Telling["before"]) {
    const known = new Set(ids.flatMap((id) => [...(tracker.head(id)?.alerts.keys() ?? [])]));
    const { all, more } = await before();
    const ahead = newestOf(all).filter((id) => !known.has(id));
    listener.begin(
      new Set(all.map(({ id }) => showId("alr", id))),
      ahead.map((id) => showId("alr", id)),
    );
    return { parts: partsOf(all), more };
  }

  async function begin(
    listener: Listener,
    channels: readonly HeardChannel[],
    { topic }: Hearing,
    { before, once }: Telling,
  ): Promise<void> {
    const ids = channels.map(({ id }) => id);
    await tracker.follow(ids, listener);
    // What changes from here on is heard; what was there is read after that.
    if (channels.some(({ id, is_public }) => tracker.head(id)?.isPublic !== is_public)) return listener.end("over");
    listener.put(about("open", topic));
    const { parts, more } = await prepare(listener, ids, before);
    await backlogs.write(listener, parts);
    // Where there are others, it comes back for them.
    if (once || more) listener.end("over");
    else listener.follow();
  }

  return {
    /** `before`: reads what it is told first, the oldest first. `once`: that is all. */
    listen(channels: readonly HeardChannel[], hearing: Hearing, sink: Sink, told: Telling): Listener {
      const listener = new Listener(hearing, sink, {
        messagesOf,
        keepalive,
        left() {
          listeners.delete(listener);
          connections.remove(listener);
          close();
          tracker.unfollow(
            channels.map(({ id }) => id),
            listener,
          );
          told.left();
        },
      });
      listeners.add(listener);
      connections.add(listener);
      const { device } = hearing;
      const access = channels.map(({ id, is_public }) => {
        return { kind: "audience", id, revision: String(is_public) } as const;
      });
      const joined = device ? [{ kind: "device", id: device.id, revision: device.rev } as const] : [];
      const close = hub.listen([...access, ...joined], (_, revision) => {
        // A device may have done something else than join or leave.
        if (revision !== device?.rev) listener.end("over");
      });
      // A WebSocket takes a moment to begin.
      if (isStopped) listener.end("over");
      else
        begin(listener, channels, hearing, told).catch((error) => {
          log.debug({ err: error }, "nobody can listen as to ntfy now");
          listener.end("over");
        });
      return listener;
    },
    stop(): void {
      isStopped = true;
      for (const listener of listeners) listener.end("over");
    },
  };
}
