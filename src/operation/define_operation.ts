// The heart: an operation is a record. REST route, MCP tool, CLI command, OpenAPI, the docs' tables and half of the
// tests are projections of the list of these records. This file only says what such a record holds.

import { z } from "zod";
import type { ErrorType } from "../model/api_error.ts";
import type { Role } from "../model/entities/member.ts";
import type { Finding } from "../model/error_messages.ts";
import { LIMITS } from "../model/limits.ts";
import type { Scope } from "../model/scopes.ts";
import type { Statement } from "../store/db/statement.ts";
import type {
  AnonymousCaller,
  BodyWithEtag,
  Caller,
  Context,
  DeviceCaller,
  MemberCaller,
  NOT_MODIFIED,
  PersonCaller,
  Services,
  SharedBody,
} from "../store/handler_context.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Limits of a body in bytes: of alerts (JSON may escape their markup), of handset routes, and of the others. */
export const MAX_BODY_BYTES = {
  alerts: LIMITS.body_alerts,
  usual: LIMITS.body,
  handset: LIMITS.body_handset,
} as const;

export interface HttpRoute {
  method: HttpMethod;
  /** The literal public path, so that a search for the URL lands in the file. `{id}` and the like are PATH_ARGUMENTS. */
  path: string;
  status: 200 | 201 | 204;
  /** Several operations share the route: this one is meant when the body's `action` has this value. */
  when?: { action: string };
  /** Bytes that its body may have: one of MAX_BODY_BYTES, `usual` when left out. */
  maxBody?: number;
}

/** Path segment → name of the argument that every other face gives it. */
export const PATH_ARGUMENTS: Record<string, string> = {
  id: "pusher_id",
  alertId: "alert_id",
  inviteId: "invite_id",
  webhook_id: "webhook_id",
  delivery_id: "delivery_id",
  handle: "handle",
};

/** The arguments that a path takes, in order: `/pushers/{id}/alerts/{alertId}` → pusher_id, alert_id. */
export function getPathArguments(path: string): readonly string[] {
  let names = namesIn.get(path);
  if (!names) {
    names = [...path.matchAll(/\{(\w+)\}/g)].map(([, segment = ""]) => PATH_ARGUMENTS[segment] ?? segment);
    namesIn.set(path, names);
  }
  return names;
}

/** As many as there are routes. */
const namesIn = new Map<string, readonly string[]>();

/** Arguments that say how to answer, not what to do: over REST they stand in the query, whatever the method. */
export const ANSWER_ARGUMENTS: readonly string[] = ["view"];

/** The argument beside the operation's own that makes a call and its repeats one; over REST a header. */
export const IDEMPOTENCY_ARGUMENTS: readonly string[] = ["idempotency_key"];

/** At most `max` calls in `seconds` for each subject; `name` is the policy's name in the RateLimit headers. */
export interface OperationLimit {
  name: string;
  per: "creator" | "pusher" | "address" | "device" | "subscription";
  max: number;
  seconds: number;
  /** Refused calls count as well: it bounds guessing. The handler counts first of all. */
  attempts?: true;
}

interface Operation<I extends z.ZodObject, O extends z.ZodType, C> {
  name: string;
  /** A few words for people, in title case as a menu would show it. */
  title: string;
  /** When to use it and what it cannot undo. Never anything that a tenant wrote. */
  description: string;
  /** Its ceilings; of several, each call counts against all. */
  limit?: OperationLimit | readonly OperationLimit[];
  /** Every refusal that the operation can answer besides 401, 500 and the 403 that its scope stands for. */
  errors: readonly ErrorType[];
  /** One strict object: an unknown field is a mistake, not noise. */
  input: I;
  /** What it answers. Undeclared fields never reach the wire. */
  output: O;
  /** Its answers have a validator: the handler returns them as Validated. */
  validated?: true;
  /** What only the network can say of a request: runs before the transaction, which must not wait for it. */
  check?(input: z.output<I>, services: Services): Promise<void>;
  /** A dozen lines: load, apply a domain rule, write, show. */
  handler(
    input: z.output<I>,
    context: Context<C>,
  ): Promise<z.input<O> | BodyWithEtag<z.input<O> | SharedBody | typeof NOT_MODIFIED>>;
}

/**
 * What a call changes: `rows` in one transaction of its own, which is tried again when the database undid it; `shared`: rows
 * in a statement that several calls share, so there is no transaction of its own; `files`: rows and files, which is no one
 * transaction: the handler opens its own and takes back what fails.
 */
export type WriteKind = "nothing" | "rows" | "shared" | "files";

/** A workspace and its first member, both as wire ids. */
export interface MadeWorkspace {
  id: string;
  member_id: string;
}

/** A row of a list as its answer shows it. */
export type AnswerRow = Record<string, unknown>;

/** An operation of an owner: reachable by REST, MCP and CLI alike. */
export interface OwnerOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType>
  extends Operation<I, O, Caller> {
  http: HttpRoute;
  scope: Scope;
  /** Scopes that the body asks for besides; data, so that docs, consent page and tests see them. */
  alsoRequires?: Partial<Record<Scope, (raw: Record<string, unknown>) => boolean>>;
  /** Scopes that only the stored row can ask for, and when, in words; the handler judges it (`requireScope`). */
  mayRequire?: Partial<Record<Scope, string>>;
  /** The least role that may call it; another one answers 403 forbidden. */
  role: Role;
  /** A POST that makes something new, so it takes an idempotency key. One without it changes nothing. */
  creates?: boolean;
  /** It takes changes of what another tool makes, as an edit does, whose fields are described there. */
  takesChanges?: true;
  /** Whoever lacks its scope is led to a person who decides, so everybody is shown it. */
  leadsToReview?: true;
  /** A credential that asks first may need a person's approval for it (`requireApproval`). */
  mayNeedApproval?: true;
  /** It may wait: whoever calls it is told of progress, and can cancel it. */
  waits?: true;
  /** It tells what a person decided about an alert: whether that is so, of its answer. */
  tellsReview?(whole: unknown): boolean;
  /** What is left of a call for who may write alerts and not publish them, so that there is something to review. */
  asDraft?(raw: Record<string, unknown>): Record<string, unknown>;
  /** True for a call that needs `alerts:send` and publishes nothing: it withdraws, or is a dry run. */
  publishesNothing?(raw: Record<string, unknown>): boolean;
  /** It takes away what was there, and neither its method nor a scope says so. */
  destroys?: true;
  /** It causes requests to an address that the caller chose. */
  reachesOut?: true;
  /** Whether a call is one statement, which needs no transaction around it (`together.end`). */
  isOneStatement?(input: z.output<I>, onRepeat: Context["onRepeat"]): boolean;
  /** The answer from the kept one and the statement's, where the statement takes the idempotency key itself. */
  answerAgain?(kept: unknown, given: unknown): unknown;
  /** Its answer contains text by other people, which its description calls data (rules#mcp-self-contained). */
  returnsText?: true;
  /** Its answer as assistants are shown it, where strangers wrote parts of it that could be read as an instruction. */
  toAssistants?(whole: unknown): unknown;
  /** Its short answer. With an argument `view` the caller chooses; else it stands in where the whole would be too long. */
  brief?: BriefAnswer;
  /** The field of a row that its list pages by; `before` goes on from it. */
  pagedBy?: string;
  /** What `before` is to go on after a row, which another one follows: such a list may end between any two. */
  placeAfter?(row: AnswerRow, next: AnswerRow, input: z.output<I>): string;
  /**
   * The field of its answer that says which version of the row it is; over REST the ETag says it, too. What changes a row
   * that has versions takes the one that the caller expects, in `If-Match` or in the argument `expected_…`.
   */
  version?: string;
  /** Whether the answer says what it said when the row got its version: whoever holds that one is answered 304 over REST. */
  stillSame?(whole: unknown): boolean;
}

/** What a handset operation needs from who calls it. */
export type HandsetAuth = { nothing: AnonymousCaller; device: DeviceCaller };

/** Finds devices by the hashes (hex) of their tokens, in the order of `position`, which begins at 1. */
export type DeviceLookup<Found> = Statement<
  { hashes: readonly string[] },
  { position: number; id: string; unseen: boolean } & Found
>;

/** An operation of a subscribing device: the same record, its own list, never an MCP tool. */
export interface HandsetOperation<
  A extends keyof HandsetAuth = keyof HandsetAuth,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  Found = unknown,
> extends Operation<I, O, HandsetAuth[A] & Found> {
  auth: A;
  /** Where the handler needs more of the calling device than its id: the statement that finds both at once. */
  lookUp?: DeviceLookup<Found>;
  http: HttpRoute;
  writes: WriteKind;
  /** Its answer goes on for as long as the connection stays. */
  streams?: true;
  /** The shape of its short answer, where the argument `view` asks the handler for it. */
  brief?: Pick<BriefAnswer, "output">;
}

/** Who may call a session operation: a person of no particular workspace, or one as a member of a workspace. */
export type SessionAuth = { person: PersonCaller; member: MemberCaller };

/**
 * What only a signed-in person can do, in a list of its own. It takes no key and no access token: it has no scope that a
 * credential could carry, no path, and is neither an MCP tool nor part of the OpenAPI document. Pages call it.
 */
export interface SessionOperation<
  A extends keyof SessionAuth = keyof SessionAuth,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
> extends Operation<I, O, SessionAuth[A]> {
  auth: A;
  /** The least role that may call it; null where no workspace is concerned. */
  role: A extends "member" ? Role : null;
  /** The argument that holds the person's current password, which is asked for again whatever the session says. */
  stepUp?: string;
  writes: WriteKind;
  /**
   * The workspace that it has made, from its answer. The call is told in that one's audit log alone: it is no matter of the
   * workspaces in which the person was before.
   */
  madeWorkspace?(answer: z.output<O>): MadeWorkspace;
  /** The fault of each field; a form names all of them at once. */
  fieldProblems?(input: z.output<I>): Record<string, Finding | false | null | undefined>;
}

/** An answer in few words: its shape, and how it follows from the whole one. */
export interface BriefAnswer {
  output: z.ZodType;
  of(whole: unknown): unknown;
}

/** Only infers the types, and keeps them for pages; the list in operations/index.ts is what makes a tool exist. */
export const defineOperation = <const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  tool: OwnerOperation<I, O> & { name: N },
): OwnerOperation<I, O> & { name: N } => tool;

/** The same for the handset's list in handset/handset_operations.ts. */
export const defineHandsetOperation = <I extends z.ZodObject, O extends z.ZodType, Found>(
  operation: Omit<HandsetOperation<"device", I, O, Found>, "auth">,
): HandsetOperation => ({ auth: "device", ...operation }) as HandsetOperation;

/** The same for what is asked before there is a device. */
export const defineOpenHandsetOperation = <I extends z.ZodObject, O extends z.ZodType>(
  operation: Omit<HandsetOperation<"nothing", I, O>, "auth">,
): HandsetOperation => ({ auth: "nothing", ...operation }) as HandsetOperation;

type Given<A extends keyof SessionAuth, I extends z.ZodObject, O extends z.ZodType> = Omit<
  SessionOperation<A, I, O>,
  "auth" | "errors" | "input" | "writes"
> & {
  stepUp?: keyof I["shape"];
  /** Besides those that any of them can answer. */
  errors?: readonly ErrorType[];
  /** Nothing is asked where it is left out. */
  input?: I;
  /** Rows where it is left out. */
  writes?: WriteKind;
};

const whole = <G extends Given<keyof SessionAuth, I, O>, I extends z.ZodObject, O extends z.ZodType>(operation: G) => {
  const { errors = [], input = z.strictObject({}) as z.ZodObject as I, stepUp } = operation;
  const always: ErrorType[] = ["invalid_request", "forbidden", ...(stepUp ? ["rate_limited" as const] : [])];
  return { writes: "rows" as const, ...operation, input, errors: [...always, ...errors] };
};

/** The same for the list of session operations. Their types stay, since pages call them by the record itself. */
export const defineMemberOperation = <O extends z.ZodType, I extends z.ZodObject = Nothing>(
  operation: Given<"member", I, O>,
): SessionOperation<"member", I, O> => ({ auth: "member", ...whole<typeof operation, I, O>(operation) });

/** The same for those that concern no workspace. */
export const definePersonOperation = <O extends z.ZodType, I extends z.ZodObject = Nothing>(
  operation: Omit<Given<"person", I, O>, "role">,
): SessionOperation<"person", I, O> => {
  const given: Given<"person", I, O> = { role: null, ...operation };
  return { auth: "person", ...whole<typeof given, I, O>(given) };
};

type Nothing = z.ZodObject<Record<never, never>>;

/** The ceilings of an operation. */
export const getLimits = ({ limit = [] }: Pick<Operation<never, never, never>, "limit">): readonly OperationLimit[] =>
  [limit].flat();

/** Whether the caller chooses between the whole answer and the short one. */
export const hasView = ({ input }: Pick<OwnerOperation, "input">): boolean => Object.hasOwn(input.shape, "view");

/** Whether a call of it changes nothing. */
export const isReadOnly = ({ http: { method }, creates }: Pick<OwnerOperation, "http" | "creates">): boolean =>
  method === "GET" || (method === "POST" && !creates);
