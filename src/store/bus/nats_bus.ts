// The message bus through NATS, on one connection, which reconnects without limit.

import { setTimeout as pause } from "node:timers/promises";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type BusListener, createBusLossLogger, type MessageBus, type TopicBusOptions } from "./message_bus.ts";

/** The heartbeat interval. Two missing responses are a lost connection. */
const HEARTBEAT_MS = 5_000;

const RETRY_MS = 500;

const PATIENT = {
  noEcho: true,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: RETRY_MS / 2,
  reconnectJitter: RETRY_MS / 2,
  pingInterval: HEARTBEAT_MS,
  maxPingOut: 2,
  timeout: 5_000,
};

/** The URL contains the credentials; the library needs them separately. */
function optionsOf(url: string) {
  const { host, username, password } = new URL(url);
  const text = decodeURIComponent;
  if (!username) return { servers: host };
  return password
    ? { servers: host, user: text(username), pass: text(password) }
    : { servers: host, token: text(username) };
}

export function createNatsBus(url: string, { log, topic }: TopicBusOptions): MessageBus {
  const losses = createBusLossLogger(log);
  let listener: BusListener | null = null;
  let connection: NatsConnection | null = null;
  let up = false;
  let closed = false;

  const subscribe = () => {
    const to = listener;
    if (to) connection?.subscribe(topic, { callback: (error, word) => void (error ?? to.onMessage(word.string())) });
  };
  const heardAgain = () => {
    up = true;
    losses.found();
    listener?.onReconnect();
  };
  async function open(): Promise<void> {
    while (!closed && !connection)
      try {
        connection = await connect({ ...optionsOf(url), ...PATIENT });
      } catch (error) {
        losses.lost(error);
        await pause(RETRY_MS, undefined, { ref: false });
      }
    if (!connection) return;
    if (closed) return connection.close();
    subscribe();
    heardAgain();
    for await (const { type } of connection.status())
      if (type === "reconnect") heardAgain();
      else if (!closed && (type === "disconnect" || type === "staleConnection")) {
        up = false;
        losses.lost(new Error("the connection ended"));
      }
  }
  const opening = open().catch(losses.lost);

  return {
    async publish(words) {
      // Messages without listeners are not stored.
      if (up) for (const word of words) connection?.publish(topic, word);
    },
    listen(to) {
      listener = to;
      subscribe();
      if (up) to.onReconnect();
    },
    async close() {
      closed = true;
      up = false;
      await connection?.close();
      await opening;
    },
  };
}
