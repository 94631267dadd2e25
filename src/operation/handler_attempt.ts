// One attempt of a handler: its context, and the effects to emit or refund. Each attempt starts empty, so work that the
// database undid is neither emitted nor counted twice.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { z } from "zod";
import { ApiError } from "../model/api_error.ts";
import type { DomainEvent } from "../model/domain/domain_events.ts";
import { newUuid } from "../model/domain/type_ids.ts";
import type { VisibilityFilter } from "../model/tables/channel.ts";
import { type WriteBatcher, wrapItemAsBatchParameters } from "../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../store/db/orm.ts";
import { runStatement } from "../store/db/statement.ts";
import {
  type BodyWithEtag,
  type Caller,
  type HandlerContext,
  type Log,
  NOT_MODIFIED,
  type Services,
} from "../store/handler_context.ts";
import {
  createRateLimitHeaders,
  type RateLimiter,
  type RateLimitPolicy,
  type RateLimitResult,
} from "../store/rate_limits/rate_limits.ts";
import type { WaitContext } from "../store/wait_context.ts";
import { createFilteredEntityManager } from "./access_checks.ts";
import {
  type AuditActor,
  createAuditLinePerActor,
  createFirstMemberActor,
  writeAuditAndEvents,
} from "./audit_lines.ts";
import type { CreatedWorkspaceIds, OperationLimit, WriteTarget } from "./define_operation.ts";
import { type IdempotentAction, NO_IDEMPOTENCY_KEY_SQL_PARAMETERS } from "./idempotency.ts";

export interface AttemptDeps {
  orm: Orm;
  together: WriteBatcher;
  limits: RateLimiter;
  services: Services;
  /** Rate limits that a setting changes, by the limit's name. */
  limitMax?: Record<string, number>;
  now(): Date;
}

/** The executable part of an operation from any list, with its own arguments. */
export interface RunnableOperation {
  name: string;
  output: z.ZodType;
  limit?: OperationLimit | readonly OperationLimit[];
  validated?: true;
  writes: WriteTarget;
  madeWorkspace?(answer: unknown): CreatedWorkspaceIds;
  answerAgain?: unknown;
  handler(input: unknown, context: HandlerContext<unknown>): Promise<unknown>;
}

/** One call of an operation. */
export interface Invocation {
  caller: unknown;
  input: unknown;
  log: Log;
  clientEtags?: readonly string[];
  /** Versions of the row that may be changed; null: any. */
  expectedVersions?: readonly string[] | null;
  /** The actors for the audit log, one line each; null for none. */
  actor: AuditActor | readonly AuditActor[] | null;
  /** The workspace that its events belong to. */
  workspace: Pick<Caller["workspace"], "id" | "listening">;
  /** Parameters of the visibility filter; null leaves it unset, so that an ORM query on channels throws. */
  visible: VisibilityFilter | null;
  /** Channels and devices that it may change for handsets. */
  concerns?: readonly string[];
  /** For a call under an idempotency key: its earlier response, or the place for its response. */
  repeats?: IdempotentAction | null;
  patience?: WaitContext;
  onRepeat?: HandlerContext["onRepeat"];
  /** The error of the call itself. A repeat still gets its response (rules#idempotency). */
  refusal?: unknown;
}

interface Counted {
  policy: RateLimitPolicy;
  subject: string;
  answer: RateLimitResult;
}

/** Creates the state of an attempt. */
export const createHandlerAttemptState = () => ({
  events: [] as DomainEvent[],
  /** Channels and devices of which handsets see something else after it. */
  seen: new Set<string>(),
  later: [] as (() => void)[],
  counted: [] as Counted[],
  /** True if refused calls also count. */
  countsRefusals: false,
  /** The entity manager, created on first use, because most operations only run statements. */
  em: null as SqlEntityManager | null,
  /** Ids and status for each line of the audit log, where these are not the answer's. */
  lines: null as readonly unknown[] | null,
  /** The names of the changed fields; null if the call is not an edit. */
  changed: null as string[] | null,
  /** True when a statement of the handler writes what the end of the call would. */
  ended: false,
  /** True once only the commit is left. If the connection is lost now, the result is unknown. */
  committing: false,
});

export type HandlerAttemptState = ReturnType<typeof createHandlerAttemptState>;

/** Body and validator of what a handler returned. */
export interface AnswerBodyAndValidator {
  body: unknown;
  validator: string | null;
}

/**
 * Runs the handler on `db`, which is the transaction where it writes rows. @returns the result in its declared shape.
 */
export async function runHandlerAttempt(
  db: Kysely<unknown>,
  attempt: HandlerAttemptState,
  operation: RunnableOperation,
  performance: Invocation,
  deps: AttemptDeps,
): Promise<AnswerBodyAndValidator> {
  const { refusal, input } = performance;
  const repeats = operation.answerAgain ? null : performance.repeats;
  const first = await repeats?.firstAnswer(db);
  if (first) return { body: first.answer, validator: null };
  if (refusal) throw refusal;
  const returned = await operation.handler(input, contextOn(db, attempt, operation, performance, deps));
  const { body, validator } = operation.validated
    ? (returned as BodyWithEtag<unknown>)
    : { body: returned, validator: null };
  const shown = body === NOT_MODIFIED || Buffer.isBuffer(body) ? body : operation.output.parse(body);
  await repeats?.keep(db, shown);
  if (operation.writes === "rows") await attempt.em?.flush();
  if (operation.writes !== "nothing" && !attempt.ended) {
    const { name, madeWorkspace } = operation;
    const { actor } = performance;
    const by = actor && madeWorkspace ? createFirstMemberActor(actor, madeWorkspace(shown)) : actor;
    const rows = attempt.lines ?? [shown];
    const lines = by ? rows.flatMap((each) => createAuditLinePerActor(by, name, input, each, attempt.changed)) : [];
    await writeAuditAndEvents(db, lines, attempt.events);
  }
  attempt.committing = true;
  return { body: shown, validator };
}

/** The context of a caller that always waits. */
const ENDLESS: WaitContext = { signal: new AbortController().signal, rest: (waiting) => waiting };

function contextOn(
  db: Kysely<unknown>,
  attempt: HandlerAttemptState,
  { name: operation, output, limit, writes }: RunnableOperation,
  call: Invocation,
  { orm, together, limits, services, limitMax, now }: AttemptDeps,
): HandlerContext<unknown> {
  const { log } = call;
  return {
    get em() {
      attempt.em ??= createFilteredEntityManager(orm, call.visible, writes === "rows" ? db : null);
      return attempt.em;
    },
    // The caller may have changed during the wait.
    get caller() {
      return call.caller;
    },
    services,
    log,
    wait: call.patience ?? ENDLESS,
    onRepeat: call.onRepeat ?? "send",
    now,
    sql: (statement, parameters) => runStatement(db, statement, parameters),
    afterCommit: (work) => attempt.later.push(work),
    emit(event) {
      const { id: workspaceId, listening } = call.workspace;
      const common = { created_at: now().toISOString(), requestId: log.origin?.(), workspaceId, listening };
      const emitted = { id: newUuid(), ...common, ...event };
      attempt.events.push(emitted);
      return emitted;
    },
    sqlBatched: {
      auditInStatement(answer) {
        attempt.ended = true;
        const [line] = createAuditLinePerActor(call.actor ?? [], operation, call.input, answer);
        if (!line) throw new Error("only a call with an actor writes its audit line in a statement");
        return line;
      },
      idempotencyInStatement: (answer) =>
        call.repeats?.taking(output.parse(answer)) ?? NO_IDEMPOTENCY_KEY_SQL_PARAMETERS,
      async run(several, item) {
        if (writes === "rows") return (await runStatement(db, several.single, wrapItemAsBatchParameters(item)))[0];
        // It is its own commit.
        attempt.committing = true;
        return together(several, item);
      },
    },
    audit({ changed, lines }) {
      if (changed) attempt.changed = [...changed];
      if (lines) attempt.lines = lines;
    },
    conditions: {
      versions: call.expectedVersions ?? null,
      match: (version) => call.expectedVersions?.includes(version) ?? true,
      clientHolds: (validator) => call.clientEtags?.includes(validator) ?? false,
    },
    markChanged(ids) {
      for (const id of ids) attempt.seen.add(id);
    },
    async countAgainstLimit(...subjects) {
      if (!limit) throw new Error("only calls with a limit are counted");
      const asked = getConfiguredLimitPolicies({ limit }, limitMax).map(async (policy, i): Promise<Counted | null> => {
        const subject = subjects[i] ?? null;
        if (subject === null) return null;
        return { policy, subject, answer: await limits.take(policy, subject) };
      });
      const counted = (await Promise.all(asked)).filter((one) => one !== null);
      const taken = counted.filter(({ answer }) => answer.allowed);
      attempt.counted.push(...taken);
      const refused = counted.find(({ answer }) => !answer.allowed);
      if (refused) throw tooMany(refused.policy, refused.answer);
      return {
        async refund() {
          attempt.counted = attempt.counted.filter((one) => !taken.includes(one));
          await refundLimits(taken, limits);
        },
        keep() {
          attempt.countsRefusals = true;
        },
      };
    },
  };
}

/** Returns the rate limits of an operation. */
export const getOperationLimits = ({ limit = [] }: Pick<RunnableOperation, "limit">): readonly OperationLimit[] =>
  [limit].flat();

/** The limits of an operation as this installation has them. */
export const getConfiguredLimitPolicies = (
  operation: Parameters<typeof getOperationLimits>[0],
  limitMax: AttemptDeps["limitMax"],
): RateLimitPolicy[] =>
  getOperationLimits(operation).map(({ name, max, seconds }) => ({ name, seconds, max: limitMax?.[name] ?? max }));

/** Returns what was counted of a call that has done nothing. */
export async function refundLimits(counted: readonly Counted[], limits: RateLimiter): Promise<void> {
  for (const { policy, subject, answer } of counted) await limits.refund(policy, subject, answer);
}

function tooMany(policy: RateLimitPolicy, answer: RateLimitResult): ApiError {
  return new ApiError(
    "rate_limited",
    `The limit is ${policy.max} calls in ${policy.seconds} seconds (${policy.name}). Retry in ` +
      `${answer.resetSeconds} seconds.`,
    { headers: createRateLimitHeaders(policy, answer) },
  );
}
