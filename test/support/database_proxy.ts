// A proxy for PostgreSQL that can fall silent: connections stay open and new ones are accepted, and no data passes. It
// can also stall: then everything passes once that is over.

import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

export interface DatabaseProxy {
  port: number;
  /** The same database, through the proxy. */
  url: string;
  fallSilent(): void;
  /** New connections pass again; those from before never do. */
  speak(): void;
  /** Nothing passes until the function that is returned is called; then everything does, in order. */
  stall(): () => void;
  /** The same from this question on, counted like `asked`. */
  stallAt(question: number): () => void;
  /** The next response to a query that contains this text never comes: its connection ends instead. */
  loseAnswerTo(words: string): void;
  /** Every connection ends, and new ones lead to the server of this address. */
  leadTo(url: string): void;
  /** Connections that are open now, and bytes that came since it fell silent. */
  count(): number;
  swallowed(): number;
  /**
   * The number of queries so far, except wakeups of other processes: data without a response in between is one query. A
   * farewell is not counted.
   */
  asked(): number;
  close(): Promise<void>;
}

/** The type of the message by which a client ends its connection. */
const FAREWELL = "X".charCodeAt(0);

export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const placeOf = ({ hostname, port }: URL) => ({ host: decodeURIComponent(hostname), port: Number(port || 5432) });
  let { host, port } = placeOf(new URL(url));
  let silent = false;
  let stalled = false;
  let stallsAt = 0;
  let losing: string | null = null;
  let swallowed = 0;
  let asked = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => {});
    client.on("close", () => open.delete(client));
    const swallow = (bytes: Buffer) => {
      swallowed += bytes.length;
    };
    if (silent) return void client.on("data", swallow);
    const database = connect(host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port });
    let mute = false;
    let lost = false;
    let answered = true;
    silences.add(() => {
      mute = true;
    });
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      from.on("data", (bytes) => {
        if (from === client) {
          // Other processes are notified after the response, and no call waits for that.
          if (answered && bytes[0] !== FAREWELL && !bytes.includes("notify_processes")) asked++;
          answered = false;
          if (asked === stallsAt) stall();
          lost ||= losing !== null && bytes.includes(losing);
          if (lost) losing = null;
        } else if (lost) return void client.destroy();
        else answered = true;
        if (mute) swallow(bytes);
        else to.write(bytes);
      });
      from.on("close", () => mute || to.destroy());
      from.on("error", () => {});
    }
    open.add(database);
    database.on("close", () => open.delete(database));
    if (stalled) for (const socket of [client, database]) socket.pause();
  });
  const silences = new Set<() => void>();
  const stall = () => {
    stalled = true;
    for (const socket of open) socket.pause();
    return release;
  };
  const release = () => {
    stalled = false;
    stallsAt = 0;
    for (const socket of open) socket.resume();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = (server.address() as { port: number }).port;
  return {
    port: own,
    url: Object.assign(new URL(url), { host: `127.0.0.1:${own}` }).href,
    fallSilent() {
      silent = true;
      swallowed = 0;
      for (const silence of silences) silence();
      silences.clear();
    },
    speak() {
      silent = false;
    },
    stall,
    stallAt(question) {
      stallsAt = question;
      return release;
    },
    loseAnswerTo(words) {
      losing = words;
    },
    leadTo(other) {
      ({ host, port } = placeOf(new URL(other)));
      for (const socket of open) socket.destroy();
    },
    count: () => open.size,
    swallowed: () => swallowed,
    asked: () => asked,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
