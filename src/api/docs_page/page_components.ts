// The small parts of the page: text, Markdown as far as the document uses it, and schemas as rows that people read.

import { type Html, type HtmlContent, html } from "../../ui/html.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, read by the names that its standard gives
export type OpenApiNode = Record<string, any>;

export const getRefName = (ref: string): string => ref.replace(/.*\//, "");

const joined = (parts: readonly HtmlContent[], between: HtmlContent): HtmlContent =>
  parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));

/** `code` and **strong**. Matches are at the odd positions of the split text. */
export const renderInlineMarkdown = (text: string): HtmlContent =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    if (i % 2 === 0) return part;
    return part.startsWith("`")
      ? html`<code>${part.slice(1, -1)}</code>`
      : html`<strong>${renderInlineMarkdown(part.slice(2, -2))}</strong>`;
  });

const renderCodeFigure = (head: HtmlContent, code: HtmlContent): Html =>
  html`<figure class="code">${head && html`<figcaption>${head}</figcaption>`}<pre
    tabindex="0"><code>${code}</code></pre></figure>`;

/** Paragraphs, second-level headings, code blocks, and inline markup. */
export const renderMarkdown = (text: string): HtmlContent =>
  text.split(/\n{2,}/).map((block) => {
    const heading = /^## (.+)$/.exec(block);
    if (heading) return html`<h2 class="minor">${renderInlineMarkdown(heading[1] ?? "")}</h2>`;
    const code = /^```\n([\s\S]*?)\n```$/.exec(block);
    return code ? renderCodeFigure(null, code[1]) : html`<p>${renderInlineMarkdown(block)}</p>`;
  });

/** The purpose of an operation, and below it the conditions of access and rate limits. */
export const renderDescription = (text: string): HtmlContent =>
  text
    .split(/ (?=Scope `)|\n{2,}/)
    .map((part) =>
      part.startsWith("Scope `") ? html`<p class="hint">${renderInlineMarkdown(part)}</p>` : renderMarkdown(part),
    );

/** JSON in four colours. */
const renderJson = (value: unknown): HtmlContent =>
  JSON.stringify(value, null, 2)
    .split(/("(?:[^"\\]|\\.)*"(?::)?|-?\b(?:true|false|null|\d+(?:\.\d+)?)\b)/)
    .map((part, i) => {
      if (i % 2 === 0) return part;
      if (!part.startsWith('"')) return html`<i class="w">${part}</i>`;
      return part.endsWith(":") ? html`<i class="k">${part.slice(0, -1)}</i>:` : html`<i class="t">${part}</i>`;
    });

export const renderExample = (title: string, example: unknown): Html =>
  renderCodeFigure(html`<span>${title}</span>`, renderJson(example));

interface FieldRow {
  name: string;
  required: boolean;
  schema: OpenApiNode;
  /** The fields of an object, or of the objects in an array. */
  inside?: FieldRow[];
}

const own = (schema: OpenApiNode): OpenApiNode => schema.allOf?.at(-1) ?? schema;

export function buildNestedFieldRows(schema: OpenApiNode): FieldRow[] {
  const { properties = {}, required = [] } = own(schema);
  return Object.entries(properties as OpenApiNode).map(([name, field]) => {
    const parts: OpenApiNode[] = [field, ...(field.anyOf ?? []), own(field.items ?? {})];
    const object = parts.find((part) => part.properties);
    return { name, required: required.includes(name), schema: field, inside: object && buildNestedFieldRows(object) };
  });
}

/**
 * The name of each field with its type and limits, and below it its description and values. Fields that a caller must
 * send come first, and are marked; in a response, those that may be missing.
 */
export function renderFieldTable(rows: FieldRow[], side: "sent" | "answered" = "sent"): HtmlContent {
  if (rows.length === 0) return null;
  const isMarked = ({ required }: FieldRow) => required === (side === "sent");
  const ordered = side === "sent" ? [...rows].sort((a, b) => Number(b.required) - Number(a.required)) : rows;
  const items = ordered.map((row) => {
    const { name, schema, inside = [] } = row;
    const paragraphs: string[] = schema.description?.split("\n\n") ?? [];
    const mark = side === "sent" ? html`<em>required</em>` : html`<small>may be missing</small>`;
    const type = joined([renderSchemaType(schema), ...listLimits(schema)], ", ");
    return html`<dt><code>${joined(name.split(/(?<=_)(?=\w)/), html`<wbr>`)}</code><span
      class="type">${type}</span>${isMarked(row) && mark}</dt><dd>${paragraphs.map(
        (text) => html`<p>${renderInlineMarkdown(text)}</p>`,
      )}${values(schema)}</dd>${
        inside.length > 0 &&
        html`<dd class="inside"><details class="more"><summary>Fields of
          <code>${name}</code></summary>${renderFieldTable(inside, side)}</details></dd>`
      }`;
  });
  return html`<dl class="fields">${items}</dl>`;
}

/** The parameters of a request that are in this part of it. */
export function renderParameterTable(place: string, parameters: OpenApiNode[]): HtmlContent {
  if (parameters.length === 0) return null;
  const title = { path: "Path parameters", query: "Query parameters", header: "Headers" }[place] ?? place;
  const rows = parameters.map(({ name, required = false, description, schema }) => ({
    name,
    required,
    schema: { ...schema, description },
  }));
  return html`<h4>${title}</h4>${renderFieldTable(rows)}`;
}

/** A schema's type as text; shared objects are links. */
export function renderSchemaType(schema: OpenApiNode): HtmlContent {
  if (schema.$ref) return html`<a href="#object-${getRefName(schema.$ref)}">${getRefName(schema.$ref)}</a>`;
  const options: OpenApiNode[] | undefined = schema.anyOf ?? schema.oneOf;
  if (options) {
    const words = options.map((option) => html`${renderSchemaType(option)}`);
    return joined([...new Map(words.map((word) => [String(word), word])).values()], " or ");
  }
  if (schema.allOf) return [renderSchemaType(schema.allOf[0]), " and more"];
  const types = [schema.type ?? "any"].flat() as string[];
  return joined(
    types.map((type) => {
      if (type === "array") return ["array of ", renderSchemaType(schema.items ?? {})];
      if (type === "string" && schema.format) return FORMATS[schema.format] ?? schema.format;
      return type;
    }),
    " or ",
  );
}

const FORMATS: Record<string, string> = { "date-time": "timestamp", uri: "URL", uuid: "UUID" };

const rangeText = (low: number | undefined, high: number | undefined, unit = ""): string[] => {
  if (low === undefined) return high === undefined ? [] : [`at most ${high.toLocaleString("en")}${unit}`];
  return [`${low.toLocaleString("en")} ${high === undefined ? "or more" : `to ${high.toLocaleString("en")}`}${unit}`];
};

function listLimits(schema: OpenApiNode): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = schema;
  return [
    ...rangeText(minLength, maxLength, " characters"),
    ...rangeText(minItems, maxItems, " entries"),
    ...(exclusiveMinimum === undefined
      ? rangeText(minimum, maximum)
      : [`above ${exclusiveMinimum}`, ...rangeText(undefined, maximum)]),
  ];
}

function values(schema: OpenApiNode): HtmlContent {
  const listed: unknown[] = schema.const !== undefined ? [schema.const] : (schema.enum ?? schema.items?.enum ?? []);
  const shown = listed.filter((value) => value !== null).map((value) => html`<code>${String(value)}</code>`);
  return shown.length > 0 && html`<p class="values">${joined(shown, " ")}</p>`;
}

/** The node that a reference of the document points to; any other node itself. */
export function resolveReference(node: OpenApiNode, document: OpenApiNode): OpenApiNode {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((at: OpenApiNode, key: string) => at[key], document);
}

/** The example of a body or a response; of several, the first. */
export const getExample = (content: OpenApiNode | undefined): unknown =>
  content?.example ?? (Object.values(content?.examples ?? {})[0] as OpenApiNode | undefined)?.value;

/** Names for people; those of the document are the specification's. */
const GROUP_NAMES: Record<string, string> = { Pushers: "Channels", Handset: "Devices" };

export const getGroupTitle = ({ name }: OpenApiNode): string => GROUP_NAMES[name] ?? name;
