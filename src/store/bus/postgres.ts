// The processes hear each other through PostgreSQL, on a connection of its own that is made anew whenever it is lost; they speak through
// the pool.

import type { Client } from "../db/hosts.ts";
import { newListener } from "../db/orm.ts";
import { databaseOf, run } from "../db/statement.ts";
import { within } from "../db/within.ts";
import { notifyProcesses } from "../queries/changes.ts";
import { type Bus, type BusOptions, type Listener, lossesIn, TOPIC } from "./bus.ts";

/** Between two tries to connect, doubled from one to the next. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often it is asked whether anybody is there; an answer that takes longer than DEAD_MS is none. */
const HEARTBEAT_MS = 10_000;
const DEAD_MS = 5_000;

export function postgresBus({ orm, log }: BusOptions): Bus {
  const kysely = databaseOf(orm);
  let listening: ReturnType<typeof listenTo> | null = null;
  return {
    async say(payloads) {
      await run(kysely, notifyProcesses, { topic: TOPIC, payloads: [...payloads] }).catch((error) =>
        log.debug({ err: error }, "other processes are not told of a change"),
      );
    },
    listen(listener) {
      listening ??= listenTo({ orm, log }, listener);
    },
    close: async () => listening?.close(),
  };
}

function listenTo({ orm, log }: BusOptions, { heard, again }: Listener) {
  let closed = false;
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let opening: Promise<void> = Promise.resolve();
  const losses = lossesIn(log);

  const lost = (of: Client | null, error: unknown) => {
    if (closed || of !== client) return;
    losses.lost(error);
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
      await within(DEAD_MS, made.query(`listen ${TOPIC}`));
      if (closed || made !== client) return;
      pause = FIRST_PAUSE_MS;
      losses.found();
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
      await within(DEAD_MS, own.query(`listen ${TOPIC}`)).catch((error) => lost(own, error));
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
