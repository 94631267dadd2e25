// The document compared with the service: a linter, every example against its schema, the lists of operations, and the
// committed files. It also tests that nothing documented is removed.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { findBreakingChanges, readCommittedApiVersions } from "../../scripts/api_compatibility.ts";
import { COMMITTED_URL, findStaleFiles, generateFiles } from "../../scripts/gen.ts";
import { createOpenApiDocument } from "../../src/api/openapi/openapi_document.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { EVENT_NAMES } from "../../src/model/fields/webhook.ts";

type Json = Record<string, any>;

const document: Json = createOpenApiDocument(OPERATIONS, HANDSET_OPERATIONS, { publicUrl: COMMITTED_URL });
const DOCUMENTED_OPERATIONS = [...OPERATIONS, ...HANDSET_OPERATIONS];

const routes: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);

test("is OpenAPI 3.1 without a problem", async () => {
  const rules = {
    // No documented refusal of a probe, of an event's receiver, or of a call without a credential is missing.
    "operation-4xx-response": "off",
    // The committed document speaks of the default address.
    "no-server-example.com": "off",
  } as const;
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test("has every route of both lists, the probes and the events, and nothing else", () => {
  const wanted = new Set(DOCUMENTED_OPERATIONS.map(({ http }) => `${http.method} ${http.path}`));
  expect(routes.map(([route]) => route).sort()).toEqual(
    [...wanted, "GET /healthz", "GET /readyz", "POST /api/v1/pushers/{id}/ingest"].sort(),
  );
  const named = routes.flatMap(([, operation]) =>
    (operation["x-operations"] ?? [{ name: operation.operationId }]).map(({ name }: Json) => name),
  );
  expect(named.sort()).toEqual(
    [...DOCUMENTED_OPERATIONS.map(({ name }) => name), "healthz", "ingest", "readyz"].sort(),
  );
  expect(Object.keys(document.webhooks)).toEqual([...EVENT_NAMES, "webhook.test"]);
});

test("describes every field of the objects in responses", () => {
  const blank = (schema: Json, path: string): string[] =>
    [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), schema.items ?? {}].flatMap(({ properties = {} }) =>
      Object.entries<Json>(properties).flatMap(([name, field]) => [
        ...(field.description || field.$ref ? [] : [`${path}.${name}`]),
        ...blank(field, `${path}.${name}`),
      ]),
    );
  const objects = Object.entries<Json>(document.components.schemas).filter(([name]) => !name.endsWith("Request"));
  expect(objects.flatMap(([name, schema]) => blank(schema, name))).toEqual([]);
});

test("is the same text every time", () => {
  const again = createOpenApiDocument(OPERATIONS, HANDSET_OPERATIONS, { publicUrl: COMMITTED_URL });
  expect(JSON.stringify(again)).toBe(JSON.stringify(document));
});

test("names the statuses and headers that the records declare", () => {
  for (const tool of OPERATIONS) {
    const operation = document.paths[tool.http.path][tool.http.method.toLowerCase()];
    const expected = [tool.http.status, 401, 403, 422, 500, 503, ...(tool.limit ? [429] : [])];
    if (tool.errors.includes("not_found")) expected.push(404);
    if (tool.errors.includes("conflict")) expected.push(409);
    expect(Object.keys(operation.responses), tool.name).toEqual(expect.arrayContaining(expected.map(String)));
    const refs = operation.parameters.map(({ $ref }: Json) => $ref);
    expect(refs.includes("#/components/parameters/IdempotencyKey"), tool.name).toBe(tool.creates === true);
  }
  const inbox = document.paths["/handset/v1/inbox"].get;
  expect(Object.keys(inbox.responses["200"].headers)).toContain("ETag");
  expect(inbox.responses["304"]).toBeDefined();
  const push = document.paths["/handset/v1/devices/me/push"];
  expect(push.put.responses["204"].description).toBe("Stored. The response has no body.");
  expect(push.delete.responses["204"].description).toBe("Removed. The response has no body.");
});

describe("examples are valid for their schemas", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi", undefined, false);
  const pointer = (...keys: string[]) =>
    keys.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

  /** Every schema with examples, anywhere in the document. */
  function* pairs(node: Json, at: string[] = []): Generator<[string[], unknown[]]> {
    const examples = [
      ...("example" in node ? [node.example] : []),
      ...Object.values<Json>(node.examples ?? {}).map(({ value }) => value),
    ];
    if (node.schema && examples.length > 0) yield [[...at, "schema"], examples];
    for (const [key, inner] of Object.entries(node))
      if (typeof inner === "object" && inner !== null && !/^examples?$|^properties$/.test(key))
        yield* pairs(inner, [...at, key]);
  }

  test.each([...pairs(document)].map(([at, examples]) => [at.join(" "), at, examples] as const))(
    "%s",
    (_title, at, examples) => {
      const validate = ajv.compile({ $ref: `openapi#${pointer(...at)}` });
      for (const example of examples)
        expect(validate(example) ? [] : validate.errors, JSON.stringify(example)).toEqual([]);
    },
  );

  test("and every operation has them", () => {
    for (const [route, { requestBody, responses }] of routes) {
      for (const media of [requestBody, responses["200"], responses["201"]])
        if (media?.content) {
          const [{ example, examples }] = Object.values<Json>(media.content) as [Json];
          expect(example ?? examples, route).toBeDefined();
        }
    }
    // An example's text is … where nothing is known of a field but its name.
    const unknown = new Set<string>();
    const look = (at: unknown, name: string): void => {
      if (at === "…") unknown.add(name);
      else if (Array.isArray(at)) for (const item of at) look(item, name);
      else if (typeof at === "object" && at !== null) for (const [key, value] of Object.entries(at)) look(value, key);
    };
    look(document, "");
    expect(
      [...unknown],
      "fields without an example: give each a value in story() of src/api/openapi/examples.ts, then npm run gen",
    ).toEqual([]);
  });
});

test("no example shows what the service refuses together, or a channel that cannot notify", () => {
  for (const [route, { parameters = [], "x-codeSamples": samples = [] }] of routes) {
    const shown = (parameters as Json[]).filter(({ example }) => example !== undefined).map(({ name }) => name);
    const both = shown.includes("period") && (shown.includes("from") || shown.includes("to"));
    expect(both, route).toBe(false);
    for (const { source } of samples as Json[]) expect(source).not.toMatch(/period=.*(from|to)=|(from|to)=.*period=/);
  }
  const { post } = document.paths["/api/v1/pushers"];
  expect(post.requestBody.content["application/json"].example.requested_perms).toEqual(["notify", "sound"]);
  expect(post.responses["201"].content["application/json"].example).not.toHaveProperty("notes");
});

test("generated files are current (update them with: npm run gen)", async () => {
  expect(findStaleFiles(generateFiles())).toEqual([]);
});

// rules#additive
describe("only additions", () => {
  /**
   * Later restrictions of undocumented fields, a scope for a field that was added with it, and a field about pages
   * which no longer exist.
   */
  const DECIDED = [
    "POST /handset/v1/devices body.platform: it is newly limited to a list of values",
    "POST /api/v1/pushers/{id}/alerts/{alertId}/duplicate: duplicate_alert newly needs the scope alerts:send",
    // It was there where a search ended early, which none does any more.
    "GET /api/v1/core/alerts 200 (object).meta: field looked_to was removed",
    "GET /api/v1/pushers/{id}/alerts 200 (object).meta: field looked_to was removed",
  ];
  const versions = readCommittedApiVersions();
  if (versions.reason) console.log(`openapi: nothing to compare with, since ${versions.reason}`);
  test.each([...versions.versions])("since %s", (_ref, before) => {
    expect(findBreakingChanges(before, document).filter((change) => !DECIDED.includes(change))).toEqual([]);
  });

  const PATCH = "/api/v1/pushers/{id}/alerts/{alertId}";
  const schemas = (changed: Json) => changed.components.schemas;
  const changes: [string, (changed: Json) => void, string | null][] = [
    ["nothing", () => {}, null],
    ["a path removed", (d) => delete d.paths["/api/v1/me"], "GET /api/v1/me: the path was removed"],
    ["an operation removed", (d) => delete d.paths[PATCH].delete, `DELETE ${PATCH}: the operation was removed`],
    ["an event removed", (d) => delete d.webhooks["alert.sent"], "event alert.sent: it was removed"],
    [
      "an operation renamed",
      (d) => {
        d.paths["/api/v1/me"].get.operationId = "whoami";
      },
      "GET /api/v1/me: operationId get_me became whoami",
    ],
    [
      "a parameter removed",
      (d) => {
        const { get } = d.paths["/api/v1/pushers/{id}/alerts"];
        get.parameters = get.parameters.filter(({ name }: Json) => name !== "status");
      },
      "GET /api/v1/pushers/{id}/alerts: query parameter status was removed",
    ],
    [
      "a parameter newly required",
      (d) => {
        d.paths["/api/v1/me"].get.parameters = [{ name: "q", in: "query", required: true, schema: { type: "string" } }];
      },
      "GET /api/v1/me: query parameter q is newly required",
    ],
    [
      "an optional parameter added",
      (d) => d.paths["/api/v1/me"].get.parameters.push({ name: "q", in: "query", schema: { type: "string" } }),
      null,
    ],
    [
      "a request field removed",
      (d) => delete schemas(d).CreateAlertRequest.properties.sound,
      "POST /api/v1/pushers/{id}/alerts body: field sound was removed",
    ],
    [
      "a request field retyped",
      (d) => {
        schemas(d).CreateAlertRequest.properties.requires_ack.type = "string";
      },
      "POST /api/v1/pushers/{id}/alerts body.requires_ack: retyped from boolean to string",
    ],
    [
      "a request field newly required",
      (d) => schemas(d).CreateAlertRequest.required.push("body"),
      "POST /api/v1/pushers/{id}/alerts body: field body is newly required",
    ],
    [
      "a request field no longer required",
      (d) => {
        schemas(d).CreateAlertRequest.required = [];
      },
      null,
    ],
    [
      "a request enum value removed",
      (d) => schemas(d).CreatePusherRequest.properties.category.enum.pop(),
      "POST /api/v1/pushers body.category: value community was removed",
    ],
    ["an enum value added", (d) => schemas(d).CreatePusherRequest.properties.category.enum.push("ferries"), null],
    [
      "a bound tightened",
      (d) => {
        schemas(d).CreateAlertRequest.properties.title.maxLength = 60;
      },
      "POST /api/v1/pushers/{id}/alerts body.title: maxLength is tighter",
    ],
    [
      "a bound loosened",
      (d) => {
        schemas(d).CreateAlertRequest.properties.title.maxLength = 600;
      },
      null,
    ],
    [
      "an action removed",
      (d) => d.paths[PATCH].patch.requestBody.content["application/json"].schema.oneOf.pop(),
      `PATCH ${PATCH} body: the alternative Cancel alert was removed`,
    ],
    [
      "an answer's field removed",
      (d) => delete schemas(d).AlertSummary.properties.sent_at,
      `GET ${PATCH} 200: field sent_at was removed`,
    ],
    [
      "an answer's field renamed",
      (d) => {
        const { properties } = schemas(d).Pusher;
        properties.slug = properties.handle;
        delete properties.handle;
      },
      "POST /api/v1/pushers 201: field handle was removed",
    ],
    [
      "an answer's field made nullable",
      (d) => {
        schemas(d).Pusher.properties.name.type = ["string", "null"];
      },
      "GET /api/v1/pushers 200.data[].name: retyped from string to string|null",
    ],
    [
      "an answer's field that may be missing",
      (d) => schemas(d).Pusher.required.shift(),
      "GET /api/v1/pushers 200.data[]: field id may now be missing",
    ],
    [
      "an answer's field added",
      (d) => {
        schemas(d).Pusher.properties.colour = { type: "string" };
      },
      null,
    ],
    [
      "an error type removed",
      (d) => schemas(d).Error.properties.error.properties.type.enum.shift(),
      "GET /api/v1/me 401.error.type: value invalid_request was removed",
    ],
    [
      "a status removed",
      (d) => delete d.paths["/handset/v1/inbox"].get.responses["304"],
      "GET /handset/v1/inbox: answer 304 was removed",
    ],
    [
      "a scope newly needed",
      (d) => {
        d.paths["/api/v1/me"].get["x-required-scope"] = "stats:read";
      },
      "GET /api/v1/me: get_me newly needs the scope stats:read",
    ],
  ];
  test.each(changes)("%s", (_title, change, expected) => {
    const changed = structuredClone(document);
    change(changed);
    const found = findBreakingChanges(document, changed);
    if (expected === null) expect(found).toEqual([]);
    else expect(found).toContain(expected);
  });
});
