// From a send to many handsets that wait on one channel, by streams and by long polls:
// `node bench/send_latency.ts [1000]`. The time until each has seen it, and the processor time of the service and of
// the database for each of them.

import { withBench } from "./bench_setup.ts";
import { measureLongPolls, type PollFigure, sendAlert, waitUntilHeld } from "./long_polls.ts";
import { measureDelivery } from "./peers/delivery_latency.ts";

const handsets = Number(process.argv[2] ?? 1_000);

await withBench(2, async ({ worlds, open }) => {
  await open({ name: "S", alerts: 1000 }, "embedded");
  const world = worlds[0]!;
  const used = async () =>
    [(await world.service.cpu()) ?? Number.NaN, (await world.databaseCpu()) ?? Number.NaN] as const;
  const host = new URL(world.service.url).host;
  const ask = (i: number) =>
    `GET /handset/v1/inbox/stream?limit=1 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ` +
    `${world.tokens.reporters[i]}\r\n\r\n`;
  const sends: (readonly [number, number])[] = [];
  const streams = await measureDelivery(
    {
      target: world.service,
      ask,
      async send(title) {
        sends.push(await used());
        await sendAlert(world, title);
      },
    } as Parameters<typeof measureDelivery>[0],
    handsets,
  );
  // For the measured sends except the last, whose end is not read.
  const [first, last] = [sends.at(-streams.sends)!, sends.at(-1)!];
  const each = (part: 0 | 1) => ((last[part] - first[part]) / (streams.sends - 1) / handsets).toFixed(1);
  console.log(`${handsets} streams: ${shown(streams)}, ${each(0)} + ${each(1)} µs each`);
  await waitUntilHeld(world, 0);
  const before = await used();
  const polls = await measureLongPolls(world, { handsets, limit: 1, idleMs: 4_000 });
  const after = await used();
  const eachPoll = (part: 0 | 1) => ((after[part] - before[part]) / (polls.sends + 1) / handsets).toFixed(0);
  const idle = `idle ${polls.idle.server?.toFixed(1)} + ${polls.idle.postgres?.toFixed(1)} % of a core`;
  console.log(`${handsets} long polls: ${shown(polls)}, about ${eachPoll(0)} + ${eachPoll(1)} µs each, ${idle}`);
});

function shown({ p50, p99, lost }: Pick<PollFigure, "p50" | "p99" | "lost">): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${lost} lost`;
}
