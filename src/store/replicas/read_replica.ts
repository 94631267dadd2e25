// One hot standby: its availability, its replay position, and its connections. Waiting calls end as soon as the standby
// is known to be silent. This module does not interpret the queries.

import { setTimeout as pause } from "node:timers/promises";
import { withTimeout } from "../db/timeout.ts";
import { readStandbyReplayPosition } from "../queries/database_epoch.ts";

/** The parts of pg's pool and its clients that are used. */
interface Client {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  connection: { stream: { destroy(): void } };
}
interface OwnClient extends Client {
  connect(): Promise<void>;
  end(): Promise<void>;
  on(event: "error" | "end", listener: () => void): unknown;
}
export interface ReplicaPool {
  options: object;
  Client: new (options: object) => OwnClient;
  connect(): Promise<Client & { release(destroy?: boolean): void }>;
  on(event: "error", listener: () => void): unknown;
  on(event: "connect", listener: (client: OwnClient) => void): unknown;
  end(): Promise<void>;
}

/** The time limit of a response. With the interval between two checks it is less than a second. */
const DEAD_MS = 600;
/** The time that a query waits until a standby has replayed far enough. */
const CATCH_UP_MS = 50;
const LONGEST_PAUSE_MS = 8;

/** `behind`: it is available, but has not replayed far enough, or belongs to another timeline. */
export type ReplicaAvailability = "answers" | "behind" | "away";

export class Replica {
  /** Without user and password. */
  readonly name: string;
  state: ReplicaAvailability = "away";
  /** The last known replay position. */
  place = 0;
  identity = "";
  readonly #pool: ReplicaPool;
  #own: OwnClient | null = null;
  #looking: Promise<void> | null = null;
  #waiting = new Set<{ place: number; resolve(): void; reject(error: Error): void; until: number }>();
  /** Functions that end the waiting calls when it falls silent. */
  #asked = new Set<(error: Error) => void>();

  /** `options`: what its pool is made with. */
  constructor(url: string, primary: ReplicaPool, options: object) {
    this.name = new URL(url).host;
    this.#pool = new (primary.constructor as new (options: object) => ReplicaPool)(options);
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** @throws Error without a response in time, or if it is not a standby. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    try {
      const [row] = (await withTimeout(DEAD_MS, this.#ask())) as { place: number | null; identity: string }[];
      if (!row || row.place === null) throw new Error("it is not a standby");
      this.place = Math.max(this.place, row.place);
      this.identity = row.identity;
    } catch (error) {
      this.leave("away");
      throw error;
    }
  }

  async #ask(): Promise<unknown[]> {
    if (!this.#own) {
      const made = new this.#pool.Client(this.#pool.options);
      // A restarted standby may be at an earlier position than before.
      const onEnd = () => this.#own === made && this.leave("away");
      made.on("error", onEnd);
      made.on("end", onEnd);
      this.#own = made;
      await made.connect();
    }
    return (await this.#own.query(readStandbyReplayPosition.text, [])).rows;
  }

  /** It gets no queries until it responds again; waiting callers use another server. */
  leave(state: "behind" | "away"): void {
    this.state = state;
    if (state === "behind") return;
    this.place = 0;
    this.#own?.connection.stream.destroy();
    this.#own = null;
    const silent = new Error("it stopped responding");
    for (const reject of this.#asked) reject(silent);
    for (const { reject } of this.#waiting) reject(silent);
    this.#waiting.clear();
  }

  /** Resolves when it has come so far. @throws Error when that takes too long. */
  async upTo(place: number): Promise<void> {
    if (this.place >= place) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const isFirst = this.#waiting.size === 0;
    this.#waiting.add({ place, resolve, reject, until: performance.now() + CATCH_UP_MS });
    if (isFirst) void this.#catchUp();
    return promise;
  }

  async #catchUp(): Promise<void> {
    for (let ms = 1; this.#waiting.size > 0; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await this.look().catch(() => {});
      for (const one of this.#waiting) {
        const late = performance.now() > one.until;
        if (this.place < one.place && !late) continue;
        this.#waiting.delete(one);
        if (this.place >= one.place) one.resolve();
        else one.reject(new Error("it lags behind the primary"));
      }
      if (this.#waiting.size > 0) await pause(ms);
    }
  }

  #unlessSilent<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#asked.add(reject);
    work.then(resolve, reject).finally(() => this.#asked.delete(reject));
    return promise;
  }

  /** @throws its error, or when it falls silent before it responds. */
  async query(text: string, values: unknown[]): Promise<unknown[]> {
    const connecting = this.#pool.connect();
    const connection = await this.#unlessSilent(connecting).catch((error) => {
      connecting.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    });
    let answered = false;
    try {
      const { rows } = await this.#unlessSilent(connection.query(text, values));
      answered = true;
      return rows;
    } finally {
      connection.release(!answered);
    }
  }

  async close(): Promise<void> {
    this.leave("away");
    await withTimeout(DEAD_MS, this.#pool.end()).catch(() => {});
  }
}
