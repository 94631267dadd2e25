// `belfry doctor`: problems that an operator should fix, each with its solution. It changes nothing. A part that cannot
// be checked is also reported, and the rest is still checked.

import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createAssetStore } from "../../effects/assets/asset_store.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import {
  listMisspelledSettingErrors,
  listUnknownSettings,
  loadSettingsWithProblems,
} from "../../store/config/load_settings.ts";
import { isPrivateContact } from "../../store/config/push_settings.ts";
import { getEmbeddedDatabaseStatus, hasEmbeddedDatabase } from "../../store/embedded/cluster.ts";
import { readCredentials } from "../../store/secret/first_credentials_file.ts";
import { OIDC_CALLBACK_PATH, OidcError } from "../auth/oidc_types.ts";
import { isLoopbackHost } from "../auth/redirect_uris.ts";
import { openBackupStorage, parseBackupTime } from "./backup_storage.ts";
import { checkDatabase, type HealthFindingsReport } from "./database_health_checks.ts";
import { checkFileModes, findBackupFolderProblem } from "./file_permission_checks.ts";
import { createFindingBuilder, getErrorReason, type HealthFinding } from "./health_finding.ts";
import type { OperatorDatabaseSettings } from "./operator_database.ts";
import { checkPublicUrlReachable } from "./public_address_checks.ts";

const addressCheck = createFindingBuilder("address");
const backupsCheck = createFindingBuilder("backups");
const databaseCheck = createFindingBuilder("database");
const diskCheck = createFindingBuilder("disk");
const pushCheck = createFindingBuilder("push");
const secretCheck = createFindingBuilder("secret");
const settingsCheck = createFindingBuilder("settings");

/** @param where what reaches the database; null when its settings are wrong */
export async function runHealthChecks(
  where: OperatorDatabaseSettings | null,
  now: () => Date,
): Promise<HealthFindingsReport> {
  const { config, wrong: bad } = loadSettingsWithProblems();
  const wrong = [...listMisspelledSettingErrors(), ...bad];
  const findings = [
    ...settingFindings(wrong),
    ...fileFindings(config),
    ...(await diskFindings(config)),
    ...addressFindings(config),
    ...pushFindings(config),
  ];
  const database = where && (await checkDatabase(where, config, now));
  findings.push(
    ...(database?.findings ?? [
      databaseCheck.skipped("not checked, because the settings are not valid", "fix the settings first"),
    ]),
    ...(await checkPublicUrlReachable(config.publicUrl)),
    await answers("redis", config.redisUrl, "REDIS_URL", askRedis),
    await answers("files", config.assetsS3Endpoint, "ASSETS_S3_ENDPOINT", () => askFiles(config)),
    await answers("mail", config.smtpUrl, "SMTP_URL", async (url) => {
      const { verifyMailServer } = await import("../auth/mail.ts");
      await verifyMailServer(url);
    }),
    await oidcFinding(config),
    await backupFinding(config, now()),
  );
  return { findings, checks: database?.checks ?? [] };
}

function settingFindings(wrong: string[]): HealthFinding[] {
  return [
    ...(wrong.length === 0 ? [settingsCheck.ok("all settings are valid")] : []),
    ...wrong.map((message) => settingsCheck.wrong(message, "the service will not start until this is fixed")),
    ...listUnknownSettings()
      .filter((name) => !wrong.some((message) => message.includes(`${name} is`)))
      .map((name) =>
        settingsCheck.warning(
          `${name} is set but not used by this version`,
          "check the name in docs/reference/settings.md, or remove it",
        ),
      ),
  ];
}

/** The modes and the owner of files, and a secret that is missing. */
function fileFindings({ dataDir, databaseUrl, secret }: Partial<Config>): HealthFinding[] {
  if (dataDir === undefined || !existsSync(dataDir)) return [];
  const paths = dataPaths(dataDir);
  const found = checkFileModes(dataDir);
  const missing = databaseUrl === null && secret === null && hasDatabaseQuietly(dataDir) && !existsSync(paths.secret);
  if (missing)
    found.push(
      secretCheck.wrong(
        `${paths.secret} is missing, and this database requires it`,
        "restore it from a backup, or set SECRET to its value",
      ),
    );
  return found;
}

function hasDatabaseQuietly(dataDir: string): boolean {
  try {
    return hasEmbeddedDatabase(dataDir);
  } catch {
    return false;
  }
}

async function diskFindings({ dataDir, databaseUrl, minFreeDiskMb = 0 }: Partial<Config>): Promise<HealthFinding[]> {
  if (databaseUrl !== null || dataDir === undefined || !hasDatabaseQuietly(dataDir)) return [];
  const { folder } = getEmbeddedDatabaseStatus(dataDir);
  const { bavail, bsize } = await statfs(folder);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  const says = `${free} MB is free on the disk that contains ${folder}`;
  const way = `free disk space, or move DATA_DIR; below MIN_FREE_DISK_MB=${minFreeDiskMb} writes are refused`;
  if (free < minFreeDiskMb) return [diskCheck.wrong(says, way)];
  return [free < 3 * minFreeDiskMb ? diskCheck.warning(says, way) : diskCheck.ok(says)];
}

function addressFindings(config: Partial<Config>): HealthFinding[] {
  const { publicUrl, host, trustedProxies = [], databaseUrl, dataDir } = config;
  if (publicUrl === undefined || host === undefined) return [];
  const ofService = databaseUrl === null && dataDir ? readCredentials(dataDir)?.url : undefined;
  if (ofService !== undefined && ofService !== publicUrl)
    return [
      addressCheck.warning(
        `the service was last started with PUBLIC_URL=${ofService}, but this command uses ${publicUrl}`,
        "run belfry doctor with the service's settings",
      ),
    ];
  const { protocol, hostname } = new URL(publicUrl);
  const here = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  if (protocol === "http:" && !here)
    return [
      addressCheck.warning(
        "PUBLIC_URL is plain http: passwords and keys are not encrypted, and browsers do not allow passkeys or push " +
          "notifications",
        "terminate TLS at a proxy and set PUBLIC_URL to its https address",
      ),
    ];
  if (protocol === "https:" && trustedProxies.length === 0)
    return [
      addressCheck.warning(
        "PUBLIC_URL is https but no proxy is trusted, so all clients appear to have the proxy's address",
        "set TRUSTED_PROXIES to the address of the proxy that terminates TLS",
      ),
    ];
  return [addressCheck.ok(`clients use ${publicUrl}`)];
}

function pushFindings({ webPushContact }: Partial<Config>): HealthFinding[] {
  if (!webPushContact || !isPrivateContact(webPushContact)) return [];
  return [
    pushCheck.warning(
      "the push contact is a host on a private network, and some push services reject it",
      "set WEB_PUSH_CONTACT to a mailto: address",
    ),
  ];
}

/** A neighbour that is set and answers. */
async function answers(
  check: string,
  value: string | null | undefined,
  setting: string,
  ask: (value: string) => Promise<void>,
): Promise<HealthFinding> {
  if (value == null) return createFindingBuilder(check).skipped(`${setting} is not set`);
  try {
    await ask(value);
    return createFindingBuilder(check).ok("answers");
  } catch (error) {
    return createFindingBuilder(check).wrong(
      `is not responding, or is refusing connections (${getErrorReason(error)})`,
      `check ${setting} and the network`,
    );
  }
}

async function oidcFinding({ oidcIssuer, publicUrl }: Partial<Config>): Promise<HealthFinding> {
  const { ok, warning, wrong, skipped } = createFindingBuilder("oidc");
  if (oidcIssuer == null) return skipped("OIDC_ISSUER is not set");
  try {
    const { verifyOidcIssuer } = await import("../auth/oidc_provider_client.ts");
    await verifyOidcIssuer(oidcIssuer);
  } catch (error) {
    const reason = error instanceof OidcError ? error.detail : getErrorReason(error);
    return wrong(`the provider cannot be used (${reason})`, "check OIDC_ISSUER and the network");
  }
  if (oidcIssuer.startsWith("http:") && !isLoopbackHost(new URL(oidcIssuer).hostname))
    return warning("OIDC_ISSUER uses plain http: anyone on the network can sign in as any user", "use https");
  return ok(`is responding; its redirect URI is ${publicUrl ?? ""}${OIDC_CALLBACK_PATH}`);
}

async function askRedis(url: string): Promise<void> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The library's own error event has no further information.
  redis.on("error", () => {});
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}

/** A request for a missing file shows that the store accepts our credentials. */
async function askFiles(config: Partial<Config>): Promise<void> {
  const store = await createAssetStore(config as Config);
  await store.get("00000000-0000-0000-0000-000000000000");
}

const OLD_MS = 2 * 86_400_000;

async function backupFinding(config: Partial<Config>, now: Date): Promise<HealthFinding> {
  if (config.backupTarget == null)
    return backupsCheck.skipped(
      "BACKUP_TARGET is not set",
      "set it, and run belfry backup every night (docs/how-to/backup.md)",
    );
  try {
    const refused = findBackupFolderProblem(config.backupTarget);
    if (refused) return refused;
    const shelf = await openBackupStorage(config.backupTarget, config as Config);
    for (const name of (await shelf.names()).reverse()) {
      if (!(await shelf.isFinished(name))) continue;
      const age = now.getTime() - (parseBackupTime(name)?.getTime() ?? 0);
      const says = `the newest is ${name}`;
      return age < OLD_MS
        ? backupsCheck.ok(says)
        : backupsCheck.wrong(`${says}, which is more than two days old`, "find out why belfry backup no longer runs");
    }
    return backupsCheck.wrong(
      `no backups found in ${shelf.where}`,
      "run belfry backup now, and schedule it to run every night",
    );
  } catch (error) {
    return backupsCheck.wrong(
      `cannot be read (${getErrorReason(error)})`,
      "check BACKUP_TARGET and the BACKUP_S3_* settings",
    );
  }
}
