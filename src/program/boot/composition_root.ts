// Everything that works on the database, put together: migrations, people, limits, operations, the app. Loaded by
// service.ts while the database starts, since reading this much code takes about as long.

import { createAssetService } from "../../effects/assets/asset_service.ts";
import { createHousekeepingJobs } from "../../effects/housekeeping/housekeeping_jobs.ts";
import { createHousekeeping } from "../../effects/housekeeping/job_scheduler.ts";
import { createJobSearch } from "../../effects/housekeeping/jobs_with_work.ts";
import { fetchDocument } from "../../effects/webhooks/outbound_connection.ts";
import { parseTargetRules } from "../../effects/webhooks/target_check.ts";
import { createWebhookService } from "../../effects/webhooks/webhook_service.ts";
import { createHandsetAuthenticator, createLastSeenRecorder } from "../../handset/device_authentication.ts";
import { createInboxEtagger, formatInboxState } from "../../handset/inbox_page.ts";
import { createInboxPageCache } from "../../handset/inbox_page_cache.ts";
import { ADDRESS_JOINS_PER_DEVICE_REGISTRATION } from "../../handset/join_limits.ts";
import { createChannelTracker } from "../../handset/live_updates/channel_snapshot_tracker.ts";
import { createLongPolling } from "../../handset/live_updates/long_polling.ts";
import { createStreamConnections } from "../../handset/live_updates/stream_connection.ts";
import { createBatchedDueAlertPublisher, createInboxStateReader } from "../../handset/publish_due_alerts.ts";
import { createPushNotificationService } from "../../handset/push/push_notification_service.ts";
import { createHandsetReportRecorder } from "../../handset/report_operations.ts";
import { createEventRenderer } from "../../handset/stream_events.ts";
import { createAccessTokenAuthenticator, createKeyAuthenticator } from "../../identity/auth/bearer_authentication.ts";
import { getMcpResourceUrl } from "../../identity/auth/canonical_resource_indicator.ts";
import { createClientMetadataDocuments } from "../../identity/auth/client_metadata_documents.ts";
import { createDraftReviewMail, createMailer } from "../../identity/auth/mail.ts";
import { createAuthorizeHandler } from "../../identity/auth/oauth_authorize.ts";
import { createOAuthClients, createOAuthScopeStepUps } from "../../identity/auth/oauth_clients.ts";
import { assertDefined } from "../../model/assert.ts";
import { createDevicePseudonymizer } from "../../model/domain/device_pseudonym.ts";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import { LIMITS } from "../../model/limits.ts";
import { createAlertWaits } from "../../operation/alert_waits.ts";
import { createReviewNoticeOperation } from "../../operation/alerts/reviewer_notification.ts";
import { createDispatcher } from "../../operation/dispatcher.ts";
import { createFormProtection } from "../../pages/console/form_submission.ts";
import { openBus } from "../../store/bus/open_bus.ts";
import { createChangeHub } from "../../store/changes/change_hub.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { canPublicUrlReceivePush } from "../../store/config/push_settings.ts";
import { createWriteBatcher } from "../../store/db/batch_concurrent_calls.ts";
import { applyPendingMigrations } from "../../store/db/migrate.ts";
import { createOrm, type Orm } from "../../store/db/orm.ts";
import { checkPoolerSessionSettings } from "../../store/db/pooler_session_settings_check.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import { checkUpgradeSpace } from "../../store/embedded/disk_space.ts";
import { readInstallationId } from "../../store/queries/database_epoch.ts";
import { createInMemoryConcurrencyLeases } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import { createRateLimits, type RateLimitWindows } from "../../store/rate_limits/rate_limits.ts";
import { createEncryption } from "../../store/secret/encryption.ts";
import { createHttpApp } from "./app.ts";
import {
  openConfiguredReplicas,
  rethrowAsConnectionError,
  updateDatabaseEpoch,
} from "./database_epoch_and_replicas.ts";
import { createFirstWorkspace, getVerifiedServerSecret } from "./first_start.ts";
import { createIngestRoutes, createNtfySubscriptions } from "./ingest_routes.ts";
import { createMetrics } from "./metrics.ts";
import { attachMetricsAndTracing, createReadinessCheck } from "./observability.ts";
import { readSocketSendQueues } from "./read_socket_send_queues.ts";
import type { OpenedResources, ServiceOverrides } from "./service_options_and_resources.ts";
import { createSignInServices } from "./sign_in_services.ts";

export { preloadMigrations } from "../../store/db/migrate.ts";

/** Redis's library is loaded where there is a Redis. Undefined: this process counts by itself. */
async function sharedWindows(
  config: Config,
  log: OpenedResources["log"],
  within: ServiceOverrides["primary"],
  orm: Orm,
): Promise<RateLimitWindows | undefined> {
  if (!config.redisUrl) return within?.windows;
  const { createRedisWindows } = await import("../../store/rate_limits/redis_windows.ts");
  // Another installation on the same server counts by itself.
  const [row] = await runStatement(getKysely(orm), readInstallationId, {});
  const prefix = `belfry:${assertDefined(row, "the service stores this row when it starts").installation}:limit:`;
  return createRedisWindows({ url: config.redisUrl, waitMs: config.redisTimeoutMs, log, prefix });
}

/**
 * Creates the parts of the service. Their cleanup functions are added to `closers`, in the order of opening.
 * @throws ConfigError, or the error of the database
 */
export async function composeService(config: Config, options: ServiceOverrides, opened: OpenedResources) {
  const { cluster, space, log, closers } = opened;
  const { primary } = options;
  const isSoleProcess = !primary && (config.databaseUrl === null || options.soleProcess === true);
  const { isLow, assertNotLow } = space;
  const now = options.now ?? (() => new Date());
  const orm = createOrm({ ...config, databaseUrl: opened.url });
  closers.push(() => orm.close(true));
  const folder = (cluster ?? primary?.database)?.folder;
  const beforeUpgrade = async () => {
    if (folder) await checkUpgradeSpace(folder, config.minFreeDiskMb);
    await options.onUpgrade?.();
  };
  const look =
    config.databasePoolerMode === "transaction" ? checkPoolerSessionSettings(orm, config, log) : Promise.resolve();
  const migrated = await look
    .then(() => applyPendingMigrations(orm, { beforeUpgrade }))
    .catch(rethrowAsConnectionError(config));
  if (migrated.length > 0)
    log.info(
      { last: migrated.at(-1) },
      `Applied ${migrated.length} ${migrated.length === 1 ? "migration" : "migrations"}.`,
    );

  await updateDatabaseEpoch(orm, folder).catch(rethrowAsConnectionError(config));
  const replicas = await openConfiguredReplicas(orm, config, opened);
  const secret = await getVerifiedServerSecret(orm, config, opened.secret).catch(rethrowAsConnectionError(config));
  const metrics = createMetrics(primary?.metrics);
  const webhooks = createWebhookService({ orm, secret, config, log, metrics, now });
  closers.push(() => webhooks.close());
  const push = await createPushNotificationService({ orm, secret, config, log, isLow, metrics, now });
  closers.push(() => push.close());
  const limits = createRateLimits({
    shared: await sharedWindows(config, log, primary, orm),
    now: options.limitNow,
    note: metrics.limited,
  });
  closers.push(() => limits.close());
  const { publicUrl } = config;
  const signIn = createSignInServices({ orm, config, limits, secret, isLow, pause: options.guessPause, now, log });
  const { library, people, joining } = signIn;
  const made = await createFirstWorkspace(orm, config, now(), people.newLink);
  await cluster?.synced;
  const clients = createOAuthClients({
    orm,
    library,
    limits,
    resource: getMcpResourceUrl(config.publicUrl),
    schemes: config.oauthRedirectSchemes,
    perMinute: config.clientRegistrationsPerMinute,
    now,
  });
  // Not the list of registered webhooks: any visitor can name an address here.
  const rules = parseTargetRules({ allowHosts: config.clientMetadataAllowHosts, dnsServers: config.webhookDnsServers });
  const documents = createClientMetadataDocuments({
    orm,
    clients,
    limits,
    schemes: config.oauthRedirectSchemes,
    fetchDocument: (address) => fetchDocument(address, rules),
  });
  const assets = await createAssetService({ orm, config, secret, now, note: metrics.stored });
  const publish = (event: DomainEvent) => {
    if (event.listening) webhooks.publish(event);
    push.published(event);
    options.publish?.(event);
  };
  const seen = createLastSeenRecorder(orm, log, isLow);
  const settler = createBatchedDueAlertPublisher(orm, log, (settled) => push.cameDue(settled));
  closers.push(() => seen.close());
  const housekeeping = createHousekeeping({
    jobs: createHousekeepingJobs({
      orm,
      publish,
      now,
      removeExpiredAssets: (max) => assets.removeExpired(max),
      publishDueBatch: (max) => settler.publishDueBatch(max),
      deviceRetentionDays: config.deviceRetentionDays,
      auditRetentionDays: config.auditRetentionDays,
    }),
    ...createJobSearch(orm, isSoleProcess),
    fork: () => orm.em.fork(),
    metrics,
    log,
  });
  // With several processes, each is notified of its turn.
  if (!primary) housekeeping.begin();
  closers.push(() => housekeeping.close());
  const inboxTag = createInboxEtagger(secret);
  const publishDue = (channels: string[]) => settler.publishDue(channels);
  const leases = primary?.leases ?? createInMemoryConcurrencyLeases();
  const heartbeatMs = options.heartbeatMs ?? LIMITS.stream_beat_seconds * 1000;
  const hub = createChangeHub({
    orm,
    log,
    // The embedded database is this process's own, unless it is one of several.
    bus: isSoleProcess ? null : await openBus(config, { orm, log }),
  });
  closers.push(() => hub.close());
  const tracker = createChannelTracker({ orm, log, hub, publishDue, render: createEventRenderer(assets) });
  const connections = createStreamConnections({ heartbeatMs, readSendQueues: readSocketSendQueues });
  closers.push(async () => connections.close());
  const inboxPageCache = createInboxPageCache(orm, assets);
  const longPolling = createLongPolling({
    ...{ orm, log, hub, tracker, connections, leases, metrics, seen, publishDue },
    max: config.longPollLimit,
    maxPerAddress: config.longPollLimitPerIp,
    createTag: (state, page) => inboxTag(formatInboxState(state, page)),
    readPage: (device, asked) => inboxPageCache.find(device, asked),
  });
  closers.push(() => longPolling.close());
  const waits = createAlertWaits({ hub, leases, max: config.longPollLimit });
  closers.push(async () => waits.stop());
  const checkReadiness = createReadinessCheck(orm, assets);
  const mail = createMailer(config, log, metrics.mailed);
  const dispatcher = createDispatcher({
    orm,
    limits,
    mustHaveRoom: assertNotLow,
    together: createWriteBatcher(getKysely(orm)),
    idempotencySeal: createEncryption(secret, "idempotency"),
    reviewNotice: createReviewNoticeOperation(
      mail && ((to, draft) => void Promise.all(to.map((address) => mail(createDraftReviewMail(address, draft))))),
    ),
    reviewChallengeSeal: createEncryption(secret, "asked reviews"),
    services: {
      publicUrl,
      channelBaseUrl: config.channelBaseUrl,
      recordReports: createHandsetReportRecorder(orm, (alerts) => hub.changedLocally(alerts)),
      publishDue,
      readInboxState: createInboxStateReader(orm, settler),
      inboxPageCache,
      deviceHash: createDevicePseudonymizer(secret),
      inboxTag,
      webhooks,
      push,
      notifyDue: (settled) => push.cameDue(settled),
      waitForChange: (wait) => waits.untilChanged(wait),
      health: { renderMetrics: metrics.text, checkReadiness },
      assets,
      signIn: signIn.signIn,
    },
    limitMax: {
      "device-registrations": config.deviceRegistrationsPerMinute,
      "joins-of-address": config.deviceRegistrationsPerMinute * ADDRESS_JOINS_PER_DEVICE_REGISTRATION,
      ...options.limitMax,
    },
    metrics,
    publish,
    changed: (surely, perhaps) => hub.changed([...surely, ...perhaps]),
    now,
  });
  const authenticateKey = createKeyAuthenticator(orm, { log, isLow, now });
  const authenticateHandset = createHandsetAuthenticator(orm, seen);
  const { channelBaseUrl } = config;
  const ntfyDeps = {
    ...{ orm, log, longPolling, hub, tracker, connections, publishDue, now, channelBaseUrl, assets },
    ...{ authenticateKey, authenticateHandset, heartbeatMs, readSendQueues: readSocketSendQueues },
  };
  const ntfySubscriptions = createNtfySubscriptions(ntfyDeps);
  closers.push(async () => ntfySubscriptions.stop());
  metrics.watch({ ntfyConnections: ntfySubscriptions.size });
  const app = createHttpApp({
    config,
    dispatcher,
    authenticateKey,
    authenticateConnection: createAccessTokenAuthenticator({ orm, library, log, isLow, now }),
    library,
    clients,
    stepUps: createOAuthScopeStepUps({ orm, isLow }),
    console: {
      people,
      joining,
      authorize: createAuthorizeHandler({ orm, library, documents, publicUrl: config.publicUrl }),
      forms: createFormProtection({ secret, publicUrl: config.publicUrl }),
      auditRetentionDays: config.auditRetentionDays,
      mail,
      publicUrl: config.publicUrl,
      ntfyHost: config.ntfyHost,
      now,
    },
    publicPages: {
      db: getKysely(orm),
      publishDue,
      assets,
      limits,
      pageViewsPerMinute: config.pageViewsPerMinute,
      publicUrl,
      channelBaseUrl: config.channelBaseUrl,
      silent: !canPublicUrlReceivePush(publicUrl) ? "insecure" : config.webPush ? null : "off",
      now,
    },
    ingest: createIngestRoutes({
      ...{ ...ntfyDeps, isLow, metrics, assets, config, dispatcher, subscriptions: ntfySubscriptions },
      authenticate: authenticateKey,
    }),
    authenticateHandset,
    longPolling,
    waits,
    space,
    ready: checkReadiness,
    assets,
    metrics,
    log,
    requests: opened.requests,
  });
  closers.push(() => app.close());
  await attachMetricsAndTracing({ app, orm, replicas, webhooks, push, space, metrics, config, log, closers });
  /**
   * `replicas`: standbys for reads; null without DATABASE_READ_URLS. `made`: by the first start, null on every other
   * one.
   */
  return { app, orm, replicas, dispatcher, assets, people, housekeeping, push, metrics, made };
}
