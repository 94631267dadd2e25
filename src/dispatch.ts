// The one way in which an operation runs, whatever transport it came by. The order of checks is written here once:
// scopes → shape of the request → handler in a transaction (rows, role, state, limit last) → shape of the answer →
// events after the commit. Knows no operation by name.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Seal } from "./auth/seal.ts";
import type { Caller, Context, Log, Surroundings } from "./context.ts";
import { NOT_MODIFIED } from "./context.ts";
import type { Orm } from "./db/orm.ts";
import { isConnectionLost, isRetryable, ownStatements, run, TRIES } from "./db/statement.ts";
import { faultOf } from "./db/unavailable.ts";
import type { DomainEvent } from "./domain/events.ts";
import { roleReaches } from "./domain/visibility.ts";
import { ApiError, insufficientScope, invalidRequest, noSpace } from "./errors.ts";
import { once } from "./idempotency.ts";
import { invalidInput, refuseUnstorableText } from "./problems.ts";
import { type Policy, type RateLimits, rateLimitHeaders, type Taken } from "./rate_limits.ts";
import { refuseRepeat, refuseRole } from "./refusals.ts";
import type { HandsetAuth, HandsetOperation, Tool } from "./tool.ts";
import { ANSWER_ARGUMENTS, pathArguments, scopesFor } from "./tool.ts";

export interface DispatchDeps {
  orm: Orm;
  limits: RateLimits;
  idempotencySeal: Seal;
  surroundings: Surroundings;
  /** Ceilings that a setting moved, by the limit's name. */
  limitMax?: Record<string, number>;
  /** True while the disk of the database has no room for writes. */
  hasNoSpace?(): boolean;
  /** Told of every event after its commit; must neither throw nor block. */
  publish(event: DomainEvent): void;
  now(): Date;
}

/** One call as a transport read it. */
export interface Call {
  /** Path, query and body as one object of arguments. */
  args: unknown;
  /** What the transport already knows to be wrong with the request; reported after the credential's scopes. */
  problem?: ApiError;
  idempotencyKey?: string | null;
  ifNoneMatch?: string | null;
  log: Log;
}

export interface Outcome {
  /** The answer's body, or NOT_MODIFIED. */
  body: unknown;
  /** RateLimit headers and the validator, where there are any. */
  headers: Record<string, string>;
}

export interface Dispatcher {
  /** Runs an owner's operation. @throws ApiError, and nothing else. */
  tool(tool: Tool, caller: Caller, call: Call): Promise<Outcome>;
  /** Runs a handset's operation. @throws ApiError, and nothing else. */
  handset<A extends keyof HandsetAuth>(
    operation: HandsetOperation,
    caller: HandsetAuth[A],
    call: Call,
  ): Promise<Outcome>;
}

/** The scopes that the call needs and the credential lacks, in the order of the tool's record. */
export function missingScopes(tool: Tool, caller: Caller, args: unknown): string[] {
  return scopesFor(tool, args).filter((needed) => !caller.credential.scopes.includes(needed));
}

interface Runnable {
  input: z.ZodObject;
  output: z.ZodType;
  limit?: Tool["limit"];
  handler(input: never, context: Context<never>): Promise<unknown>;
}

export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { orm, limits } = deps;
  const database = ownStatements(orm);

  /** The handler between the shape of its input and the shape of its output, with everything that it may touch. */
  async function perform<C>(
    operation: Runnable,
    caller: C,
    input: unknown,
    call: Call,
    options: { writes: boolean; address: EventAddress; visible: object | null; around?: Around },
  ): Promise<Outcome> {
    const events: DomainEvent[] = [];
    const taken: { policy: Policy; subject: string; answer: Taken }[] = [];
    const validator = { presented: call.ifNoneMatch ?? null, current: null as string | null };

    /** `db` is the transaction of an operation that writes. */
    const attempt = async (db: Kysely<unknown>): Promise<unknown> => {
      events.length = 0;
      let em: SqlEntityManager | undefined;
      const context: Context<C> = {
        // Most operations only run statements, so it is not made before somebody asks for it.
        get em() {
          if (em) return em;
          em = orm.em.fork();
          if (options.writes) em.setTransactionContext(db);
          if (options.visible) em.setFilterParams("visible", options.visible as never);
          return em;
        },
        caller,
        surroundings: deps.surroundings,
        log: call.log,
        now: deps.now,
        validator,
        sql: (statement, parameters) => run(db, statement, parameters),
        emit: (event) => events.push({ ...options.address, ...event }),
        countAgainstLimit: async (subject) => {
          const { name, max, seconds } = operation.limit!;
          const policy = { name, seconds, max: deps.limitMax?.[name] ?? max };
          const answer = await limits.take(policy, subject);
          if (!answer.allowed) throw tooMany(policy, answer);
          taken.push({ policy, subject, answer });
        },
      };
      const handle = async () => {
        const answer = await operation.handler(input as never, context as never);
        return answer === NOT_MODIFIED ? answer : operation.output.parse(answer);
      };
      const body = await (options.around ? options.around(db, handle) : handle());
      if (options.writes) await em?.flush();
      return body;
    };

    const giveBack = async () => {
      for (const { policy, subject, answer } of taken.splice(0))
        await limits.giveBack(policy, subject, answer);
    };

    if (options.writes && deps.hasNoSpace?.()) throw noSpace();
    for (let tries = 1; ; tries++) {
      // From then on a lost connection leaves open whether it was done: that is never tried again.
      let committing = false;
      try {
        const body = options.writes
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
        if (tries < TRIES && (isRetryable(error) || (!committing && isConnectionLost(error)))) continue;
        throw error;
      }
    }
  }

  return {
    tool: (tool, caller, call) =>
      onlyApiErrors(call.log, async () => {
        call.log.note?.({ caller: caller.credential.id, operation: tool.name });
        const missing = missingScopes(tool, caller, call.args);
        if (missing.length > 0) throw insufficientScope(missing);
        if (call.problem) throw call.problem;
        // How to answer is no part of what to do: a repeat under an idempotency key may ask for the other view.
        const { view, ...input } = parse(tool.input, call.args, pathArguments(tool.http.path));
        const key = tool.creates ? checkIdempotencyKey(call.idempotencyKey) : null;
        const visible = { workspace_id: caller.workspace.id, pusher_ids: caller.pusherIds };
        if (!roleReaches(caller.member.role, tool.role)) await refuseRole(database, caller, input);
        const problem = await tool
          .check?.(input as never, deps.surroundings)
          .catch((error: unknown) => error);
        if (problem && key === null) throw problem;
        // A repeat answers as the first call did (docs/rules.md#idempotency), whatever the network says by now.
        const unlessRefused = (handle: () => Promise<unknown>) => () =>
          problem ? Promise.reject(problem) : handle();
        const outcome = await perform(tool, caller, input, call, {
          writes: !tool.hints.readOnly,
          address: { workspaceId: caller.workspace.id, listening: caller.workspace.listening },
          visible,
          ...(key === null
            ? {}
            : {
                around: (db: Kysely<unknown>, handle: () => Promise<unknown>) =>
                  once(
                    db,
                    deps.idempotencySeal,
                    { credentialId: caller.credential.id, tool, key, input },
                    unlessRefused(handle),
                    (first) => refuseRepeat(db, caller, input, first),
                  ),
              }),
        });
        if (view !== "brief") return outcome;
        return { ...outcome, body: tool.brief!.output.parse(tool.brief!.of(outcome.body)) };
      }),

    handset: (operation, caller, call) =>
      onlyApiErrors(call.log, async () => {
        // Never who: a raw device id leaves for nobody but the device itself.
        call.log.note?.({ operation: operation.name });
        if (call.problem) throw call.problem;
        const input = parse(operation.input, call.args, []);
        // Handset operations find their rows by subscription and handle, in raw SQL; the filter stays unset, so an
        // ORM query on channels would throw.
        return perform(operation, caller, input, call, {
          writes: operation.writes,
          address: { workspaceId: "", listening: true },
          visible: null,
        });
      }),
  };
}

type EventAddress = Pick<DomainEvent, "workspaceId" | "listening">;

type Around = (db: Kysely<unknown>, handle: () => Promise<unknown>) => Promise<unknown>;

/**
 * Shape, then text: what a schema took is small enough to be looked at closely. `ids` are looked up, never
 * stored, whatever characters they hold (docs/rules.md#ids).
 */
function parse(schema: z.ZodObject, args: unknown, ids: string[]): Record<string, unknown> {
  const result = schema.safeParse(args, { reportInput: true });
  if (!result.success) throw invalidInput(result.error, schema, [...ids, ...ANSWER_ARGUMENTS]);
  refuseUnstorableText(args as object, ids);
  return result.data;
}

function checkIdempotencyKey(key: string | null | undefined): string | null {
  if (key === null || key === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalidRequest("An idempotency key is 1 to 255 printable ASCII characters.", "idempotency_key");
  return key;
}

function tooMany(policy: Policy, answer: Taken): ApiError {
  return new ApiError(
    "rate_limited",
    `At most ${policy.max} calls in ${policy.seconds} seconds (${policy.name}); retry in ${answer.resetSeconds} seconds.`,
    { headers: rateLimitHeaders(policy, answer) },
  );
}

/** Everything that is not one of our refusals becomes a server_error; its cause goes to the log only. */
async function onlyApiErrors<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    log.error({ err: error }, "operation failed");
    throw faultOf(error);
  }
}
