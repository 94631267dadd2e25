// The limit of calls that run at once.

import { expect, test } from "vitest";
import { createConcurrencyQueue } from "../../src/store/rate_limits/in_memory_concurrency_limits.ts";
import { waitFor } from "../support/wait.ts";

test("at most this number run at once, in order, and a failure frees its place", async () => {
  const limit = createConcurrencyQueue(2);
  const begun: number[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const calls = Array.from({ length: 5 }, (_, i) => {
    const end = Promise.withResolvers<number>();
    ends.push(end);
    return limit(() => {
      begun.push(i);
      return end.promise;
    });
  });
  const results = Promise.allSettled(calls);
  await waitFor(() => expect(begun).toEqual([0, 1]));
  ends[1]!.reject(new Error("no"));
  await waitFor(() => expect(begun).toEqual([0, 1, 2]));
  ends[0]!.resolve(0);
  ends[2]!.resolve(2);
  await waitFor(() => expect(begun).toEqual([0, 1, 2, 3, 4]));
  ends[3]!.resolve(3);
  ends[4]!.resolve(4);
  expect((await results).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
  expect(await limit(async () => "free")).toBe("free");
});

test("other work has a turn before a call that had to wait begins", async () => {
  const limit = createConcurrencyQueue(1);
  const order: string[] = [];
  const first = limit(async () => order.push("first"));
  setImmediate(() => order.push("other"));
  const second = limit(async () => order.push("second"));
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "other", "second"]);
});

test("calls that had to wait begin in the order in which they came, also with a concurrent new one", async () => {
  const limit = createConcurrencyQueue(1);
  const order: number[] = [];
  const call = (i: number) => limit(async () => order.push(i));
  const first = Promise.withResolvers<void>();
  const calls = [limit(() => first.promise), call(1), call(2)];
  first.resolve();
  await calls[0];
  calls.push(call(3));
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3]);
});

test("work that throws before its first await rejects its call and frees its place", async () => {
  const limit = createConcurrencyQueue(1);
  const failing = () => {
    throw new Error("at once");
  };
  await expect(Promise.allSettled([limit(failing), limit(failing), limit(async () => "free")])).resolves.toMatchObject([
    { status: "rejected", reason: { message: "at once" } },
    { status: "rejected", reason: { message: "at once" } },
    { status: "fulfilled", value: "free" },
  ]);
});
