// The dispatcher, which runs every operation for all transports and pages. Its checks run in this order: authorization,
// schema of the request, role, password if required, handler in a transaction (limit last), schema of the response.
// Events follow after the commit.

import type { z } from "zod";
import { type AlertReviewTarget, ApiError, throwFieldErrors } from "../model/api_error.ts";
import { parseIdOrNull } from "../model/domain/type_ids.ts";
import { getKysely } from "../store/db/statement.ts";
import type { AnonymousCaller, Caller, DeviceCaller } from "../store/handler_context.ts";
import type { Encryption } from "../store/secret/encryption.ts";
import {
  checkIdempotentReplayAccess,
  createVisibilityFilter,
  findScopeError,
  replaceHandlesWithChannelIds,
  requireOperationRole,
  requireRole,
  requireSignedIn,
  rethrowWithChannelOfRow,
} from "./access_checks.ts";
import { createActor, findPersonActorPerWorkspace } from "./audit_lines.ts";
import {
  type HandsetOperation,
  IDEMPOTENCY_ARGUMENT_NAMES,
  type OwnerOperation,
  type SessionCallerByAuth,
  type SessionOperation,
} from "./define_operation.ts";
import {
  createExecutor,
  createMetricsWrapper,
  type ExecuteOperation,
  type ExecutorDeps,
  notifyReviewers,
  type OperationMetrics,
  type OperationResponse,
} from "./execute.ts";
import { getConfiguredLimitPolicies, type Invocation, type RunnableOperation } from "./handler_attempt.ts";
import {
  checkIdempotencyKey,
  createIdempotencySteps,
  type IdempotencyRequest,
  type IdempotentAction,
  KEYLESS_REPEAT_RESPONSE_BY_TRANSPORT,
  readIdempotentResponseAndHash,
} from "./idempotency.ts";
import type { OperationCallInput } from "./operation_call.ts";
import { createWaitWithFinalReauthentication } from "./recheck_credential_after_wait.ts";
import {
  canSaveRefusedCallAsDraft,
  createReviewChallenges,
  createReviewRequired,
  type ReviewRequired,
} from "./review_challenge.ts";
import { parseInput } from "./validation_errors.ts";

interface DispatcherDeps extends ExecutorDeps {
  /** Notifies reviewers of a waiting draft; its input is AlertReviewTarget. */
  reviewNotice: RunnableOperation;
  reviewChallengeSeal: Encryption;
  idempotencySeal: Encryption;
  metrics: OperationMetrics;
}

export function createDispatcher(deps: DispatcherDeps) {
  const running: Running = { ...deps, perform: createExecutor(deps) };
  const seen = createMetricsWrapper(deps.metrics);

  /** Notifies reviewers of a waiting alert, after a refused call or one that left a draft. */
  async function noticed<T extends OperationResponse | ReviewRequired>(
    caller: Caller,
    { log }: OperationCallInput,
    work: Promise<T>,
  ): Promise<T> {
    const tell = (review: AlertReviewTarget) =>
      notifyReviewers(deps.reviewNotice, running.perform, caller, review, log);
    const outcome = await work.catch(async (error: ApiError) => {
      if (error.review) await tell(error.review);
      throw error;
    });
    if ("needs_review" in outcome) await tell(outcome.needs_review);
    return outcome;
  }

  return {
    /** Calls with a request to a person. */
    reviewChallenges: createReviewChallenges(deps),
    /** Returns the error if the credential may not make this call, for any rows; else null. */
    findScopeError: (tool: OwnerOperation, caller: Caller, args: unknown): Promise<ApiError | null> =>
      findScopeError(tool, caller, args, whereOf(deps)),
    /** Checks that a call with this subject is within the tool's limits, without counting it. */
    hasRoom: async (tool: OwnerOperation, subject: string): Promise<boolean> => {
      const policies = getConfiguredLimitPolicies(tool, deps.limitMax);
      return (await Promise.all(policies.map((policy) => deps.limits.hasRoom(policy, subject)))).every(Boolean);
    },
    /** Runs an owner's operation. @throws ApiError, and nothing else. */
    run: (tool: OwnerOperation, caller: Caller, call: OperationCallInput): Promise<OperationResponse> =>
      noticed(
        caller,
        call,
        seen(tool, call, "rest", () => runOwnerOperation(running, tool, caller, call)),
      ),
    /**
     * The same, but an alert that the caller may write and not publish is kept as a draft, for which a person decides
     * (rules#review-url).
     */
    runOrDraft: (
      tool: OwnerOperation,
      caller: Caller,
      call: OperationCallInput,
    ): Promise<OperationResponse | ReviewRequired> =>
      noticed(
        caller,
        call,
        seen(tool, call, "rest", () => runOwnerOperationOrDraft(running, tool, caller, call)),
      ),
    /**
     * Returns the stored response for an idempotency key of the caller, who may no longer see its rows; null without
     * one.
     */
    findKeptAnswer: async (tool: OwnerOperation, caller: Caller, key: string): Promise<unknown> => {
      const own = { credentialId: caller.credential.id, tool, key, seal: deps.idempotencySeal };
      return (await readIdempotentResponseAndHash(getKysely(deps.orm), own))?.answer ?? null;
    },
    /** Runs a handset's operation for whom its authenticator found. @throws ApiError, and nothing else. */
    runHandset: (
      operation: HandsetOperation,
      caller: AnonymousCaller | DeviceCaller,
      call: OperationCallInput,
    ): Promise<OperationResponse> =>
      seen(operation, { log: call.log }, "handset", () => runHandset(running, operation, caller, call)),
    /** Runs an operation of signed-in people only, and returns its body. @throws ApiError, and nothing else. */
    runSession: <A extends keyof SessionCallerByAuth, I extends z.ZodObject, O extends z.ZodType>(
      operation: SessionOperation<A, I, O>,
      caller: SessionCallerByAuth[A],
      call: OperationCallInput,
    ): Promise<z.output<O>> => seen(operation, call, "console", () => runSession(running, operation, caller, call)),
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface Running extends DispatcherDeps {
  perform: ExecuteOperation;
}

async function runOwnerOperation(
  deps: Running,
  tool: OwnerOperation,
  caller: Caller,
  call: OperationCallInput,
): Promise<OperationResponse> {
  call.log.note?.({ caller: caller.credential.id, operation: tool.name });
  const missing = await findScopeError(tool, caller, call.args, whereOf(deps));
  if (missing) throw missing;
  if (call.problem) throw call.problem;
  // The view is not part of the stored call: a repeat with the same idempotency key may use another one.
  const beside = tool.creates ? IDEMPOTENCY_ARGUMENT_NAMES : [];
  const { view, ...parsed } = parseInput(tool.input, call.args, {
    ids: tool.pathArguments,
    beside,
    contentProblem: (valid, wrong) => tool.contentProblem?.(valid, { wrong, now: deps.now }) ?? null,
  });
  const input = await replaceHandlesWithChannelIds(parsed, deps.orm, caller);
  const key = tool.creates ? checkIdempotencyKey(call.idempotencyKey) : null;
  await requireOperationRole(tool, caller, input, deps.orm);
  const refusal = await tool.check?.(input, deps.services).catch((error: unknown) => error);
  if (tool.tellsReview) await notifyReviewers(deps.reviewNotice, deps.perform, caller, input, call.log);
  const repeats = key === null ? null : repeatsUnder(key, deps, tool, caller, input);
  const { readOnly } = tool;
  const transport = call.transport ?? "rest";
  const onRepeat = (key === null && KEYLESS_REPEAT_RESPONSE_BY_TRANSPORT[transport]) || "send";
  const writes = readOnly ? "nothing" : tool.isOneStatement?.(input, onRepeat) ? "shared" : "rows";
  const performance: Invocation = {
    ...call,
    caller,
    actor: readOnly ? null : createActor(caller, transport),
    input,
    workspace: caller.workspace,
    visible: createVisibilityFilter(caller),
    onRepeat,
    repeats,
    refusal,
    concerns: readOnly ? [] : channelsNamedIn(input),
  };
  if (tool.waits)
    performance.patience = createWaitWithFinalReauthentication(whereOf(deps), tool, call, performance, input);
  const outcome = await deps
    .perform({ ...tool, writes }, performance)
    .catch(rethrowWithChannelOfRow(deps.orm, caller, input));
  const short = view === "brief" ? tool.brief : view === "titles" ? tool.titles : null;
  return short ? { ...outcome, body: short.output.parse(short.of(outcome.body)) } : outcome;
}

/** Runs the call, or keeps its alert as a draft where only a person may publish it. @throws ApiError. */
async function runOwnerOperationOrDraft(
  deps: Running,
  tool: OwnerOperation,
  caller: Caller,
  call: OperationCallInput,
): Promise<OperationResponse | ReviewRequired> {
  const missing = tool.asDraft && (await findScopeError(tool, caller, call.args, whereOf(deps)));
  if (!tool.asDraft || !missing || !canSaveRefusedCallAsDraft(tool, missing))
    return runOwnerOperation(deps, tool, caller, call);
  const draft = { ...call, args: tool.asDraft(call.args as Record<string, unknown>) };
  try {
    const { body } = await runOwnerOperation(deps, tool, caller, draft);
    return createReviewRequired(missing, body);
  } catch (error) {
    const again = call.keepFirst && error instanceof ApiError && error.param === "idempotency_key";
    // An alert that cannot be kept is refused as any call without its scope.
    throw error instanceof ApiError && !again ? missing : error;
  }
}

async function runHandset(
  deps: Running,
  operation: HandsetOperation,
  caller: AnonymousCaller | DeviceCaller,
  call: OperationCallInput,
): Promise<OperationResponse> {
  // The log does not name the device: only the device itself receives its raw id.
  call.log.note?.({ operation: operation.name });
  if (call.problem) throw call.problem;
  const input = parseInput(operation.input, call.args);
  // Handset operations find their rows by subscription and handle, in raw SQL; the filter stays unset, so an
  // ORM query on channels would throw.
  const refusal = await operation.check?.(input, deps.services).catch((error: unknown) => error);
  const concerns = operation.writes === "rows" && "id" in caller ? [caller.id] : [];
  // The audit log names no handset, because actions of a single device are private.
  const attempt = { ...call, caller, actor: null, workspace: NO_WORKSPACE, visible: null };
  return deps.perform(operation, { ...attempt, input, refusal, concerns });
}

async function runSession<A extends keyof SessionCallerByAuth, I extends z.ZodObject, O extends z.ZodType>(
  deps: Running,
  operation: SessionOperation<A, I, O>,
  caller: SessionCallerByAuth[A],
  call: OperationCallInput,
): Promise<z.output<O>> {
  const { person, member } = requireSignedIn(operation, caller);
  call.log.note?.({ caller: `session:${person.id}`, operation: operation.name });
  if (call.problem) throw call.problem;
  const input = parseInput(operation.input, call.args);
  requireRole(operation, member);
  const wrong = operation.fieldProblems?.(input as z.output<I>) ?? {};
  const { stepUp } = operation;
  const unconfirmed = stepUp && (await deps.services.signIn.confirmPerson(person, String(input[stepUp])));
  if (stepUp && unconfirmed) throwFieldErrors({ [stepUp]: unconfirmed, ...wrong });
  throwFieldErrors(wrong);
  const workspace = member?.workspace ?? NO_WORKSPACE;
  const visible = member && createVisibilityFilter(member);
  const concerns = operation.writes === "nothing" ? [] : channelsNamedIn(input);
  const transport = call.transport ?? "console";
  const actor = member
    ? createActor(member, transport)
    : operation.writes === "nothing"
      ? null
      : await findPersonActorPerWorkspace(getKysely(deps.orm), person.id, transport);
  const { body } = await deps.perform(operation, { ...call, caller, actor, input, workspace, visible, concerns });
  return body as z.output<O>;
}

/** The channels that an operation names, which handsets may see otherwise after it. */
function channelsNamedIn({ pusher_id, to_pusher_id }: Record<string, unknown>): string[] {
  return [pusher_id, to_pusher_id].map((id) => parseIdOrNull("psh", String(id))).filter((id) => id !== null);
}

const whereOf = ({ orm, services: { publicUrl } }: DispatcherDeps) => ({ orm, publicUrl });

const NO_WORKSPACE = { id: "", listening: true };

function repeatsUnder(
  key: string,
  { orm, idempotencySeal: seal }: DispatcherDeps,
  tool: OwnerOperation,
  caller: Caller,
  input: Record<string, unknown>,
): IdempotentAction {
  const recheck: IdempotencyRequest["recheck"] = (db, first) =>
    checkIdempotentReplayAccess(orm, db, caller, input, first);
  return createIdempotencySteps({ credentialId: caller.credential.id, tool, key, input, seal, recheck });
}
