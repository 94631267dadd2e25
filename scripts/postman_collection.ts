// The collection of requests for Postman, Bruno and similar programs, made from the OpenAPI document: one request for
// each operation, with the document's examples.

import type { OpenApiJson as Json } from "../src/api/openapi/error_responses.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

const resolve = (document: Json, value: Json): Json =>
  value.$ref
    ? value.$ref
        .slice(2)
        .split("/")
        .reduce((at: Json, key: string) => at[key], document)
    : value;

/** A new value for each request, made by the program. */
const NEW_KEY = "{{$guid}}";

const bearer = (variable: string) => ({
  type: "bearer",
  bearer: [{ key: "token", value: `{{${variable}}}`, type: "string" }],
});

const text = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value ?? ""));

/** The requests of one method of a path: one, or one for each action of its body. */
function requestsOf(document: Json, path: string, method: string, operation: Json): Json[] {
  const parameters: Json[] = (operation.parameters ?? []).map((one: Json) => resolve(document, one));
  const named = (place: string) => parameters.filter((one) => one.in === place);
  const segments = path
    .slice(1)
    .split("/")
    .map((part) => part.replace(/^\{(\w+)\}$/, ":$1"));
  const media: Json = operation.requestBody?.content?.["application/json"] ?? {};
  const variants: Json[] = operation["x-operations"] ?? [{ name: operation.operationId, title: operation.summary }];
  return variants.map(({ name, title }) => {
    const example = media.examples?.[name]?.value ?? media.example;
    const header = [
      ...(example === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
      ...named("header").map((one) => ({
        key: one.name,
        value: one.name === "Idempotency-Key" ? NEW_KEY : text(one.example),
        description: one.description,
        ...(one.name === "Idempotency-Key" ? {} : { disabled: true }),
      })),
    ];
    const query = named("query").map((one) => ({
      key: one.name,
      value: text(one.example),
      description: one.description,
      ...(one.required ? {} : { disabled: true }),
    }));
    const variable = named("path").map((one) => ({
      key: one.name,
      value: text(one.example),
      description: one.description,
    }));
    const device = operation.security?.some((one: Json) => one.deviceToken);
    return {
      name: title,
      request: {
        method: method.toUpperCase(),
        description: name,
        header,
        url: {
          raw: `{{baseUrl}}/${segments.join("/")}`,
          host: ["{{baseUrl}}"],
          path: segments,
          ...(query.length > 0 && { query }),
          ...(variable.length > 0 && { variable }),
        },
        ...(operation.security?.length === 0 && { auth: { type: "noauth" } }),
        ...(device && { auth: bearer("deviceToken") }),
        ...(example !== undefined && {
          body: { mode: "raw", raw: JSON.stringify(example, null, 2), options: { raw: { language: "json" } } },
        }),
      },
      response: [],
    };
  });
}

/** The collection, in folders by the tags of the operations. */
export function createPostmanCollection(document: Json): Json {
  const folders = new Map<string, Json[]>();
  for (const [path, methods] of Object.entries<Json>(document.paths))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const [tag = "Other"] = operation.tags ?? [];
      folders.set(tag, [...(folders.get(tag) ?? []), ...requestsOf(document, path, method, operation)]);
    }
  return {
    info: { name: document.info.title, description: "Generated from /api/v1/openapi.json.", schema: SCHEMA },
    auth: bearer("apiKey"),
    variable: [
      { key: "baseUrl", value: document.servers[0].url },
      { key: "apiKey", value: "" },
      { key: "deviceToken", value: "" },
    ],
    item: [...folders].map(([name, item]) => ({ name, item })),
  };
}
