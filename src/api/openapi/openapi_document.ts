// The OpenAPI 3.1 document as a projection of the records: what REST and the handset API take and answer. Receives the
// lists as arguments; the same lists give the same text, byte for byte.

import manifest from "../../../package.json" with { type: "json" };
import { LIMITS, spellLimit } from "../../model/limits.ts";
import { SCOPES } from "../../model/scopes.ts";
import type { HandsetOperation, OwnerOperation } from "../../operation/define_operation.ts";
import { alertListItem } from "../../store/response_schemas/alert_schemas.ts";
import { ownerChannelSchema } from "../../store/response_schemas/channel_schemas.ts";
import {
  createHeaderRefs,
  createOpenApiErrorResponses,
  ERROR_SCHEMA,
  OPENAPI_RESPONSE_HEADERS,
  type OpenApiJson,
} from "./error_responses.ts";
import { EXAMPLE_IDEMPOTENCY_KEY } from "./examples.ts";
import { createIngestPaths } from "./ingest_paths.ts";
import { createIntroduction } from "./introduction.ts";
import { ComponentSchemas, toResponseSchema } from "./openapi_schemas.ts";
import {
  createRouteOperation,
  getOperationTag,
  type OpenApiDocumentContext,
  type OwnerOrHandsetOperation,
} from "./route_operation.ts";
import { createOpenApiWebhooks } from "./webhook_events.ts";

/**
 * The OpenAPI document. With `splitActions`, operations that share a route have a path each, `…/{alertId}#send`, so
 * that generated clients get a method for each. A fragment is never sent, so the requests are the same
 * (rules#named-operations).
 */
export function createOpenApiDocument(
  tools: readonly OwnerOperation[],
  handsetOperations: readonly HandsetOperation[],
  { publicUrl, splitActions = false }: { publicUrl: string; splitActions?: boolean },
): OpenApiJson {
  const operations: OwnerOrHandsetOperation[] = [...tools, ...handsetOperations];
  const shapes = operations.flatMap((operation) => [
    operation.output,
    ...(operation.brief ? [operation.brief.output] : []),
    ...("titles" in operation && operation.titles ? [operation.titles.output] : []),
  ]);
  // No operation returns a bare channel, but several return one with more fields.
  const components = new ComponentSchemas([...shapes, ownerChannelSchema, alertListItem].map(toResponseSchema));
  const responses: OpenApiJson = {};
  const making: OpenApiDocumentContext = { publicUrl, components, responses };
  const paths: OpenApiJson = {};
  const keyOf = ({ http: { path, when } }: OwnerOrHandsetOperation) =>
    splitActions && when ? `${path}#${when.action}` : path;
  for (const [path, onPath] of Map.groupBy(operations, keyOf)) {
    paths[path] = {};
    for (const [method, onRoute] of Map.groupBy(onPath, ({ http }) => http.method))
      paths[path][method.toLowerCase()] = createRouteOperation(onRoute, making);
  }
  Object.assign(paths, createIngestPaths(publicUrl, responses), healthPaths(responses));
  return {
    openapi: "3.1.0",
    info: {
      title: "Belfry",
      version: manifest.version,
      summary: "Alert channels for assistants, scripts and people.",
      description: createIntroduction(publicUrl),
      license: { name: "Apache License 2.0", identifier: manifest.license },
    },
    servers: [{ url: publicUrl }],
    tags: tags(operations),
    paths,
    webhooks: createOpenApiWebhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`bfk_…`). Access tokens of connected assistants are only valid at /mcp.",
        },
        deviceToken: {
          type: "http",
          scheme: "bearer",
          description: "The handset's token, which POST /handset/v1/devices returns only once.",
        },
      },
      parameters: {
        IdempotencyKey: inHeader(
          "Idempotency-Key",
          `1 to ${LIMITS.idempotency_key} printable ASCII characters. Repeating the request within ` +
            `${LIMITS.idempotency_hours} hours returns the first result. A different body with the same key returns ` +
            "a 422.",
          EXAMPLE_IDEMPOTENCY_KEY,
          { minLength: 1, maxLength: LIMITS.idempotency_key },
        ),
        Prefer: inHeader(
          "Prefer",
          "With If-None-Match, wait=N delays the response until something changes, for at most N seconds; the " +
            `maximum is ${LIMITS.held_seconds} (RFC 7240).`,
          "wait=50",
        ),
        LastEventId: inHeader(
          "Last-Event-ID",
          "The handset's ETag for the same limit and view. If it is out of date, the stream starts with `look`.",
        ),
        IfMatch: inHeader(
          "If-Match",
          "The client's ETag for the alert. If the alert has changed since then, the response is a 409. " +
            "expected_updated_at in the body has the same effect.",
          '"2026-11-20T14:25:31.123456Z"',
        ),
        IfNoneMatch: inHeader(
          "If-None-Match",
          "The client's ETag for this response. If it is still current, the response is a 304.",
        ),
      },
      headers: OPENAPI_RESPONSE_HEADERS,
      responses: sorted(responses),
      schemas: sorted({ Error: ERROR_SCHEMA, ...Object.fromEntries(components.schemas) }),
    },
  };
}

const inHeader = (name: string, description: string, example?: string, bounds: OpenApiJson = {}): OpenApiJson => ({
  ...{ name, in: "header", description },
  schema: { type: "string", ...bounds },
  ...(example !== undefined && { example }),
});

const sorted = (record: OpenApiJson): OpenApiJson =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const OTHER_TAGS: Record<string, string> = {
  Handset:
    "The API for devices that subscribe. Each device uses its own token. Register once and store the token, join " +
    "channels, then keep polling the inbox with Prefer: wait=50 and the last ETag as If-None-Match. The inbox is the " +
    "current state, newest first: show its alerts, and remove those that are no longer in it. A 304 means that " +
    "nothing has changed; after a 304 without Preference-Applied, pause before the next poll. The device decides " +
    "which alerts ring. Reports of reads and acknowledgements are optional, are sent in batches, and can be repeated.",
  Events:
    "Requests to registered webhook endpoints: one signed POST for each event, with a " +
    `${spellLimit("webhook_seconds")}-second timeout and no retries.`,
  Service: "Health checks.",
};

/** In the order of the lists. The scopes of a group are its permissions. */
function tags(operations: OwnerOrHandsetOperation[]): OpenApiJson[] {
  const names = [...new Set(operations.map(getOperationTag))];
  return [...names, ...Object.keys(OTHER_TAGS).filter((name) => !names.includes(name))].map((name) => {
    const lines = Object.entries(SCOPES).filter(([scope]) => scope.startsWith(`${name.toLowerCase()}:`));
    const description = OTHER_TAGS[name] ?? lines.map(([, meaning]) => meaning).join(" ");
    return { name, description };
  });
}

function healthPaths(responses: OpenApiJson): OpenApiJson {
  const answer = (description: string, status: string, more: OpenApiJson = {}): OpenApiJson => ({
    description,
    headers: createHeaderRefs(),
    content: {
      "application/json": {
        schema: { type: "object", properties: { status: { type: "string" }, ...more }, required: ["status"] },
        example: { status },
      },
    },
  });
  const probe = (operationId: string, summary: string, description: string, answers: OpenApiJson): OpenApiJson => ({
    get: {
      operationId,
      tags: ["Service"],
      summary,
      description,
      security: [],
      responses: { ...answers, ...createOpenApiErrorResponses(["server_error"], responses) },
    },
  });
  return {
    "/healthz": probe("healthz", "Liveness", "The process is running.", { 200: answer("Up.", "ok") }),
    "/readyz": probe("readyz", "Readiness", "The database is responding and all migrations have been applied.", {
      200: answer("Ready. `degraded` lists features that are not working.", "ready", {
        degraded: { type: "array", items: { type: "string" } },
      }),
      503: answer("Not ready.", "not ready"),
    }),
  };
}
