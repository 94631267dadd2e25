// One route of the document from the records that share it: parameters, body, answers, examples and samples.

import type { ErrorType } from "../../model/errors.ts";
import { need } from "../../model/need.ts";
import type { Scope } from "../../model/scopes.ts";
import type { JsonSchema } from "../../operation/schema.ts";
import { expectedArgument } from "../../operation/scopes.ts";
import {
  ANSWER_ARGUMENTS,
  type HandsetOperation,
  hasView,
  limitsOf,
  PATH_ARGUMENTS,
  pathArguments,
  type Tool,
} from "../../operation/tool.ts";
import { headerRefs, type Json, refusalResponses, UNAVAILABLE } from "./answers.ts";
import { exampleAnswer, exampleArguments } from "./examples.ts";
import { codeSamples } from "./samples.ts";
import { answerSchema, type Components, requestSchema } from "./schemas.ts";

export type Operation = Tool | HandsetOperation;

export interface Making {
  publicUrl: string;
  components: Components;
  responses: Json;
}

const isTool = (operation: Operation): operation is Tool => "scope" in operation;

/** The OpenAPI operation of one path and method. Those that `action` tells apart become alternatives of its body. */
export function routeOperation(onRoute: readonly Operation[], making: Making): Json {
  const main = onRoute.find(({ http }) => !http.when) ?? need(onRoute[0], "a route has an operation");
  const alone = onRoute.length === 1;
  const ordered = [main, ...onRoute.filter((operation) => operation !== main)];
  const prepared = ordered.map((operation) => prepare(operation, making, alone));
  const body = requestBody(prepared, making);
  return {
    operationId: main.name,
    tags: [tagOf(main)],
    summary: ordered.map(({ title }) => title).join(" · "),
    description: ordered.map((operation) => describe(operation, alone)).join("\n\n"),
    security: securityOf(ordered),
    ...scopeFields(ordered, alone),
    parameters: parametersOf(need(prepared[0], "a route has an operation")),
    ...(body ? { requestBody: body } : {}),
    responses: { ...success(prepared, making), ...refusalsOf(ordered, making) },
    "x-codeSamples": prepared.flatMap(({ samples }) => samples),
  };
}

/** `alerts:write` → Alerts; everything that a device does is Handset. */
export function tagOf(operation: Operation): string {
  if (!isTool(operation)) return "Handset";
  const [group] = operation.scope.split(":") as [string];
  return group.charAt(0).toUpperCase() + group.slice(1);
}

/** What is known of one operation before it becomes a part of its route. */
function prepare(operation: Operation, { publicUrl }: Making, alone: boolean) {
  const input = requestSchema(operation.input);
  const output = answerSchema(operation.output);
  const args = exampleArguments(operation, input, publicUrl);
  const variable = isTool(operation) ? "BELFRY_API_KEY" : operation.auth === "nothing" ? null : "BELFRY_DEVICE_TOKEN";
  const title = alone ? undefined : operation.title;
  return {
    operation,
    input,
    args,
    output,
    /** The short answer, where the caller may ask for it. */
    brief: hasView(operation) && operation.brief ? answerSchema(operation.brief.output) : null,
    answer: exampleAnswer(operation.name, output, publicUrl),
    samples: codeSamples(operation, args, { publicUrl, variable, title }),
  };
}

type Prepared = ReturnType<typeof prepare>;

const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function describe(operation: Operation, alone: boolean): string {
  const { limit, description, http, title } = operation;
  const lines = [
    alone ? description : `**${title}**${http.when ? ` (\`action\`: \`${http.when.action}\`)` : ""}: ${description}`,
  ];
  if (isTool(operation)) {
    const extra = Object.entries({ ...conditions(operation), ...operation.mayRequire }).map(
      ([scope, when]) => `, and \`${scope}\`${when ? ` when ${when}` : ""}`,
    );
    lines.push(`Scope \`${operation.scope}\`${extra.join("")}; least role ${operation.role}.`);
  }
  for (const { max, seconds, per, name } of limitsOf({ limit }))
    lines.push(`At most ${max} calls in ${seconds} seconds per ${per} (\`${name}\`).`);
  return lines.join(" ");
}

/** In words, when a further scope is needed: which boolean field asks for it. */
function conditions(tool: Tool): Partial<Record<Scope, string>> {
  const flags = Object.entries(requestSchema(tool.input).properties ?? {}).filter(
    ([, field]) => field.type === "boolean",
  );
  return Object.fromEntries(
    Object.entries(tool.alsoRequires ?? {}).map(([scope, asked]) => {
      const flag = flags.find(([name]) => asked({ [name]: true }));
      return [scope, flag ? `\`${flag[0]}\` is true` : ""];
    }),
  );
}

function securityOf(operations: Operation[]): Json[] {
  const [first] = operations as [Operation];
  if (!isTool(first)) return first.auth === "nothing" ? [] : [{ deviceToken: [] }];
  return [...new Set(operations.map((operation) => (operation as Tool).scope))].map((scope) => ({
    apiKey: [scope],
  }));
}

/** The scope, for machines; of a shared route, for each of its operations. */
function scopeFields(operations: Operation[], alone: boolean): Json {
  const one = (operation: Operation): Json => ({
    ...(isTool(operation)
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

const takesQuery = ({ http }: Operation) => http.method === "GET" || http.method === "DELETE";

function parametersOf({ operation, input, args }: Prepared): Json[] {
  const { path } = operation.http;
  const properties = input.properties ?? {};
  const parameter = (name: string, place: "path" | "query", argument: string): Json => {
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
  const inPath = segments.map((segment) => parameter(segment, "path", PATH_ARGUMENTS[segment] ?? segment));
  const taken = pathArguments(path);
  const inQuery = Object.keys(properties).filter((name) =>
    takesQuery(operation) ? !taken.includes(name) : ANSWER_ARGUMENTS.includes(name),
  );
  const shared: [name: string, taken: unknown][] = [
    ["IdempotencyKey", isTool(operation) && operation.creates],
    ["IfMatch", isTool(operation) && expectedArgument(operation)],
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

const validates = (operation: Operation) => operation.validated === true;

const streams = (operation: Operation) => !isTool(operation) && operation.streams === true;

/** Those that whoever holds their version need not be given again. */
const knowsHeld = (operation: Operation) => isTool(operation) && operation.stillSame !== undefined;

function requestBody(prepared: Prepared[], { components }: Making): Json | null {
  const [first] = prepared as [Prepared];
  if (takesQuery(first.operation)) return null;
  const taken = [...pathArguments(first.operation.http.path), ...ANSWER_ARGUMENTS];
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
const exampled = (all: readonly { name: string; title: string; value: unknown }[]): Json =>
  all.length === 1
    ? { example: all[0]?.value }
    : {
        examples: Object.fromEntries(all.map(({ name, title, value }) => [name, { summary: title, value }])),
      };

const SUCCESS: Record<number, string> = { 200: "Done.", 201: "Created.", 204: "Removed. No body." };
const KEPT = "Kept. No body.";

function success(prepared: Prepared[], { components }: Making): Json {
  const [{ operation }] = prepared as [Prepared];
  const { status } = operation.http;
  const limited = prepared.some((one) => one.operation.limit);
  const versioned = isTool(operation) && operation.version !== undefined && status !== 204;
  const etag = validates(operation) ? ["ETag", "Preference-Applied"] : versioned ? ["ETag"] : [];
  const headers = headerRefs(...etag, ...(limited ? ["RateLimit-Policy", "RateLimit"] : []));
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
          304: { description: "You hold the present answer already. No body.", headers: headerRefs(...etag) },
        }
      : {}),
  };
}

/** Besides what the records declare: the credential, its scopes, an unknown field or parameter, and our own faults. */
function refusalsOf(operations: Operation[], { responses }: Making): Json {
  const always: ErrorType[] = ["invalid_request", "server_error"];
  if (operations.some((operation) => !isTool(operation) && operation.auth !== "nothing")) always.push("unauthorized");
  if (operations.some(isTool)) always.push("unauthorized", "insufficient_scope");
  const refusals = refusalResponses([...always, ...operations.flatMap(({ errors }) => errors)], responses);
  responses.Unavailable ??= UNAVAILABLE;
  return { ...refusals, 503: { $ref: "#/components/responses/Unavailable" } };
}
