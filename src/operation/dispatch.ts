// Runs every operation, for all transports and pages. The order of checks is written here once:
// who may (scopes of a credential, or a person's session) → shape of the request → role → the proof of a password, where
// one is asked for → handler in a transaction (rows, state, limit last) → shape of the answer → events after the commit.
// Knows no operation by name.

import type { z } from "zod";
import { parseId } from "../model/domain/ids.ts";
import { roleReaches } from "../model/domain/standing.ts";
import { ApiError, refuseFields, type ToReview } from "../model/errors.ts";
import { type Anyone, type Caller, type DeviceCaller, visibilityOf } from "../store/context.ts";
import { managerFor } from "../store/db/orm.ts";
import { databaseOf } from "../store/db/statement.ts";
import type { Seal } from "../store/secret/seal.ts";
import { createAsked } from "./asked.ts";
import { type Performance, policiesOf, type Runnable } from "./attempt.ts";
import { actorOf, addressOf, personActors } from "./audit.ts";
import type { Call } from "./call.ts";
import { type Claim, checkIdempotencyKey, ON_REPEAT, type Repeats, readKept, repeatsOf } from "./idempotency.ts";
import {
  createPerform,
  createSeen,
  type Outcome,
  type Perform,
  type PerformDeps,
  type SeenMetrics,
  tellOfReview,
} from "./perform.ts";
import { invalidInput, refuseUnstorableText } from "./problems.ts";
import { authenticatingPatience } from "./reauthenticate.ts";
import { refuseLesserRole, refuseRepeat, refuseRole, signedIn, withChannelIds } from "./refusals.ts";
import { leavesDraft, type NeedsReview, needsReview, refuseScopes } from "./scopes.ts";
import {
  type HandsetOperation,
  onlyReads,
  pathArguments,
  REPEAT_ARGUMENTS,
  type SessionAuth,
  type SessionOperation,
  type Tool,
} from "./tool.ts";

export interface DispatchDeps extends PerformDeps {
  /** Tells whoever decides that a draft begins to wait; its input is ToReview. */
  reviewNotice: Runnable;
  askedSeal: Seal;
  idempotencySeal: Seal;
  metrics: SeenMetrics;
}

export function createDispatcher(deps: DispatchDeps) {
  const running: Running = { ...deps, perform: createPerform(deps) };
  const seen = createSeen(deps.metrics);

  /** Has the people who decide notified of an alert that waits for them, whether the call was refused or kept it as a draft. */
  async function noticed<T extends Outcome | NeedsReview>(caller: Caller, { log }: Call, work: Promise<T>): Promise<T> {
    const tell = (review: ToReview) => tellOfReview(deps.reviewNotice, running.perform, caller, review, log);
    const outcome = await work.catch(async (error: ApiError) => {
      if (error.review) await tell(error.review);
      throw error;
    });
    if ("needs_review" in outcome) await tell(outcome.needs_review);
    return outcome;
  }

  return {
    /** Calls that a person was asked about. */
    asked: createAsked(deps),
    /** Why the credential may not make this call, whatever rows there are; null when it may. */
    refuseScopes: (tool: Tool, caller: Caller, args: unknown): Promise<ApiError | null> =>
      refuseScopes(tool, caller, args, whereOf(deps)),
    /** Whether a call with this subject would be within the limits of a tool now. It is not counted. */
    hasRoom: async (tool: Tool, subject: string): Promise<boolean> => {
      const policies = policiesOf(tool, deps.limitMax);
      return (await Promise.all(policies.map((policy) => deps.limits.hasRoom(policy, subject)))).every(Boolean);
    },
    /** Runs an owner's operation. @throws ApiError, and nothing else. */
    tool: (tool: Tool, caller: Caller, call: Call): Promise<Outcome> =>
      noticed(
        caller,
        call,
        seen(tool, call, "rest", () => runTool(running, tool, caller, call)),
      ),
    /**
     * The same, but an alert that the caller may write and not publish is kept as a draft, for which a person decides
     * (rules#review-url).
     */
    toolOrDraft: (tool: Tool, caller: Caller, call: Call): Promise<Outcome | NeedsReview> =>
      noticed(
        caller,
        call,
        seen(tool, call, "rest", () => runToolOrDraft(running, tool, caller, call)),
      ),
    /** The answer that is kept under an idempotency key of the caller, which may not see its rows any more; null for none. */
    keptAnswer: async (tool: Tool, caller: Caller, key: string): Promise<unknown> => {
      const own = { credentialId: caller.credential.id, tool, key, seal: deps.idempotencySeal };
      return (await readKept(databaseOf(deps.orm), own))?.answer ?? null;
    },
    /** Runs a handset's operation for whom its authenticator found. @throws ApiError, and nothing else. */
    handset: (operation: HandsetOperation, caller: Anyone | DeviceCaller, call: Call): Promise<Outcome> =>
      seen(operation, { log: call.log }, "handset", () => runHandset(running, operation, caller, call)),
    /** Runs what only a signed-in person can do, and answers its body. @throws ApiError, and nothing else. */
    session: <A extends keyof SessionAuth, I extends z.ZodObject, O extends z.ZodType>(
      operation: SessionOperation<A, I, O>,
      caller: SessionAuth[A],
      call: Call,
    ): Promise<z.output<O>> => seen(operation, call, "console", () => runSession(running, operation, caller, call)),
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface Running extends DispatchDeps {
  perform: Perform;
}

async function runTool(deps: Running, tool: Tool, caller: Caller, call: Call): Promise<Outcome> {
  call.log.note?.({ caller: caller.credential.id, operation: tool.name });
  const missing = await refuseScopes(tool, caller, call.args, whereOf(deps));
  if (missing) throw missing;
  if (call.problem) throw call.problem;
  // How to answer is no part of what to do: a repeat under an idempotency key may ask for the other view.
  const { view, ...parsed } = parse(
    tool.input,
    call.args,
    pathArguments(tool.http.path),
    tool.creates ? REPEAT_ARGUMENTS : [],
  );
  const input = await withChannelIds(parsed, deps.orm, caller);
  const key = tool.creates ? checkIdempotencyKey(call.idempotencyKey) : null;
  const visible = visibilityOf(caller);
  if (!roleReaches(caller.member.role, tool.role)) await refuseRole(managerFor(deps.orm, visible, null), caller, input);
  const refusal = await tool.check?.(input, deps.services).catch((error: unknown) => error);
  if (tool.tellsReview) await tellOfReview(deps.reviewNotice, deps.perform, caller, input, call.log);
  const repeats = key === null ? null : repeatsUnder(key, deps, tool, caller, input);
  const readOnly = onlyReads(tool);
  const transport = call.transport ?? "rest";
  const onRepeat = (key === null && ON_REPEAT[transport]) || "send";
  const writes = readOnly ? "nothing" : tool.isOneStatement?.(input, onRepeat) ? "shared" : "rows";
  const performance: Performance = {
    ...call,
    caller,
    actor: actorOf(caller, transport),
    input,
    address: addressOf(caller),
    visible,
    onRepeat,
    repeats,
    refusal,
    concerns: readOnly ? [] : channelsNamedIn(input),
  };
  if (tool.waits) performance.patience = authenticatingPatience(whereOf(deps), tool, call, performance, input);
  const outcome = await deps.perform({ ...tool, writes }, performance);
  if (view !== "brief" || !tool.brief) return outcome;
  return { ...outcome, body: tool.brief.output.parse(tool.brief.of(outcome.body)) };
}

/** Runs the call, or keeps its alert as a draft where only a person may publish it. @throws ApiError. */
async function runToolOrDraft(deps: Running, tool: Tool, caller: Caller, call: Call): Promise<Outcome | NeedsReview> {
  const missing = tool.asDraft && (await refuseScopes(tool, caller, call.args, whereOf(deps)));
  if (!tool.asDraft || !missing || !leavesDraft(tool, missing)) return runTool(deps, tool, caller, call);
  const draft = { ...call, args: tool.asDraft(call.args as Record<string, unknown>) };
  try {
    const { body } = await runTool(deps, tool, caller, draft);
    return needsReview(missing, body);
  } catch (error) {
    const again = call.firstStands && error instanceof ApiError && error.param === "idempotency_key";
    // An alert that cannot be kept is refused as any call without its scope.
    throw error instanceof ApiError && !again ? missing : error;
  }
}

async function runHandset(
  deps: Running,
  operation: HandsetOperation,
  caller: Anyone | DeviceCaller,
  call: Call,
): Promise<Outcome> {
  // Never who: a raw device id leaves for nobody but the device itself.
  call.log.note?.({ operation: operation.name });
  if (call.problem) throw call.problem;
  const input = parse(operation.input, call.args, []);
  // Handset operations find their rows by subscription and handle, in raw SQL; the filter stays unset, so an
  // ORM query on channels would throw.
  const refusal = await operation.check?.(input, deps.services).catch((error: unknown) => error);
  const concerns = operation.writes === "rows" && "id" in caller ? [caller.id] : [];
  // Nobody learns what one device did, so the audit log names no handset.
  const told = { ...call, caller, actor: null, address: NO_WORKSPACE, visible: null };
  return deps.perform(operation, { ...told, input, refusal, concerns });
}

async function runSession<A extends keyof SessionAuth, I extends z.ZodObject, O extends z.ZodType>(
  deps: Running,
  operation: SessionOperation<A, I, O>,
  caller: SessionAuth[A],
  call: Call,
): Promise<z.output<O>> {
  const { person, member } = signedIn(operation, caller);
  call.log.note?.({ caller: `session:${person.id}`, operation: operation.name });
  if (call.problem) throw call.problem;
  const input = parse(operation.input, call.args, []);
  refuseLesserRole(operation, member);
  const wrong = operation.fieldProblems?.(input as z.output<I>) ?? {};
  const { stepUp } = operation;
  if (stepUp && !(await deps.services.signIn.proves(person, String(input[stepUp]))))
    refuseFields({ [stepUp]: { code: "invalid_value", message: "The current password is not right." }, ...wrong });
  refuseFields(wrong);
  const address = member ? addressOf(member) : NO_WORKSPACE;
  const visible = member && visibilityOf(member);
  const concerns = operation.writes === "nothing" ? [] : channelsNamedIn(input);
  const transport = call.transport ?? "console";
  const actor = member
    ? actorOf(member, transport)
    : operation.writes === "nothing"
      ? null
      : await personActors(databaseOf(deps.orm), person.id, transport);
  const { body } = await deps.perform(operation, {
    ...call,
    caller,
    actor,
    input,
    address,
    visible,
    concerns,
  });
  return body as z.output<O>;
}

/** The channels that an operation names, which handsets may see otherwise after it. */
function channelsNamedIn({ pusher_id, to_pusher_id }: Record<string, unknown>): string[] {
  return [pusher_id, to_pusher_id].map((id) => parseId("psh", String(id))).filter((id) => id !== null);
}

const whereOf = ({ orm, services: { publicUrl } }: DispatchDeps) => ({ orm, publicUrl });

const NO_WORKSPACE = { workspaceId: "", listening: true };

function repeatsUnder(
  key: string,
  { orm, idempotencySeal: seal }: DispatchDeps,
  tool: Tool,
  caller: Caller,
  input: Record<string, unknown>,
): Repeats {
  const recheck: Claim["recheck"] = (db, first) =>
    refuseRepeat(managerFor(orm, visibilityOf(caller), db), caller, input, first);
  return repeatsOf({ credentialId: caller.credential.id, tool, key, input, seal, recheck });
}

/**
 * Shape, then text: what a schema took is small enough to be looked at closely. `ids` are looked up, never
 * stored, whatever characters they hold (rules#ids). `beside`: what else the caller may name.
 */
function parse(
  schema: z.ZodObject,
  args: unknown,
  ids: readonly string[],
  beside: readonly string[] = [],
): Record<string, unknown> {
  const result = schema.safeParse(args, { reportInput: true });
  if (!result.success) throw invalidInput(result.error, schema, beside);
  refuseUnstorableText(args as object, ids);
  return result.data;
}
