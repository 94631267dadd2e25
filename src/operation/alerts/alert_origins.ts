// The origin of an alert: the kind of the credential that wrote it, which no text of an author, client or channel sets.

import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { findIntendedKeyPrograms } from "../../store/queries/api_keys.ts";

const BY_KIND: Record<string, string> = { mem: "console", con: "assistant", key: "key" };

/**
 * Returns the origin for each author, an id on the wire or null (rules#alert-via). A sender program's key is shown by
 * its program.
 */
export async function findWriterOrigins(
  writers: readonly (string | null | undefined)[],
  ctx: HandlerContext,
): Promise<(string | null)[]> {
  const ids = new Set(writers.map((writer) => parseIdOrNull("key", writer ?? "")).filter((id) => id !== null));
  const workspace_id = ctx.caller.workspace.id;
  const rows = ids.size === 0 ? [] : await ctx.sql(findIntendedKeyPrograms, { workspace_id, ids: [...ids] });
  const programs = new Map(rows.map(({ id, client_program }) => [id, client_program]));
  return writers.map((writer) => {
    const program = programs.get(parseIdOrNull("key", writer ?? "") ?? "");
    return program === undefined ? (BY_KIND[writer?.slice(0, 3) ?? ""] ?? null) : `ingest:${program}`;
  });
}
