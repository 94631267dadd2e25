// Opens everything that the service stands on, in order, and closes it in reverse: lock, secret, database, migrations,
// limits, app. `main.ts` puts a socket in front of it; tests, demo and bench use it as it is.

import { type DestinationStream, pino } from "pino";
import { type App, createApp } from "./app.ts";
import { type Assets, createAssets } from "./assets/surroundings.ts";
import { createAuthorize } from "./auth/authorize.ts";
import { createClientDocuments } from "./auth/client_documents.ts";
import { createClients } from "./auth/clients.ts";
import { type Connections, createConnections } from "./auth/connections.ts";
import { createGrants } from "./auth/grants.ts";
import { createJoining } from "./auth/joining.ts";
import { createKeyAuthenticator } from "./auth/keys.ts";
import { createMemberKeys } from "./auth/member_keys.ts";
import { createMembers } from "./auth/members.ts";
import { createPeople, type People } from "./auth/people.ts";
import { createSeal } from "./auth/seal.ts";
import { createBrake } from "./auth/sign_in_brake.ts";
import { createSignInLibrary } from "./auth/sign_in_library.ts";
import { createStepUps } from "./auth/step_up.ts";
import { type Config, ConfigError } from "./config.ts";
import { createForms } from "./console/forms.ts";
import type { Credentials } from "./credentials.ts";
import { isMigrated, migrate, type Orm, openOrm } from "./db/orm.ts";
import { createDispatcher, type Dispatcher } from "./dispatch.ts";
import { createDeviceHash } from "./domain/device_hash.ts";
import type { DomainEvent } from "./domain/events.ts";
import { createInboxTag } from "./domain/inbox_tag.ts";
import { type Cluster, hasDatabase, openCluster } from "./embedded/cluster.ts";
import { holdDataDir } from "./embedded/hold.ts";
import { watchSpace } from "./embedded/space.ts";
import { confirmSecret, firstStart, loadSecret } from "./first_start.ts";
import { createHandsetAuthenticator } from "./handset/authenticate.ts";
import { createReportTaker } from "./handset/reports.ts";
import { createSeen } from "./handset/seen.ts";
import { createHousekeeping, type Housekeeping } from "./housekeeping/keeper.ts";
import { housekeepingSteps } from "./housekeeping/steps.ts";
import { createMail } from "./mail.ts";
import { createMetrics } from "./metrics.ts";
import { createRateLimits } from "./rate_limits.ts";
import { fetchDocument } from "./webhooks/fetch.ts";
import { createWebhooks } from "./webhooks/surroundings.ts";
import { targetRules } from "./webhooks/target.ts";

export interface Service {
  app: App;
  orm: Orm;
  /** The embedded database; null with DATABASE_URL. */
  cluster: Cluster | null;
  dispatcher: Dispatcher;
  assets: Assets;
  people: People;
  connections: Connections;
  housekeeping: Housekeeping;
  /** What the first start made, null on every other one. */
  made: Credentials | null;
  log: ReturnType<typeof createLog>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The only clock of the operations. */
  now?: () => Date;
  /** Ceilings other than the operations' own, by the limit's name: for the bench. */
  limitMax?: Record<string, number>;
  /** The clock of the limits' windows in this process, in milliseconds: for tests, which must not outlive a window. */
  limitNow?: () => number;
  /** Where log lines go; standard error when left out. */
  logTo?: DestinationStream;
  /** Told of every event after its commit, beside the webhooks. */
  publish?: (event: DomainEvent) => void;
}

/** Structured logs on standard error; nothing that is secret is ever handed to it, and the usual places are cut anyway. */
export function createLog(
  config: Pick<Config, "logLevel">,
  to: DestinationStream = pino.destination({ fd: 2, sync: true }),
) {
  return pino(
    {
      level: config.logLevel,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ["*.authorization", "*.token", "*.key", "*.secret", "*.password"], censor: "(cut)" },
      // A database error quotes rows in its detail; the message, the code and the stack are enough.
      serializers: {
        err: (error: Error & { code?: string }) => ({
          type: error.name,
          message: error.message,
          code: error.code,
          stack: error.stack,
        }),
      },
    },
    to,
  );
}

/** Nobody there, no such name, no such database or role, wrong password: the address is to blame, not the service. */
const NO_DATABASE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|28...|3D000|57P03)$/;

/** Says it without the address, which holds a password. */
function unreachable(error: unknown): ConfigError | null {
  for (
    let cause = error as { code?: string; cause?: unknown } | undefined;
    cause;
    cause = cause.cause as typeof cause
  ) {
    const { code } = cause;
    if (code && NO_DATABASE.test(code))
      return new ConfigError("DATABASE_URL", `names no database that can be opened (${code}).`);
  }
  return null;
}

/** @throws ConfigError, DataDirInUse, or what the database said. */
export async function openService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const log = createLog(config, options.logTo);
  const now = options.now ?? (() => new Date());
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    // Before anything is written into a folder that is not ours.
    if (!config.databaseUrl) hasDatabase(config.dataDir);
    if (!config.databaseUrl) closers.push(await holdDataDir(config.dataDir));
    const loaded = loadSecret(config, !config.databaseUrl && hasDatabase(config.dataDir));
    const cluster = config.databaseUrl ? null : await openCluster(config, { log });
    if (cluster) closers.push(() => cluster.close());
    const space = cluster && (await watchSpace(cluster.folder, config.diskReserveMb, log));
    if (space) closers.push(() => space.close());
    const orm = await openOrm({ ...config, databaseUrl: config.databaseUrl ?? cluster!.url });
    closers.push(() => orm.close(true));
    const migrated = await migrate(orm).catch((error) => {
      throw config.databaseUrl ? (unreachable(error) ?? error) : error;
    });
    if (migrated.length > 0) log.info({ migrations: migrated }, "migrated");

    const secret = await confirmSecret(orm, config, loaded);
    const metrics = createMetrics();
    const noteDropped = (count: number) => metrics.webhooksDropped(count);
    const webhooks = createWebhooks({ orm, secret, config, log, noteDropped, now });
    closers.push(() => webhooks.close());
    const limits = createRateLimits({
      redisUrl: config.redisUrl ?? undefined,
      waitMs: config.redisWaitMs,
      log,
    });
    closers.push(() => limits.close());
    const grants = createGrants(orm);
    const library = createSignInLibrary({ orm, grants, secret, publicUrl: config.publicUrl });
    await library.$context;
    const brake = createBrake({ limits, secret });
    const { publicUrl } = config;
    const people = createPeople({ orm, library, grants, brake, publicUrl, now });
    const joining = createJoining({ orm, library, brake, publicUrl, log });
    const made = await firstStart(orm, config, now(), people.newLink);
    await cluster?.synced;
    const clients = createClients({
      orm,
      limits,
      resource: `${config.publicUrl}/mcp`,
      schemes: config.oauthRedirectSchemes,
      perMinute: config.clientRegistrationsPerMinute,
      now,
    });
    const rules = targetRules({
      allowHosts: config.webhookAllowHosts,
      dnsServers: config.webhookDnsServers,
    });
    const documents = createClientDocuments({
      orm,
      clients,
      limits,
      schemes: config.oauthRedirectSchemes,
      fetchDocument: (address) => fetchDocument(address, rules),
    });
    const connections = createConnections({ orm, library, log, now });
    const assets = await createAssets({ orm, config, secret, log, now });
    const publish = (event: DomainEvent) => {
      if (event.listening) webhooks.publish(event);
      options.publish?.(event);
    };
    const seen = createSeen(orm, log);
    closers.push(() => seen.close());
    const housekeeping = createHousekeeping({
      steps: housekeepingSteps({
        orm,
        publish,
        removeExpiredAssets: (max) => assets.removeExpired(max),
        devicesKeptDays: config.devicesKeptDays,
      }),
      fork: () => orm.em.fork(),
      figures: metrics,
      log,
    });
    closers.push(() => housekeeping.close());
    const dispatcher = createDispatcher({
      orm,
      limits,
      hasNoSpace: () => space?.isLow() === true,
      idempotencySeal: createSeal(secret, "idempotency"),
      surroundings: {
        publicBase: config.publicBase,
        takeReports: createReportTaker(orm),
        deviceHash: createDeviceHash(secret),
        inboxTag: createInboxTag(secret),
        webhooks,
        assets,
      },
      limitMax: { "device-registrations": config.deviceRegistrationsPerMinute, ...options.limitMax },
      publish,
      now,
    });
    const app = createApp({
      config,
      dispatcher,
      authenticateKey: createKeyAuthenticator(orm, log, now),
      authenticateConnection: (token) => connections.callerOf(token),
      library,
      clients,
      stepUps: createStepUps({ orm }),
      console: {
        people,
        joining,
        connections,
        authorize: createAuthorize({ orm, library, documents, publicUrl: config.publicUrl }),
        members: createMembers({ orm, publicUrl: config.publicUrl }),
        keys: createMemberKeys({ orm, now }),
        assets,
        forms: createForms({ secret, publicUrl: config.publicUrl }),
        mail: createMail(config, log),
        publicUrl: config.publicUrl,
        now,
      },
      authenticateHandset: createHandsetAuthenticator(orm, seen),
      hasNoSpace: () => space?.isLow() === true,
      ready: async () => {
        await orm.em.fork().execute("select 1");
        if (!(await isMigrated(orm))) throw new Error("migrations are missing");
        return { degraded: assets.store.answers() ? [] : ["files"] };
      },
      assets,
      metrics,
      log,
    });
    closers.push(() => app.close());
    return { app, orm, cluster, dispatcher, assets, people, connections, housekeeping, made, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}
