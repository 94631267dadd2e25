// Compares every response that the suite sees with the declared shape: nothing undeclared, nothing missing, one
// envelope. rules#error-envelope rules#error-message rules#error-param

import { z } from "zod";
import { OPERATIONS } from "../../operations/index.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { ERROR_TYPE_STATUSES } from "../../src/model/api_error.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/model/error_codes.ts";
import { hasViewArgument, type OwnerOperation } from "../../src/operation/define_operation.ts";
import { addOmittedDefaults } from "./lean_rows.ts";
import type { Answer } from "./world.ts";

/** A type and a code that the catalogue does not pair would be a refusal of another status. */
const isPair = ({ error: { type, code } }: { error: { type: string; code: ErrorCode } }) =>
  ERROR_CODES[code].type === type;

const envelope = z
  .strictObject({
    error: z.strictObject({
      type: z.enum(Object.keys(ERROR_TYPE_STATUSES) as [keyof typeof ERROR_TYPE_STATUSES]),
      code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode]),
      message: z.string().min(1),
      param: z.string().nullable(),
      problems: z
        .array(z.strictObject({ param: z.string(), code: z.string(), message: z.string().min(1) }))
        .min(2)
        .optional(),
    }),
  })
  .refine(isPair);

/** The same schema, refusing undeclared fields at every depth. */
function strict(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject)
    return z.strictObject(
      Object.fromEntries(Object.entries(schema.shape).map(([k, v]) => [k, strict(v as z.ZodType)])),
    );
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap() as z.ZodType).optional();
  return schema;
}

const routes = [...OPERATIONS, ...HANDSET_OPERATIONS].map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.http.path.replace(/\{\w+\}/g, "[^/]+")}/?$`),
  output: strict(operation.output),
  brief: operation.brief ? strict(operation.brief.output) : null,
  titles: "titles" in operation && operation.titles ? strict(operation.titles.output) : null,
  chooses: hasViewArgument(operation),
}));

/** The shape of the requested view. Where no view can be requested, the short one replaces one that is too long. */
function shapeOf({ output, brief, titles, chooses }: (typeof routes)[number], view: unknown): z.ZodType {
  if (view === "titles" && titles) return titles;
  if (!brief) return output;
  if (view === "brief" || view === "lean") return brief;
  return chooses && view === undefined ? output : z.union([output, brief]);
}

function operationOf(method: string, path: string, body: unknown) {
  const pathname = path.replace(/\?.*$/, "");
  const found = routes.filter(({ operation, pattern }) => operation.http.method === method && pattern.test(pathname));
  if (found.length < 2) return found[0];
  const action = typeof body === "string" ? (JSON.parse(body) as { action?: string }).action : undefined;
  return found.find(({ operation }) => operation.http.when?.action === action);
}

/** @throws when an answer is not what its operation declares, or a refusal is not the envelope. */
export function checkResponseSchema(method: string, path: string, answer: Answer, requestBody: unknown): void {
  const { status, body, headers } = answer;
  if (!headers.get("x-request-id")) throw new Error(`${method} ${path}: no X-Request-Id`);
  if (method === "HEAD") {
    if (body !== null) throw new Error(`HEAD ${path}: a body`);
    return;
  }
  if (path.startsWith("/mcp")) {
    checkMcp(answer, requestBody);
    return;
  }
  if (status >= 400 && path !== "/readyz") {
    envelope.parse(body);
    return;
  }
  const route = operationOf(method, path, requestBody);
  if (!route || status === 304) return;
  if (status !== route.operation.http.status) throw new Error(`${route.operation.name} answered ${status}`);
  if (status === 204) {
    if (body !== null) throw new Error(`${route.operation.name}: a 204 with a body`);
    return;
  }
  shapeOf(route, new URL(path, "http://localhost").searchParams.get("view") ?? undefined).parse(body);
}

/** A page without its rows, each of which is a part of a declared row. */
function withRows(shape: z.ZodType, page: { data: unknown[] }) {
  const { element } = (shape as z.ZodObject).shape.data as z.ZodArray<z.ZodObject>;
  for (const row of page.data) element.partial().parse(row);
  return { ...page, data: [] };
}

function checkMcp({ status, body }: Answer, requestBody: unknown): void {
  if ([401, 403, 405, 422].includes(status)) {
    envelope.parse(body);
    return;
  }
  const result = body?.result;
  if (!result?.content || typeof requestBody !== "string") return;
  if (result.isError) {
    envelope.parse(result.structuredContent);
    return;
  }
  const { params } = JSON.parse(requestBody) as { params: { name: string; arguments?: { view?: unknown } } };
  // A caller that may not publish gets a person's decision (rules#mcp-review).
  const isReviewed = "decision" in result.structuredContent && params.name !== "get_alert";
  const name = isReviewed ? "wait_for_review" : params.name;
  const route = routes.find(({ operation }) => operation.name === name)!;
  const view = params.arguments?.view ?? (route.chooses ? "brief" : undefined);
  const whole = addOmittedDefaults(route.operation as OwnerOperation, view, result.structuredContent);
  // The parts that a long response leaves out are named outside of its shape (rules#mcp-answers-are-short).
  const { left_out: _, ...shown } = whole;
  const shape = shapeOf(route, view);
  shape.parse(
    view === "brief" && route.operation.brief && "row" in route.operation.brief ? withRows(shape, shown) : shown,
  );
}
