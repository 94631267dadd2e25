// Starts a long poll for tests, and reads the service's metrics about it.

import { waitFor } from "./wait.ts";
import type { Answer, World } from "./world.ts";

/** The number of a service's long polls now, and of streams, which the app uses instead. */
export async function countHeldPolls(world: World): Promise<number> {
  const counts = (await figures(world)).matchAll(/^belfry_(?:long_polls|streams) (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The number of wakeups of long polls for a cause so far. */
export async function countPollWakeups(world: World, cause: string): Promise<number> {
  const line = new RegExp(`^belfry_long_poll_wakeups_total\\{cause="${cause}"\\} (\\d+)$`, "m");
  return Number(line.exec(await figures(world))?.[1] ?? 0);
}

/** The number of refused requests so far. */
export async function countRejected(world: World): Promise<number> {
  const lines = (await figures(world)).matchAll(/^belfry_http_requests_total\{.*status="503".*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

const figures = async (world: World): Promise<string> => String((await world.request("GET", "/metrics")).body);

/** Begins a conditional poll that may wait. */
export function startLongPoll(
  world: World,
  token: string,
  etag: string,
  { prefer = "wait=55", query = "" }: { prefer?: string; query?: string } = {},
) {
  const gone = new AbortController();
  let answered = false;
  const answer: Promise<Answer> = world
    .request("GET", `/handset/v1/inbox${query}`, {
      token,
      headers: { "if-none-match": etag, prefer },
      signal: gone.signal,
    })
    .finally(() => {
      answered = true;
    });
  return {
    answer,
    isAnswered: () => answered,
    leave: () => gone.abort(),
    /** Resolves once this number of polls waits, this one among them. */
    held: (count = 1) =>
      waitFor(async () => {
        const now = await countHeldPolls(world);
        if (now !== count) throw new Error(`${now} are waiting`);
      }),
  };
}
