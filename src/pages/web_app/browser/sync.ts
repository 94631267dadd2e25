// When the service is asked: held while somebody looks, now and then while nobody does, with growing pauses while it cannot be
// reached. Runs in one tab of the device (tabs.ts). What the stream of the inbox (docs/reference/handset-api.md) tells is taken in where it fits what this
// device holds; where it does not, and where there is no stream, the service is asked.

import { openStream, poll, Refused, Unreachable } from "./api.ts";
import { now } from "./clock.ts";
import { takeNews, takePage } from "./inbox.ts";
import { learnMoved } from "./moving.ts";
import { flush, pruneOnceADay } from "./reports.ts";
import { announce } from "./rings.ts";
import { pauseAfter } from "./rules/taking_in.ts";
import { change, changed, current, until } from "./state.ts";
import { getFact, type KeptAlert, setFact } from "./store.ts";
import { isVisible } from "./tabs.ts";
import { wholeRow } from "./whole.ts";

/** A stream that is silent for so long is dead. */
const SILENT_MS = 60_000;

/**
 * Follows until there is something to ask for. Answers false where there is no stream. `onSign` hears that the service is there,
 * `onNews` what an event brought, once it is kept.
 */
export async function followStream(
  token: string,
  turn: AbortSignal,
  onSign: () => void,
  onNews: (fresh: KeptAlert[]) => Promise<void>,
): Promise<boolean> {
  const { store } = current();
  const etag = store && ((await getFact(store, "etag")) ?? null);
  if (!store || etag === null) return false;
  const ends = new AbortController();
  const body = await openStream(token, etag, AbortSignal.any([turn, ends.signal]));
  if (body === null) return false;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let timer: number | undefined;
  try {
    for (let held = etag, text = ""; ; ) {
      clearTimeout(timer);
      timer = setTimeout(() => ends.abort(), SILENT_MS);
      const { done, value } = await reader.read();
      if (done) return true;
      onSign();
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const { event, data, from, id } = fieldsOf(block);
        if (event === undefined || id === held) continue;
        if (id === undefined || from !== held) return true;
        const said: unknown = JSON.parse(data ?? "null");
        const news = event === "alert" ? { come: [wholeRow(said as KeptAlert)] } : { gone: said as string[] };
        await onNews(await takeNews({ come: [], gone: [], ...news }, id));
        held = id;
      }
    }
  } catch {
    // Cut off, or this tab's turn is over: whoever leads asks next.
    return true;
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}

const fieldsOf = (block: string): Record<string, string | undefined> =>
  Object.fromEntries(
    block
      .split("\n")
      .map((line) => [line, line.indexOf(": ")] as const)
      .filter(([, at]) => at > 0)
      .map(([line, at]) => [line.slice(0, at), line.slice(at + 2)]),
  );

/** Between polls that the service did not hold, unless it says when to come again. */
const UNHELD_SECONDS = 3;
/** Between polls of a page that nobody looks at. */
const HIDDEN_MS = 60_000;

/** After a service was found to have no stream, until it is tried again. */
const NO_STREAM_MS = 300_000;
/** A stream that ends sooner is followed by a pause. */
const SHORT_MS = 1_000;

/** Asks until the turn is over. */
export async function follow(turn: AbortSignal): Promise<void> {
  let failures = 0;
  let asked = false;
  let streamsFrom = 0;
  while (!turn.aborted) {
    await until(({ store, device }) => store !== null && device !== null && !device.refused, turn);
    if (turn.aborted) return;
    try {
      const began = now();
      const tries = asked && isVisible() && began >= streamsFrom;
      const streamed = tries && (await stream(turn));
      if (streamed && now() - began < SHORT_MS) await pause(pauseAfter(0, Math.random()), turn);
      if (tries && !streamed) streamsFrom = began + NO_STREAM_MS;
      // The first one of a turn catches up, so it is not held; nor is one that the end of a stream asks for.
      const { held, news, again } = await once(asked && !streamed && isVisible(), turn);
      const caughtUp = !asked;
      asked = true;
      failures = 0;
      if (!isVisible()) await pause(HIDDEN_MS, turn);
      else if (!held && !news && !caughtUp && !streamed) await pause((again ?? UNHELD_SECONDS) * 1000, turn);
    } catch (error) {
      if (turn.aborted) return;
      if (error instanceof Refused && error.status === 401) await refusedDevice();
      else {
        if (current().connection !== "away") change({ connection: "away" });
        const wait = error instanceof Refused ? error.retryAfter * 1000 : 0;
        await pause(Math.max(wait, pauseAfter(failures++, Math.random())), turn);
      }
      asked = false;
    }
  }
}

const live = () => change({ connection: "live", currentAt: now(), at: now() });

/** Follows the stream until there is something to ask for; false where there is none. */
async function stream(turn: AbortSignal): Promise<boolean> {
  const { device } = current();
  if (!device) return false;
  return followStream(device.token, turn, live, async (fresh) => {
    await changed();
    await announce(fresh);
  });
}

async function once(hold: boolean, turn: AbortSignal): Promise<{ held: boolean; news: boolean; again: number | null }> {
  const { store, device } = current();
  if (!store || !device) return { held: false, news: false, again: null };
  const polled = await poll(device.token, (await getFact(store, "etag")) ?? null, hold, turn);
  if (polled.page) {
    await learnMoved(device.token);
    const fresh = await takePage(device.token, polled, turn);
    await changed();
    await announce(fresh);
  } else await setFact(store, "current_at", now());
  live();
  void flush();
  void pruneOnceADay().catch(ignoreAway);
  return { held: polled.held, news: polled.page !== null, again: polled.again };
}

/** What is tried again anyway. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
}

async function refusedDevice(): Promise<void> {
  const { store, device } = current();
  if (!store || !device) return;
  await setFact(store, "device", { ...device, refused: true });
  await changed();
}

function pause(ms: number, turn: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      turn.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    turn.addEventListener("abort", end);
  });
}
