// One program that listens: which messages it gets and in which form, the order in which it gets them, and when its
// connection ends. rules#ntfy-listens

import { LIMITS } from "../../model/limits.ts";
import type { ChannelFollower, ChannelSnapshotDiff } from "../live_updates/channel_snapshot_tracker.ts";
import { StreamConnection, type StreamSink } from "../live_updates/stream_connection.ts";
import { encodeNtfyMessage, type NtfyMessage, type NtfyStreamFormat } from "./ntfy_message.ts";

/** A message, rendered once for all clients of one format. */
export class RenderedMessage {
  readonly message: NtfyMessage;
  readonly #written = new Map<NtfyStreamFormat, Buffer>();

  constructor(message: NtfyMessage) {
    this.message = message;
  }

  encode(format: NtfyStreamFormat): Buffer {
    const bytes = this.#written.get(format) ?? Buffer.from(encodeNtfyMessage(this.message, format));
    this.#written.set(format, bytes);
    return bytes;
  }
}

/** The request of a listener. */
export interface ListenRequest {
  /** The requested handles, separated by commas. */
  topic: string;
  format: NtfyStreamFormat;
  /** The device with access to private channels; null for anonymous clients. */
  device: ChannelFollower["device"];
  wants(message: NtfyMessage): boolean;
}

interface NtfyListenerOptions {
  messagesOf(delta: ChannelSnapshotDiff): readonly RenderedMessage[];
  keepalive(topic: string): RenderedMessage;
  /** Called once, when it has ended. */
  onEnd(): void;
}

export class NtfyListener extends StreamConnection<"over" | "gone"> implements ChannelFollower {
  readonly #request: ListenRequest;
  readonly #options: NtfyListenerOptions;
  /** News that arrives before the backlog is written; null afterwards. */
  #queue: RenderedMessage[] | null = [];
  #queued = 0;
  /** Sent as part of the backlog, and about to be reported as new. */
  readonly #ahead = new Set<string>();

  constructor(request: ListenRequest, sink: StreamSink, options: NtfyListenerOptions) {
    super(sink);
    this.#request = request;
    this.#options = options;
  }

  get device(): ChannelFollower["device"] {
    return this.#request.device;
  }

  /** An uncertain change ends the connection, and the client reconnects with its last message. */
  changed(delta: ChannelSnapshotDiff | null): void {
    const isCertain =
      delta &&
      !delta.current.isSuspended &&
      delta.current.isPublic === delta.previous.isPublic &&
      !delta.hasGap &&
      !(this.device && delta.changedDevices.has(this.device.id));
    if (!isCertain) return void this.end("over");
    for (const rendered of this.#options.messagesOf(delta)) this.deliver(rendered);
  }

  /** Messages report what was sent, which a due alert is not yet. */
  due(): void {}

  /** News. While the backlog is being written it waits in memory, within the limit of a slow reader. */
  deliver(rendered: RenderedMessage): void {
    if (this.#ahead.delete(keyOf(rendered.message.id, rendered.message.event))) return;
    if (!this.#queue) return void this.writeMessage(rendered);
    this.#queue.push(rendered);
    this.#queued += rendered.encode(this.#request.format).length;
    if (this.#queued > LIMITS.stream_waiting) this.end("slow");
  }

  /**
   * @param written all ids of the backlog
   * @param ahead those that are also reported as new
   */
  prepareBacklog(written: ReadonlySet<string>, ahead: readonly string[]): void {
    this.#queue = this.#queue?.filter(({ message }) => !written.has(message.id)) ?? null;
    for (const id of ahead) this.#ahead.add(keyOf(id, "message"));
  }

  /** Writes one part of the backlog. `taken` resolves when the system has accepted it, or the connection has ended. */
  writeBacklogPart(messages: readonly RenderedMessage[]): { bytes: number; taken: Promise<void> } {
    const { wants, format } = this.#request;
    const pieces = messages
      .filter(({ message }) => wants(message))
      .map((rendered) => rendered.encode(format))
      .filter(({ length }) => length > 0);
    return { bytes: pieces.reduce((sum, { length }) => sum + length, 0), taken: this.writeBacklog(pieces) };
  }

  /** The backlog is written: from now on news is written as it comes. */
  startLive(): void {
    const queue = this.#queue ?? [];
    this.#queue = null;
    for (const rendered of queue) this.writeMessage(rendered);
  }

  writeMessage(rendered: RenderedMessage): void {
    const { wants, format } = this.#request;
    if (rendered.message.event !== "message" || wants(rendered.message)) this.write(rendered.encode(format));
  }

  sendHeartbeat(): void {
    if (!this.isUnconfirmed && !this.#queue) this.writeMessage(this.#options.keepalive(this.#request.topic));
  }

  end(why: "over" | "gone" | "slow"): void {
    if (this.ended) return;
    this.#queue = [];
    this.close(why !== "over");
    this.#options.onEnd();
  }
}

const keyOf = (id: string, event: NtfyMessage["event"]) => `${event} ${id}`;
