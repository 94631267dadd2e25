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
    /(&quot;(?:(?!&quot;)[^\\]|\\.|\\&quot;)*?&quot;)(:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g,
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

/** The fields of an object, those inside of it below it: `actions[].url`. */
export function fieldRows(schema: Json, prefix = ""): FieldRow[] {
  return Object.entries((schema.properties ?? {}) as Json).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.properties ? field : (field.anyOf ?? []).find((branch: Json) => branch.properties);
    const rows: FieldRow[] = [
      { name: path, required: schema.required?.includes(name) ?? false, schema: field },
    ];
    if (inner) rows.push(...fieldRows(inner, `${path}.`));
    if (field.items?.properties) rows.push(...fieldRows(field.items, `${path}[].`));
    return rows;
  });
}

export function fieldTable(rows: FieldRow[]): string {
  if (rows.length === 0) return "";
  const items = rows.map(({ name, required, schema }) => {
    const words = schema.description ? `<p>${inline(schema.description).replaceAll("\n\n", "<br>")}</p>` : "";
    return `<dt><code>${escapeHtml(name).replace(/([.\]])(?=\w)/g, "$1<wbr>")}</code>${required ? "<em>required</em>" : ""}</dt><dd><span class="type">${typeWords(schema)}${bounds(schema)}</span>${values(schema)}${words}</dd>`;
  });
  return `<dl class="fields">${items.join("")}</dl>`;
}

/** A schema's type in words; shared shapes are links. */
export function typeWords(schema: Json): string {
  if (schema.$ref) return `<a href="#shape-${refName(schema.$ref)}">${refName(schema.$ref)}</a>`;
  const options: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(typeWords))].join(" or ");
  if (schema.allOf)
    return schema.allOf
      .map(typeWords)
      .join(" with more fields: ")
      .replace(/ with more fields: object$/, " and more");
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
