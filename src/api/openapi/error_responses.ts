// Headers and refusals of the document: the one error envelope, once for each set of error types that share a status.

import {
  conflict,
  ERROR_TYPE_STATUSES,
  type ErrorEnvelope,
  type ErrorType,
  forbidden,
  insufficientScope,
  invalidRequest,
  notFound,
  overloaded,
  serverError,
  unauthorized,
} from "../../model/api_error.ts";
import { ERROR_CODES } from "../../model/error_codes.ts";
import { LIMITS } from "../../model/limits.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, read by the names that its standard gives
export type OpenApiJson = Record<string, any>;

const text = { type: "string" };

export const OPENAPI_RESPONSE_HEADERS: OpenApiJson = {
  "X-Request-Id": {
    description: "ID of this request. The server's log lines contain the same ID.",
    schema: { type: "string", format: "uuid" },
  },
  "WWW-Authenticate": {
    description: "The accepted kind of credential and its scopes.",
    schema: text,
    example: 'Bearer error="insufficient_scope", scope="alerts:send"',
  },
  "Retry-After": {
    description: "Number of seconds to wait before the next call.",
    schema: { type: "integer", minimum: 0 },
    example: 41,
  },
  "RateLimit-Policy": {
    description: "The limit: policy name, calls (q) and window in seconds (w).",
    schema: text,
    example: `"alert-sends";q=${LIMITS.sends};w=${LIMITS.window_seconds}`,
  },
  RateLimit: {
    description: "The number of calls remaining (r) and the number of seconds until the window ends (t).",
    schema: text,
    example: `"alert-sends";r=${LIMITS.sends - 1};t=${LIMITS.window_seconds}`,
  },
  "Preference-Applied": {
    description:
      "Indicates that Prefer: wait was applied. A 304 without this header was returned early, so pause before the " +
      "next poll.",
    schema: text,
    example: "wait=50",
  },
  ETag: {
    description:
      "Validator for this state. Send it as If-None-Match when polling, or as If-Match with a change that must not " +
      "overwrite a newer version.",
    schema: text,
    example: '"42.0.1-50-"',
  },
};

export const createHeaderRefs = (...names: string[]): OpenApiJson =>
  Object.fromEntries(["X-Request-Id", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** One line of meaning for each type. */
export const ERROR_TYPE_MEANINGS: Record<ErrorType, string> = {
  invalid_request: "The request is not valid. `param` names the field.",
  unauthorized: "The credential is missing, revoked or expired.",
  payment_required: "Reserved for future plans.",
  insufficient_scope: "The credential lacks a required scope.",
  forbidden: "The member's role or the state of the resource does not allow the call.",
  not_found: "The resource does not exist, or you do not have access to it. The response is the same in both cases.",
  conflict: "The state of the resource does not allow the call. The message says what to do.",
  rate_limited: "A rate limit has been reached. The message names the limit and says when to retry.",
  server_error: "Internal server error. Retry with backoff.",
};

const refusals: Record<ErrorType, ErrorEnvelope> = {
  invalid_request: invalidRequest("field_required", "title is required.", "title").toEnvelope(),
  unauthorized: unauthorized().toEnvelope(),
  payment_required: {
    error: { type: "payment_required", code: "payment_required", message: "Reserved.", param: null },
  },
  insufficient_scope: insufficientScope(["alerts:send"]).toEnvelope(),
  forbidden: forbidden(
    "role_too_low",
    "The member that this credential belongs to does not have the required role. Ask an owner of the workspace.",
  ).toEnvelope(),
  not_found: notFound("channel").toEnvelope(),
  conflict: conflict(
    "channel_not_active",
    "The channel is not active. Resume it, or keep the alert as a draft.",
  ).toEnvelope(),
  rate_limited: {
    error: {
      type: "rate_limited",
      code: "rate_limited",
      message:
        `The limit is ${LIMITS.sends} calls in ${LIMITS.window_seconds} seconds (alert-sends). Retry in 41 ` +
        "seconds.",
      param: null,
    },
  },
  server_error: serverError().toEnvelope(),
};

export const ERROR_TYPES = Object.keys(ERROR_TYPE_STATUSES) as ErrorType[];

export const ERROR_SCHEMA: OpenApiJson = {
  type: "object",
  description: "The body of every error.",
  properties: {
    error: {
      type: "object",
      description: "The problem that caused the refusal.",
      properties: {
        type: {
          type: "string",
          enum: ERROR_TYPES,
          description: ERROR_TYPES.map(
            (type) => `\`${type}\` (${ERROR_TYPE_STATUSES[type]}): ${ERROR_TYPE_MEANINGS[type]}`,
          ).join("\n\n"),
        },
        code: {
          ...text,
          description:
            "A stable name for the error. The error codes page explains the cause of each error and how to fix it. " +
            `New codes may be added. ${Object.keys(ERROR_CODES)
              .map((code) => `\`${code}\``)
              .join(", ")}.`,
        },
        message: { ...text, description: "A human-readable message that explains the problem and what to do." },
        param: { type: ["string", "null"], description: "Dotted path of the invalid field, or null." },
        problems: {
          type: "array",
          description: "All invalid fields if there is more than one; the first is the one in `param`.",
          items: {
            type: "object",
            properties: {
              param: { ...text, description: "Dotted path of the field." },
              code: { ...text, description: "Same values as `error.code`." },
              message: { ...text, description: "The problem with this field and its solution." },
            },
            required: ["param", "code", "message"],
          },
        },
      },
      required: ["type", "code", "message", "param"],
    },
  },
  required: ["error"],
};

const WITH_HEADERS: Partial<Record<ErrorType, string[]>> = {
  unauthorized: ["WWW-Authenticate"],
  insufficient_scope: ["WWW-Authenticate"],
  rate_limited: ["Retry-After", "RateLimit-Policy", "RateLimit"],
};

const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The refusals of an operation by status; shared ones are in `components.responses`. */
export function createOpenApiErrorResponses(errors: Iterable<ErrorType>, shared: OpenApiJson): OpenApiJson {
  const declared = new Set(errors);
  const byStatus = Map.groupBy(
    ERROR_TYPES.filter((type) => declared.has(type)),
    (type) => ERROR_TYPE_STATUSES[type],
  );
  return Object.fromEntries(
    [...byStatus].map(([status, types]) => {
      const name = types.map(pascal).join("Or");
      shared[name] ??= response(types);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Temporary failures (rules#unavailable). */
export const UNAVAILABLE_RESPONSE: OpenApiJson = {
  description: "`server_error`: the database is unavailable, a disk is full, or the server is overloaded. Retry.",
  headers: createHeaderRefs("Retry-After"),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: { server_error: { summary: "A temporary failure.", value: overloaded().toEnvelope() } },
    },
  },
};

function response(types: ErrorType[]): OpenApiJson {
  const examples = Object.fromEntries(
    types.map((type) => [type, { summary: ERROR_TYPE_MEANINGS[type], value: refusals[type] }]),
  );
  return {
    description: types.map((type) => `\`${type}\`: ${ERROR_TYPE_MEANINGS[type]}`).join(" "),
    headers: createHeaderRefs(...new Set(types.flatMap((type) => WITH_HEADERS[type] ?? []))),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples } },
  };
}
