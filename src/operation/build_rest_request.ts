// The other side of REST: from an operation and its arguments to the request that carries them out. The command line
// and the tests speak to a service through it.

import { ANSWER_ARGUMENT_NAMES, getPathArguments, type OwnerOperation } from "./define_operation.ts";

/** The user agent of our own command line. */
export const CLI_USER_AGENT = "belfry-cli";

export interface BuiltRestRequest {
  method: string;
  /** Path and query, from the root. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * Returns an id as a path segment. A text that is not a possible id (empty, dots, slashes) must not change the path.
 */
const segment = (id: unknown) => (/^[\w-]+$/.test(String(id)) ? String(id) : "-");

/** Arguments as MCP names them → path, query or body, and the idempotency header. */
export function buildRestRequest(
  tool: Pick<OwnerOperation, "http" | "creates">,
  args: Record<string, unknown>,
): BuiltRestRequest {
  const { method, path, when } = tool.http;
  const names = getPathArguments(path);
  let i = 0;
  const filled = path.replace(/\{\w+\}/g, () => segment(args[names[i++] ?? ""]));
  const { idempotency_key, ...rest } = args;
  const fields = Object.entries(tool.creates ? rest : args).filter(([name]) => !names.includes(name));
  const reads = method === "GET" || method === "DELETE";
  const inQuery = fields.filter(([name]) => reads || ANSWER_ARGUMENT_NAMES.includes(name));
  const query = new URLSearchParams(inQuery.map(([name, value]): [string, string] => [name, String(value)])).toString();
  const target = query ? `${filled}?${query}` : filled;
  const headers: Record<string, string> = {};
  if (tool.creates && idempotency_key !== undefined) headers["idempotency-key"] = String(idempotency_key);
  if (reads) return { method, path: target, headers };
  headers["content-type"] = "application/json";
  const body = Object.fromEntries(fields.filter((field) => !inQuery.includes(field)));
  return { method, path: target, headers, body: JSON.stringify({ ...when, ...body }) };
}
