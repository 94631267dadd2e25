// Bytes that the system has accepted for connections and their clients have not taken. Only Linux reports them; elsewhere there are none.

import { readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import type { SendQueues } from "../../handset/held/outlet.ts";

/** Columns of such a table: `tx_queue:rx_queue`, both hexadecimal, and the number of the connection. */
const QUEUES = 4;
const INODE = 9;

/** Reads the tables of the system once for all connections; the keys are the numbers that it gives them. */
export async function readSendQueues(): Promise<SendQueues> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/self/net/${name}`, "latin1").catch(() => "")),
  );
  const queues = new Map<string, number>();
  for (const line of tables.flatMap((table) => table.split("\n"))) {
    // Nearly all connections have nothing waiting.
    if (line === "" || line.includes(" 00000000:")) continue;
    const columns = line.trim().split(/\s+/);
    const bytes = Number.parseInt(columns[QUEUES] ?? "", 16);
    const inode = columns[INODE];
    if (bytes > 0 && inode !== undefined) queues.set(inode, bytes);
  }
  return queues;
}

/** Reads how much waits for one connection. */
export function createQueueReader(socket: Socket): (queues: SendQueues) => number {
  let inode: string | undefined;
  return (queues) => {
    inode ??= inodeOf(socket);
    return queues.get(inode) ?? 0;
  };
}

function inodeOf(socket: Socket): string {
  const fd: unknown = Reflect.get(socket, "_handle")?.fd;
  if (typeof fd !== "number" || fd < 0) return "";
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? "";
  } catch {
    return "";
  }
}
