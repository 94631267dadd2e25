// The RPC channel between the first process and its workers, over Node's IPC: each calls the other by name and gets a
// response. It defines the messages, not their effects.

import type { Config } from "../../store/config/all_settings.ts";
import type { EvictingLeaseKind, LeaseKind } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { RateLimitPolicy, WindowCount } from "../../store/rate_limits/rate_limits.ts";
import type { FirstStartResult } from "./first_start.ts";
import type { MetricSnapshot } from "./metrics.ts";

/** The argument by which a process knows that it is a worker. */
export const WORKER_ARGUMENT = "worker";

/** An error that prevents a start, and was already reported by its process. */
export class AlreadyReportedError extends Error {}

/** The configuration of a worker. */
export interface WorkerConfig {
  /** With its share of the limits of the whole service. */
  config: Config;
  /** The embedded database, which is the first process's own; null with DATABASE_URL. */
  database: { url: string; folder: string } | null;
}

/** The calls from workers to the first process. */
export interface PrimaryApi {
  /** The worker accepts connections from now on. */
  ready(result: FirstStartResult): void;
  take(policy: RateLimitPolicy, subject: string): Promise<WindowCount | undefined>;
  refund(policy: RateLimitPolicy, subject: string, window: string): Promise<void>;
  /** Acquires a lease of an address or credential for the worker; its end releases it. */
  acquireLease(kind: LeaseKind, subject: string, max: number): Promise<boolean>;
  releaseLease(kind: LeaseKind, subject: string): void;
  /** Acquires a lease that a newer one may evict; `leaseId` is a number that the worker chooses. */
  acquireOrEvict(kind: EvictingLeaseKind, subject: string, max: number, leaseId: number): void;
  releaseEvictable(leaseId: number): void;
  /** The worker has received a connection. */
  connectionOpened(connection: number): void;
  /** A connection has ended. */
  connectionClosed(connection: number): void;
  metrics(): Promise<string>;
  /** The worker waits for the database. */
  databaseUnavailable(message: string): void;
  /** Resolves when probes are answered. */
  upgrading(): Promise<void>;
}

/** The calls from the first process to a worker. */
export interface PrimaryToWorkerCalls {
  work(config: WorkerConfig): void;
  runHousekeeping(): void;
  metrics(): Promise<MetricSnapshot>;
  /** A newer lease has evicted this one. */
  evict(leaseId: number): void;
  /** /readyz now refuses new requests. */
  stopping(): void;
  /** No connection comes any more: finishes the running requests, and ends. */
  close(): void;
}

/** The first process waits this long for the response of a worker that is busy or hangs. */
export const WORKER_ANSWER_TIMEOUT_MS = 1_000;

// biome-ignore lint/suspicious/noExplicitAny: an argument of one name is not valid for another one
type RpcHandlers = Record<keyof any, (...args: any[]) => unknown>;
type RpcSignature<W, K extends keyof W> = W[K] extends (...args: infer A) => infer R ? [A, Awaited<R>] : never;

/** A message of the channel: a call or a response. A connection is sent separately, with its socket. */
export interface IpcMessage {
  connection?: number;
  name?: string;
  args?: unknown[];
  /** The id of a call that expects a response. */
  id?: number;
  answer?: unknown;
  failed?: string;
}

/** One end of the channel. `send` hands a message over and never throws. */
export function createRpcChannel<Theirs extends object, Ours extends object>(
  send: (message: object) => void,
  ours: Ours,
) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastCallId = 0;

  async function answer({ name = "", args = [], id }: IpcMessage): Promise<void> {
    try {
      const result = await (ours as RpcHandlers)[name]?.(...args);
      if (id !== undefined) send({ id, answer: result });
    } catch (error) {
      if (id === undefined) throw error;
      send({ id, failed: (error as Error).message });
    }
  }

  return {
    /** Sends a message without a response. */
    notify<K extends keyof Theirs>(name: K, ...args: RpcSignature<Theirs, K>[0]): void {
      send({ name, args });
    },
    /** @throws Error with the message of the other process, or after its end */
    call<K extends keyof Theirs>(name: K, ...args: RpcSignature<Theirs, K>[0]): Promise<RpcSignature<Theirs, K>[1]> {
      const wait = Promise.withResolvers<unknown>();
      waiting.set(++lastCallId, wait);
      send({ name, args, id: lastCallId });
      return wait.promise as Promise<RpcSignature<Theirs, K>[1]>;
    },
    receive(message: IpcMessage): void {
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
