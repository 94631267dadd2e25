// The content and size of MCP results, which an assistant reads completely. A field of a row is omitted only if it is
// null, empty, false or 0 (rules#lean-rows). A list that is too long ends early and reports this. Other results use
// their brief form, and lose the end of a list if that is still too long. It contains no domain logic.

import { z } from "zod";
import { LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";

/**
 * The maximum bytes of a result's JSON. The result contains it twice, as text and as structured content; a client shows
 * one.
 */
export const MAX_RESULT_BYTES = LIMITS.mcp_answer;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type Row = Record<string, unknown>;
type Page = { data: Row[]; meta?: { next_before: string | null } };

/** A body and its JSON. */
export const createBodyAndJsonText = (body: unknown) => ({ body, json: JSON.stringify(body) });

type BodyWithJson = ReturnType<typeof createBodyAndJsonText>;

const fits = ({ json }: BodyWithJson): boolean => Buffer.byteLength(json) <= MAX_RESULT_BYTES;

/** The body as an assistant gets it, in the view that it was made in. `args`: the arguments of the call. */
export function limitToolAnswerSize(tool: OwnerOperation, body: unknown, args: Record<string, unknown>): BodyWithJson {
  const { view } = args;
  const short = view === "titles" ? tool.titles : view === "brief" ? tool.brief : undefined;
  const schema = (view === "brief" && short?.output) || tool.output;
  const shorten = (some: unknown, shape = schema) => {
    const lean = removeEmptyFields(shape, some, view === "titles" ? "full" : view) as Page;
    const { row } = short ?? {};
    return row ? { ...lean, data: lean.data.map((each) => row(each, args)) } : lean;
  };
  const serialize = (some: unknown, shape = schema) => createBodyAndJsonText(shorten(some, shape));
  const whole = serialize(body);
  if (fits(whole)) return whole;
  const page = body as Page;
  const rowBytes = (row: Row) => bytesOf(shorten({ data: [row] }).data[0]);
  const pages = tool.pagedBy !== undefined && Array.isArray(page.data);
  const early = pages ? endEarly(page, tool, args, rowBytes) : body;
  const fitting = serialize(early);
  if (fits(fitting)) return fitting;
  const { brief } = tool;
  const last = brief && !short ? serialize(brief.output.parse(brief.of(early)), brief.output) : fitting;
  return fits(last) ? last : createBodyAndJsonText(withoutEnd(last.body as Row));
}

/** Cuts the longest list of a result that is still too long; `left_out` has the number of removed rows. */
function withoutEnd(body: Row): Row {
  const lists = Object.entries(body).filter((field): field is [string, unknown[]] => Array.isArray(field[1]));
  const [longest] = lists.sort(([, a], [, b]) => bytesOf(b) - bytesOf(a));
  if (!longest) return body;
  const [name, list] = longest;
  let room = MAX_RESULT_BYTES - bytesOf({ ...body, [name]: [], left_out: { [name]: list.length } });
  const end = list.findIndex((row) => {
    room -= bytesOf(row) + 1;
    return room < 0;
  });
  return end < 0 ? body : { ...body, [name]: list.slice(0, end), left_out: { [name]: list.length - end } };
}

/**
 * Returns as many rows as fit, at least one. It never ends between two rows with the timestamp of the next page, unless
 * the list has a cursor between them.
 */
function endEarly(
  page: Page,
  { pagedBy = "", placeAfter, input }: OwnerOperation,
  args: Record<string, unknown>,
  rowBytes: (row: Row) => number,
): Page {
  const { data } = page;
  const instantOf = (i: number) => data[i]?.[pagedBy] as string;
  const tied = (i: number) => !placeAfter && instantOf(i) === instantOf(i - 1);
  const placeAt = (end: number) =>
    placeAfter?.(data[end - 1] ?? {}, data[end] ?? {}, input.parse(args)) ?? instantOf(end - 1);
  let room = MAX_RESULT_BYTES - bytesOf({ ...page, data: [], meta: { ...page.meta, next_before: placeAt(1) } });
  let end = data.findIndex((row) => {
    room -= rowBytes(row) + 1;
    return room < 0;
  });
  if (end < 0) return page;
  while (end > 0 && tied(end)) end--;
  if (end === 0) {
    end = data.findIndex((_, i) => i > 0 && !tied(i));
    if (end < 0) return page;
  }
  return { ...page, data: data.slice(0, end), meta: { ...page.meta, next_before: placeAt(end) } };
}

/** The result of a tool call: the REST body, or the error envelope, with the limits that REST has in headers. */
export interface ToolAnswer extends BodyWithJson {
  isError: boolean;
  headers: Record<string, string>;
}

/** The same as a result: the body as structured content and its JSON as text. */
export function createToolResult({ body, json, isError, headers }: ToolAnswer) {
  return {
    content: [{ type: "text" as const, text: json }],
    structuredContent: body as Record<string, unknown>,
    ...(isError ? { isError: true } : {}),
    ...(Object.keys(headers).length > 0 ? { _meta: headers } : {}),
  };
}

/** The JSON of a result without `_meta` and the closing brace. */
export function serializeUnclosedToolResult({ json, isError }: ToolAnswer): string {
  const content = `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
  return isError ? `${content},"isError":true` : content;
}

/** Values that a row may leave out. */
const EMPTY: readonly unknown[] = [null, [], "", false, 0];

/**
 * Returns the omitted value of a field: the first of null, an empty list or text, false and 0 that it accepts.
 * Undefined for a field that is never omitted: an optional one, and one with another default, such as `is_public`.
 */
function nothingOf(field: z.ZodType): unknown {
  const { default: usual = null } = field.meta() ?? {};
  const takes = (value: unknown) => field.safeParse(value).success;
  return takes(undefined) || !EMPTY.includes(usual) ? undefined : EMPTY.find(takes);
}

const known = new WeakMap<z.ZodObject, Map<string, unknown>>();

function nothings(schema: z.ZodObject): Map<string, unknown> {
  const made =
    known.get(schema) ??
    new Map(Object.entries(schema.shape).map(([name, field]) => [name, nothingOf(field as z.ZodType)]));
  known.set(schema, made);
  return made;
}

const saysNothing = (value: unknown, nothing: unknown): boolean =>
  Array.isArray(nothing) ? Array.isArray(value) && value.length === 0 : value === nothing;

/** Removes the empty fields of a value and its rows. */
function leanBy(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return leanBy(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((row) => leanBy(schema.element as z.ZodType, row));
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const without = nothings(schema);
  const said = Object.entries(value).filter(([name, field]) => !saysNothing(field, without.get(name)));
  return Object.fromEntries(said.map(([name, field]) => [name, leanBy(schema.shape[name], field)]));
}

/** Formats a result for an assistant: rows of a list omit empty fields, and so does an alert in the brief view. */
function removeEmptyFields(schema: z.ZodType, body: unknown, view: unknown): unknown {
  if (view === "full" || !(schema instanceof z.ZodObject)) return body;
  const { data } = schema.shape as Record<string, z.ZodType | undefined>;
  if (data) return { ...(body as Row), data: leanBy(data, (body as Row).data) };
  return view === "brief" ? leanBy(schema, body) : body;
}
