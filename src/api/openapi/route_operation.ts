// One route of the document from the records that share it: parameters, body, answers, examples and samples.

import type { ErrorType } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import type { Scope } from "../../model/scopes.ts";
import {
  ANSWER_ARGUMENT_NAMES,
  getPathArguments,
  type HandsetOperation,
  hasViewArgument,
  type OwnerOperation,
  PATH_ARGUMENT_NAMES,
} from "../../operation/define_operation.ts";
import { getOperationLimits } from "../../operation/handler_attempt.ts";
import type { JsonSchema } from "../../operation/validation_errors.ts";
import { createCodeSamples } from "./code_samples.ts";
import {
  createHeaderRefs,
  createOpenApiErrorResponses,
  type OpenApiJson,
  UNAVAILABLE_RESPONSE,
} from "./error_responses.ts";
import { createExampleAnswer, createExampleArguments } from "./examples.ts";
import { type ComponentSchemas, toRequestSchema, toResponseSchema } from "./openapi_schemas.ts";

export type OwnerOrHandsetOperation = OwnerOperation | HandsetOperation;

export interface OpenApiDocumentContext {
  publicUrl: string;
  components: ComponentSchemas;
  responses: OpenApiJson;
}

const isOwnerOperation = (operation: OwnerOrHandsetOperation): operation is OwnerOperation => "scope" in operation;

/** The OpenAPI operation of one path and method. Operations with an `action` become alternatives of its body. */
export function createRouteOperation(
  onRoute: readonly OwnerOrHandsetOperation[],
  making: OpenApiDocumentContext,
): OpenApiJson {
  const main = onRoute.find(({ http }) => !http.when) ?? assertDefined(onRoute[0], "a route has an operation");
  const alone = onRoute.length === 1;
  const ordered = [main, ...onRoute.filter((operation) => operation !== main)];
  const prepared = ordered.map((operation) => prepare(operation, making, alone));
  const body = requestBody(prepared, making);
  return {
    operationId: main.name,
    tags: [getOperationTag(main)],
    summary: ordered.map(({ title }) => title).join(" · "),
    description: ordered.map((operation) => describe(operation, alone)).join("\n\n"),
    security: securityOf(ordered),
    ...scopeFields(ordered, alone),
    parameters: parametersOf(assertDefined(prepared[0], "a route has an operation")),
    ...(body ? { requestBody: body } : {}),
    responses: { ...success(prepared, making), ...refusalsOf(ordered, making) },
    "x-codeSamples": prepared.flatMap(({ samples }) => samples),
  };
}

/** `alerts:write` → Alerts; everything that a device does is Handset. */
export function getOperationTag(operation: OwnerOrHandsetOperation): string {
  if (!isOwnerOperation(operation)) return "Handset";
  const [group] = operation.scope.split(":") as [string];
  return group.charAt(0).toUpperCase() + group.slice(1);
}

/** One operation before it becomes a part of its route. */
function prepare(operation: OwnerOrHandsetOperation, { publicUrl }: OpenApiDocumentContext, alone: boolean) {
  const input = toRequestSchema(operation.input);
  const output = toResponseSchema(operation.output);
  const args = createExampleArguments(operation, input, publicUrl);
  const variable = isOwnerOperation(operation)
    ? "BELFRY_API_KEY"
    : operation.auth === "nothing"
      ? null
      : "BELFRY_DEVICE_TOKEN";
  const title = alone ? undefined : operation.title;
  return {
    operation,
    input,
    args,
    output,
    /** The short response, where the caller may request it. */
    brief: hasViewArgument(operation) && operation.brief ? toResponseSchema(operation.brief.output) : null,
    answer: createExampleAnswer(operation.name, output, publicUrl),
    samples: createCodeSamples(operation, args, { publicUrl, variable, title }),
  };
}

type Prepared = ReturnType<typeof prepare>;

const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function describe(operation: OwnerOrHandsetOperation, alone: boolean): string {
  const { limit, description, http, title } = operation;
  const lines = [
    alone ? description : `**${title}**${http.when ? ` (\`action\`: \`${http.when.action}\`)` : ""}: ${description}`,
  ];
  if (isOwnerOperation(operation)) {
    const extra = Object.entries({ ...conditions(operation), ...operation.mayRequire }).map(
      ([scope, when]) => `, and \`${scope}\`${when ? ` when ${when}` : ""}`,
    );
    lines.push(`Scope \`${operation.scope}\`${extra.join("")}; minimum role: ${operation.role}.`);
  }
  for (const { max, seconds, per, name } of getOperationLimits({ limit }))
    lines.push(`At most ${max} calls in ${seconds} seconds per ${per} (\`${name}\`).`);
  return lines.join(" ");
}

/** The condition of a further scope: a field that requires it. */
function conditions(tool: OwnerOperation): Partial<Record<Scope, string>> {
  const flags = Object.entries(toRequestSchema(tool.input).properties ?? {}).filter(
    ([, field]) => field.type === "boolean" || field.enum,
  );
  return Object.fromEntries(
    Object.entries(tool.alsoRequires ?? {}).map(([scope, asked]) => {
      const flag = flags.find(([name]) => asked({ [name]: true }));
      return [scope, flag ? `\`${flag[0]}\` is ${flag[1].enum ? "given" : "true"}` : ""];
    }),
  );
}

function securityOf(operations: OwnerOrHandsetOperation[]): OpenApiJson[] {
  const [first] = operations as [OwnerOrHandsetOperation];
  if (!isOwnerOperation(first)) return first.auth === "nothing" ? [] : [{ deviceToken: [] }];
  return [...new Set(operations.map((operation) => (operation as OwnerOperation).scope))].map((scope) => ({
    apiKey: [scope],
  }));
}

/** The scope, for machines; of a shared route, for each of its operations. */
function scopeFields(operations: OwnerOrHandsetOperation[], alone: boolean): OpenApiJson {
  const one = (operation: OwnerOrHandsetOperation): OpenApiJson => ({
    ...(isOwnerOperation(operation)
      ? {
          "x-required-scope": operation.scope,
          ...(operation.alsoRequires ? { "x-also-requires": conditions(operation) } : {}),
          ...(operation.mayRequire ? { "x-may-require": operation.mayRequire } : {}),
        }
      : {}),
    ...(operation.limit ? { "x-rate-limit": operation.limit } : {}),
  });
  if (alone && operations[0]) return one(operations[0]);
  return {
    "x-operations": operations.map((operation) => ({
      name: operation.name,
      title: operation.title,
      ...(operation.http.when ?? {}),
      ...one(operation),
    })),
  };
}

const takesQuery = ({ http }: OwnerOrHandsetOperation) => http.method === "GET" || http.method === "DELETE";

function parametersOf({ operation, input, args }: Prepared): OpenApiJson[] {
  const { path } = operation.http;
  const properties = input.properties ?? {};
  const parameter = (name: string, place: "path" | "query", argument: string): OpenApiJson => {
    const { description, ...schema } = properties[argument] ?? { type: "string" };
    return {
      name,
      in: place,
      ...(place === "path" || input.required?.includes(argument) ? { required: true } : {}),
      ...(description ? { description } : {}),
      schema,
      ...(args[argument] === undefined ? {} : { example: args[argument] }),
    };
  };
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, segment = ""]) => segment);
  const inPath = segments.map((segment) => parameter(segment, "path", PATH_ARGUMENT_NAMES[segment] ?? segment));
  const taken = getPathArguments(path);
  const inQuery = Object.keys(properties).filter((name) =>
    takesQuery(operation) ? !taken.includes(name) : ANSWER_ARGUMENT_NAMES.includes(name),
  );
  const shared: [name: string, taken: unknown][] = [
    ["IdempotencyKey", isOwnerOperation(operation) && operation.creates],
    ["IfMatch", isOwnerOperation(operation) && Object.hasOwn(properties, `expected_${operation.version}`)],
    ["IfNoneMatch", validates(operation) || knowsHeld(operation)],
    ["Prefer", validates(operation)],
    ["LastEventId", streams(operation)],
  ];
  return [
    ...inPath,
    ...inQuery.map((name) => parameter(name, "query", name)),
    ...shared.filter(([, taken]) => taken).map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

const validates = (operation: OwnerOrHandsetOperation) => operation.validated === true;

const streams = (operation: OwnerOrHandsetOperation) => !isOwnerOperation(operation) && operation.streams === true;

/** Fields that a caller with their version need not receive again. */
const knowsHeld = (operation: OwnerOrHandsetOperation) =>
  isOwnerOperation(operation) && operation.stillSame !== undefined;

function requestBody(prepared: Prepared[], { components }: OpenApiDocumentContext): OpenApiJson | null {
  const [first] = prepared as [Prepared];
  if (takesQuery(first.operation)) return null;
  const taken = [...getPathArguments(first.operation.http.path), ...ANSWER_ARGUMENT_NAMES];
  const without = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !taken.includes(name)));
  const parts = prepared.map(({ operation, input, args }) => {
    const { when } = operation.http;
    const action: Record<string, JsonSchema> = when ? { action: { type: "string", const: when.action } } : {};
    const required = [...Object.keys(when ?? {}), ...(input.required ?? []).filter((name) => !taken.includes(name))];
    const schema: JsonSchema = {
      ...input,
      title: operation.title,
      properties: { ...action, ...(without(input.properties ?? {}) as Record<string, JsonSchema>) },
      required,
    };
    if (required.length === 0) delete schema.required;
    return {
      name: operation.name,
      title: operation.title,
      required: required.length > 0,
      ref: components.add(`${pascal(operation.name)}Request`, schema),
      value: { ...when, ...without(args) },
    };
  });
  const [only] = parts as [(typeof parts)[number]];
  const schema = parts.length === 1 ? only.ref : { oneOf: parts.map(({ ref }) => ref) };
  return {
    ...(parts.length > 1 || only.required ? { required: true } : {}),
    content: { "application/json": { schema, ...exampled(parts) } },
  };
}

/** One example by itself, several by the names of their operations. */
const exampled = (all: readonly { name: string; title: string; value: unknown }[]): OpenApiJson =>
  all.length === 1
    ? { example: all[0]?.value }
    : { examples: Object.fromEntries(all.map(({ name, title, value }) => [name, { summary: title, value }])) };

const SUCCESS: Record<number, string> = { 200: "Done.", 201: "Created.", 204: "Removed. The response has no body." };
const KEPT = "Stored. The response has no body.";

function success(prepared: Prepared[], { components }: OpenApiDocumentContext): OpenApiJson {
  const [{ operation }] = prepared as [Prepared];
  const { status } = operation.http;
  const limited = prepared.some((one) => one.operation.limit);
  const versioned = isOwnerOperation(operation) && operation.version !== undefined && status !== 204;
  const etag = validates(operation) ? ["ETag", "Preference-Applied"] : versioned ? ["ETag"] : [];
  const headers = createHeaderRefs(...etag, ...(limited ? ["RateLimit-Policy", "RateLimit"] : []));
  const description = (status === 204 && operation.http.method === "PUT" ? KEPT : SUCCESS[status]) ?? "";
  if (status === 204) return { 204: { description, headers } };
  const schemas = prepared.flatMap(({ output, brief }) =>
    (brief ? [output, brief] : [output]).map((schema) => components.lift(schema)),
  );
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const oneOrAny = distinct.length === 1 ? distinct[0] : { anyOf: distinct };
  const answers = prepared.map(({ operation: { name, title }, answer: value }) => ({ name, title, value }));
  const content = { schema: oneOrAny, ...exampled(answers) };
  return {
    [status]: {
      description,
      headers,
      content: { [streams(operation) ? "text/event-stream" : "application/json"]: content },
    },
    ...(validates(operation) || knowsHeld(operation)
      ? {
          304: {
            description: "Not modified: the client already has the current response. No body.",
            headers: createHeaderRefs(...etag),
          },
        }
      : {}),
  };
}

/** Besides what the records declare: the credential, its scopes, an unknown field or parameter, and our own faults. */
function refusalsOf(operations: OwnerOrHandsetOperation[], { responses }: OpenApiDocumentContext): OpenApiJson {
  const always: ErrorType[] = ["invalid_request", "server_error"];
  if (operations.some((operation) => !isOwnerOperation(operation) && operation.auth !== "nothing"))
    always.push("unauthorized");
  if (operations.some(isOwnerOperation)) always.push("unauthorized", "insufficient_scope");
  const refusals = createOpenApiErrorResponses([...always, ...operations.flatMap(({ errors }) => errors)], responses);
  responses.Unavailable ??= UNAVAILABLE_RESPONSE;
  return { ...refusals, 503: { $ref: "#/components/responses/Unavailable" } };
}
