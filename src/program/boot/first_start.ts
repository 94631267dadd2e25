// The first start of an empty embedded database: a workspace, its owner, a key and an example channel. The key is
// stored in DATA_DIR/credentials.json (mode 0600) for the command line on this machine. The page of the channel is
// printed with a command that rings it. Also the messages of any start: the created items, and the page of the only
// public channel.

import { existsSync, readFileSync, renameSync } from "node:fs";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { FIRST_OWNER_PLACEHOLDER_EMAIL } from "../../identity/auth/one_time_links.ts";
import { checkOrStoreSecretFingerprint } from "../../identity/auth/server_secret_check.ts";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../../identity/operator/workspaces_members_and_keys.ts";
import { assertDefined } from "../../model/assert.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Workspace } from "../../model/tables/member.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Cluster } from "../../store/embedded/cluster.ts";
import { listTwoPublicChannels } from "../../store/queries/public_pages.ts";
import {
  type FirstCredentials,
  updateServerUrlInCredentials,
  writeFirstCredentials,
} from "../../store/secret/first_credentials_file.ts";
import type { HttpApp } from "./app.ts";
import type { Logs } from "./log.ts";

/**
 * Returns the secret after checking it with the database.
 * @throws ConfigError naming SECRET if the database was used with another one
 */
export async function getVerifiedServerSecret(orm: Orm, config: Config, secret: string): Promise<string> {
  const em = orm.em.fork();
  if (await checkOrStoreSecretFingerprint(em, secret)) return secret;
  const { secret: path, nextSecret } = dataPaths(config.dataDir);
  // A rotation that was interrupted after its commit left the new secret next to the old one.
  if (!config.secret && existsSync(nextSecret)) {
    const next = readFileSync(nextSecret, "utf8").trim();
    if (await checkOrStoreSecretFingerprint(em, next)) {
      renameSync(nextSecret, path);
      return next;
    }
  }
  throw new ConfigError(
    "SECRET",
    `${config.secret ? "" : `in ${path} `}does not match this database, so encrypted values cannot be ` +
      "decrypted. Restore the previous secret; to change it, use belfry secret rotate.",
  );
}

/** Makes the first workspace unless there is one. Null: nothing was made. `newLink` makes a member's one-time link. */
export async function createFirstWorkspace(
  orm: Orm,
  config: Config,
  now: Date,
  newLink: (memberId: string) => Promise<string>,
): Promise<FirstCredentials | null> {
  if (config.databaseUrl) return null;
  const em = orm.em.fork();
  if ((await em.count(Workspace)) > 0) {
    updateServerUrlInCredentials(config);
    return null;
  }
  const made = await em.transactional(async (inside) => {
    const workspace = await createEmptyWorkspace(inside as Em, { name: "My workspace" });
    const member = await addWorkspaceMember(inside as Em, {
      workspace: workspace.id,
      email: FIRST_OWNER_PLACEHOLDER_EMAIL,
      role: "owner",
    });
    const { key } = await createKey(inside as Em, { member: member.id, scopes: "all", name: "first key" }, now);
    const credentials = { url: config.publicUrl, workspace_id: workspace.id, member_id: member.id, key };
    // The file is written before the commit, so any existing key is in the file, even after a crash.
    writeFirstCredentials(config.dataDir, credentials);
    return credentials;
  });
  const link = await newLink(assertDefined(parseIdOrNull("mem", made.member_id), "the id was created as a member id"));
  const credentials = { ...made, console: link };
  writeFirstCredentials(config.dataDir, credentials);
  return credentials;
}

type Em = SqlEntityManager;

const EXAMPLE = {
  handle: "hello-belfry",
  name: "Hello Belfry",
  category: "community",
  description: "This server's first channel. Subscribe to it, then send an alert from the command line.",
  requested_perms: ["notify", "sound", "vibrate"],
};

export interface CreatedExampleChannel {
  id: string;
  page: string;
}

/** The parts of a service that its first start uses. */
interface FirstStartParts {
  app: HttpApp;
  log: Logs["log"];
  orm: Orm;
  /** Null unless this was the first start. */
  made: FirstCredentials | null;
}

/**
 * Creates the example channel. Null if it fails, for example on a full disk; the start continues, and later starts do
 * not repeat it.
 */
async function createExampleChannel(
  { app, log }: Pick<FirstStartParts, "app" | "log">,
  { key }: FirstCredentials,
  { publicUrl, channelBaseUrl }: Pick<Config, "publicUrl" | "channelBaseUrl">,
): Promise<CreatedExampleChannel | null> {
  const response = await app.fetch(
    new Request(`${publicUrl}/api/v1/pushers`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(EXAMPLE),
    }),
  );
  const body = (await response.json()) as { id?: string };
  if (body.id !== undefined) return { id: body.id, page: `${channelBaseUrl}/${EXAMPLE.handle}` };
  log.warn({ status: response.status }, "the example channel for the first start could not be created");
  return null;
}

/** A service that listens. */
export interface RunningService {
  log: Logs["log"];
  cluster: Pick<Cluster, "elsewhere"> | null;
  begin(): Promise<FirstStartResult>;
  close(): Promise<void>;
}

/**
 * Opens what only a first start opens. `made`: by it, null on every other one; `page`: the address of the one public
 * channel.
 */
export async function completeStartWithExampleChannel(service: FirstStartParts, config: Config) {
  const { made } = service;
  const example = made ? await createExampleChannel(service, made, config) : null;
  return { made, example, page: await onlyPage(config, service) };
}

/** rules#start-names-the-page. Null without exactly one public channel, or if the query fails. */
async function onlyPage({ channelBaseUrl }: Config, { orm }: FirstStartParts): Promise<string | null> {
  const [only, another] = await runStatement(getKysely(orm), listTwoPublicChannels, {}).catch(() => []);
  return only && !another ? `${channelBaseUrl}/${only.handle}` : null;
}

export type FirstStartResult = Awaited<ReturnType<typeof completeStartWithExampleChannel>>;
