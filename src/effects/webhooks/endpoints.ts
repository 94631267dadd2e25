// Webhooks as the rest of the service sees them: may a URL be registered, a new secret, an event to send out, an endpoint
// to forget. Joins the pure parts of this folder to the rows.

import type { DomainEvent } from "../../model/domain/events.ts";
import { parseId } from "../../model/domain/ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Config } from "../../store/config/settings.ts";
import type { WebhookSupport } from "../../store/context.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, type RowOf, run } from "../../store/db/statement.ts";
import { endpointById, endpointsFor, recordDelivery, recordDropped } from "../../store/queries/webhooks.ts";
import { createSeal } from "../../store/secret/seal.ts";
import type { DeliveryResult } from "./deliver.ts";
import { createDeliveries, type DeliveriesOptions } from "./deliveries.ts";
import { newWebhookSecret } from "./sign.ts";
import { checkTarget, targetRules } from "./target.ts";

/** Those in flight at shutdown are given their time, and a little for the writing down of results. */
const DRAIN_MS = LIMITS.webhook_seconds * 1000 + 500;

export interface Webhooks extends WebhookSupport {
  publish(event: DomainEvent): void;
  pending(): number;
  close(): Promise<void>;
}

export function createWebhooks(options: {
  orm: Orm;
  secret: string;
  config: Pick<Config, "webhookAllowHosts" | "webhookDnsServers">;
  log: DeliveriesOptions["log"];
  metrics: { delivered(result: DeliveryResult): void; webhooksDropped(count: number): void };
  now: () => Date;
}): Webhooks {
  const { orm, config, metrics, now } = options;
  const kysely = databaseOf(orm);
  const seal = createSeal(options.secret, "webhook secrets");
  const rules = targetRules({ allowHosts: config.webhookAllowHosts, dnsServers: config.webhookDnsServers });
  const signing = ({ id, url, secret, previous }: RowOf<typeof endpointById>) => ({
    id,
    url,
    secret: seal.open(secret),
    previousSecret: previous && seal.open(previous),
  });
  const deliveries = createDeliveries({
    rules,
    log: options.log,
    now: () => now().getTime(),
    async endpointsFor({ event, data }, workspaceId) {
      const pusherId = parseId("psh", data.pusher_id);
      const rows = await run(kysely, endpointsFor, { workspace_id: workspaceId, event, pusher_id: pusherId });
      return rows.map(signing);
    },
    async onResult(endpointId, { ok, status, failure = null, durationMs }, attempted) {
      const [row] = await run(kysely, recordDelivery, {
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
      return { enabled: row?.enabled ?? false };
    },
    onDropped: (endpointId, count) => run(kysely, recordDropped, { id: endpointId, count }),
    noteDropped: (count) => metrics.webhooksDropped(count),
    noteDelivered: (result) => metrics.delivered(result),
  });

  return {
    async refusalOf(url) {
      const target = await checkTarget(url, rules);
      return target.ok ? null : target.reason;
    },
    newSecret() {
      const secret = newWebhookSecret();
      return { secret, sealed: seal.seal(secret) };
    },
    deliver(workspaceId, { endpoint_id: id, event_id: eventId, ...delivery }) {
      run(kysely, endpointById, { id }).then(
        ([row]) => row && deliveries.send(signing(row), workspaceId, { ...delivery, eventId }),
        (err) => options.log.error({ err, webhook_id: id }, "a webhook endpoint could not be read"),
      );
    },
    forget: (endpointId) => deliveries.forget(endpointId),
    // The workspace addresses the event; only event, created_at and data are sent.
    publish: ({ workspaceId, ...event }) => deliveries.emit(event, workspaceId),
    pending: () => deliveries.pending(),
    close: () => deliveries.drain(DRAIN_MS),
  };
}
