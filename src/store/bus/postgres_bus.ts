// The message bus through PostgreSQL. It listens on a separate connection, which is reopened after a loss, and
// publishes through the pool.

import { createListenClient } from "../db/orm.ts";
import type { PgClient } from "../db/primary_host.ts";
import { getKysely, runStatement } from "../db/statement.ts";
import { withTimeout } from "../db/timeout.ts";
import { notifyProcesses } from "../queries/changed_revisions.ts";
import { BUS_TOPIC, type BusListener, type BusOptions, createBusLossLogger, type MessageBus } from "./message_bus.ts";

/** Between two tries to connect, doubled from one to the next. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** The heartbeat interval. A response that takes longer than DEAD_MS counts as missing. */
const HEARTBEAT_MS = 10_000;
const DEAD_MS = 5_000;

export function createPostgresBus({ orm, log }: BusOptions): MessageBus {
  const kysely = getKysely(orm);
  let listening: ReturnType<typeof listenTo> | null = null;
  return {
    async publish(payloads) {
      await runStatement(kysely, notifyProcesses, { topic: BUS_TOPIC, payloads: [...payloads] }).catch((error) =>
        log.debug({ err: error }, "other processes could not be notified of a change"),
      );
    },
    listen(listener) {
      listening ??= listenTo({ orm, log }, listener);
    },
    close: async () => listening?.close(),
  };
}

function listenTo({ orm, log }: BusOptions, { onMessage, onReconnect }: BusListener) {
  let closed = false;
  let client: PgClient | null = null;
  let retry: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let opening: Promise<void> = Promise.resolve();
  const losses = createBusLossLogger(log);

  const lost = (of: PgClient | null, error: unknown) => {
    if (closed || of !== client) return;
    losses.lost(error);
    client = null;
    of?.connection.stream.destroy();
    clearTimeout(retry);
    retry = setTimeout(() => (opening = open()), pause * (0.5 + Math.random())).unref();
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };

  async function open(): Promise<void> {
    let own: PgClient | null = null;
    try {
      if (closed) return;
      const made = createListenClient(orm);
      own = client = made;
      made.on("error", (error) => lost(made, error));
      made.on("end", () => lost(made, new Error("the connection ended")));
      made.on("notification", ({ payload }) => onMessage(payload ?? ""));
      await withTimeout(DEAD_MS, made.connect());
      await withTimeout(DEAD_MS, made.query(`listen ${BUS_TOPIC}`));
      if (closed || made !== client) return;
      pause = FIRST_PAUSE_MS;
      losses.found();
      onReconnect();
      void beat(made);
    } catch (error) {
      lost(own, error);
    }
  }

  async function beat(own: PgClient): Promise<void> {
    while (own === client && !closed) {
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS).unref());
      if (own !== client || closed) return;
      await withTimeout(DEAD_MS, own.query(`listen ${BUS_TOPIC}`)).catch((error) => lost(own, error));
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
      await withTimeout(DEAD_MS, Promise.resolve(last?.end())).catch(() => last?.connection.stream.destroy());
    },
  };
}
