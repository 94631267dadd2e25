// Everything that works on the database, put together: migrations, people, limits, operations, the app. Loaded by
// service.ts while the database starts, since reading this much code takes about as long.

import { createAssets } from "../../effects/assets/files.ts";
import { housekeepingJobs } from "../../effects/housekeeping/jobs.ts";
import { createHousekeeping } from "../../effects/housekeeping/scheduler.ts";
import { fetchDocument } from "../../effects/webhooks/connection.ts";
import { createWebhooks } from "../../effects/webhooks/endpoints.ts";
import { targetRules } from "../../effects/webhooks/target.ts";
import { createHandsetAuthenticator, createSeen } from "../../handset/authenticate.ts";
import { createRender } from "../../handset/channel_events.ts";
import { createChannelTracker } from "../../handset/held/channel_tracker.ts";
import { createConnections } from "../../handset/held/connection.ts";
import { createHold } from "../../handset/held/hold.ts";
import { inboxState } from "../../handset/inbox_page.ts";
import { createPush } from "../../handset/push/push.ts";
import { createReportTaker } from "../../handset/reports.ts";
import { JOINS_PER_REGISTRATION } from "../../handset/room.ts";
import { createSettledInbox, createSettler } from "../../handset/settle.ts";
import { createSharedInbox } from "../../handset/shared_inbox.ts";
import { createAccountLog } from "../../identity/auth/account_log.ts";
import { createAuthorize } from "../../identity/auth/authorize.ts";
import { createClientDocuments } from "../../identity/auth/client_documents.ts";
import { createClients, createStepUps } from "../../identity/auth/clients.ts";
import { createGrants } from "../../identity/auth/grants.ts";
import { createJoining } from "../../identity/auth/joining.ts";
import { createConnectionAuthenticator, createKeyAuthenticator } from "../../identity/auth/keys.ts";
import { createMail, draftMail } from "../../identity/auth/mail.ts";
import { createPeople } from "../../identity/auth/people.ts";
import { resourceUrl } from "../../identity/auth/resource.ts";
import { createOwnSignIn } from "../../identity/auth/second_factor.ts";
import { createSignInLibrary } from "../../identity/auth/sign_in_library.ts";
import { createThrottle } from "../../identity/auth/sign_in_throttle.ts";
import type { DomainEvent } from "../../model/domain/events.ts";
import { createDeviceHash, createInboxTag } from "../../model/domain/keyed_hashes.ts";
import { LIMITS } from "../../model/limits.ts";
import { need } from "../../model/need.ts";
import { createAlertWaits } from "../../operation/alert_waits.ts";
import { createReviewNotice } from "../../operation/alerts/notice.ts";
import { createDispatcher } from "../../operation/dispatch.ts";
import { createForms } from "../../pages/console/forms.ts";
import { openBus } from "../../store/bus/open.ts";
import { createChangeHub } from "../../store/changes/hub.ts";
import { canBeWoken } from "../../store/config/push.ts";
import type { Config } from "../../store/config/settings.ts";
import { migrate } from "../../store/db/migrate.ts";
import { type Orm, openOrm } from "../../store/db/orm.ts";
import { lookAtPooler } from "../../store/db/pooled.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { createTogether } from "../../store/db/together.ts";
import { readInstallation } from "../../store/queries/epoch.ts";
import { createRateLimits, type Windows } from "../../store/rate_limits/limits.ts";
import { createLeases } from "../../store/rate_limits/places.ts";
import { createSeal } from "../../store/secret/seal.ts";
import { createApp } from "./app.ts";
import { confirmSecret, firstStart } from "./first_start.ts";
import { createMetrics } from "./metrics.ts";
import { createIngest, createNtfyListening } from "./ntfy_listen.ts";
import { observe, readyOf } from "./observe.ts";
import { readSendQueues } from "./send_queues.ts";
import type { Opened, ServiceOptions } from "./service_options.ts";
import { confirmEpoch, openStandbys, unreachable } from "./whose_rows.ts";

export { readMigrator } from "../../store/db/migrate.ts";

/** Redis's library is loaded where there is a Redis. Undefined: this process counts by itself. */
async function sharedWindows(
  config: Config,
  log: Opened["log"],
  within: ServiceOptions["within"],
  orm: Orm,
): Promise<Windows | undefined> {
  if (!config.redisUrl) return within?.windows;
  const { redisWindows } = await import("../../store/rate_limits/redis.ts");
  // Another installation on the same server counts by itself.
  const [row] = await run(databaseOf(orm), readInstallation, {});
  const prefix = `belfry:${need(row, "a start writes it").installation}:limit:`;
  return redisWindows({ url: config.redisUrl, waitMs: config.redisTimeoutMs, log, prefix });
}

/** What each part leaves to be ended goes to `closers`, in the order of opening. @throws ConfigError, or what the database said. */
export async function openParts(config: Config, options: ServiceOptions, opened: Opened) {
  const { cluster, space, log, closers } = opened;
  const { within } = options;
  const { isLow, mustHaveRoom } = space;
  const now = options.now ?? (() => new Date());
  const orm = openOrm({ ...config, databaseUrl: opened.url });
  closers.push(() => orm.close(true));
  const look = config.databasePoolerMode === "transaction" ? lookAtPooler(orm, config, log) : Promise.resolve();
  const migrated = await look
    .then(() => migrate(orm))
    .catch((error) => {
      throw config.databaseUrl ? (unreachable(error) ?? error) : error;
    });
  if (migrated.length > 0)
    log.info(
      { last: migrated.at(-1) },
      `Applied ${migrated.length} ${migrated.length === 1 ? "migration" : "migrations"}.`,
    );

  await confirmEpoch(orm, (cluster ?? within?.database)?.folder);
  const replicas = await openStandbys(orm, config, opened);
  const secret = await confirmSecret(orm, config, opened.secret);
  const metrics = createMetrics(within?.metrics);
  const webhooks = createWebhooks({ orm, secret, config, log, metrics, now });
  closers.push(() => webhooks.close());
  const push = await createPush({ orm, secret, config, log, isLow, metrics, now });
  closers.push(() => push.close());
  const limits = createRateLimits({
    shared: await sharedWindows(config, log, within, orm),
    now: options.limitNow,
    note: metrics.limited,
  });
  closers.push(() => limits.close());
  const grants = createGrants(orm);
  const library = createSignInLibrary({ orm, grants, secret, publicUrl: config.publicUrl });
  const throttle = createThrottle({ limits, secret, pause: options.guessPause });
  const { publicUrl } = config;
  const accountLog = createAccountLog({ database: databaseOf(orm), limits, log });
  const people = createPeople({ orm, library, grants, throttle, accountLog, publicUrl, isLow, now, log });
  const joining = createJoining({ orm, library, throttle, accountLog, publicUrl, log });
  const made = await firstStart(orm, config, now(), people.newLink);
  await cluster?.synced;
  const clients = createClients({
    orm,
    library,
    limits,
    resource: resourceUrl(config.publicUrl),
    schemes: config.oauthRedirectSchemes,
    perMinute: config.clientRegistrationsPerMinute,
    now,
  });
  // Not the list of registered webhooks: any visitor can name an address here.
  const rules = targetRules({
    allowHosts: config.clientMetadataAllowHosts,
    dnsServers: config.webhookDnsServers,
  });
  const documents = createClientDocuments({
    orm,
    clients,
    limits,
    schemes: config.oauthRedirectSchemes,
    fetchDocument: (address) => fetchDocument(address, rules),
  });
  const assets = await createAssets({ orm, config, secret, now, note: metrics.stored });
  const publish = (event: DomainEvent) => {
    if (event.listening) webhooks.publish(event);
    push.published(event);
    options.publish?.(event);
  };
  const seen = createSeen(orm, log, isLow);
  const settler = createSettler(orm, log, (settled) => push.cameDue(settled));
  closers.push(() => seen.close());
  const housekeeping = createHousekeeping({
    jobs: housekeepingJobs({
      orm,
      publish,
      now,
      removeExpiredAssets: (max) => assets.removeExpired(max),
      settleSome: (max) => settler.settleSome(max),
      deviceRetentionDays: config.deviceRetentionDays,
      auditRetentionDays: config.auditRetentionDays,
    }),
    fork: () => orm.em.fork(),
    metrics,
    log,
  });
  // One of several is told when it is its turn.
  if (!within) housekeeping.begin();
  closers.push(() => housekeeping.close());
  const inboxTag = createInboxTag(secret);
  const settle = (channels: string[]) => settler.settle(channels);
  const leases = within?.leases ?? createLeases();
  const beatMs = options.beatMs ?? LIMITS.stream_beat_seconds * 1000;
  const hub = createChangeHub({
    orm,
    log,
    // The embedded database is this process's own, unless it is one of several.
    bus: (config.databaseUrl !== null && !options.alone) || within ? await openBus(config, { orm, log }) : null,
  });
  closers.push(() => hub.close());
  const tracker = createChannelTracker({ orm, log, hub, settle, render: createRender(assets) });
  const connections = createConnections({ beatMs, readSendQueues });
  closers.push(async () => connections.close());
  const sharedInbox = createSharedInbox(orm, assets);
  const hold = createHold({
    ...{ orm, log, hub, tracker, connections, leases, metrics, seen, settle },
    max: config.longPollLimit,
    maxPerAddress: config.longPollLimitPerIp,
    tagOf: (state, page) => inboxTag(inboxState(state, page)),
    readPage: (device, asked) => sharedInbox.find(device, asked),
  });
  closers.push(() => hold.close());
  const waits = createAlertWaits({ hub, leases, max: config.longPollLimit });
  closers.push(async () => waits.stop());
  const ready = readyOf(orm, assets);
  const mail = createMail(config, log, metrics.mailed);
  const dispatcher = createDispatcher({
    orm,
    limits,
    mustHaveRoom,
    together: createTogether(databaseOf(orm)),
    idempotencySeal: createSeal(secret, "idempotency"),
    reviewNotice: createReviewNotice(
      mail && ((to, draft) => void Promise.all(to.map((address) => mail(draftMail(address, draft))))),
    ),
    askedSeal: createSeal(secret, "asked reviews"),
    services: {
      publicUrl,
      channelBaseUrl: config.channelBaseUrl,
      takeReports: createReportTaker(orm, (alerts) => hub.changedHere(alerts)),
      settle,
      settledInbox: createSettledInbox(orm, settler),
      sharedInbox,
      deviceHash: createDeviceHash(secret),
      inboxTag,
      webhooks,
      push,
      cameDue: (settled) => push.cameDue(settled),
      untilChanged: (wait) => waits.untilChanged(wait),
      itself: { figures: metrics.text, ready },
      assets,
      signIn: createOwnSignIn({ library, throttle, publicUrl, now }),
    },
    limitMax: {
      "device-registrations": config.deviceRegistrationsPerMinute,
      "joins-of-address": config.deviceRegistrationsPerMinute * JOINS_PER_REGISTRATION,
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
  const listens = {
    ...{ orm, log, hold, hub, tracker, connections, settle, now, channelBaseUrl, assets },
    ...{ authenticateKey, authenticateHandset, beatMs, readSendQueues },
  };
  const listening = createNtfyListening(listens);
  closers.push(async () => listening.stop());
  const app = createApp({
    config,
    dispatcher,
    authenticateKey,
    authenticateConnection: createConnectionAuthenticator({ orm, library, log, isLow, now }),
    library,
    clients,
    stepUps: createStepUps({ orm, isLow }),
    console: {
      people,
      joining,
      authorize: createAuthorize({ orm, library, documents, publicUrl: config.publicUrl }),
      forms: createForms({ secret, publicUrl: config.publicUrl }),
      auditRetentionDays: config.auditRetentionDays,
      mail,
      publicUrl: config.publicUrl,
      ntfyHost: config.ntfyHost,
      now,
    },
    publicPages: {
      db: databaseOf(orm),
      settle,
      assets,
      limits,
      pageViewsPerMinute: config.pageViewsPerMinute,
      publicUrl,
      channelBaseUrl: config.channelBaseUrl,
      silent: !canBeWoken(publicUrl) ? "insecure" : config.webPush ? null : "off",
      now,
    },
    ingest: createIngest({
      ...{ ...listens, isLow, metrics, assets, config, dispatcher, listening },
      authenticate: authenticateKey,
    }),
    authenticateHandset,
    hold,
    waits,
    space,
    ready,
    assets,
    metrics,
    log,
    requests: opened.requests,
  });
  closers.push(() => app.close());
  await observe({ app, orm, replicas, webhooks, push, space, metrics, config, log, closers });
  /** `replicas`: standbys that answer readings; null without DATABASE_READ_URLS. `made`: by the first start, null on every other one. */
  return { app, orm, replicas, dispatcher, assets, people, housekeeping, push, metrics, made };
}
