// `belfry export`: workspaces as lines of JSON, of one instant, while the service goes on. At any time a page of one table is in
// memory, and the reader's pace is ours. What of a row leaves stands in store/queries/carried.ts.

import { IsolationLevel } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { parseId, showId } from "../../model/domain/ids.ts";
import { Workspace } from "../../model/entities/member.ts";
import { notFound } from "../../model/errors.ts";
import { need } from "../../model/need.ts";
import { run } from "../../store/db/statement.ts";
import { CARRIED, type CarriedKind, readSchema } from "../../store/queries/carried.ts";

/** What the first line of a file says of itself; another number, another reading. */
export const FORMAT = 1;

/** An alert may have a megabyte of markup. */
const AT_ONCE = 50;

/** Writes one workspace or all; `write` resolves when there is room for more. @throws 404. */
export async function exportWorkspaces(
  em: SqlEntityManager,
  { workspace, now }: { workspace?: string; now: Date },
  write: (lines: string) => Promise<void>,
) {
  const one = workspace === undefined ? null : parseId("wsp", workspace);
  if (workspace !== undefined && !one) throw notFound("workspace");
  return em.transactional(
    async (inside) => {
      const found = await inside.find(Workspace, one ? { id: one } : {}, { orderBy: { id: "asc" } });
      if (one && found.length === 0) throw notFound("workspace");
      const workspaces = found.map(({ id }) => id);
      const [{ schema }] = [need((await run(inside, readSchema, {}))[0], "a sum has a row")];
      const head = { belfry: "export", format: FORMAT, schema, exported_at: now.toISOString() };
      await write(`${JSON.stringify(head)}\n`);
      const lines: Partial<Record<CarriedKind, number>> = {};
      for (const { kind, first, page } of CARRIED)
        for (let after = first; ; ) {
          const rows = await run(inside, page, { workspaces, after, max: AT_ONCE });
          const last = rows.at(-1);
          if (!last) break;
          lines[kind] = (lines[kind] ?? 0) + rows.length;
          await write(rows.map(({ row }) => `{"kind":"${kind}","row":${row}}\n`).join(""));
          after = last.key;
        }
      await write(`${JSON.stringify({ kind: "end", lines })}\n`);
      return { workspaces: workspaces.map((id) => showId("wsp", id)), lines };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );
}
