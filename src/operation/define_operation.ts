// The type of an operation record. REST routes, MCP tools, CLI commands, OpenAPI, and tables of the docs are made from
// the list of these records.

import { z } from "zod";
import type { FieldValidationFailure } from "../model/api_and_ui_error_texts.ts";
import type { ApiError, ErrorType } from "../model/api_error.ts";
import { LIMITS } from "../model/limits.ts";
import type { Scope } from "../model/scopes.ts";
import type { Role } from "../model/tables/member.ts";
import type { Statement } from "../store/db/statement.ts";
import type {
  AnonymousCaller,
  BodyWithEtag,
  Caller,
  DeviceCaller,
  HandlerContext,
  MemberCaller,
  PersonCaller,
  Services,
} from "../store/handler_context.ts";

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Limits of a body in bytes: of alerts (JSON may escape their markup), of handset routes, and of the others. */
export const MAX_BODY_BYTES = { alerts: LIMITS.body_alerts, usual: LIMITS.body, handset: LIMITS.body_handset } as const;

export interface HttpRoute {
  method: HttpMethod;
  /** The literal public path, so that a search for the URL finds the file. Its arguments are in PATH_ARGUMENT_NAMES. */
  path: string;
  status: 200 | 201 | 204;
  /** Several operations share the route: this one is meant when the body's `action` has this value. */
  when?: { action: string };
  /** Bytes that its body may have: one of MAX_BODY_BYTES, `usual` when left out. */
  maxBody?: number;
}

/** Path segment → name of the argument that every other face gives it. */
export const PATH_ARGUMENT_NAMES: Record<string, string> = {
  id: "pusher_id",
  alertId: "alert_id",
  inviteId: "invite_id",
  webhook_id: "webhook_id",
  delivery_id: "delivery_id",
  handle: "handle",
};

/** The arguments that a path takes, in order: `/pushers/{id}/alerts/{alertId}` → pusher_id, alert_id. */
export function getPathArguments(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, segment = ""]) => PATH_ARGUMENT_NAMES[segment] ?? segment);
}

/** Arguments for the form of the response. Over REST they are in the query for any method. */
export const ANSWER_ARGUMENT_NAMES: readonly string[] = ["view"];

/** The additional argument that identifies repeats of a call; a header over REST. */
export const IDEMPOTENCY_ARGUMENT_NAMES: readonly string[] = ["idempotency_key"];

/** At most `max` calls in `seconds` for each subject; `name` is the policy's name in the RateLimit headers. */
export interface OperationLimit {
  name: string;
  per: "creator" | "pusher" | "address" | "device" | "subscription";
  max: number;
  seconds: number;
  /** Refused calls also count, to limit guessing. The handler counts first. */
  attempts?: true;
}

interface Operation<I extends z.ZodObject, O extends z.ZodType, C> {
  name: string;
  /** A short title, as in a menu. */
  title: string;
  /** When to use it and what it cannot undo. Never anything that a tenant wrote. */
  description: string;
  /** The rate limits. Each call counts towards all of them. */
  limit?: OperationLimit | readonly OperationLimit[];
  /** All errors of the operation, except 401, 500 and the 403 of its scope. */
  errors: readonly ErrorType[];
  /** One strict object: an unknown field is a mistake, not noise. */
  input: I;
  /** The schema of the response. Undeclared fields are never sent. */
  output: O;
  /** Its responses have a validator: the handler returns them with it. */
  validated?: true;
  /** A check that needs the network. It runs before the transaction, which must not wait for it. */
  check?(input: z.output<I>, services: Services): Promise<void>;
  /** A dozen lines: load, apply a domain rule, write, show. */
  handler(input: z.output<I>, context: HandlerContext<C>): Promise<z.input<O> | BodyWithEtag<z.input<O>>>;
}

/** The changes of a call: rows in one transaction, rows in a shared statement, or rows and files (undone by hand). */
export type WriteTarget = "nothing" | "rows" | "shared" | "files";

/** A workspace and its first member, both as wire ids. */
export interface CreatedWorkspaceIds {
  id: string;
  member_id: string;
}

/** A row of a list in its response. */
export type ListResponseRow = Record<string, unknown>;

/** An operation of an owner: reachable by REST, MCP and CLI alike. */
export interface OwnerOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType>
  extends Operation<I, O, Caller> {
  http: HttpRoute;
  /** The arguments in its path. */
  pathArguments: readonly string[];
  /** It changes nothing. */
  readOnly: boolean;
  scope: Scope;
  /** Further scopes for certain bodies; as data, so that docs, consent page and tests can read them. */
  alsoRequires?: Partial<Record<Scope, (raw: Record<string, unknown>) => boolean>>;
  /** Further scopes that depend on the stored row, with their condition; checked by `requireScope`. */
  mayRequire?: Partial<Record<Scope, string>>;
  /** The least role that may call it; another one gets 403 forbidden. */
  role: Role;
  /** A POST that makes something new, so it takes an idempotency key. One without it changes nothing. */
  creates?: boolean;
  /** It takes changes of what another tool makes, as an edit does, whose fields are described there. */
  takesChanges?: true;
  /** A caller without its scope is sent to a person, so all callers are shown the tool. */
  leadsToReview?: true;
  /** A credential may need a person's approval for it (`throwIfApprovalRequired`). */
  mayNeedApproval?: true;
  /** It may wait: callers get progress and can cancel it. */
  waits?: true;
  /** Checks that a response has a person's decision about an alert. */
  tellsReview?(whole: unknown): boolean;
  /** Returns the arguments that create a draft, for a caller who may write but not publish. */
  asDraft?(raw: Record<string, unknown>): Record<string, unknown>;
  /** True for a call that needs `alerts:send` and publishes nothing: it withdraws, or is a dry run. */
  publishesNothing?(raw: Record<string, unknown>): boolean;
  /** It deletes something, which neither its method nor its scope shows. */
  destroys?: true;
  /** It causes requests to an address that the caller chose. */
  reachesOut?: true;
  /** Checks that a call is one statement, which needs no transaction (`batch.end`). */
  isOneStatement?(input: z.output<I>, onRepeat: HandlerContext["onRepeat"]): boolean;
  /** Returns the problem of the content of the valid arguments, for a call whose other arguments are wrong. */
  contentProblem?(valid: Partial<z.output<I>>, at: { wrong: ReadonlySet<string>; now(): Date }): ApiError | null;
  /** The response from the stored one and the statement's, if the statement takes the idempotency key itself. */
  answerAgain?(kept: unknown, given: unknown): unknown;
  /** Its response contains text by other people, which its description calls data (rules#mcp-self-contained). */
  returnsText?: true;
  /** Its response for assistants, if strangers wrote parts of it that could be read as an instruction. */
  toAssistants?(whole: unknown): unknown;
  /** Chat hosts draw its answer as a card (rules#mcp-card). */
  card?: true;
  /** The brief response: chosen by the argument `view`, or used when the full one is too long. */
  brief?: BriefAnswerDefinition;
  /** The view `titles` of a list. */
  titles?: BriefAnswerDefinition;
  /** The field by which the list is paged; `before` continues from it. */
  pagedBy?: string;
  /** Returns the `before` between two rows: such a list may end between any two. */
  placeAfter?(row: ListResponseRow, next: ListResponseRow, input: z.output<I>): string;
  /** The field with the row's version, also its ETag. Changes accept it in `If-Match` or `expected_…`. */
  version?: string;
  /** Checks that a response is equal for one version of the row. Clients with that version get 304 over REST. */
  stillSame?(whole: unknown): boolean;
}

/** The caller of a handset operation, by its authentication. */
type HandsetCallerByAuth = { nothing: AnonymousCaller; device: DeviceCaller };

/** Finds devices by the hashes (hex) of their tokens, in the order of `position`, which begins at 1. */
export type DeviceTokenLookupStatement<Found> = Statement<
  { hashes: readonly string[] },
  { position: number; id: string; unseen: boolean } & Found
>;

/** An operation of a subscribing device: the same record, its own list, never an MCP tool. */
export interface HandsetOperation<
  A extends keyof HandsetCallerByAuth = keyof HandsetCallerByAuth,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  Found = unknown,
> extends Operation<I, O, HandsetCallerByAuth[A] & Found> {
  auth: A;
  /** Where the handler needs more of the calling device than its id: the statement that finds both at once. */
  lookUp?: DeviceTokenLookupStatement<Found>;
  http: HttpRoute;
  writes: WriteTarget;
  /** The response is a stream that stays open. */
  streams?: true;
  /** The schema of the brief response, if the argument `view` selects it. */
  brief?: Pick<BriefAnswerDefinition, "output">;
}

/** The callers of session operations: a person, or a person as a member of a workspace. */
export type SessionCallerByAuth = { person: PersonCaller; member: MemberCaller };

/** Operations of signed-in people, called by pages. They have no scope and path, so keys and MCP cannot call them. */
export interface SessionOperation<
  A extends keyof SessionCallerByAuth = keyof SessionCallerByAuth,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
> extends Operation<I, O, SessionCallerByAuth[A]> {
  auth: A;
  /** The least role that may call it; null where no workspace is concerned. */
  role: A extends "member" ? Role : null;
  /** The argument with the person's current password, which is required in any session. */
  stepUp?: string;
  writes: WriteTarget;
  /** Returns the created workspace; only its audit log records the call. */
  madeWorkspace?(answer: z.output<O>): CreatedWorkspaceIds;
  /** The fault of each field; a form names all of them at once. */
  fieldProblems?(input: z.output<I>): Record<string, FieldValidationFailure | false | null | undefined>;
}

/** A brief response: its schema, and its computation from the full one. */
interface BriefAnswerDefinition {
  output: z.ZodType;
  of(whole: unknown): unknown;
  /** A row of its list as assistants read it, for the arguments of the call. */
  row?(row: ListResponseRow, args: Record<string, unknown>): ListResponseRow;
}

/**
 * Defines an owner's operation and infers its types. It is published once operations/index.ts lists it.
 * @example
 * ```ts
 * export default defineOperation({
 *   name: "get_pusher", title: "Read channel", description: "Show one channel.", scope: "pushers:read", role: "viewer",
 *   http: { method: "GET", path: "/api/v1/pushers/{id}", status: 200 }, errors: ["invalid_request", "not_found"],
 *   input: z.strictObject({ pusher_id: channelId() }), output: ownerChannelSchema,
 *   handler: async (input, ctx) => toOwnerChannelView(await findChannel(input, ctx), ctx.services.channelBaseUrl),
 * });
 * ```
 */
export const defineOperation = <const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  tool: Omit<OwnerOperation<I, O>, "pathArguments" | "readOnly"> & { name: N },
): OwnerOperation<I, O> & { name: N } => {
  const { method, path } = tool.http;
  const readOnly = method === "GET" || (method === "POST" && !tool.creates);
  return { pathArguments: getPathArguments(path), readOnly, ...tool };
};

/** The same for the handset's list in handset/handset_operations.ts. */
export const defineHandsetOperation = <I extends z.ZodObject, O extends z.ZodType, Found>(
  operation: Omit<HandsetOperation<"device", I, O, Found>, "auth">,
): HandsetOperation => ({ auth: "device", ...operation }) as HandsetOperation;

/** Defines a handset operation that is called before a device exists. */
export const defineOpenHandsetOperation = <I extends z.ZodObject, O extends z.ZodType>(
  operation: Omit<HandsetOperation<"nothing", I, O>, "auth">,
): HandsetOperation => ({ auth: "nothing", ...operation }) as HandsetOperation;

type Given<A extends keyof SessionCallerByAuth, I extends z.ZodObject, O extends z.ZodType> = Omit<
  SessionOperation<A, I, O>,
  "auth" | "errors" | "input" | "writes"
> & {
  stepUp?: keyof I["shape"];
  /** Besides those that any of them can answer. */
  errors?: readonly ErrorType[];
  /** Absent if the operation has no arguments. */
  input?: I;
  /** Rows where it is left out. */
  writes?: WriteTarget;
};

const fill = <G extends Given<keyof SessionCallerByAuth, I, O>, I extends z.ZodObject, O extends z.ZodType>(
  operation: G,
) => {
  const { errors = [], input = z.strictObject({}) as z.ZodObject as I, stepUp } = operation;
  const always: ErrorType[] = ["invalid_request", "forbidden", ...(stepUp ? ["rate_limited" as const] : [])];
  return { writes: "rows" as const, ...operation, input, errors: [...always, ...errors] };
};

/** The same for the list of session operations. Their types stay, since pages call them by the record itself. */
export const defineMemberOperation = <O extends z.ZodType, I extends z.ZodObject = Nothing>(
  operation: Given<"member", I, O>,
): SessionOperation<"member", I, O> => ({ auth: "member", ...fill<typeof operation, I, O>(operation) });

/** The same for those that concern no workspace. */
export const definePersonOperation = <O extends z.ZodType, I extends z.ZodObject = Nothing>(
  operation: Omit<Given<"person", I, O>, "role">,
): SessionOperation<"person", I, O> => {
  const given: Given<"person", I, O> = { role: null, ...operation };
  return { auth: "person", ...fill<typeof given, I, O>(given) };
};

type Nothing = z.ZodObject<Record<never, never>>;

/** Checks that the caller can choose between the full and the brief response. */
export const hasViewArgument = ({ input }: Pick<OwnerOperation, "input">): boolean =>
  Object.hasOwn(input.shape, "view");
