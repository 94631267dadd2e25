// The message bus between processes: Redis and NATS as real servers that are killed, silenced and restarted. Messages
// may be lost, so each test ends when one is received again. rules#notify-url

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageBus } from "../../src/store/bus/message_bus.ts";
import { openBus } from "../../src/store/bus/open_bus.ts";
import { startNats } from "../support/external_servers.ts";
import { freePort } from "../support/free_port.ts";
import { countPollWakeups, startLongPoll } from "../support/long_polls.ts";
import { startRedis } from "../support/redis_server.ts";
import { isMissing } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

interface Carrier {
  program: "nats-server" | "redis-server";
  scheme: string;
  start(port: number): Promise<{ kill(): Promise<void>; signal(name: "SIGSTOP" | "SIGCONT"): void }>;
}

const CARRIERS: Carrier[] = [
  { program: "redis-server", scheme: "redis", start: startRedis },
  { program: "nats-server", scheme: "nats", start: startNats },
];

describe.each(CARRIERS)("$program", ({ program, scheme, start }) => {
  describe.skipIf(isMissing(program))("there", () => {
    let world: World;
    let port: number;
    let server: Awaited<ReturnType<Carrier["start"]>>;
    let messageBusUrl: string;
    const opened: MessageBus[] = [];
    const lines: string[] = [];
    const log = { warn: (_: object, line: string) => lines.push(line), debug: () => {} };

    beforeAll(async () => {
      world = await World.open();
      port = await freePort();
      server = await start(port);
      messageBusUrl = `${scheme}://127.0.0.1:${port}`;
    });
    afterAll(async () => {
      for (const bus of opened) await bus.close();
      await world?.close();
      await server?.kill();
    });

    /** One process: the received messages, and the number of reconnects. */
    async function open() {
      const bus = await openBus({ messageBusUrl }, { orm: world.service.orm, log });
      opened.push(bus);
      const heard: string[] = [];
      const counts = { again: 0 };
      return { bus, heard, counts };
    }
    const listening = async () => {
      const one = await open();
      one.bus.listen({ onMessage: (word) => one.heard.push(word), onReconnect: () => one.counts.again++ });
      return one;
    };
    /** Publishes until it is received, as messages may be lost. */
    const reaches = (from: MessageBus, to: { heard: string[] }, word: string) =>
      waitUntil(async () => {
        await from.publish([word]);
        return to.heard.includes(word);
      });

    test("a message of one process reaches all others, after a failure too, and a loss is one log line", async () => {
      const [speaker, ...ears] = [await open(), await listening(), await listening()];
      for (const ear of ears) {
        await waitUntil(() => ear.counts.again === 1);
        await reaches(speaker!.bus, ear, "first");
      }
      await server.kill();
      await waitUntil(() => lines.length > 0);
      await speaker!.bus.publish(["said to nobody"]);
      server = await start(port);
      for (const ear of ears) {
        await waitUntil(() => ear.counts.again > 1);
        await reaches(speaker!.bus, ear, "second");
        expect(ear.heard).not.toContain("said to nobody");
      }
      for (const line of lines)
        expect(line).toBe("messages from other processes are being lost; long polls check the database instead");
      // Each of the two subscribers, once; NATS has one connection, so a publisher reports it too.
      expect(lines.length).toBeLessThanOrEqual(3);
    });

    test("one that starts before it, or that ends without it, waits for nothing", async () => {
      await server.kill();
      const ear = await listening();
      await ear.bus.publish(["said to nobody"]);
      const never = await listening();
      await never.bus.close();
      server = await start(port);
      await waitUntil(() => ear.counts.again === 1);
      expect(never.counts.again).toBe(0);
    });

    // rules#held-wakes
    test(
      "polls of two processes wake each other without a listening connection, and by their own checks while it " +
        "hangs or is down",
      async () => {
        const here = await world.replica({ MESSAGE_BUS_URL: messageBusUrl });
        const there = await world.replica({ MESSAGE_BUS_URL: messageBusUrl });
        const { id, handle } = await here.pusher();
        const hears = async (title: string) => {
          const device = await here.device(handle);
          const first = await here.handset("GET", "/inbox", device);
          const poll = startLongPoll(here, device, first.headers.get("etag")!);
          await poll.held();
          await there.alert(id, { title, send: true });
          const { status, body } = await poll.answer;
          expect([status, body.data[0].title]).toEqual([200, title]);
        };
        const before = await countPollWakeups(here, "message");
        await waitUntil(async () => {
          await hears("told");
          return (await countPollWakeups(here, "message")) > before;
        });
        const [listens] = await world.sql(
          "select count(*)::int as n from pg_stat_activity where datname = current_database() and query like 'listen%'",
        );
        expect(listens).toEqual({ n: 0 });
        server.signal("SIGSTOP");
        await hears("while it hangs");
        server.signal("SIGCONT");
        await server.kill();
        await hears("while it is gone");
        server = await start(port);
        await here.leave();
        await there.leave();
      },
    );
  });
});
