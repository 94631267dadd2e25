// The references of the rows that `belfry import` reads: each stays inside its workspace, and subscriptions name
// devices of the file.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { runStatement } from "../../store/db/statement.ts";
import { findInvalidImportReferences, type ImportedRowReference } from "../../store/queries/import_reference_checks.ts";
import type { ExportRowKind } from "./export_tables.ts";
import type { ImportRowValues } from "./import_row_rules.ts";

interface Rule extends Pick<ImportedRowReference, "what" | "of"> {
  /** The column that refers, with one id or several. */
  field: string;
  /** The column of the row by which the workspace is known. */
  by: string;
  must?: true;
}

/** Rules for columns whose foreign key does not enforce the workspace. */
const RULES: { [K in ExportRowKind]?: readonly Rule[] } = {
  workspace: [{ field: "review_channel_id", what: "channel", of: "workspace", by: "id" }],
  member: [{ field: "pusher_ids", what: "channel", of: "workspace", by: "workspace_id" }],
  file: [{ field: "member_id", what: "member", of: "workspace", by: "workspace_id", must: true }],
  channel: [{ field: "image_asset_id", what: "image", of: "workspace", by: "workspace_id", must: true }],
  key: [{ field: "pusher_id", what: "channel", of: "member", by: "member_id" }],
  webhook: [
    { field: "member_id", what: "member", of: "workspace", by: "workspace_id", must: true },
    { field: "pusher_id", what: "channel", of: "workspace", by: "workspace_id" },
  ],
  alert: [
    { field: "image_asset_id", what: "image", of: "channel", by: "pusher_id", must: true },
    { field: "audio_asset_id", what: "audio", of: "channel", by: "pusher_id", must: true },
    { field: "html_asset_id", what: "html", of: "channel", by: "pusher_id", must: true },
    { field: "series_id", what: "alert", of: "channel", by: "pusher_id" },
    { field: "review_notice_id", what: "alert", of: "channel", by: "pusher_id" },
  ],
  subscription: [{ field: "invite_id", what: "invite", of: "channel", by: "pusher_id", must: true }],
};

/**
 * The place of the first row that refers to what its workspace does not have, and the column; null where there is
 * none.
 */
export async function findInvalidReference(
  em: SqlEntityManager,
  kind: ExportRowKind,
  rows: readonly ImportRowValues[],
): Promise<{ at: number; field: string } | null> {
  const asked: { at: number; field: string }[] = [];
  const references: ImportedRowReference[] = [];
  for (const { field, by, must = false, what, of } of RULES[kind] ?? [])
    for (const [at, row] of rows.entries())
      for (const id of [row[field] ?? []].flat()) {
        references.push({ at: asked.length, what, id: String(id), of, owner: String(row[by]), must });
        asked.push({ at, field });
      }
  if (references.length === 0) return null;
  const [found] = await runStatement(em, findInvalidImportReferences, { references });
  return found ? (asked[found.at] ?? null) : null;
}

/** Ids in ascending order, eight bytes each: a file may have millions of devices. */
export class SortedIdList {
  #ids = new BigInt64Array(1024);
  #length = 0;

  /** False where the id is not above the last one. */
  add(text: string): boolean {
    const id = BigInt(text);
    if (this.#length > 0 && id <= (this.#ids[this.#length - 1] ?? 0n)) return false;
    if (this.#length === this.#ids.length) {
      const more = new BigInt64Array(2 * this.#length);
      more.set(this.#ids);
      this.#ids = more;
    }
    this.#ids[this.#length++] = id;
    return true;
  }

  has(text: string): boolean {
    const id = BigInt(text);
    let [from, to] = [0, this.#length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#ids[middle] ?? 0n) < id) from = middle + 1;
      else to = middle;
    }
    return from < this.#length && this.#ids[from] === id;
  }
}
