// REST as a projection of the records: one route for each path and method, its operations selected by `action`.
// Converts path, query and body to arguments, and an outcome to a response. Contains no domain logic.

import type { H3, H3Event } from "h3";
import { type ApiError, invalidRequest, methodNotAllowed } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { CLI_USER_AGENT } from "../../operation/build_rest_request.ts";
import {
  ANSWER_ARGUMENT_NAMES,
  getPathArguments,
  type HttpRoute,
  IDEMPOTENCY_ARGUMENT_NAMES,
  MAX_BODY_BYTES,
} from "../../operation/define_operation.ts";
import type { OperationResponse } from "../../operation/execute.ts";
import type { OperationCallInput } from "../../operation/operation_call.ts";
import { type JsonSchema, removeNullFromSchema, toJsonSchema } from "../../operation/validation_errors.ts";
import type { Log } from "../../store/handler_context.ts";
import { NOT_MODIFIED } from "../../store/handler_context.ts";
import type { WaitContext } from "../../store/wait_context.ts";
import { createEmptyResponse, createJsonResponse, getEventRequest } from "./http_responses.ts";
import { type RouteMeta, readJsonBodyOrError } from "./request_body.ts";

/** The properties of an operation that a route needs. */
interface Routed {
  http: HttpRoute;
  input: Parameters<typeof toJsonSchema>[0];
  creates?: boolean;
  version?: string;
  stillSame?(whole: unknown): boolean;
}

/** The executor of a list of operations. */
interface RestRunner<O extends Routed, C> {
  /** @throws 401 */
  authenticate(operation: O, event: H3Event): Promise<C>;
  dispatch(operation: O, caller: C, call: OperationCallInput): Promise<OperationResponse>;
  getRequestLog(event: H3Event): Log;
  createWaitContext?(event: H3Event): WaitContext;
  /** For calls that wait. */
  authenticateAgain?(event: H3Event): OperationCallInput["authenticateAgain"];
  /** Wraps the response of an operation with long polling: `ask` computes it, as often as needed. */
  hold?(operation: O, event: H3Event, ask: () => Promise<Response>): Promise<Response>;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The operations of one path and method, `plain` without an action, and the arguments in the path. */
interface Route<O> {
  operations: O[];
  plain: O;
  pathArguments: readonly string[];
}

/** `/pushers/{id}` → `/pushers/:id`, the router's spelling. */
const routePattern = (path: string) => path.replace(/\{(\w+)\}/g, ":$1");

/** Adds the routes of a list of operations; a known path with another method is 404 with `Allow`. */
export function addRestRoutes<O extends Routed, C>(app: H3, operations: readonly O[], runner: RestRunner<O, C>): void {
  for (const [path, onPath] of Map.groupBy(operations, ({ http }) => http.path)) {
    const byMethod = Map.groupBy(onPath, ({ http }) => http.method as string);
    byMethod.set("HEAD", byMethod.get("GET") ?? []);
    const served = METHODS.filter((method) => byMethod.get(method)?.length);
    for (const method of served) {
      const operations = assertDefined(byMethod.get(method), "the path has this method");
      const plain = assertDefined(operations.find(({ http }) => !http.when) ?? operations[0], "it has an operation");
      const route = { operations, plain, pathArguments: getPathArguments(path) };
      const meta: RouteMeta = {
        maxBody: Math.max(...operations.map(({ http }) => http.maxBody ?? MAX_BODY_BYTES.usual)),
      };
      const handle = (event: H3Event) => {
        const ask = () => serve(event, route, runner);
        return runner.hold ? runner.hold(plain, event, ask) : ask();
      };
      app.on(method, routePattern(path), handle, { meta });
    }
    app.all(routePattern(path), () => {
      throw methodNotAllowed(served.join(", "));
    });
  }
}

async function serve<O extends Routed, C>(
  event: H3Event,
  route: Route<O>,
  runner: RestRunner<O, C>,
): Promise<Response> {
  const request = getEventRequest(event);
  const caller = await runner.authenticate(route.plain, event);
  const { operation, args, problem } = await readCall(event, request, route);
  const held = parseEtags(request.headers.get("if-none-match"));
  const expectedVersions = expectedOf(request.headers.get("if-match"));
  const { body, headers } = await runner.dispatch(operation, caller, {
    args,
    problem: problem ?? unexpected(operation, expectedVersions),
    idempotencyKey: operation.creates ? request.headers.get("idempotency-key") : null,
    clientEtags: held,
    expectedVersions,
    log: runner.getRequestLog(event),
    patience: runner.createWaitContext?.(event),
    authenticateAgain: runner.authenticateAgain?.(event),
    transport: transportOf(request.headers.get("user-agent")),
  });
  if (body === NOT_MODIFIED) return createEmptyResponse(304, headers);
  const { status } = operation.http;
  if (status === 204) return createEmptyResponse(204, headers);
  const version = versionOf(operation, body);
  if (version.etag && held.includes(version.etag) && operation.stillSame?.(body))
    return createEmptyResponse(304, { ...headers, ...version });
  return createJsonResponse(status, body, { ...headers, ...version });
}

/** Our own programs send their name. Any client with the same name is treated as one of them. */
const transportOf = (agent: string | null) => (agent === CLI_USER_AGENT ? "cli" : "rest");

/** The opaque tags of a list. A proxy that compresses answers may have made weak ones of them. */
export const parseEtags = (header: string | null): string[] => header?.match(/"[^"]*"/g) ?? [];

/** The versions that `If-Match` names; null where it names any. An invalid tag names a version that no row has. */
function expectedOf(header: string | null): string[] | null {
  if (header === null || header.trim() === "*") return null;
  return parseEtags(header).map((tag) => tag.slice(1, -1));
}

/** An ignored condition would be mistaken for a fulfilled one. */
function unexpected(operation: Routed, expected: string[] | null): ApiError | undefined {
  const takes = toJsonSchema(operation.input).properties ?? {};
  const knows = Object.hasOwn(takes, `expected_${operation.version}`);
  if (expected === null || operation.http.method === "GET" || knows) return undefined;
  return invalidRequest("misplaced_field", "This resource is not versioned. Remove the If-Match header.");
}

function versionOf({ version = "" }: Routed, body: unknown): { etag?: string } {
  const value = (body as Record<string, unknown>)[version];
  return typeof value === "string" ? { etag: `"${value}"` } : {};
}

interface Read<O> {
  operation: O;
  args: Record<string, unknown>;
  problem?: ApiError;
}

async function readCall<O extends Routed>(event: H3Event, request: Request, route: Route<O>): Promise<Read<O>> {
  const { pathArguments: names } = route;
  const [first = route.plain] = route.operations;
  const segments = Object.values(event.context.params ?? {});
  const path = Object.fromEntries(names.map((name, i) => [name, segments[i]]));
  const query = parseQuery(event.url.searchParams);
  if (first.http.method === "GET" || first.http.method === "DELETE") {
    const problem = query.problem ?? shadowed(query.args, names);
    return {
      operation: first,
      args: { ...convertQueryArguments(query.args, toJsonSchema(first.input)), ...path },
      problem,
    };
  }
  const { value = {}, problem: badBody } = await readJsonBodyOrError(request);
  if (badBody) return { operation: first, args: path, problem: badBody };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return {
      operation: first,
      args: path,
      problem: invalidRequest("malformed_body", "The body must be a JSON object."),
    };
  const body = value as Record<string, unknown>;
  const chosen = chooseByAction(route, body);
  const fields = toJsonSchema(chosen.operation.input).properties ?? {};
  const inQuery = ANSWER_ARGUMENT_NAMES.filter((name) => Object.hasOwn(fields, name));
  const problem =
    chosen.problem ??
    query.problem ??
    strayQuery(query.args, inQuery) ??
    misplaced(body, inQuery, chosen.operation.creates ? IDEMPOTENCY_ARGUMENT_NAMES : []) ??
    shadowed(body, names);
  return { operation: chosen.operation, args: { ...chosen.body, ...query.args, ...path }, problem };
}

/**
 * The operation of the body's `action`, and the body without it. Other fields than the operation's own are refused
 * (rules#action-or-fields).
 */
function chooseByAction<O extends Routed>(
  { operations, plain, pathArguments }: Route<O>,
  body: Record<string, unknown>,
) {
  const verbs = operations.filter(({ http }) => http.when);
  if (verbs.length === 0 || !Object.hasOwn(body, "action")) return { operation: plain, body };
  const { action, ...rest } = body;
  const operation = verbs.find(({ http }) => http.when?.action === action);
  if (!operation) {
    const allowed = verbs.map(({ http }) => http.when?.action).join(", ");
    return {
      operation: plain,
      body: rest,
      problem: invalidRequest("invalid_choice", `action must be one of ${allowed}.`, "action"),
    };
  }
  const own = Object.keys(toJsonSchema(operation.input).properties ?? {});
  const taken = [...pathArguments, ...ANSWER_ARGUMENT_NAMES];
  const allowed = own.filter((name) => !taken.includes(name));
  if (Object.keys(rest).every((name) => allowed.includes(name))) return { operation, body: rest };
  const beside = allowed.length > 0 ? `Only these can be combined with ${action}: ${allowed.join(", ")}.` : "";
  const problem = invalidRequest(
    "misplaced_field",
    `action cannot be combined with field edits. Send them in separate requests. ${beside}`.trim(),
    "action",
  );
  return { operation, body: {}, problem };
}

const nameable = (name: string) => (/^[\p{L}\p{N}_.$-]{1,64}$/u.test(name) ? name : null);

/** With a body, the query contains only the format of the response. */
function strayQuery(args: Record<string, string>, allowed: string[]): ApiError | undefined {
  const name = Object.keys(args).find((given) => !allowed.includes(given));
  if (name === undefined) return undefined;
  const takes = allowed.length > 0 ? `only the query parameter ${allowed.join(", ")}` : "no query parameters";
  return invalidRequest("unknown_field", `This route accepts ${takes}.`, nameable(name));
}

/** Parameters outside of the body. */
function misplaced(
  body: Record<string, unknown>,
  inQuery: readonly string[],
  inHeader: readonly string[],
): ApiError | undefined {
  const name = [...inQuery, ...inHeader].find((given) => Object.hasOwn(body, given));
  if (name === undefined) return undefined;
  const place = inHeader.includes(name)
    ? `the header ${name.replaceAll("_", "-")}, not as a body field`
    : `a query parameter (?${name}=…), not as a body field`;
  return invalidRequest("misplaced_field", `Pass this as ${place}.`, name);
}

/** A field that bears the name of a path argument is not a field. */
function shadowed(args: Record<string, unknown>, pathNames: readonly string[]): ApiError | undefined {
  const name = pathNames.find((pathName) => Object.hasOwn(args, pathName));
  return name === undefined
    ? undefined
    : invalidRequest("unknown_field", "Unknown field. The path already contains this id.", name);
}

/** rules#unknown-fields */
export function parseQuery(params: URLSearchParams): { args: Record<string, string>; problem?: ApiError } {
  const args: Record<string, string> = Object.create(null);
  for (const [name, value] of params) {
    if (Object.hasOwn(args, name))
      return {
        args,
        problem: invalidRequest(
          "malformed_request",
          "A query parameter is repeated. Send it only once.",
          nameable(name),
        ),
      };
    if (value === "")
      return {
        args,
        problem: invalidRequest(
          "empty_text",
          "A query parameter is empty. Omit it or give it a value.",
          nameable(name),
        ),
      };
    args[name] = value;
  }
  return { args };
}

/**
 * Query strings by declared type. A value that cannot be converted stays a string, and the schema refuses it by name.
 */
export function convertQueryArguments(args: Record<string, string>, schema: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const { type, format } = removeNullFromSchema(schema.properties?.[name] ?? {});
      if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(value)) return [name, Number(value)];
      if (type === "boolean" && (value === "true" || value === "false")) return [name, value === "true"];
      // An unencoded plus arrives as a space: 14:25:31+01:00.
      if (format === "date-time") return [name, value.replace(/ (\d\d:\d\d)$/, "+$1")];
      return [name, value];
    }),
  );
}
