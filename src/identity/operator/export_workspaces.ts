// `belfry export`: workspaces as lines of JSON, from one snapshot, while the service runs. Rows are streamed in batches
// at the reader's speed. The tables and columns are in export_tables.ts.

import { IsolationLevel } from "@mikro-orm/core";
import { notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Workspace } from "../../model/tables/member.ts";
import type { Orm } from "../../store/db/orm.ts";
import { runStatement } from "../../store/db/statement.ts";
import { runInCopyTransaction } from "./copy_stream.ts";
import { EXPORT_TABLES, type ExportRowKind, readMigrationsFingerprint } from "./export_tables.ts";

/** The format number in the first line of a file. */
export const EXPORT_FORMAT = 1;

const ONE_INSTANT = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };

/** Writes one workspace or all; `write` resolves when there is room for more. @throws 404. */
export async function exportWorkspaces(
  orm: Orm,
  { workspace, now }: { workspace?: string; now: Date },
  write: (lines: string | Uint8Array) => Promise<void>,
) {
  const one = workspace === undefined ? null : parseIdOrNull("wsp", workspace);
  if (workspace !== undefined && !one) throw notFound("workspace");
  return runInCopyTransaction(orm, ONE_INSTANT, async (em, { copyOut }) => {
    const found = await em.find(Workspace, one ? { id: one } : {}, { orderBy: { id: "asc" } });
    if (one && found.length === 0) throw notFound("workspace");
    const workspaces = found.map(({ id }) => id);
    const [{ schema }] = [
      assertDefined((await runStatement(em, readMigrationsFingerprint, {}))[0], "a sum query always returns a row"),
    ];
    const head = { belfry: "export", format: EXPORT_FORMAT, schema, exported_at: now.toISOString() };
    await write(`${JSON.stringify(head)}\n`);
    const lines: Partial<Record<ExportRowKind, number>> = {};
    for (const { kind, linesOf } of EXPORT_TABLES) {
      const count = await copyOut(linesOf(workspaces), "json", async (rows) => {
        for await (const some of rows) await write(some);
      });
      if (count > 0) lines[kind] = count;
    }
    await write(`${JSON.stringify({ kind: "end", lines })}\n`);
    return { workspaces: workspaces.map((id) => formatId("wsp", id)), lines };
  });
}
