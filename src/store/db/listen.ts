// A connection of its own on which this process hears what others tell it through PostgreSQL, made anew whenever it is lost.
// What is said while it is away is lost: who listens is told each time that it is heard again. Knows nothing of what is said.

import type { Client } from "./hosts.ts";
import { newListener, type Orm } from "./orm.ts";

/** Between two tries to connect, doubled from one to the next. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often it is asked whether anybody is there; an answer that takes longer than DEAD_MS is none. */
const HEARTBEAT_MS = 10_000;
const DEAD_MS = 5_000;

export interface Listening {
  close(): Promise<void>;
}

/**
 * `heard`: what was said on the topic. `again`: from now on everything is heard, for the first time or after a loss. Neither
 * may throw.
 */
export function listenTo(
  orm: Orm,
  topic: string,
  {
    heard,
    again,
    log,
  }: { heard(payload: string): void; again(): void; log: { warn(fields: object, message: string): void } },
): Listening {
  let closed = false;
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let opening: Promise<void> = Promise.resolve();

  /** Whatever was wrong, the log gets one line for each loss and not for each try. */
  const lost = (of: Client | null, error: unknown) => {
    if (closed || of !== client) return;
    if (pause === FIRST_PAUSE_MS)
      log.warn({ err: error }, "other processes are not heard now; held polls look for themselves");
    client = null;
    of?.connection.stream.destroy();
    clearTimeout(retry);
    retry = setTimeout(() => (opening = open()), pause * (0.5 + Math.random())).unref();
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };

  async function open(): Promise<void> {
    let own: Client | null = null;
    try {
      if (closed) return;
      const made = newListener(orm);
      own = client = made;
      made.on("error", (error) => lost(made, error));
      made.on("end", () => lost(made, new Error("the connection ended")));
      made.on("notification", ({ payload }) => heard(payload ?? ""));
      await within(DEAD_MS, made.connect());
      await within(DEAD_MS, made.query(`listen ${topic}`));
      if (closed || made !== client) return;
      pause = FIRST_PAUSE_MS;
      again();
      void beat(made);
    } catch (error) {
      lost(own, error);
    }
  }

  async function beat(own: Client): Promise<void> {
    while (own === client && !closed) {
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS).unref());
      if (own !== client || closed) return;
      await within(DEAD_MS, own.query(`listen ${topic}`)).catch((error) => lost(own, error));
    }
  }

  opening = open();
  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      await opening;
      await within(DEAD_MS, Promise.resolve(last?.end())).catch(() => last?.connection.stream.destroy());
    },
  };
}

/** @throws where the work takes longer; it goes on all the same. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error("no answer in time")), ms);
      }),
    ]);
  } finally {
    clearTimeout(late);
  }
}
