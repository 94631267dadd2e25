// Bytes that the system has accepted for connections but their clients have not read. Only Linux reports them.

import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { endianness } from "node:os";
import ipaddr from "ipaddr.js";
import type { SendQueueBytesByConnection } from "../../handset/live_updates/stream_connection.ts";

/** Columns of such a table: both addresses of a connection, and `tx_queue:rx_queue`, all hexadecimal. */
const LOCAL = 1;
const REMOTE = 2;
const QUEUES = 4;

/** Reads the tables of the system once for all connections; the keys are the addresses as it writes them. */
export async function readSocketSendQueues(): Promise<SendQueueBytesByConnection> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/self/net/${name}`, "latin1").catch(() => "")),
  );
  const queues = new Map<string, number>();
  for (const line of tables.flatMap((table) => table.split("\n"))) {
    // Nearly all connections have nothing waiting.
    if (line === "" || line.includes(" 00000000:")) continue;
    const columns = line.trim().split(/\s+/);
    const bytes = Number.parseInt(columns[QUEUES] ?? "", 16);
    if (bytes > 0) queues.set(`${columns[LOCAL]} ${columns[REMOTE]}`, bytes);
  }
  return queues;
}

/** Reads how much waits for one connection. */
export function createSocketSendQueueLookup(socket: Socket): (queues: SendQueueBytesByConnection) => number {
  let key: string | null = null;
  return (queues) => {
    key ??= keyOf(socket);
    return (key !== null && queues.get(key)) || 0;
  };
}

/** Null for a connection that has ended. */
function keyOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string | null {
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return null;
  return `${inTable(localAddress, localPort)} ${inTable(remoteAddress, remotePort)}`;
}

/** The table has addresses as numbers of four bytes in the machine's own order. */
function inTable(address: string, port: number): string {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  if (endianness() === "LE") bytes.swap32();
  return `${bytes.toString("hex").toUpperCase()}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
