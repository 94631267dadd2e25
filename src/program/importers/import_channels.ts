// `belfry import-from`: a channel for each topic or application, a key for each publisher, and past messages as alerts
// with their original times. It runs in one transaction. An existing channel of the workspace is left as it is.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { z } from "zod";
import type { SenderAdapter } from "../../api/ingest/adapter.ts";
import { fitAlert } from "../../api/ingest/fit_alert_to_limits.ts";
import { truncateTextAtWord } from "../../api/ingest/message_text.ts";
import { readIngestRequest } from "../../api/ingest/read_ingest_request.ts";
import { runInTransactionOrDryRun } from "../../identity/operator/dry_run_transaction.ts";
import { EXPORT_TABLES, findTakenHandles } from "../../identity/operator/export_tables.ts";
import { indexImportedAlerts } from "../../identity/operator/import_workspaces.ts";
import { writeImportAudit } from "../../identity/operator/operator_audit.ts";
import { createKey, findMemberOrFirstOwner } from "../../identity/operator/workspaces_members_and_keys.ts";
import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { checkAlertContent } from "../../model/domain/alert_validation.ts";
import { RESERVED_HANDLES } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { buildUuid, formatId } from "../../model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { createInsertArgumentSchemas } from "../../model/fields/field_table.ts";
import { INGEST_SOURCE_PROGRAMS } from "../../model/fields/sender_programs.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { PUBLISH_SCOPE } from "../../model/scopes.ts";
import { Channel } from "../../model/tables/channel.ts";
import { mergeAndSanitizeAlert } from "../../operation/alerts/compose_alert.ts";
import { createChannelRow } from "../../operation/channels/find_channel.ts";
import { runStatement } from "../../store/db/statement.ts";
import { writePrivateFile } from "../../store/secret/private_file.ts";
import type { ImportSource, SourceChannel, SourceMessage } from "./read_ntfy_gotify_databases.ts";

type Em = SqlEntityManager;

interface ImportChannelsOptions {
  workspace?: string;
  member?: string;
  /** Set if the channels are public. */
  isPublic: boolean;
  most: number;
  /** A new file for the keys; null: they are in the answer. */
  keysTo: string | null;
  dryRun: boolean;
}

export interface ImportedChannel {
  from: string;
  handle: string;
  state: "new" | "already exists";
  messages: number;
  /** Messages that cannot become an alert, and those beyond the newest. */
  left_out: number;
  pusher_id?: string;
  key?: string;
}

/** @throws 404, 409, 422. */
export async function importChannels(
  em: Em,
  source: ImportSource,
  asked: ImportChannelsOptions,
  now: Date,
): Promise<ImportedChannel[]> {
  if (asked.keysTo !== null && existsSync(asked.keysTo))
    throw invalidRequest("invalid_file", "The key file already exists. Specify a different path.", "keys_to");
  return runInTransactionOrDryRun(em, asked.dryRun, async (inside) => {
    const channels = await moveAll(inside, source, asked, now);
    if (asked.dryRun) return channels.map(({ key: _, pusher_id: __, ...rest }) => rest);
    // Runs before the commit, so every key that exists has been delivered.
    if (asked.keysTo === null) return channels;
    const made = channels.filter(({ key }) => key);
    writePrivateFile(
      asked.keysTo,
      made.map(({ from, handle, key }) => `${JSON.stringify({ from, handle, key })}\n`).join(""),
    );
    return channels.map(({ key: _, ...rest }) => rest);
  });
}

async function moveAll(
  em: Em,
  source: ImportSource,
  asked: ImportChannelsOptions,
  now: Date,
): Promise<ImportedChannel[]> {
  const member = await findMemberOrFirstOwner(em, asked);
  const workspace = member.workspace.id;
  const move: Move = { em, workspace, source, asked, now };
  const named = await withHandles(move);
  const moved: ImportedChannel[] = [];
  for (const { found, handle, isThere } of named) {
    const one = { from: found.from, handle };
    if (isThere) {
      moved.push({ ...one, state: "already exists", messages: 0, left_out: 0 });
      continue;
    }
    const pusherId = await makeChannel(move, found, handle);
    const pusher_id = formatId("psh", pusherId);
    const { key } = await createKey(
      em,
      {
        member: formatId("mem", member.id),
        scopes: `alerts:write,${PUBLISH_SCOPE}`,
        pusher: pusher_id,
        name: truncateTextAtWord(
          `${nameOf(found, handle)} (${INGEST_SOURCE_PROGRAMS[source.adapter.name]})`,
          LIMITS.name,
        ).text,
        client_program: source.adapter.name,
      },
      now,
    );
    const messages = await moveMessages(move, pusherId, found);
    await writeImportAudit(em, "import_from", workspace, pusher_id);
    moved.push({ ...one, state: "new", messages, left_out: found.messages - messages, pusher_id, key });
  }
  return moved;
}

interface Move {
  em: Em;
  workspace: string;
  source: ImportSource;
  asked: ImportChannelsOptions;
  now: Date;
}

/** A name as a handle may be. */
function handleOf(from: string, program: string): string {
  const plain = from
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "");
  const clean = plain
    .replace(/[^a-z0-9_]+/g, "-")
    .slice(0, LIMITS.handle)
    .replace(/^[_-]+|[_-]+$/g, "");
  return clean.length >= LIMITS.handle_least ? clean : `${program}-${clean || "channel"}`;
}

/** The same names always result in the same handles, so a second run finds its channels. */
async function withHandles({ em, workspace, source: { found, adapter } }: Move) {
  const used = new Set<string>();
  const named = [];
  for (const one of found) {
    const first = handleOf(one.from, adapter.name);
    const next = (n: number) => (n === 1 ? first : `${first.slice(0, LIMITS.handle - 5).replace(/[_-]+$/, "")}-${n}`);
    for (let n = 1; ; n++) {
      const handle = next(n);
      if (used.has(handle) || RESERVED_HANDLES.has(handle)) continue;
      const owner = await em.findOne(Channel, { handle }, { filters: false });
      const isThere = owner?.workspace.id === workspace;
      if (!isThere && (await runStatement(em, findTakenHandles, { handles: [handle] })).length > 0) continue;
      used.add(handle);
      named.push({ found: one, handle, isThere });
      break;
    }
  }
  return named;
}

/** One line of what can be seen. */
const toLine = (text: string, most: number) =>
  truncateTextAtWord(text.replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu, " ").trim(), most).text;

const nameOf = ({ title }: SourceChannel, handle: string) => toLine(title, LIMITS.channel_name - 20) || handle;

async function makeChannel({ em, workspace, source, asked }: Move, found: SourceChannel, handle: string) {
  const pusher = createChannelRow(em, workspace, {
    handle,
    name: nameOf(found, handle),
    category: "community",
    description:
      toLine(found.about, LIMITS.channel_description) ||
      `Imported from ${INGEST_SOURCE_PROGRAMS[source.adapter.name]}.`,
    requested_perms: ["notify", "sound", "vibrate"],
    is_public: asked.isPublic,
  });
  await em.flush();
  return pusher.id;
}

const AT_ONCE = 100;
const putAlerts = assertDefined(
  EXPORT_TABLES.find(({ kind }) => kind === "alert"),
  "alerts are exported",
).put;

async function moveMessages({ em, workspace, source, asked: { most }, now }: Move, pusher: string, of: SourceChannel) {
  let rows: Record<string, unknown>[] = [];
  let came = 0;
  const flush = async () => {
    if (rows.length > 0) await runStatement(em, putAlerts, { workspaces: [workspace], rows });
    await indexImportedAlerts(em, rows);
    rows = [];
  };
  let looked = 0;
  for (const kept of most > 0 ? source.messages(of) : []) {
    if (looked++ === most) break;
    const row = await rowOf(kept, pusher, source.adapter, now, looked);
    if (!row) continue;
    came++;
    if (rows.push(row) === AT_ONCE) await flush();
  }
  await flush();
  return came;
}

const alertArguments = z.strictObject(createInsertArgumentSchemas(ALERT_FIELDS));

/** An alert as create_alert would have made it then; null for what it would have refused. */
async function rowOf(
  { at, said }: SourceMessage,
  pusher_id: string,
  adapter: SenderAdapter,
  now: Date,
  n: number,
): Promise<Record<string, unknown> | null> {
  if (!at) return null;
  try {
    const request = new Request("http://kept/", { method: "POST", body: JSON.stringify(said) });
    const read = await readIngestRequest(request, { path: "/", channel: null, secret: "", now });
    const { fields: given } = assertDefined((await adapter.read(read)).alerts[0], "a message is an alert");
    const parsed = alertArguments.safeParse(fitAlert(given, []));
    if (!parsed.success) return null;
    const { fields, htmlLength } = mergeAndSanitizeAlert(parsed.data, null, null);
    checkAlertContent(fields, htmlLength, { send_at: false, expires_at: false, scheduled: false }, toIsoMicros(now));
    const then = toIsoMicros(at);
    const id = buildUuid(at.getTime(), n & 0xfff, randomUUID());
    return {
      ...fields,
      id,
      pusher_id,
      status: "sent",
      sent_at: then,
      created_at: then,
      updated_at: then,
      detached_from_series: false,
    };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
