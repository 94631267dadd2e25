// The first start of an empty embedded database: a workspace, its owner and one key, so that the next command works.
// Afterwards the key lies in DATA_DIR/credentials.json (mode 0600) for the command line on the same machine.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { type Config, dataPaths } from "./config.ts";
import type { Orm } from "./db/orm.ts";
import { Workspace } from "./entities/workspace.ts";
import { addMember, createKey, createWorkspace } from "./operator/accounts.ts";

export interface Credentials {
  url: string;
  workspace_id: string;
  member_id: string;
  key: string;
}

/** The server secret: the setting, or the one in the data directory, which is made on the first start. */
export function loadSecret(config: Config): string {
  if (config.secret) return config.secret;
  const path = dataPaths(config.dataDir).secret;
  if (!existsSync(path)) writePrivate(path, `${randomBytes(32).toString("base64url")}\n`);
  return readFileSync(path, "utf8").trim();
}

/** Makes the first workspace unless there is one. Null: nothing was made. */
export async function firstStart(orm: Orm, config: Config, now: Date): Promise<Credentials | null> {
  const em = orm.em.fork() as SqlEntityManager;
  if (config.databaseUrl || (await em.count(Workspace)) > 0) return null;
  const made = await em.transactional(async (inside) => {
    const workspace = await createWorkspace(inside as Em, { name: "My workspace" });
    const member = await addMember(inside as Em, {
      workspace: workspace.id,
      email: "owner@localhost",
      role: "owner",
    });
    const { key } = await createKey(
      inside as Em,
      { member: member.id, scopes: "all", name: "first key" },
      now,
    );
    return { workspace_id: workspace.id, member_id: member.id, key };
  });
  const credentials = { url: config.publicUrl, ...made };
  writePrivate(dataPaths(config.dataDir).credentials, `${JSON.stringify(credentials, null, 2)}\n`);
  return credentials;
}

type Em = SqlEntityManager;

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  // An existing file keeps its old mode otherwise.
  chmodSync(path, 0o600);
}

/** What a person reads on the first start: where to go next, with lines that work as they stand. */
export function welcome({ url, key }: Credentials): string {
  const rule = "─".repeat(72);
  return `${rule}
Belfry is ready, and this is its first start.

  Console     ${url}/console
  MCP         ${url}/mcp
  Your key    ${key}
              shown this once; also in DATA_DIR/credentials.json for the belfry command

Connect an assistant:
  claude mcp add --transport http belfry ${url}/mcp --header "Authorization: Bearer ${key}"

Or open a channel with curl:
  curl -s ${url}/api/v1/pushers -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"handle":"hello-belfry","name":"Hello","category":"community","description":"My first channel"}'
${rule}`;
}
