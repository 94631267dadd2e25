// What the processes of one database tell each other, whatever carries it: state, not news. A word may be lost,
// doubled or late, and may come back to who said it; so whoever listens looks for itself each time that it is heard
// again, and from time to time anyway.

import type { Orm } from "../db/orm.ts";

export interface BusLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface BusListener {
  onMessage(word: string): void;
  /** From now on everything is heard, for the first time or after a loss. */
  onReconnect(): void;
}

export interface MessageBus {
  /** Tells all who listen; a word has less than 8,000 bytes. Never fails: what cannot be said is lost. */
  publish(words: readonly string[]): Promise<void>;
  /** Called once, when the first of this process waits for something. Neither of the two may throw. */
  listen(listener: BusListener): void;
  close(): Promise<void>;
}

/** By what the processes of a database hear each other; on a server of several databases with the name of theirs. */
export const BUS_TOPIC = "belfry_changed";

export interface BusOptions {
  orm: Orm;
  log: BusLog;
}

/** What is carried by a server that other databases may use as well. */
export interface TopicBusOptions extends Pick<BusOptions, "log"> {
  topic: string;
}

/** One line for each loss, and none for the tries that follow. */
export function createLossLogger(log: BusLog) {
  let said = false;
  return {
    lost(error: unknown): void {
      if (!said) log.warn({ err: error }, "messages of other processes are lost; long polls check the database");
      said = true;
    },
    found(): void {
      said = false;
    },
  };
}
