// What the first process and its workers say to each other over the channel that a process has to its child: each asks the other by
// name, and gets an answer. Knows the words and nothing of what is done about them.

import type { Config } from "../../store/config/settings.ts";
import type { Counted, Policy } from "../../store/rate_limits/limits.ts";
import type { EvictingKind, LeaseKind } from "../../store/rate_limits/places.ts";
import type { Beginning } from "./first_start.ts";
import type { Figures } from "./metrics.ts";

/** The argument by which a process knows that it is a worker. */
export const WORKER = "worker";

/** What prevents a start, and was said by the process that met it. */
export class AlreadySaid extends Error {}

/** What a worker is to be. */
export interface Orders {
  /** With its share of what is bounded for the whole service. */
  config: Config;
  /** The embedded database, which is the first process's own; null with DATABASE_URL. */
  database: { url: string; folder: string } | null;
}

/** What workers ask of the first process. */
export interface OfPrimary {
  /** From now on connections may come. */
  ready(beginning: Beginning): void;
  take(policy: Policy, subject: string): Promise<Counted | undefined>;
  giveBack(policy: Policy, subject: string, window: string): Promise<void>;
  /** Takes a place of one address or credential for the worker, which loses it when it ends. */
  takePlace(kind: LeaseKind, subject: string, max: number): Promise<boolean>;
  leavePlace(kind: LeaseKind, subject: string): void;
  /** Takes a place that a newer one may evict; the worker names it by `place`, a number of its own. */
  takeOrEvict(kind: EvictingKind, subject: string, max: number, place: number): void;
  leaveEvictable(place: number): void;
  /** A connection has come. */
  took(connection: number): void;
  /** One has ended. */
  gone(connection: number): void;
  metrics(): Promise<string>;
}

/** What the first process asks of a worker. */
export interface OfWorker {
  work(orders: Orders): void;
  keepHouse(): void;
  figures(): Promise<Figures>;
  /** The worker has lost this place to a newer one. */
  evict(place: number): void;
  /** /readyz says so from now on. */
  stopping(): void;
  /** No connection comes any more: finishes what is in flight, and ends. */
  close(): void;
}

/** The first process waits no longer for a worker that is busy with something else, or hangs. */
export const ANSWER_MS = 1_000;

// biome-ignore lint/suspicious/noExplicitAny: an argument of one name is no argument of another one
type Words = Record<keyof any, (...args: any[]) => unknown>;
type Asked<W, K extends keyof W> = W[K] extends (...args: infer A) => infer R ? [A, Awaited<R>] : never;

/** What goes over the channel: a question, or an answer; a connection comes by itself, with its socket. */
export interface Message {
  connection?: number;
  name?: string;
  args?: unknown[];
  /** Of a question that waits for its answer. */
  id?: number;
  answer?: unknown;
  failed?: string;
}

/** One end of the channel. `send` hands a message over and never throws. */
export function createTalk<Theirs extends object, Ours extends object>(send: (message: object) => void, ours: Ours) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;

  async function answer({ name = "", args = [], id }: Message): Promise<void> {
    try {
      const said = await (ours as Words)[name]?.(...args);
      if (id !== undefined) send({ id, answer: said });
    } catch (error) {
      if (id === undefined) throw error;
      send({ id, failed: (error as Error).message });
    }
  }

  return {
    /** Says something that has no answer. */
    tell<K extends keyof Theirs>(name: K, ...args: Asked<Theirs, K>[0]): void {
      send({ name, args });
    },
    /** @throws Error with what the other end said, or when it is gone. */
    ask<K extends keyof Theirs>(name: K, ...args: Asked<Theirs, K>[0]): Promise<Asked<Theirs, K>[1]> {
      const wait = Promise.withResolvers<unknown>();
      waiting.set(++asked, wait);
      send({ name, args, id: asked });
      return wait.promise as Promise<Asked<Theirs, K>[1]>;
    },
    heard(message: Message): void {
      if (message.name !== undefined) return void answer(message);
      const wait = waiting.get(message.id ?? 0);
      waiting.delete(message.id ?? 0);
      if (message.failed !== undefined) wait?.reject(new Error(message.failed));
      else wait?.resolve(message.answer);
    },
    end(): void {
      for (const { reject } of waiting.values()) reject(new Error("the other process has exited"));
      waiting.clear();
    },
  };
}
