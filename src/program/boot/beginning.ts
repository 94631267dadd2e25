// What a start has to say to a person once it serves: what it made, and the page of the one public channel.

import type { Config } from "../../store/config/settings.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import type { Cluster } from "../../store/embedded/cluster.ts";
import { twoPublicChannels } from "../../store/queries/public_pages.ts";
import type { Credentials } from "../../store/secret/credentials.ts";
import { type Example, openExample } from "./first_start.ts";
import type { Logs } from "./log.ts";
import type { Service } from "./service.ts";

/** A service that listens. */
export interface Serving {
  log: Logs["log"];
  cluster: Pick<Cluster, "elsewhere"> | null;
  begin(): Promise<Beginning>;
  close(): Promise<void>;
}

export interface Beginning {
  /** What the first start made, null on every other one. */
  made: Credentials | null;
  example: Example | null;
  /** The address of the one public channel. */
  page: string | null;
}

/** Opens what only a first start opens. */
export async function beginningOf(service: Service, config: Config): Promise<Beginning> {
  const { made } = service;
  const example = made ? await openExample(service, made, config) : null;
  return { made, example, page: await onlyPage(config, service) };
}

/** docs/rules.md#start-names-the-page. Null: there is no public channel, or more than one, or nobody can say. */
async function onlyPage({ publicBase }: Config, { orm }: Service): Promise<string | null> {
  const [only, another] = await run(databaseOf(orm), twoPublicChannels, {}).catch(() => []);
  return only && !another ? `${publicBase}/${only.handle}` : null;
}
