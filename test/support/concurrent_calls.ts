// Many calls at the same time, with one rule for all of them: none may end in a server error.

import { expect } from "vitest";
import type { Answer } from "./world.ts";

/** Runs `call(0)` to `call(n - 1)`, at most `width` at a time. */
export async function callConcurrently<T>(n: number, call: (i: number) => Promise<T>, width = n): Promise<T[]> {
  const results = new Array<T>(n);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < n; i = next++) results[i] = await call(i);
  };
  await Promise.all(Array.from({ length: Math.min(width, n) }, worker));
  return results;
}

/** The number of responses of each status, such as `{ 201: 1, 409: 199 }`. @throws on a server error. */
export function countStatuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  expect(Object.keys(counts).filter((status) => Number(status) >= 500)).toEqual([]);
  return counts;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
