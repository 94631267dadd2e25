// The batching of statements: alone at once, in bursts a few large ones, and never behind a hanging one.

import { expect, test } from "vitest";
import { BURST_BATCH_OPTIONS, createBatcher, LOOKUP_BATCH_OPTIONS } from "../../src/store/db/batch_concurrent_calls.ts";
import { waitFor } from "../support/wait.ts";

/** Statements that end when the test decides, and the arguments of each. */
function statements() {
  const begun: number[][] = [];
  const ends: (() => void)[] = [];
  const run = (items: number[]) =>
    new Promise<number[]>((resolve) => {
      begun.push(items);
      ends.push(() => resolve(items));
    });
  return { begun, run, end: (which: number) => ends[which]!() };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

test.each([
  ["a hundred", 100, BURST_BATCH_OPTIONS],
  ["sixteen", 16, LOOKUP_BATCH_OPTIONS],
])("one begins at once; a second one runs in parallel only when %s wait", async (_, many, options) => {
  const { begun, run, end } = statements();
  const ask = createBatcher(run, { ...options, lateMs: undefined });
  const answers = [ask(0)];
  await turn();
  expect(begun).toEqual([[0]]);
  answers.push(...from(1, many - 1).map(ask));
  await turn();
  expect(begun).toHaveLength(1);
  answers.push(ask(many));
  await turn();
  expect(begun).toEqual([[0], from(1, many)]);
  answers.push(...from(many + 1, 5).map(ask));
  end(0);
  await turn();
  expect(begun).toHaveLength(2);
  end(1);
  await turn();
  expect(begun[2]).toEqual(from(many + 1, 5));
  end(2);
  expect(await Promise.all(answers)).toEqual(from(0, many + 6));
});

test.each([BURST_BATCH_OPTIONS, LOOKUP_BATCH_OPTIONS])(
  "a few do not wait behind a statement that hangs",
  async (options) => {
    const { begun, run, end } = statements();
    const ask = createBatcher(run, options);
    void ask(0);
    await turn();
    const second = ask(1);
    await waitFor(() => expect(begun).toEqual([[0], [1]]));
    end(1);
    expect(await second).toBe(1);
  },
);
