// One of several processes that serve: the whole service, but for what only the first process has, its listening socket, the
// embedded database and the windows of the limits. It ends when it is told to, and with the first process.

import type { Socket } from "node:net";
import { need } from "../../model/need.ts";
import type { Windows } from "../../store/rate_limits/limits.ts";
import { createTalk, type Message, type OfPrimary, type OfWorker, type Orders } from "./between.ts";
import { beginningOf } from "./first_start.ts";
import { serveAccepted } from "./server.ts";
import { openService, type Service } from "./service.ts";

/** Serves until it is told to end. */
export async function work(): Promise<void> {
  // Whoever signals the whole group means the first process, which says what is to be done.
  process.on("SIGTERM", () => {});
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.exit(1));
  const given = Promise.withResolvers<Orders>();
  let service: Service | null = null;
  let accepted: ReturnType<typeof serveAccepted> | null = null;
  /** Places that the first process may take away for a newer one, by number, and what ends each. */
  const evictable = new Map<number, () => void>();
  let places = 0;

  const ours: OfWorker = {
    work: given.resolve,
    keepHouse: () => service?.housekeeping.begin(),
    figures: () => need(service, "it is asked when it serves").metrics.figures(),
    evict: (place) => evictable.get(place)?.(),
    stopping: () => service?.app.stopping(),
    async close() {
      await accepted?.close();
      await service?.close();
      process.exit(0);
    },
  };
  const primary = createTalk<OfPrimary, OfWorker>((message) => process.send?.(message, () => {}), ours);
  process.on("message", (message: Message, socket?: Socket) => {
    const { connection } = message;
    if (connection === undefined) return primary.heard(message);
    primary.tell("took", connection);
    const left = () => primary.tell("gone", connection);
    // It may have ended on its way.
    if (socket && accepted) accepted.take(socket, left);
    else left();
  });

  // Before it is known what this process is to be, which waits for the database.
  await import("./parts.ts");
  const { config, database } = await given.promise;
  service = await openService(config, {
    within: {
      database,
      windows: {
        take: (...call) => primary.ask("take", ...call),
        giveBack: (...call) => primary.ask("giveBack", ...call),
        close() {},
      } satisfies Windows,
      leases: {
        async take(kind, subject, max) {
          if (!(await primary.ask("takePlace", kind, subject, max))) return null;
          let isLeft = false;
          return () => {
            if (!isLeft) primary.tell("leavePlace", kind, subject);
            isLeft = true;
          };
        },
        takeOrEvict(kind, subject, max, end) {
          const place = ++places;
          evictable.set(place, end);
          primary.tell("takeOrEvict", kind, subject, max, place);
          return () => {
            if (evictable.delete(place)) primary.tell("leaveEvictable", place);
          };
        },
      },
      metrics: () => primary.ask("metrics"),
    },
  });
  accepted = serveAccepted(service.app, config);
  primary.tell("ready", await beginningOf(service, config));
}
