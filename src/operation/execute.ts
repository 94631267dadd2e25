// The execution of a handler after the validation of its input. It runs in a transaction if it writes rows, and again
// if the database undid it. Rate limits are refunded on failure, and events are emitted after the commit.

import type { Kysely } from "kysely";
import { ApiError } from "../model/api_error.ts";
import type { DomainEvent } from "../model/domain/domain_events.ts";
import { toApiError } from "../store/db/database_unavailable_errors.ts";
import {
  getKysely,
  isConnectionLost,
  isRetryableRollback,
  MAX_DATABASE_ATTEMPTS,
  waitBeforeReconnect,
} from "../store/db/statement.ts";
import type { Caller, Log } from "../store/handler_context.ts";
import { createRateLimitHeaders } from "../store/rate_limits/rate_limits.ts";
import { runTraced } from "../store/trace_spans.ts";
import type { WriteTarget } from "./define_operation.ts";
import {
  type AnswerBodyAndValidator,
  type AttemptDeps,
  createHandlerAttemptState,
  getOperationLimits,
  type HandlerAttemptState,
  type Invocation,
  type RunnableOperation,
  refundLimits,
  runHandlerAttempt,
} from "./handler_attempt.ts";
import { IdempotencyKeyUsedError, type IdempotentAction } from "./idempotency.ts";
import type { OperationCallInput } from "./operation_call.ts";

export interface ExecutorDeps extends AttemptDeps {
  /** @throws ApiError while the disk of the database has no room for writes. */
  mustHaveRoom?(): void;
  /**
   * After a commit: what handsets see of these channels, or these handsets see, is another, or may be. Must not
   * throw.
   */
  changed(surely: ReadonlySet<string>, perhaps: readonly string[]): void;
  /** Receives every event after its commit; must neither throw nor block. */
  publish(event: DomainEvent): void;
}

export interface OperationResponse {
  /** The answer's body, the JSON of one that is shared, or NOT_MODIFIED. */
  body: unknown;
  headers: Record<string, string>;
}

export type ExecuteOperation = (operation: RunnableOperation, performance: Invocation) => Promise<OperationResponse>;

export function createExecutor(deps: ExecutorDeps): ExecuteOperation {
  const database = getKysely(deps.orm);

  /** Calls under a key that an own statement takes, which run now. */
  const running = new Map<string, Promise<void>>();

  /** Simultaneous repeats wait for the first one, and count towards no limit. */
  async function once(
    repeats: IdempotentAction,
    operation: RunnableOperation,
    performance: Invocation,
  ): Promise<OperationResponse> {
    const { name } = repeats;
    for (let before = running.get(name); before; before = running.get(name)) {
      await before;
      const first = await repeats.earlier(database);
      if (first) return outcomeOf({ body: first.answer, validator: null }, createHandlerAttemptState());
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(name, promise);
    try {
      for (;;)
        try {
          return await performed(operation, performance);
        } catch (error) {
          const used = error instanceof IdempotencyKeyUsedError;
          // A repeat gets its response even if a new call would be refused.
          const first = used || error instanceof ApiError ? await repeats.earlier(database) : null;
          if (first) return outcomeOf({ body: first.answer, validator: null }, createHandlerAttemptState());
          // The first response has expired, so the key is new again.
          if (!used) throw error;
        }
    } finally {
      running.delete(name);
      resolve();
    }
  }

  async function performed(operation: RunnableOperation, performance: Invocation): Promise<OperationResponse> {
    const { writes } = operation;
    if (writes !== "nothing") deps.mustHaveRoom?.();
    for (let tries = 1; ; tries++) {
      const attempt = createHandlerAttemptState();
      try {
        const answer = await on(database, writes, (db) => runHandlerAttempt(db, attempt, operation, performance, deps));
        const { concerns = [] } = performance;
        if (attempt.seen.size + concerns.length > 0) deps.changed(attempt.seen, concerns);
        for (const event of attempt.events) deps.publish(event);
        for (const begin of attempt.later) begin();
        return outcomeOf(answer, attempt);
      } catch (error) {
        const bounded = attempt.countsRefusals || getOperationLimits(operation).some(({ attempts }) => attempts);
        if (!(bounded && error instanceof ApiError)) await refundLimits(attempt.counted, deps.limits);
        if (writes === "files" || tries === MAX_DATABASE_ATTEMPTS || !isUndone(error, attempt)) throw error;
        await waitBeforeReconnect(tries, error);
      }
    }
  }

  return (operation, performance) =>
    operation.answerAgain && performance.repeats
      ? once(performance.repeats, operation, performance)
      : performed(operation, performance);
}

/** Runs writes of rows in a transaction, and other statements by themselves. */
function on<T>(database: Kysely<unknown>, writes: WriteTarget, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  return writes === "rows" ? database.transaction().execute(work) : work(database);
}

function outcomeOf({ body, validator }: AnswerBodyAndValidator, { counted }: HandlerAttemptState): OperationResponse {
  const headers: Record<string, string> = {};
  // One header contains several policies, separated by commas.
  for (const { policy, answer } of counted)
    for (const [name, value] of Object.entries(createRateLimitHeaders(policy, answer)))
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  if (validator !== null) headers.etag = validator;
  return { body, headers };
}

/** True when nothing of the try can have remained, so that it may be tried again. */
function isUndone(error: unknown, { committing }: HandlerAttemptState): boolean {
  return isRetryableRollback(error) || (!committing && isConnectionLost(error));
}

export interface OperationMetrics {
  /** `outcome`: done, needs_review, or the type of the error; `seconds`: null of what waits on purpose. */
  operation(name: string, transport: string, outcome: string, seconds: number | null): void;
}

/** Checks that a call published nothing and left a draft for a person. */
const isKept = (done: unknown): boolean => typeof done === "object" && done !== null && "needs_review" in done;

/** @param usual the default transport of calls. Calls reject only with ApiError; the log has any other cause. */
export function createMetricsWrapper(metrics: OperationMetrics) {
  return async function seen<T>(
    { name, waits = false }: { name: string; waits?: boolean },
    { transport, log }: Pick<OperationCallInput, "transport" | "log">,
    usual: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const began = performance.now();
    const ended = (outcome: string) =>
      metrics.operation(name, transport ?? usual, outcome, waits ? null : (performance.now() - began) / 1000);
    const way = { "belfry.transport": transport ?? usual };
    try {
      const done = await runTraced(name, "internal", way, work);
      ended(isKept(done) ? "needs_review" : "done");
      return done;
    } catch (error) {
      if (!(error instanceof ApiError)) log.error({ err: error }, "operation failed");
      const refused = error instanceof ApiError ? error : toApiError(error);
      ended(refused.type);
      throw refused;
    }
  };
}

/**
 * Notifies reviewers of a waiting draft, after a call that needs a person. Its failure does not affect the call
 * (rules#reviews-channel). `review` is AlertReviewTarget. The row shows if the draft waits and was not reported before.
 * The audit log has no line for it, because it is not a call.
 */
export async function notifyReviewers(
  notice: RunnableOperation,
  perform: ExecuteOperation,
  caller: Caller,
  review: unknown,
  log: Log,
): Promise<void> {
  if (caller.credential.type === "session") return;
  const { workspace } = caller;
  await perform(notice, { caller, input: review, log, actor: null, workspace, visible: null }).catch((error) => {
    if (!(error instanceof ApiError)) log.warn({ err: error }, "reviewers could not be notified of a draft");
  });
}
