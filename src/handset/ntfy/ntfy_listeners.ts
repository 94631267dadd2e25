// ntfy clients that listen to channels (rules#ntfy-listens). Each follows its channels and first gets its backlog. A
// client whose access may have changed is disconnected, and reconnects with its last message if it may.

import { randomBytes } from "node:crypto";
import { formatId } from "../../model/domain/type_ids.ts";
import type { ChangeHub } from "../../store/changes/change_hub.ts";
import type { Log } from "../../store/handler_context.ts";
import type { NtfyBacklogIdAndSize, NtfyChannel } from "../../store/queries/ntfy_messages.ts";
import {
  type ChannelSnapshotDiff,
  type ChannelTracker,
  TRACKED_ALERTS_PER_CHANNEL,
} from "../live_updates/channel_snapshot_tracker.ts";
import type { StreamConnections, StreamConnectionsOptions, StreamSink } from "../live_updates/stream_connection.ts";
import { createNtfyBacklogWriter } from "./backlog_writer.ts";
import { type NtfyBacklogIndex, type ReadNtfyMessagesByIds, splitBacklogBySize } from "./message_history.ts";
import { type ListenRequest, NtfyListener, RenderedMessage } from "./ntfy_listener.ts";
import { type NtfyMessage, type NtfyMessageUrls, toNtfyMessage } from "./ntfy_message.ts";

export interface NtfyListenersOptions extends NtfyMessageUrls, Pick<StreamConnectionsOptions, "readSendQueues"> {
  hub: Pick<ChangeHub, "listen">;
  tracker: ChannelTracker;
  connections: StreamConnections;
  log: Log;
  now(): Date;
  readMessages: ReadNtfyMessagesByIds;
}

interface ListenCallbacks {
  readBacklog(): Promise<NtfyBacklogIndex>;
  isOneTime: boolean;
  onEnd(): void;
}

/** Returns the newest alerts of each channel that may also be reported as new; `all` has the oldest first. */
function newestOf(all: readonly NtfyBacklogIdAndSize[]): string[] {
  return [...Map.groupBy(all, ({ handle }) => handle).values()].flatMap((of) =>
    of.slice(-TRACKED_ALERTS_PER_CHANNEL).map(({ id }) => id),
  );
}

export function createNtfyListeners(options: NtfyListenersOptions) {
  const { hub, tracker, connections, log, now, readMessages, readSendQueues, ...addresses } = options;
  const listeners = new Set<NtfyListener>();
  const backlogs = createNtfyBacklogWriter({ readMessages, readSendQueues });
  let isStopped = false;

  const about = (event: NtfyMessage["event"], topic: string, more: Partial<NtfyMessage> = {}) =>
    new RenderedMessage({
      id: randomBytes(9).toString("base64url"),
      time: Math.floor(now().getTime() / 1000),
      event,
      topic,
      ...more,
    });
  const keepalive = (topic: string) => about("keepalive", topic);

  const made = new WeakMap<ChannelSnapshotDiff, readonly RenderedMessage[]>();
  /** Once for all who listen. */
  function messagesOf(delta: ChannelSnapshotDiff): readonly RenderedMessage[] {
    const messages = made.get(delta) ?? makeMessages(delta);
    made.set(delta, messages);
    return messages;
  }

  function makeMessages({ previous, current, added, removed }: ChannelSnapshotDiff): RenderedMessage[] {
    const replaced = new Set([...current.alerts.values()].map(({ sequence }) => sequence));
    const gone = removed
      .map((id) => previous.alerts.get(id)?.sequence || formatId("alr", id))
      // Where another alert has taken its place there is nothing to take away.
      .filter((sequence) => !replaced.has(sequence))
      .map((sequence_id) => about("message_delete", current.topic, { sequence_id }));
    const come = added
      .filter(({ over }) => over !== true)
      .map((alert) => new RenderedMessage(toNtfyMessage({ ...alert, is_public: current.isPublic }, addresses)));
    return [...gone, ...come];
  }

  /** Finds the backlog and prepares its listener for duplicates. Only the ids of the backlog stay in memory. */
  async function prepare(listener: NtfyListener, ids: readonly string[], before: ListenCallbacks["readBacklog"]) {
    const known = new Set(ids.flatMap((id) => [...(tracker.snapshot(id)?.alerts.keys() ?? [])]));
    const { all, more } = await before();
    const ahead = newestOf(all).filter((id) => !known.has(id));
    listener.prepareBacklog(
      new Set(all.map(({ id }) => formatId("alr", id))),
      ahead.map((id) => formatId("alr", id)),
    );
    return { parts: splitBacklogBySize(all), more };
  }

  async function begin(
    listener: NtfyListener,
    channels: readonly NtfyChannel[],
    { topic }: ListenRequest,
    { readBacklog, isOneTime }: ListenCallbacks,
  ): Promise<void> {
    const ids = channels.map(({ id }) => id);
    await tracker.follow(ids, listener);
    // Further changes are reported from here on; the backlog is read after that.
    if (channels.some(({ id, is_public }) => tracker.snapshot(id)?.isPublic !== is_public)) return listener.end("over");
    listener.writeMessage(about("open", topic));
    const { parts, more } = await prepare(listener, ids, readBacklog);
    await backlogs.write(listener, parts);
    // Where there are others, it comes back for them.
    if (isOneTime || more) listener.end("over");
    else listener.startLive();
  }

  return {
    /**
     * @param before reads the backlog, the oldest first
     * @param isOneTime ends after the backlog
     */
    listen(
      channels: readonly NtfyChannel[],
      request: ListenRequest,
      sink: StreamSink,
      callbacks: ListenCallbacks,
    ): NtfyListener {
      const listener = new NtfyListener(request, sink, {
        messagesOf,
        keepalive,
        onEnd() {
          listeners.delete(listener);
          connections.remove(listener);
          close();
          tracker.unfollow(
            channels.map(({ id }) => id),
            listener,
          );
          callbacks.onEnd();
        },
      });
      listeners.add(listener);
      connections.add(listener);
      const { device } = request;
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
        begin(listener, channels, request, callbacks).catch((error) => {
          log.debug({ err: error }, "an ntfy client could not be subscribed");
          listener.end("over");
        });
      return listener;
    },
    /** The number of open connections. */
    size: (): number => listeners.size,
    stop(): void {
      isStopped = true;
      for (const listener of listeners) listener.end("over");
    },
  };
}
