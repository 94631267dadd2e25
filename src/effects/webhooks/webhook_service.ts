// Webhooks for the rest of the service: checking a URL, a new secret, sending an event, dropping an endpoint. It
// connects the pure modules of this folder with the rows.

import type { DomainEvent } from "../../model/domain/domain_events.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement, type StatementRow } from "../../store/db/statement.ts";
import type { WebhookOperationHelpers } from "../../store/handler_context.ts";
import {
  findWebhookEndpointById,
  findWebhookEndpointsForEvent,
  recordDelivery,
  recordDroppedEvents,
} from "../../store/queries/webhooks.ts";
import { createEncryption } from "../../store/secret/encryption.ts";
import type { DeliveryResult } from "./deliver_webhook_once.ts";
import { createOneAttemptDeliveryQueue, type DeliveryQueueOptions } from "./one_attempt_delivery_queue.ts";
import { createWebhookSecret } from "./payload_signature.ts";
import { parseTargetRules, resolveTargetAtRegistration } from "./target_check.ts";

/** Those in flight at shutdown are given their time, and a little for the writing down of results. */
const DRAIN_MS = LIMITS.webhook_seconds * 1000 + 500;

export interface WebhookService extends WebhookOperationHelpers {
  publish(event: DomainEvent): void;
  pending(): number;
  close(): Promise<void>;
}

export function createWebhookService(options: {
  orm: Orm;
  secret: string;
  config: Pick<Config, "webhookAllowHosts" | "webhookDnsServers">;
  log: DeliveryQueueOptions["log"];
  metrics: { delivered(result: DeliveryResult): void; webhooksDropped(count: number): void };
  now: () => Date;
}): WebhookService {
  const { orm, config, metrics, now } = options;
  const kysely = getKysely(orm);
  const seal = createEncryption(options.secret, "webhook secrets");
  const rules = parseTargetRules({ allowHosts: config.webhookAllowHosts, dnsServers: config.webhookDnsServers });
  const signing = ({ id, url, secret, previous }: StatementRow<typeof findWebhookEndpointById>) => ({
    id,
    url,
    secret: seal.decrypt(secret),
    previousSecret: previous && seal.decrypt(previous),
  });
  const deliveries = createOneAttemptDeliveryQueue({
    rules,
    log: options.log,
    now: () => now().getTime(),
    async endpointsFor({ event, data }, workspaceId) {
      const pusherId = parseIdOrNull("psh", data.pusher_id);
      const rows = await runStatement(kysely, findWebhookEndpointsForEvent, {
        workspace_id: workspaceId,
        event,
        pusher_id: pusherId,
      });
      return rows.map(signing);
    },
    async onResult(endpointId, { ok, status, failure = null, durationMs }, attempted) {
      const [row] = await runStatement(kysely, recordDelivery, {
        id: endpointId,
        ok,
        status,
        delivery_id: attempted.id,
        event_id: attempted.eventId,
        event: attempted.event,
        body: attempted.body,
        failure,
        duration_ms: durationMs,
        kept: LIMITS.deliveries,
        disabling: LIMITS.webhook_failures,
      });
      return { enabled: row?.enabled ?? false, deleted: row === undefined };
    },
    onDropped: (endpointId, count) => runStatement(kysely, recordDroppedEvents, { id: endpointId, count }),
    noteDropped: () => metrics.webhooksDropped(1),
    noteDelivered: (result) => metrics.delivered(result),
  });

  return {
    async checkUrl(url) {
      const target = await resolveTargetAtRegistration(url, rules);
      return target.ok ? null : target.reason;
    },
    newSecret() {
      const secret = createWebhookSecret();
      return { secret, sealed: seal.encrypt(secret) };
    },
    deliver(workspaceId, { endpoint_id: id, event_id: eventId, ...delivery }) {
      runStatement(kysely, findWebhookEndpointById, { id }).then(
        ([row]) => row && deliveries.send(signing(row), workspaceId, { ...delivery, eventId }),
        (err) => options.log.error({ err, webhook_id: id }, "a webhook endpoint could not be read"),
      );
    },
    forget: (endpointId) => deliveries.forget(endpointId),
    forgetEvents: (endpointId) => deliveries.forgetEvents(endpointId),
    // The workspace addresses the event; only event, created_at and data are sent.
    publish: ({ workspaceId, ...event }) => deliveries.emit(event, workspaceId),
    pending: () => deliveries.pending(),
    close: () => deliveries.drain(DRAIN_MS),
  };
}
