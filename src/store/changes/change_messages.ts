// Messages between the processes of one database, sent after a commit: the ids of channels, devices and alerts that
// may have changed.

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { MessageBus } from "../bus/message_bus.ts";

/** PostgreSQL accepts less than 8,000 bytes; an id has at most 36. */
const IDS_IN_ONE = 200;

/** A uuid, or the number of a device. */
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,19})$/;
const ORIGIN = /^[0-9a-f]{8}$/;

/** Messages are collected and sent at most this often. */
const INTERVAL_MS = 5;

interface ChangeMessageBus {
  /** Notifies the other processes. A message may be lost; each process also looks for itself. */
  send(ids: readonly string[]): void;
  /** @param received gets the ids of another process. @param connected is called at the start and after each loss */
  listen(received: (ids: readonly string[]) => void, connected: () => void): void;
  close(): Promise<void>;
}

export function createChangeMessages(bus: MessageBus): ChangeMessageBus {
  const origin = randomBytes(4).toString("hex");
  let unsent = new Set<string>();
  let sending: Promise<void> | null = null;
  let closed = false;

  async function sendAll(): Promise<void> {
    while (unsent.size > 0 && !closed) {
      const ids = [...unsent];
      unsent = new Set();
      const messages: string[] = [];
      for (let at = 0; at < ids.length; at += IDS_IN_ONE)
        messages.push([origin, ...ids.slice(at, at + IDS_IN_ONE)].join(" "));
      await bus.publish(messages);
      await pause(INTERVAL_MS);
    }
  }

  /** The ids of a message of another process; none where the text is not a valid message. */
  function read(message: string): string[] {
    const [from = "", ...ids] = message.split(" ");
    if (!ORIGIN.test(from) || from === origin || ids.length > IDS_IN_ONE) return [];
    return ids.filter((id) => ID.test(id));
  }

  return {
    send(ids) {
      if (closed) return;
      for (const id of ids) unsent.add(id);
      sending ??= sendAll().finally(() => {
        sending = null;
      });
    },
    listen: (received, connected) =>
      bus.listen({ onMessage: (message) => received(read(message)), onReconnect: connected }),
    async close() {
      closed = true;
      await sending;
      await bus.close();
    },
  };
}
