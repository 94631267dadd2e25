// The stream of the inbox (docs/handset.md): what it tells is taken in where it fits what this device holds. Where it does not, and
// where there is no stream, the service is asked.

import { openStream } from "./api.ts";
import { takeNews } from "./inbox.ts";
import { current } from "./state.ts";
import { getFact, type KeptAlert } from "./store.ts";
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
