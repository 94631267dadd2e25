// The small parts of the page: text, Markdown as far as the document uses it, and schemas as rows that people read.

type Json = Record<string, any>;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: unknown): string =>
  String(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);

export const refName = (ref: string): string => ref.split("/").at(-1)!;

const inline = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");

/** Paragraphs, second-level headings, code blocks, `code` and **strong**. */
export function markdown(text: string, asInline = false): string {
  if (asInline) return inline(text);
  return text
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^## (.+)$/.exec(block);
      if (heading) return `<h2 class="minor">${inline(heading[1]!)}</h2>`;
      const code = /^```\n([\s\S]*?)\n```$/.exec(block);
      if (code)
        return `<figure class="code"><pre tabindex="0"><code>${escapeHtml(code[1])}</code></pre></figure>`;
      return `<p>${inline(block)}</p>`;
    })
    .join("\n");
}

/** JSON in four colours. */
export function json(value: unknown): string {
  return escapeHtml(JSON.stringify(value, null, 2)).replace(
    /(&quot;(?:(?!&quot;)[^\\]|\\.|\\&quot;)*?&quot;)(:)?|(-?\b(?:true|false|null|\d+(?:\.\d+)?))\b/g,
    (_, text: string | undefined, colon: string | undefined, word: string | undefined) => {
      if (word) return `<i class="w">${word}</i>`;
      return colon ? `<i class="k">${text}</i>:` : `<i class="t">${text}</i>`;
    },
  );
}

export interface FieldRow {
  name: string;
  required: boolean;
  schema: Json;
}

/** What an object has of its own, besides the shape that it extends. */
const own = (schema: Json): Json => schema.allOf?.at(-1) ?? schema;

/** The fields of an object, those inside of it below it: `actions[].url`. */
export function fieldRows(schema: Json, prefix = ""): FieldRow[] {
  const { properties = {}, required = [] } = own(schema);
  return Object.entries(properties as Json).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.properties ? field : (field.anyOf ?? []).find((branch: Json) => branch.properties);
    const rows: FieldRow[] = [{ name: path, required: required.includes(name), schema: field }];
    if (inner) rows.push(...fieldRows(inner, `${path}.`));
    if (field.items && own(field.items).properties) rows.push(...fieldRows(field.items, `${path}[].`));
    return rows;
  });
}

/** Of what a caller sends, the fields that must be there are marked; of an answer, those that may be missing. */
export function fieldTable(rows: FieldRow[], side: "sent" | "answered" = "sent"): string {
  if (rows.length === 0) return "";
  const items = rows.map(({ name, required, schema }) => {
    const words = schema.description ? `<p>${inline(schema.description).replaceAll("\n\n", "<br>")}</p>` : "";
    const mark = side === "sent" ? required && "required" : !required && "may be missing";
    return `<dt><code>${escapeHtml(name).replace(/([.\]])(?=\w)/g, "$1<wbr>")}</code>${mark ? `<em>${mark}</em>` : ""}</dt><dd><span class="type">${typeWords(schema)}${bounds(schema)}</span>${values(schema)}${words}</dd>`;
  });
  return `<dl class="fields">${items.join("")}</dl>`;
}

/** A schema's type in words; shared shapes are links. */
export function typeWords(schema: Json): string {
  if (schema.$ref) return `<a href="#shape-${refName(schema.$ref)}">${refName(schema.$ref)}</a>`;
  const options: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(typeWords))].join(" or ");
  if (schema.allOf) return `${typeWords(schema.allOf[0])} and more`;
  const types = [schema.type ?? "any"].flat() as string[];
  return types
    .map((type) => {
      if (type === "array") return `array of ${typeWords(schema.items ?? {})}`;
      if (type === "string" && schema.format) return FORMATS[schema.format] ?? schema.format;
      return escapeHtml(type);
    })
    .join(" or ");
}

const FORMATS: Record<string, string> = { "date-time": "instant", uri: "URL", uuid: "UUID" };

function bounds(outer: Json): string {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = outer;
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low === undefined && high === undefined
      ? []
      : [
          `${low === undefined ? "at most " : low}${high === undefined ? " or more" : low === undefined ? high : ` to ${high}`}${unit}`,
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

function values(schema: Json): string {
  const listed: unknown[] =
    schema.const !== undefined ? [schema.const] : (schema.enum ?? schema.items?.enum ?? []);
  const shown = listed.filter((value) => value !== null).map((value) => `<code>${escapeHtml(value)}</code>`);
  return shown.length > 0 ? `<span class="values">${shown.join(" ")}</span>` : "";
}
