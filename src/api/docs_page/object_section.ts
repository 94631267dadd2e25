// The objects in responses: the fields of each next to a sample, which is a part of the response of an operation.

import { type Html, html } from "../../ui/html.ts";
import {
  buildNestedFieldRows,
  getRefName,
  type OpenApiNode,
  renderExample,
  renderFieldTable,
  renderMarkdown,
  renderSchemaType,
  resolveReference,
} from "./page_components.ts";

const JSON_TYPE = "application/json";

/** The objects in responses, by name. */
export const listComponentSchemas = (document: OpenApiNode): [name: string, schema: OpenApiNode][] =>
  Object.entries(document.components.schemas as OpenApiNode).filter(([name]) => !name.endsWith("Request"));

export function renderObjectsSection(document: OpenApiNode): Html {
  const samples = collectSamples(document);
  return html`<section id="objects">
<h2>Objects</h2>
<p class="lede">The objects in responses. New fields may be added to any of them.</p>
${listComponentSchemas(document).map(
  ([name, schema]) => html`<article id="object-${name}" class="sides">
<div class="about"><h3><a href="#object-${name}">${name}</a></h3>${
    schema.description && renderMarkdown(schema.description)
  }</div>
<div class="samples">${samples.has(name) && renderExample("Sample", samples.get(name))}</div>
<div class="details">${renderObjectFields(schema)}</div>
</article>
`,
)}</section>`;
}

/** The fields of a response; those of the object that it extends are behind a link. */
export const renderObjectFields = (schema: OpenApiNode): Html =>
  html`${schema.allOf && html`<p>All fields of ${renderSchemaType(schema.allOf[0])}, and:</p>`}${renderFieldTable(
    buildNestedFieldRows(schema),
    "answered",
  )}`;

/** For each object the first part of a response's example that it describes. */
function collectSamples(document: OpenApiNode): Map<string, unknown> {
  const samples = new Map<string, unknown>();
  const partsOf = (schema: OpenApiNode): OpenApiNode[] =>
    (schema.allOf ?? [schema]).flatMap((part: OpenApiNode) =>
      part.$ref || part.allOf ? partsOf(resolveReference(part, document)) : [part],
    );
  const fieldsOf = (schema: OpenApiNode): [string, OpenApiNode][] =>
    partsOf(schema).flatMap(({ properties = {} }) => Object.entries(properties as OpenApiNode));

  const visit = (schema: OpenApiNode, value: unknown): void => {
    if (Array.isArray(value)) visit(schema.items, value[0]);
    else if (typeof value === "object" && value !== null) visitObject(schema, value);
  };
  const visitObject = (schema: OpenApiNode, value: object): void => {
    const hasRequired = (branch: OpenApiNode) =>
      partsOf(branch).every(({ required = [] }) => required.every((field: string) => Object.hasOwn(value, field)));
    if (schema.anyOf) visit(schema.anyOf.find(hasRequired) ?? {}, value);
    if (schema.$ref && !samples.has(getRefName(schema.$ref))) samples.set(getRefName(schema.$ref), value);
    const fields = (of: OpenApiNode) =>
      fieldsOf(of).filter(([name]) => Object.hasOwn(value, name)) as [keyof typeof value, OpenApiNode][];
    const [base] = resolveReference(schema, document).allOf ?? [];
    if (base) visit(base, Object.fromEntries(fields(base).map(([name]) => [name, value[name]])));
    for (const [name, inner] of fields(schema)) visit(inner, value[name]);
  };

  for (const path of Object.values(document.paths as OpenApiNode))
    for (const { responses } of Object.values(path as OpenApiNode))
      for (const response of Object.values(responses as OpenApiNode)) {
        const { schema, example, examples = {} } = resolveReference(response, document).content?.[JSON_TYPE] ?? {};
        for (const value of [example, ...Object.values(examples as OpenApiNode).map((one) => one.value)])
          if (schema) visit(schema, value);
      }
  return samples;
}
