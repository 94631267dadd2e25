// `belfry import`: a file of `belfry export` for another server, in one transaction. An existing workspace stays
// unchanged, so a second run has no effect. The length of lines is limited, so other files are refused early and not
// loaded into memory.

import { randomBytes } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { createAssetUrls } from "../../effects/assets/asset_urls.ts";
import type { TargetRules } from "../../effects/webhooks/target_check.ts";
import { ApiError, conflict, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getSearchWords } from "../../model/domain/search_terms.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { runStatement } from "../../store/db/statement.ts";
import { indexAlerts } from "../../store/queries/alert_search_index.ts";
import { createEncryption } from "../../store/secret/encryption.ts";
import { requireMatchingServerSecret } from "../auth/server_secret_check.ts";
import { findInvalidReference, SortedIdList } from "./check_import_references.ts";
import { runInTransactionOrDryRun } from "./dry_run_transaction.ts";
import {
  EXPORT_TABLES,
  type ExportRowKind,
  type ExportTableStatements,
  findExistingWorkspaces,
  findTakenHandles,
  readMigrationsFingerprint,
} from "./export_tables.ts";
import { EXPORT_FORMAT } from "./export_workspaces.ts";
import {
  createImportFileError,
  createLineError,
  insertRowsOrLocateError,
  type NumberedRow,
  RowWithoutWorkspaceError,
} from "./import_errors.ts";
import { splitImportBytesIntoLines } from "./import_lines.ts";
import { type ImportRowValues, validateImportRow } from "./import_row_rules.ts";
import { writeImportAudit } from "./operator_audit.ts";

type Em = SqlEntityManager;

const AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 4_000_000;

interface ImportOptions {
  bytes: AsyncIterable<Uint8Array>;
  dryRun: boolean;
  /**
   * Those of the server that reads: under the one webhooks get new secrets, and files their addresses below the
   * other.
   */
  secret: string;
  publicUrl: string;
  /** The webhooks' addresses that it accepts. */
  targets: TargetRules;
  now: Date;
}

interface ImportResult {
  imported: string[];
  already_there: string[];
  rows: Partial<Record<ExportRowKind, number>>;
}

/**
 * Imports a file.
 * @throws 422 for an incomplete file or another version, 409 for names that exist on this server
 */
export async function importWorkspaces(em: Em, asked: ImportOptions): Promise<ImportResult> {
  return runInTransactionOrDryRun(em, asked.dryRun, async (inside) => {
    await requireMatchingServerSecret(inside, asked.secret);
    const result = await readAll(inside, asked);
    for (const id of result.imported)
      await writeImportAudit(
        inside,
        "import",
        assertDefined(parseIdOrNull("wsp", id), "the id was created as a workspace id"),
        id,
      );
    return result;
  });
}

async function readAll(em: Em, asked: ImportOptions): Promise<ImportResult> {
  const lines = splitImportBytesIntoLines(asked.bytes, LIMITS.export_line);
  await checkHead(em, (await lines.next()).value);
  const puts = putting(em, asked);
  let held: NumberedRow[] = [];
  let number = 1;
  let characters = 0;
  let at: ExportTableStatements | null = null;
  const flush = async () => {
    if (at && held.length > 0) await puts.put(at, held);
    held = [];
    characters = 0;
  };
  let end: ImportRowValues | null = null;
  for await (const line of lines) {
    number++;
    if (end) throw createImportFileError("has more lines after its end line");
    const { kind, row, ...more } = parsed(line);
    if (kind === "end") {
      end = more;
      continue;
    }
    const next = EXPORT_TABLES.find((one) => one.kind === kind);
    if (!next || !isRow(row)) throw createImportFileError("has a line that was not written by belfry export");
    if (next !== at || held.length === AT_ONCE || characters > CHARACTERS_AT_ONCE) await flush();
    at = next;
    held.push({ line: number, row: puts.checked(next.kind, row, number) });
    characters += line.length;
  }
  await flush();
  if (!end) throw createImportFileError("is incomplete: its last line is missing. Copy it again, or repeat the export");
  if (JSON.stringify(end.lines) !== JSON.stringify(puts.read))
    throw createImportFileError("has fewer lines than its last line states");
  return puts.result();
}

const isRow = (value: unknown): value is ImportRowValues =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(line: string): ImportRowValues {
  try {
    const value: unknown = JSON.parse(line);
    if (isRow(value)) return value;
  } catch {
    // Reported below.
  }
  throw createImportFileError("has a line that is not a JSON object");
}

async function checkHead(em: Em, line: string | undefined): Promise<void> {
  const { belfry, format, schema } = line === undefined ? {} : parsed(line);
  if (belfry !== "export" || format !== EXPORT_FORMAT) throw createImportFileError("was not created by belfry export");
  if (
    schema !==
    assertDefined((await runStatement(em, readMigrationsFingerprint, {}))[0], "a sum query always returns a row").schema
  )
    throw conflict(
      "database_incompatible",
      "The file was made by a different version of Belfry. Use the same version on both servers, then export again.",
    );
}

/** Creates the functions that insert and count rows. */
function putting(em: Em, { secret, publicUrl, targets, now }: ImportOptions) {
  const latest = toIsoMicros(new Date(now.getTime() + LIMITS.import_clock_minutes * 60_000));
  const seal = createEncryption(secret, "webhook secrets");
  const { urlOf } = createAssetUrls(secret, publicUrl);
  const read: ImportResult["rows"] = {};
  let workspaces: string[] = [];
  let present: string[] = [];
  const channels = new Set<string>();
  const reviews = new Set<string>();
  const devices = new SortedIdList();

  /** Converts a row for this server, by kind. */
  const here: Partial<Record<ExportRowKind, (row: ImportRowValues) => ImportRowValues>> = {
    channel: (row) => (typeof row.image_asset_id === "string" ? { ...row, image_url: urlOf(row.image_asset_id) } : row),
    // A random secret: the owner creates a new one before the endpoint is enabled.
    webhook: (row) => ({ ...row, secret: `\\x${seal.encrypt(randomBytes(32).toString("base64url")).toString("hex")}` }),
  };

  return {
    read,
    /** The row of a line as it is stored. @throws 422 that names the line and the field. */
    checked(kind: ExportRowKind, given: ImportRowValues, line: number): ImportRowValues {
      try {
        const row = validateImportRow(kind, given, { publicUrl, targets, reviews, latest });
        if (kind === "workspace" && row.review_channel_id !== null) reviews.add(String(row.review_channel_id));
        if (kind === "device" && !devices.add(String(row.id)))
          throw invalidRequest("invalid_file", "id is not greater than the previous device's id.", "file");
        if (kind === "subscription" && !devices.has(String(row.device_id)))
          throw invalidRequest("invalid_file", "device_id refers to a device that is not in the file.", "file");
        return row;
      } catch (error) {
        throw error instanceof ApiError ? createLineError(line, kind, error.message) : error;
      }
    },
    async put(of: ExportTableStatements, lines: NumberedRow[]): Promise<void> {
      const { kind, put } = of;
      const rows = lines.map(({ row }) => row);
      read[kind] = (read[kind] ?? 0) + rows.length;
      if (kind === "workspace") {
        const ids = rows.map(({ id }) => String(id));
        const there = (await runStatement(em, findExistingWorkspaces, { ids })).map(({ id }) => id);
        present = [...present, ...there];
        workspaces = [...workspaces, ...ids.filter((id) => !there.includes(id))];
      }
      if (workspaces.length === 0) return;
      const foreign = await findInvalidReference(em, kind, rows);
      if (foreign)
        throw createLineError(
          assertDefined(lines[foreign.at], "the row was read from one of these lines").line,
          kind,
          `${foreign.field} does not refer to a row in the same workspace.`,
        );
      if (kind === "channel" && present.length === 0) await refuseTaken(em, rows);
      if (kind === "channel")
        for (const { id, workspace_id } of rows)
          if (workspaces.includes(String(workspace_id))) channels.add(String(id));
      const prepare = here[kind];
      await insertRowsOrLocateError(em, of, lines, async (inside, some) => {
        const [done] = await runStatement(inside, put, { workspaces, rows: prepare ? some.map(prepare) : some });
        if (present.length === 0 && done?.come !== some.length) throw new RowWithoutWorkspaceError();
        if (kind === "alert")
          await indexImportedAlerts(
            inside,
            some.filter(({ pusher_id }) => channels.has(String(pusher_id))),
          );
      });
    },
    result: (): ImportResult => ({
      imported: workspaces.map((id) => formatId("wsp", id)),
      already_there: present.map((id) => formatId("wsp", id)),
      rows: workspaces.length > 0 ? read : {},
    }),
  };
}

/** Creates the search terms of imported alerts. Their authors are not known here. */
export async function indexImportedAlerts(em: Em, rows: readonly ImportRowValues[]): Promise<void> {
  const items = rows.map(({ id, title, body }) => ({
    id: String(id),
    subject: formatId("alr", String(id)),
    words: getSearchWords(String(title), typeof body === "string" ? body : null),
  }));
  await runStatement(em, indexAlerts, { items });
}

/** @throws 409 that names the handles: they are this server's own. */
async function refuseTaken(em: Em, rows: ImportRowValues[]): Promise<void> {
  const taken = await runStatement(em, findTakenHandles, { handles: rows.map(({ handle }) => String(handle)) });
  if (taken.length > 0)
    throw conflict(
      "already_exists",
      `These handles are already taken or reserved on this server: ${taken.map(({ handle }) => handle).join(", ")}. ` +
        "Delete those channels first (belfry delete-pusher), or import into a new server.",
    );
}
