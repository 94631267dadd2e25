// The small parts of the page: text, Markdown as far as the document uses it, and schemas as rows that people read.

import { type Html, type HtmlContent, html } from "../../ui/html.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, read by the names that its standard gives
export type OpenApiDocumentJson = Record<string, any>;

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

export const renderCodeFigure = (head: HtmlContent, code: HtmlContent): Html =>
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

/** JSON in four colours. */
export const renderJson = (value: unknown): HtmlContent =>
  JSON.stringify(value, null, 2)
    .split(/("(?:[^"\\]|\\.)*"(?::)?|-?\b(?:true|false|null|\d+(?:\.\d+)?)\b)/)
    .map((part, i) => {
      if (i % 2 === 0) return part;
      if (!part.startsWith('"')) return html`<i class="w">${part}</i>`;
      return part.endsWith(":") ? html`<i class="k">${part.slice(0, -1)}</i>:` : html`<i class="t">${part}</i>`;
    });

export interface FieldRow {
  name: string;
  required: boolean;
  schema: OpenApiDocumentJson;
}

const own = (schema: OpenApiDocumentJson): OpenApiDocumentJson => schema.allOf?.at(-1) ?? schema;

/** The fields of an object, those inside of it below it: `actions[].url`. */
export function listFieldRows(schema: OpenApiDocumentJson, prefix = ""): FieldRow[] {
  const { properties = {}, required = [] } = own(schema);
  return Object.entries(properties as OpenApiDocumentJson).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.properties
      ? field
      : (field.anyOf ?? []).find((branch: OpenApiDocumentJson) => branch.properties);
    const rows: FieldRow[] = [{ name: path, required: required.includes(name), schema: field }];
    if (inner) rows.push(...listFieldRows(inner, `${path}.`));
    if (field.items && own(field.items).properties) rows.push(...listFieldRows(field.items, `${path}[].`));
    return rows;
  });
}

/** Fields that a caller must send are marked; in a response, those that may be missing. */
export function renderFieldTable(rows: FieldRow[], side: "sent" | "answered" = "sent"): HtmlContent {
  if (rows.length === 0) return null;
  const items = rows.map(({ name, required, schema }) => {
    const words: string[] = schema.description?.split("\n\n") ?? [];
    const mark = side === "sent" ? required && "required" : !required && "may be missing";
    const breaking = name.split(/(?<=[.\]])(?=\w)/);
    return html`<dt><code>${joined(breaking, html`<wbr>`)}</code>${mark && html`<em>${mark}</em>`}</dt><dd><span
      class="muted">${renderSchemaType(schema)}${bounds(schema)}</span>${values(schema)}${
        words.length > 0 && html`<p>${joined(words.map(renderInlineMarkdown), html`<br>`)}</p>`
      }</dd>`;
  });
  return html`<dl class="fields">${items}</dl>`;
}

/** A schema's type as text; shared shapes are links. */
export function renderSchemaType(schema: OpenApiDocumentJson): HtmlContent {
  if (schema.$ref) return html`<a href="#shape-${getRefName(schema.$ref)}">${getRefName(schema.$ref)}</a>`;
  const options: OpenApiDocumentJson[] | undefined = schema.anyOf ?? schema.oneOf;
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

const FORMATS: Record<string, string> = { "date-time": "instant", uri: "URL", uuid: "UUID" };

function bounds(outer: OpenApiDocumentJson): string {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = outer;
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low === undefined && high === undefined
      ? []
      : [
          `${low === undefined ? "at most " : low}${
            high === undefined ? " or more" : low === undefined ? high : ` to ${high}`
          }${unit}`,
        ];
  const all = [
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " entries"),
    ...(exclusiveMinimum === undefined
      ? range(minimum, maximum, "")
      : [`above ${exclusiveMinimum}, at most ${maximum}`]),
  ];
  return all.length > 0 ? `, ${all.join(", ")}` : "";
}

function values(schema: OpenApiDocumentJson): HtmlContent {
  const listed: unknown[] = schema.const !== undefined ? [schema.const] : (schema.enum ?? schema.items?.enum ?? []);
  const shown = listed.filter((value) => value !== null).map((value) => html`<code>${String(value)}</code>`);
  return shown.length > 0 && html`<span class="values">${joined(shown, " ")}</span>`;
}

/** The node that a reference of the document points to; any other node itself. */
export function resolveReference(node: OpenApiDocumentJson, document: OpenApiDocumentJson): OpenApiDocumentJson {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((at: OpenApiDocumentJson, key: string) => at[key], document);
}

/** The example of a body or a response; of several, the first. */
export const getExample = (content: OpenApiDocumentJson | undefined): unknown =>
  content?.example ?? (Object.values(content?.examples ?? {})[0] as OpenApiDocumentJson | undefined)?.value;

/** Names for people; those of the document are the specification's. */
const GROUP_NAMES: Record<string, string> = { Pushers: "Channels", Handset: "Devices" };

export const getGroupTitle = ({ name }: OpenApiDocumentJson): string => GROUP_NAMES[name] ?? name;
