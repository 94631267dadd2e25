// The message bus through Redis or Valkey, with one connection to listen and one to publish.

import { Redis } from "ioredis";
import { createBusLossLogger, type MessageBus, type TopicBusOptions } from "./message_bus.ts";

/** A response that takes longer counts as missing. */
const DEAD_MS = 5_000;
/** The heartbeat interval. */
const HEARTBEAT_MS = 10_000;

const connect = (url: string) =>
  new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: DEAD_MS,
    commandTimeout: DEAD_MS,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: (tries) => Math.min(100 * 2 ** tries, 2_000) * (0.5 + Math.random()),
  });

/** Redis's errors contain the command, which may have the password, so only their code is reported. */
const kindOf = (error: unknown) => new Error((error as { code?: string }).code ?? "no answer");

export function createRedisBus(url: string, { log, topic }: TopicBusOptions): MessageBus {
  const speaker = connect(url);
  speaker.on("error", () => {});
  void speaker.connect().catch(() => {});
  const losses = createBusLossLogger(log);
  let ear: Redis | null = null;
  let beat: NodeJS.Timeout | undefined;

  return {
    async publish(words) {
      const said = words.map((word) => speaker.publish(topic, word));
      await Promise.all(said).catch((error) => {
        log.debug({ err: kindOf(error) }, "other processes could not be notified of a change");
      });
    },
    listen({ onMessage, onReconnect }) {
      const own = connect(url);
      ear = own;
      own.on("error", (error) => losses.lost(kindOf(error)));
      own.on("close", () => losses.lost(new Error("the connection ended")));
      own.on("message", (_topic, word) => onMessage(word));
      own.on("ready", () => {
        own.subscribe(topic).then(
          () => {
            losses.found();
            onReconnect();
          },
          (error) => {
            losses.lost(kindOf(error));
            if (own.status === "ready") own.disconnect(true);
          },
        );
      });
      // A server that hangs ends no connection.
      beat = setInterval(() => {
        if (own.status === "ready") own.subscribe(topic).catch(() => own.disconnect(true));
      }, HEARTBEAT_MS).unref();
      void own.connect().catch(() => {});
    },
    async close() {
      clearInterval(beat);
      const both = [speaker, ear];
      ear?.removeAllListeners("close");
      for (const redis of both) redis?.disconnect();
    },
  };
}
