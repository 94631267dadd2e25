// The route by which other programs publish in their own formats. It is not an operation: docs/reference/senders.md has
// the rest.

import { INGEST_SOURCE_PROGRAM_IDS } from "../../model/fields/sender_programs.ts";
import { createHeaderRefs, createOpenApiErrorResponses, ERROR_TYPES, type OpenApiJson } from "./error_responses.ts";

const EXAMPLE_ID = "harbour-watch";

export function createIngestPaths(publicUrl: string, responses: OpenApiJson): OpenApiJson {
  const text = { type: "string" };
  const alert = {
    type: "object",
    properties: {
      id: { ...text, description: "alr_…" },
      pusher_id: { ...text, description: "psh_…" },
      state: { type: "string", enum: ["sent", "scheduled", "draft"] },
      said: { ...text, description: "URL of the result, or of the page where a person decides on the draft." },
    },
    required: ["id", "pusher_id", "state", "said"],
  };
  const made = {
    id: "alr_01jd8k3v5xe8tbq4m2w9y7r6sn",
    pusher_id: "psh_01jd8k3v5xe8tbq4m2w9y7r6sn",
    state: "sent",
    said: "Published.",
  };
  const curl =
    `curl -d "Backup done" -H "Authorization: Bearer $BELFRY_API_KEY" ` +
    `${publicUrl}/api/v1/pushers/${EXAMPLE_ID}/ingest`;
  return {
    "/api/v1/pushers/{id}/ingest": {
      post: {
        operationId: "ingest",
        tags: ["Alerts"],
        summary: "Publish in another program's format",
        description:
          "Accepts messages from other programs in their own format: plain text (the first line is the title), or " +
          "JSON from a program that is recognised or specified. Each alert is created with `create_alert` and " +
          "`send`. A key without `alerts:send` creates a draft, which the response indicates. A specified program " +
          "gets responses and errors in its own format; `Belfry-Notes` lists what was ignored. Scope `alerts:write`.",
        security: [{ apiKey: [] }],
        parameters: [
          {
            name: "id",
            in: "path",
            required: true,
            description: "Channel id (psh_…) or handle.",
            schema: text,
            example: EXAMPLE_ID,
          },
          {
            name: "from",
            in: "query",
            description: "The sending program. By default, it is detected from the body.",
            schema: { type: "string", enum: INGEST_SOURCE_PROGRAM_IDS },
            example: "text",
          },
        ],
        requestBody: {
          content: {
            "text/plain": { schema: text, example: "Backup done" },
            "application/json": { schema: {}, example: { title: "Backup done" } },
          },
        },
        responses: {
          200: {
            description: "The result.",
            headers: createHeaderRefs(),
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: { alerts: { type: "array", items: alert } },
                  required: ["alerts"],
                },
                example: { alerts: [made] },
              },
            },
          },
          ...createOpenApiErrorResponses(
            ERROR_TYPES.filter((type) => type !== "payment_required"),
            responses,
          ),
        },
        "x-codeSamples": [{ lang: "shell", label: "curl", source: curl }],
      },
    },
  };
}
