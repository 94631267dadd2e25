// What an MCP result carries, and how long it may be: an assistant reads every byte of it. A list that would be too long
// ends early and says so, anything else is answered in its short form, and without the end of a list where that is too long.
// Holds no business word.

import { LIMITS } from "../../model/limits.ts";
import type { Tool } from "../../operation/tool.ts";

/** Bytes of an answer's JSON. It stands in the result twice, as text and as structured content; a client shows one. */
export const MAX_ANSWER = LIMITS.mcp_answer;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type Row = Record<string, unknown>;
type Page = { data: Row[]; meta?: { next_before: string | null } };

/** A body and its JSON. */
export interface Written {
  body: unknown;
  json: string;
}

export const written = (body: unknown): Written => ({ body, json: JSON.stringify(body) });

const fits = ({ json }: Written): boolean => Buffer.byteLength(json) <= MAX_ANSWER;

/** The body as an assistant gets it; `isBrief`: it is the short form already. */
export function fitted(tool: Tool, body: unknown, isBrief: boolean): Written {
  const whole = written(body);
  if (fits(whole)) return whole;
  const page = body as Page;
  const short = tool.pagedBy && Array.isArray(page.data) ? written(endEarly(page, tool.pagedBy)) : whole;
  if (fits(short)) return short;
  const brief = tool.brief && !isBrief ? written(tool.brief.output.parse(tool.brief.of(short.body))) : short;
  return fits(brief) ? brief : written(withoutEnd(brief.body as Row));
}

/** What nothing else makes short enough: its longest list ends where there is no more room, and `left_out` says so. */
function withoutEnd(body: Row): Row {
  const lists = Object.entries(body).filter((field): field is [string, unknown[]] => Array.isArray(field[1]));
  const [longest] = lists.sort(([, a], [, b]) => bytesOf(b) - bytesOf(a));
  if (!longest) return body;
  const [name, list] = longest;
  let room = MAX_ANSWER - bytesOf({ ...body, [name]: [], left_out: { [name]: list.length } });
  const end = list.findIndex((row) => {
    room -= bytesOf(row) + 1;
    return room < 0;
  });
  return end < 0 ? body : { ...body, [name]: list.slice(0, end), left_out: { [name]: list.length - end } };
}

/** As many rows as fit; never between two that share the instant which the next page goes on from, and at least one. */
function endEarly(page: Page, by: string): Page {
  const { data } = page;
  const instantOf = (i: number) => data[i]?.[by] as string;
  let room = MAX_ANSWER - bytesOf({ ...page, data: [], meta: { next_before: instantOf(0) } });
  let end = data.findIndex((row) => {
    room -= bytesOf(row) + 1;
    return room < 0;
  });
  if (end < 0) return page;
  while (end > 0 && instantOf(end) === instantOf(end - 1)) end--;
  if (end === 0) {
    const next = data.findIndex((_, i) => instantOf(i) !== instantOf(0));
    if (next < 0) return page;
    end = next;
  }
  return { ...page, data: data.slice(0, end), meta: { next_before: instantOf(end - 1) } };
}

/** What a call of a tool answers: the REST body, or the envelope of a refusal, with the limits that REST tells in headers. */
export interface ToolAnswer extends Written {
  isError: boolean;
  headers: Record<string, string>;
}

/** The same as a result: the body as structured content and its JSON as text. */
export function toolResult({ body, json, isError, headers }: ToolAnswer) {
  return {
    content: [{ type: "text" as const, text: json }],
    structuredContent: body as Record<string, unknown>,
    ...(isError ? { isError: true } : {}),
    ...(Object.keys(headers).length > 0 ? { _meta: headers } : {}),
  };
}

/** The JSON of a result without `_meta` and the closing brace. */
export function resultFields({ json, isError }: ToolAnswer): string {
  const content = `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
  return isError ? `${content},"isError":true` : content;
}
