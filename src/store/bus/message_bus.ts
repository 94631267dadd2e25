// The message bus between the processes of one database, with any backend. A message only reports that something
// changed. It may be lost, repeated or late, and may return to its sender. So each listener checks the state itself
// after each reconnect, and from time to time.

import type { Orm } from "../db/orm.ts";

interface BusLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface BusListener {
  onMessage(word: string): void;
  /** Called after the first connection and after each reconnect. */
  onReconnect(): void;
}

export interface MessageBus {
  /**
   * Publishes to all listeners; a message has less than 8,000 bytes. It never fails: undeliverable messages are lost.
   */
  publish(words: readonly string[]): Promise<void>;
  /** Called once, when the first of this process waits for something. Neither of the two may throw. */
  listen(listener: BusListener): void;
  close(): Promise<void>;
}

/** The topic of the processes of a database. On a server with several databases, its name is appended. */
export const BUS_TOPIC = "belfry_changed";

export interface BusOptions {
  orm: Orm;
  log: BusLog;
}

/** Options for a backend that other databases may also use. */
export interface TopicBusOptions extends Pick<BusOptions, "log"> {
  topic: string;
}

/** One line for each loss, and none for the tries that follow. */
export function createBusLossLogger(log: BusLog) {
  let said = false;
  return {
    lost(error: unknown): void {
      if (!said)
        log.warn({ err: error }, "messages from other processes are being lost; long polls check the database instead");
      said = true;
    },
    found(): void {
      said = false;
    },
  };
}
