// Dependents of a key that stay active after its revocation, because they belong to the workspace. They are webhook
// endpoints that it registered, and alerts that it scheduled. They are listed at the revocation, which can also delete
// the endpoints.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { z } from "zod";
import { notFound } from "../../model/api_error.ts";
import { canManageMember, getCallerMemberAccess } from "../../model/domain/member_access_rules.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Alert } from "../../model/tables/alert.ts";
import { ApiKey } from "../../model/tables/keys_and_connections.ts";
import { WebhookEndpoint } from "../../model/tables/webhook.ts";
import { type AuditActor, createAuditLinePerActor } from "../../operation/audit_lines.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { MemberCaller } from "../../store/handler_context.ts";
import { insertAdditionalAuditRecord, listAlertsScheduledByActor } from "../../store/queries/audit_and_events.ts";

/** Lines of the log that are looked through for what a key scheduled, the newest. */
const LINES = 1_000;
/** Alerts that are named, the next ones. */
const NAMED = 10;

/** All of the workspace, for any of its managers. */
const ALL = { filters: false } as const;

/** @throws 404 for a key that the caller may not revoke, and for one that was. */
export async function findKeyRevocableByCaller(em: SqlEntityManager, caller: MemberCaller, keyId: string) {
  const id = parseIdOrNull("key", keyId);
  const within = { workspace: caller.workspace.id };
  const key = id && (await em.findOne(ApiKey, { id, revoked_at: null, member: within }, { populate: ["member"] }));
  if (!key) throw notFound("key");
  const { id: memberId, role, pusher_ids = null } = key.member.$;
  if (memberId !== caller.member.id && !canManageMember(getCallerMemberAccess(caller), { role, pusher_ids }))
    throw notFound("key");
  return key;
}

export const apiKeyDependentsSchema = z.object({
  webhooks: z.array(z.object({ id: z.string(), url: z.string() })),
  scheduled_alerts: z
    .array(z.object({ id: z.string(), pusher_id: z.string(), title: z.string() }))
    .describe(`The next ${NAMED}.`),
});

/**
 * @param key the id on the wire
 * @param workspaceId the id of the row
 * @param now alerts before this time have appeared
 */
export async function findApiKeyDependents(
  em: SqlEntityManager,
  workspaceId: string,
  key: string,
  now: Date,
): Promise<z.output<typeof apiKeyDependentsSchema>> {
  const [hooks, lines] = await Promise.all([
    em.find(WebhookEndpoint, { workspace: workspaceId, created_by_id: key }, ALL),
    runStatement(em, listAlertsScheduledByActor, { workspace_id: workspaceId, actor_id: key, lines: LINES }),
  ]);
  const ids = lines.map(({ subject_id }) => parseIdOrNull("alr", subject_id)).filter((id) => id !== null);
  const still = { id: { $in: ids }, status: "scheduled", send_at: { $gt: now.toISOString() } } as const;
  const alerts =
    ids.length === 0 ? [] : await em.find(Alert, still, { ...ALL, orderBy: { send_at: "asc" }, limit: NAMED });
  return {
    webhooks: hooks.map(({ id, url }) => ({ id: formatId("whk", id), url })),
    scheduled_alerts: alerts.map(({ id, pusher, title }) => ({
      id: formatId("alr", id),
      pusher_id: formatId("psh", pusher.id),
      title,
    })),
  };
}

/** Deletes such endpoints, each with its line in the audit log with `actor`; returns the rows' ids. */
export async function deleteAndAuditWebhookEndpoints(
  em: SqlEntityManager,
  webhooks: readonly { id: string }[],
  actor: AuditActor,
): Promise<string[]> {
  for (const { id } of webhooks)
    for (const line of createAuditLinePerActor(actor, "delete_webhook", { webhook_id: id }, {}))
      await runStatement(em, insertAdditionalAuditRecord, line);
  const ids = webhooks.map(({ id }) => parseIdOrNull("whk", id)).filter((id) => id !== null);
  await em.nativeDelete(WebhookEndpoint, { id: { $in: ids } }, ALL);
  return ids;
}
