// Writing down when a credential was last used, without costing each request a write.

import type { Log } from "../../store/context.ts";

/** How often the last use of one credential is written down, at most. */
const EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export interface LastUseOptions {
  now(): Date;
  log: Log;
  /** True while nothing may be written: the next use is written down. */
  isLow?(): boolean;
}

/** The call does not wait for the writing and does not fail with it. */
export function createLastUse(
  { now, log, isLow }: LastUseOptions,
  write: (id: string) => Promise<unknown>,
): (id: string) => void {
  const notedAt = new Map<string, number>();
  return (id) => {
    const at = now().getTime();
    if (isLow?.()) return;
    if (at - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (notedAt.size >= MAX_REMEMBERED) notedAt.clear();
    notedAt.set(id, at);
    write(id).catch((error) => log.warn({ err: error }, "last use of a credential not written"));
  };
}
