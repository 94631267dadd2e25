// What a channel's or an account's `retention_days` leads to, told before it acts (docs/rules.md#retention-told).

import { toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { said } from "../../model/limits.ts";
import type { Caller, Context } from "../../store/context.ts";
import { sight } from "../../store/queries/channels.ts";
import { retentionAhead } from "../../store/queries/retention.ts";

export interface Ahead {
  /** Null: for ever. */
  days: number | null;
  /** When the first go; null where nothing would. */
  begins_at: string | null;
  alerts: number;
  more: boolean;
}

/** Of one channel, or of all that the caller sees and that go by the account's setting. */
export async function aheadOf(
  pusherId: string | null,
  { sql, caller }: Pick<Context<Caller>, "sql" | "caller">,
): Promise<Ahead> {
  const [row] = await sql(retentionAhead, { ...sight(caller), pusher_id: pusherId });
  if (!row || row.days === null) return { days: null, begins_at: null, alerts: 0, more: false };
  return { ...row, begins_at: row.alerts === 0 ? null : toIsoMicrosOrNull(row.begins_at) };
}

/** In a sentence, for answers. */
export function saidAhead({ days, begins_at, alerts, more }: Ahead): string {
  if (days === null) return "Alerts are kept for ever.";
  const first = `Alerts go ${days} days after their end.`;
  if (begins_at === null) return `${first} None is that old yet.`;
  return `${first} From ${begins_at} on these are ${more ? `more than ${said("retention_counted")}` : alerts}, for good; until then another retention_days keeps them.`;
}
