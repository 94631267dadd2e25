// The OpenAPI 3.1 document as a projection of the records: what REST and the handset API take and answer. Receives the
// lists as arguments; the same lists give the same text, byte for byte.

import manifest from "../../../package.json" with { type: "json" };
import { LIMITS, spellLimit } from "../../model/limits.ts";
import { SCOPES } from "../../model/scopes.ts";
import type { HandsetOperation, OwnerOperation } from "../../operation/define_operation.ts";
import { pusherView } from "../../store/schemas/pusher_schemas.ts";
import {
  createErrorResponses,
  createHeaderRefs,
  ERROR_SCHEMA,
  type OpenApiJson,
  RESPONSE_HEADERS,
} from "./error_responses.ts";
import { EXAMPLE_IDEMPOTENCY_KEY } from "./examples.ts";
import { createIngestPaths } from "./ingest_paths.ts";
import { createIntroduction } from "./introduction.ts";
import { ComponentSchemas, toAnswerSchema } from "./openapi_schemas.ts";
import {
  createRouteOperation,
  type DocumentContext,
  type DocumentedOperation,
  getOperationTag,
} from "./operation_paths.ts";
import { createEventWebhooks } from "./webhook_events.ts";

export function createOpenApiDocument(
  tools: readonly OwnerOperation[],
  handsetOperations: readonly HandsetOperation[],
  { publicUrl }: { publicUrl: string },
): OpenApiJson {
  const operations: DocumentedOperation[] = [...tools, ...handsetOperations];
  const shapes = operations.flatMap((operation) =>
    operation.brief ? [operation.output, operation.brief.output] : [operation.output],
  );
  // No operation answers a bare channel, but several answers are one and more.
  const components = new ComponentSchemas([...shapes, pusherView].map(toAnswerSchema));
  const responses: OpenApiJson = {};
  const making: DocumentContext = { publicUrl, components, responses };
  const paths: OpenApiJson = {};
  for (const [path, onPath] of Map.groupBy(operations, ({ http }) => http.path)) {
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
      summary: "Alert channels that assistants, scripts and people drive.",
      description: createIntroduction(publicUrl),
      license: { name: "Apache License 2.0", identifier: manifest.license },
    },
    servers: [{ url: publicUrl }],
    tags: tags(operations),
    paths,
    webhooks: createEventWebhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`bfk_…`). The access tokens of connected assistants are for /mcp alone.",
        },
        deviceToken: {
          type: "http",
          scheme: "bearer",
          description: "A handset's own token, shown once by POST /handset/v1/devices.",
        },
      },
      parameters: {
        IdempotencyKey: inHeader(
          "Idempotency-Key",
          `1 to ${LIMITS.idempotency_key} printable ASCII characters. A repeat within ${LIMITS.idempotency_hours} hours answers with the first result; another body under the same key is 422.`,
          EXAMPLE_IDEMPOTENCY_KEY,
          { minLength: 1, maxLength: LIMITS.idempotency_key },
        ),
        Prefer: inHeader(
          "Prefer",
          `wait=N beside If-None-Match holds the answer until something changes or N seconds are over, at most ${LIMITS.held_seconds} (RFC 7240).`,
          "wait=50",
        ),
        LastEventId: inHeader(
          "Last-Event-ID",
          "The ETag that the handset holds, of the same limit and view. Unless it is the present one, the stream begins with `look`.",
        ),
        IfMatch: inHeader(
          "If-Match",
          "The ETag of the alert as the client knows it: 409 when it has changed since. expected_updated_at says the same in the request itself.",
          '"2026-11-20T14:25:31.123456Z"',
        ),
        IfNoneMatch: inHeader(
          "If-None-Match",
          "The ETag of the answer that the client holds: 304 while it is still the present one.",
        ),
      },
      headers: RESPONSE_HEADERS,
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
    "What a subscribing device speaks, with its own token: register once and keep the token, join channels, then poll the inbox for ever with the last ETag as If-None-Match and with Prefer: wait=50. The inbox is state, newest first: draw what it holds, and take away what is gone from it. A 304 means that nothing changed; one without Preference-Applied was not held, so pause before the next poll. What rings is decided on the device. Reports of reads and acknowledgements are optional, come in batches and may be repeated.",
  Events: `What registered webhook endpoints receive: one signed POST an event, within ${spellLimit("webhook_seconds")} seconds, without retries.`,
  Service: "Whether the server is up.",
};

/** In the order of the lists; what a group may do is what its scopes say. */
function tags(operations: DocumentedOperation[]): OpenApiJson[] {
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
      responses: { ...answers, ...createErrorResponses(["server_error"], responses) },
    },
  });
  return {
    "/healthz": probe("healthz", "Liveness", "The process is up.", { 200: answer("Up.", "ok") }),
    "/readyz": probe("readyz", "Readiness", "The database answers and every migration is in.", {
      200: answer("Ready; `degraded` names what does not work although requests are served.", "ready", {
        degraded: { type: "array", items: { type: "string" } },
      }),
      503: answer("Not ready.", "not ready"),
    }),
  };
}
