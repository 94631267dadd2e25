// Runs a handler between the shape of its input and the shape of its output: in a transaction where it writes rows, tried
// again when the database undid it, with its limits given back when it fails, and its events released after the commit.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Context, Log, Surroundings } from "../context.ts";
import { NOT_MODIFIED } from "../context.ts";
import { managerFor } from "../db/manager.ts";
import type { Orm } from "../db/orm.ts";
import { isConnectionLost, isRetryable, ownStatements, run, TRIES } from "../db/statement.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { Visibility } from "../entities/visibility.ts";
import { ApiError } from "../errors.ts";
import { type Policy, type RateLimits, rateLimitHeaders, type Taken } from "../limits/limits.ts";
import type { Repeats } from "./idempotency.ts";
import type { Limit, SessionOperation } from "./tool.ts";

export interface PerformDeps {
  orm: Orm;
  limits: RateLimits;
  surroundings: Surroundings;
  /** Ceilings that a setting moved, by the limit's name. */
  limitMax?: Record<string, number>;
  /** @throws ApiError while the disk of the database has no room for writes. */
  mustHaveRoom?(): void;
  /** Told of every event after its commit; must neither throw nor block. */
  publish(event: DomainEvent): void;
  now(): Date;
}

export interface Outcome {
  /** The answer's body, or NOT_MODIFIED. */
  body: unknown;
  /** RateLimit headers and the validator, where there are any. */
  headers: Record<string, string>;
}

interface Runnable {
  output: z.ZodType;
  limit?: Limit;
  handler(input: never, context: Context<never>): Promise<unknown>;
}

/** How one call of a handler runs. */
export interface Performance<C> {
  caller: C;
  input: unknown;
  log: Log;
  /** The validator that the client holds. */
  ifNoneMatch?: string | null;
  writes: SessionOperation["writes"];
  /** The workspace that its events belong to. */
  address: Pick<DomainEvent, "workspaceId" | "listening">;
  /** Parameters of the visibility filter; null leaves it unset, so that an ORM query on channels throws. */
  visible: Visibility | null;
  /** For a call under an idempotency key: the answer that it had before, or where its answer is kept. */
  repeats?: Repeats | null;
  /** What is wrong with the call itself. A repeat is answered all the same (docs/rules.md#idempotency). */
  refusal?: unknown;
}

export type Perform = ReturnType<typeof createPerform>;

export function createPerform(deps: PerformDeps) {
  const { orm, limits } = deps;
  const database = ownStatements(orm);

  return async <C>(operation: Runnable, performance: Performance<C>): Promise<Outcome> => {
    const { caller, input, log, ifNoneMatch, writes, address, visible, repeats, refusal } = performance;
    const inTransaction = writes === "rows";
    const events: DomainEvent[] = [];
    const taken: { policy: Policy; subject: string; answer: Taken }[] = [];
    const validator = { presented: ifNoneMatch ?? null, current: null as string | null };

    /** `db` is the transaction, where there is one. */
    const attempt = async (db: Kysely<unknown>): Promise<unknown> => {
      events.length = 0;
      let em: SqlEntityManager | undefined;
      const context: Context<C> = {
        // Most operations only run statements, so it is not made before somebody asks for it.
        get em() {
          em ??= managerFor(orm, visible, inTransaction ? db : null);
          return em;
        },
        caller,
        surroundings: deps.surroundings,
        log,
        now: deps.now,
        validator,
        sql: (statement, parameters) => run(db, statement, parameters),
        emit: (event) => events.push({ ...address, ...event }),
        countAgainstLimit: async (subject) => {
          const { name, max, seconds } = operation.limit!;
          const policy = { name, seconds, max: deps.limitMax?.[name] ?? max };
          const answer = await limits.take(policy, subject);
          if (!answer.allowed) throw tooMany(policy, answer);
          taken.push({ policy, subject, answer });
        },
      };
      const first = await repeats?.firstAnswer(db);
      if (first) return first.answer;
      if (refusal) throw refusal;
      const answer = await operation.handler(input as never, context as never);
      const body = answer === NOT_MODIFIED ? answer : operation.output.parse(answer);
      await repeats?.keep(db, body);
      if (inTransaction) await em?.flush();
      return body;
    };

    const giveBack = async () => {
      for (const { policy, subject, answer } of taken.splice(0))
        await limits.giveBack(policy, subject, answer);
    };

    if (writes !== "nothing") deps.mustHaveRoom?.();
    for (let tries = 1; ; tries++) {
      // From then on a lost connection leaves open whether it was done: that is never tried again.
      let committing = false;
      try {
        const body = inTransaction
          ? await database.transaction().execute(async (db) => {
              const answer = await attempt(db);
              committing = true;
              return answer;
            })
          : await attempt(database);
        for (const event of events) deps.publish(event);
        const headers = Object.assign({}, ...taken.map((t) => rateLimitHeaders(t.policy, t.answer)));
        if (validator.current !== null) headers.etag = validator.current;
        return { body, headers };
      } catch (error) {
        await giveBack();
        const undone = isRetryable(error) || (!committing && isConnectionLost(error));
        if (writes !== "files" && tries < TRIES && undone) continue;
        throw error;
      }
    }
  };
}

function tooMany(policy: Policy, answer: Taken): ApiError {
  return new ApiError(
    "rate_limited",
    `At most ${policy.max} calls in ${policy.seconds} seconds (${policy.name}); retry in ${answer.resetSeconds} seconds.`,
    { headers: rateLimitHeaders(policy, answer) },
  );
}
