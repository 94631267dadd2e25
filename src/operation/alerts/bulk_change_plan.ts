// The selection of alerts that a call moves or cancels, and plans of dry runs. A plan has the shown alerts with their
// versions and results, stored under a short name for the caller's credential. rules#move-plan

import { randomBytes } from "node:crypto";
import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { conflict, invalidRequest, notFound } from "../../model/api_error.ts";
import { mergeCheckErrors } from "../../model/domain/alert_validation.ts";
import { parseChannelId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import {
  insertBulkChangePlan,
  type RescheduleOrCancelResult,
  readBulkChangePlan,
} from "../../store/queries/bulk_alert_changes.ts";
import { findChannelVisibleToCaller } from "../../store/queries/channels.ts";
import { getChannelScopeSqlParameters } from "../access_checks.ts";

interface BulkChangePlan {
  /** Null cancels. */
  minutes: number | null;
  rows: PlanRow[];
}

interface PlanRow {
  /** Uuid of the alert. */
  id: string;
  /** Its `updated_at`. */
  version: string;
  /** Why it stays as it is; null when it changes. */
  refused: string | null;
}

const CHANGED =
  "An alert in this plan has changed since the dry run, so nothing was done. Repeat the dry run and show the new " +
  "rows to a person.";

const planRow = ({ alert_id, version, refused }: RescheduleOrCancelResult): PlanRow => ({
  id: alert_id,
  version,
  refused,
});

/** Stores what a dry run showed. @returns its name; null where nothing would change. */
export async function storeBulkChangePlan(
  minutes: number | null,
  planned: readonly RescheduleOrCancelResult[],
  ctx: HandlerContext,
): Promise<string | null> {
  if (planned.every(({ refused }) => refused !== null)) return null;
  const name = `pln_${randomBytes(15).toString("base64url")}`;
  const plan: BulkChangePlan = { minutes, rows: planned.map(planRow) };
  await ctx.sql(insertBulkChangePlan, { credential_id: ctx.caller.credential.id, key: name, plan });
  return name;
}

/**
 * Returns the plan of this name.
 * @throws 404 for a plan of another credential or an expired one; 422 if `action` or `by_minutes` differ from the plan
 */
export async function findStoredBulkChangePlan(
  name: string,
  { action, by_minutes }: { action?: "move" | "cancel" | undefined; by_minutes?: number | undefined },
  ctx: HandlerContext,
): Promise<BulkChangePlan> {
  const asked = { credential_id: ctx.caller.credential.id, key: name, hours: LIMITS.idempotency_hours };
  const [found] = await ctx.sql(readBulkChangePlan, asked);
  if (!found) throw notFound("plan");
  const { minutes } = found.plan;
  const misplaced = [
    ...(action !== undefined && (action === "move") !== (minutes !== null) ? ["action"] : []),
    ...(by_minutes !== undefined && by_minutes !== minutes ? ["by_minutes"] : []),
  ];
  const problem = mergeCheckErrors(
    ...misplaced.map((name) => invalidRequest("misplaced_field", partOfPlan(name), name)),
  );
  if (problem) throw problem;
  return found.plan;
}

/** @throws 409 where a row is another one than the dry run showed. */
export function requireUnchangedBulkPlan({ rows }: BulkChangePlan, now: readonly RescheduleOrCancelResult[]): void {
  const byId = new Map(now.map((row) => [row.alert_id, planRow(row)]));
  const isSame = ({ id, version, refused }: PlanRow) => {
    const row = byId.get(id);
    return row?.version === version && row.refused === refused;
  };
  if (now.length !== rows.length || !rows.every(isSame)) throw conflict("plan_outdated", CHANGED);
}

const partOfPlan = (name: string) =>
  createApiAndUiText(`${name} is already part of the plan. Omit it.`, "The plan already contains this. Omit it here.");

interface Selection {
  pusher_id: string | null;
  ids: string[] | null;
  from: string | null;
  to: string | null;
}

const selectionOf = ({ rows }: BulkChangePlan): Selection => ({
  pusher_id: null,
  ids: rows.map(({ id }) => id),
  from: null,
  to: null,
});

/**
 * Returns the alerts of a plan, or those that a call names.
 * @throws 404 for a channel that the caller cannot see, or an id that is not an alert's
 */
export async function findAlertsForBulkChange(
  plan: BulkChangePlan | null,
  {
    pusher_id,
    alert_ids,
    from,
    to,
  }: {
    pusher_id?: string | undefined;
    alert_ids?: string[] | undefined;
    from?: string | undefined;
    to?: string | undefined;
  },
  ctx: HandlerContext,
): Promise<Selection> {
  if (plan) return selectionOf(plan);
  const pusherId = pusher_id === undefined ? null : parseChannelId(pusher_id);
  if (pusherId && !(await ctx.sql(findChannelVisibleToCaller, getChannelScopeSqlParameters(pusherId, ctx.caller)))[0])
    throw notFound("channel");
  const ids = alert_ids?.map((id) => {
    const uuid = parseIdOrNull("alr", id);
    if (!uuid) throw notFound("alert");
    return uuid;
  });
  return { pusher_id: pusherId, ids: ids ? [...new Set(ids)] : null, from: from ?? null, to: to ?? null };
}
