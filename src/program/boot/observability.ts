// The observability of a service apart from its counters. It has gauges of its state and queues, read on each scrape,
// and traces of its requests if a collector is configured.

import manifest from "../../../package.json" with { type: "json" };
import type { AssetService } from "../../effects/assets/asset_service.ts";
import type { WebhookService } from "../../effects/webhooks/webhook_service.ts";
import type { PushNotificationDispatcher } from "../../handset/push/push_notification_service.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { MigrationsMissingError } from "../../store/db/database_startup_errors.ts";
import { isMigrated } from "../../store/db/migrate.ts";
import { countConnectionsByState, type Orm } from "../../store/db/orm.ts";
import { WRITES_DELAYED_BY_STANDBY_SQL } from "../../store/queries/service_overview.ts";
import type { ReplicaMonitor } from "../../store/replicas/replicas.ts";
import type { HttpApp } from "./app.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenedResources } from "./service_options_and_resources.ts";

interface Observed extends Pick<OpenedResources, "space" | "log" | "closers"> {
  replicas: ReplicaMonitor | null;
  app: HttpApp;
  orm: Orm;
  webhooks: WebhookService;
  push: PushNotificationDispatcher;
  metrics: Metrics;
  config: Config;
}

/** Resolves with other problems when the database responds and every migration is applied; rejects otherwise. */
export const createReadinessCheck = (orm: Orm, assets: AssetService) => async () => {
  const [row] = await orm.em.fork().execute<[{ waits: boolean }]>(`select ${WRITES_DELAYED_BY_STANDBY_SQL} as waits`);
  if (!(await isMigrated(orm))) throw new MigrationsMissingError();
  return { degraded: [...(assets.store.answers() ? [] : ["files"]), ...(row.waits ? ["synchronous_standby"] : [])] };
};

export async function attachMetricsAndTracing(parts: Observed): Promise<void> {
  const { app, orm, replicas, webhooks, push, space, metrics, config, log, closers } = parts;
  metrics.watch({
    build: () => ({ [manifest.version]: 1 }),
    connections: () => countConnectionsByState(orm),
    ...(replicas && { replicas: replicas.states }),
    webhooksPending: webhooks.pending,
    pushPending: push.pending,
    diskLow: () => Number(space.isLow()),
  });
  if (config.otelEndpoint === null) return;
  const { createTracing } = await import("./tracing.ts");
  const tracing = createTracing(config, log);
  closers.push(tracing.close);
  app.fetch = tracing.fetch(app.fetch);
}
