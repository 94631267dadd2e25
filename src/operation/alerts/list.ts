// What the lists of alerts share: their arguments, and a page of rows as the wire shows it.

import { z } from "zod";
import { ALERT_STATUSES } from "../../model/entities/alert.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import type { Context } from "../../store/context.ts";
import type { AlertRecord } from "../../store/queries/alert_columns.ts";
import { type alertList, showAlert } from "../../store/shapes/alert.ts";
import { before, DEFAULT_LIMIT, limit } from "../../store/shapes/fields.ts";
import { keysetPage } from "../page.ts";
import { settleShown } from "./settle.ts";

export const listInput = {
  status: z.enum(ALERT_STATUSES).optional().describe("All when absent."),
  limit: limit(),
  before: before(),
};

/**
 * `fetch(before, n)` reads the next `n` rows before an instant (null: the newest), ties included. `instantOf` is the one by which
 * they are in order.
 */
export async function listPage(
  input: { limit?: number; before?: string },
  ctx: Context,
  fetch: (before: string | null, n: number) => Promise<AlertRecord[]>,
  instantOf = (row: AlertRecord): string => row.created_at,
): Promise<z.input<typeof alertList>> {
  const { rows, next_before } = await keysetPage(
    input.limit ?? DEFAULT_LIMIT,
    (n) => fetch(input.before ?? null, n),
    instantOf,
  );
  await settleShown(rows, ctx);
  return {
    data: rows.map((row) => showAlert(row, ctx.services.assets)),
    meta: { next_before: next_before && toIsoMicros(next_before) },
  };
}
