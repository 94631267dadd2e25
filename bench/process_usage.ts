// Processor time and memory of a process, from the system. Null without /proc.

import { readFileSync } from "node:fs";

/** Microseconds of all of them together; the system counts in hundredths of a second. */
export function readCpuTime(pids: number[]): number | null {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
      const [user, system] = fields.split(" ").slice(11, 13).map(Number);
      ticks += user! + system!;
    } catch {
      return null;
    }
  }
  return ticks * 10_000;
}

export interface ProcessMemory {
  /** MB that are in memory for it, those that it shares with others counted in full. */
  rss: number;
  /** The same with what is shared divided among those who share it: the node program itself, above all. */
  pss: number;
}

export function readProcessMemory(pid: number): ProcessMemory | null {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)![1]) / 1024;
    return { rss: mb("Rss"), pss: mb("Pss") };
  } catch {
    return null;
  }
}
