// Statistics on the wire. Counts that can be backed, nothing else: no delivered figure and no rate, anywhere.

import { z } from "zod";

export const reach = z.int().describe("Subscribers now, muted ones included: who could be reached.");

export const totals = z.object({
  alerts_sent: z.int(),
  reads: z.int().describe("Self-reports from devices that chose to send one."),
  acks: z.int(),
});

export const dayBuckets = z.array(
  z.object({ date: z.string(), alerts_sent: z.int(), reads: z.int(), acks: z.int() }),
);

/** What channel and account statistics share. */
export const rangeView = { timezone: z.literal("UTC"), from: z.string(), to: z.string(), reach, totals };

/** docs/rules.md#stats-sums */
export function sumOf(
  buckets: { alerts_sent: number; reads: number; acks: number }[],
): z.infer<typeof totals> {
  const sum = { alerts_sent: 0, reads: 0, acks: 0 };
  for (const bucket of buckets) {
    sum.alerts_sent += bucket.alerts_sent;
    sum.reads += bucket.reads;
    sum.acks += bucket.acks;
  }
  return sum;
}
