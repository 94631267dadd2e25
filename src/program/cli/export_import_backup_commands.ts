// `belfry export`, `belfry import` and `belfry import-from`: reading and writing files, and a table of the results of
// an import. `belfry backup` and `belfry restore`: their arguments, and the information for a person afterwards. The
// contents of files are defined in src/identity/operator, imports of other programs in src/program/importers.

import { once } from "node:events";
import { existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { createFileError } from "../../identity/operator/operator_file_errors.ts";
import { invalidRequest } from "../../model/api_error.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { loadNamedSettings } from "../../store/config/load_settings.ts";
import { readCredentials } from "../../store/secret/first_credentials_file.ts";
import { syncFolder } from "../../store/secret/private_file.ts";
import type { ImportedChannel } from "../importers/import_channels.ts";
import { printNote, printResult, UsageError } from "./output.ts";

const STAYS =
  "Not included: passwords, sessions, connected assistants, webhook secrets, push endpoints, the audit log and " +
  "the contents of uploaded files.";

/** Only for these commands: what reaches the database takes longer to load than all else that a command needs. */
const reach = () => import("../../identity/operator/operator_database.ts");

export function addExportCommands(program: Command, now: () => Date): void {
  program
    .command("export")
    .summary("export workspaces as JSON lines")
    .description(
      "Export one workspace or all as JSON lines: a consistent snapshot of members, channels, alerts, counts, " +
        `hashed keys and pseudonymous subscribers. The service can keep running. ${STAYS}`,
    )
    .option("--workspace <wsp_…>", "only this workspace")
    .option("--to <file>", "a new file, readable only by you; default: standard output")
    .action(async ({ workspace, to }: { workspace?: string; to?: string }) => {
      const { loadDatabaseSettings, runOnMigratedDatabase } = await reach();
      const { exportWorkspaces } = await import("../../identity/operator/export_workspaces.ts");
      const asked = { workspace, now: now() };
      const result = await (to === undefined ? toOutput : toFile(to))((write) =>
        runOnMigratedDatabase(loadDatabaseSettings(), (_, orm) => exportWorkspaces(orm, asked, write)),
      );
      if (to !== undefined) printResult(result);
      const files = result.lines.file ?? 0;
      if (files > 0)
        printNote(`the contents of ${files} uploaded files are not included: copy DATA_DIR/assets or the bucket`);
    });

  program
    .command("import")
    .summary("import an export into another server")
    .description(
      "Import a file from belfry export into a server of the same version, completely or not at all. Existing " +
        "workspaces are not changed. Members need a new link (members link), and webhooks need a new secret before " +
        "they can be enabled.",
    )
    .argument("<file>", "the file; - for standard input")
    .option("--dry-run", "check everything without saving")
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) => {
      const { loadDatabaseSettings, runOnMigratedDatabase } = await reach();
      const { importWorkspaces } = await import("../../identity/operator/import_workspaces.ts");
      const { hasEmbeddedDatabase } = await import("../../store/embedded/cluster.ts");
      const { loadSecret } = await import("../../store/secret/server_secret.ts");
      const { parseTargetRules } = await import("../../effects/webhooks/target_check.ts");
      const where = loadNamedSettings([
        ...(["databaseUrl", "dataDir", "secret", "host", "port", "publicUrl"] as const),
        ...(["webhookAllowHosts", "webhookDnsServers"] as const),
      ]);
      const local = where.databaseUrl === null ? readCredentials(where.dataDir) : null;
      const publicUrl = local?.url ?? where.publicUrl;
      const { webhookAllowHosts: allowHosts, webhookDnsServers: dnsServers } = where;
      const targets = parseTargetRules({ allowHosts, dnsServers });
      const opened = file === "-" ? null : await opening(file);
      const bytes = opened?.createReadStream({ autoClose: false }) ?? process.stdin;
      const result = await runOnMigratedDatabase(loadDatabaseSettings(), (em) => {
        const secret = loadSecret(where, where.databaseUrl === null && hasEmbeddedDatabase(where.dataDir));
        return importWorkspaces(em, { bytes, dryRun, secret, publicUrl, targets, now: now() });
      }).finally(() => opened?.close());
      printResult({ dry_run: dryRun, ...result });
      if (result.rows.file)
        printNote("copy the uploaded files into DATA_DIR/assets or the bucket, under the same names");
    });
}

/** @throws 422 if it cannot be opened, or is not a file. */
async function opening(path: string): Promise<FileHandle> {
  const refused = (code: string | undefined) =>
    invalidRequest(
      "invalid_file",
      `The file ${path} cannot be read (${code}). Check its path and permissions.`,
      "file",
    );
  const file = await open(path, "r").catch(({ code }) => {
    throw refused(code);
  });
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw refused("EISDIR");
}

type Write = (lines: string | Uint8Array) => Promise<void>;

/** Waits until it is read. */
async function toOutput<T>(work: (write: Write) => Promise<T>): Promise<T> {
  return work(async (lines) => {
    if (!process.stdout.write(lines)) await once(process.stdout, "drain");
  });
}

const isThere = (error: unknown) => (error as NodeJS.ErrnoException).code === "EEXIST";

/** A file that bears its name only when it is whole. */
const toFile =
  (path: string) =>
  async <T>(work: (write: Write) => Promise<T>): Promise<T> => {
    const part = `${path}.part`;
    let file: FileHandle;
    try {
      if (existsSync(path)) throw Object.assign(new Error("the file already exists"), { code: "EEXIST" });
      file = await open(part, "wx", 0o600);
    } catch (error) {
      throw isThere(error)
        ? invalidRequest(
            "invalid_file",
            `${path} or ${part} already exists. Specify a file that does not exist yet.`,
            "to",
          )
        : (createFileError(error, path) ?? error);
    }
    try {
      const result = await work((lines) => file.writeFile(lines));
      await file.sync();
      await file.close();
      renameSync(part, path);
      syncFolder(dirname(path));
      return result;
    } catch (error) {
      await file.close().catch(() => {});
      rmSync(part, { force: true });
      throw createFileError(error, path) ?? error;
    }
  };

interface Options {
  workspace?: string;
  member?: string;
  messages: number;
  keysTo?: string;
  public?: true;
  dryRun?: boolean;
}

function readCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (count < 0 || count > LIMITS.import_messages)
    throw new InvalidArgumentError(`It must be a number from 0 to ${formatLimit("import_messages")}.`);
  return count;
}

export function addImportFromCommand(program: Command, now: () => Date): void {
  program
    .command("import-from")
    .summary("import channels from ntfy or Gotify")
    .description(
      "Import data from ntfy (user.db, cache.db) or Gotify (gotify.db): a channel for each topic or " +
        "application, a key to publish to it, and past messages as silent alerts. Passwords and tokens " +
        "are not imported. Channels are private unless --public is set.",
    )
    .addArgument(new Argument("<program>", "the program that the files come from").choices(["ntfy", "gotify"]))
    .argument("<files...>", "the program's SQLite files, or copies of these files")
    .option("--workspace <wsp_…>", "the workspace; optional if there is only one")
    .option("--member <mem_…>", "the member that the keys act for; default: the workspace's owner")
    .option(
      "--messages <number>",
      "number of most recent messages to import per channel; 0 for none",
      readCount,
      LIMITS.import_messages,
    )
    .option("--keys-to <file>", "a new file for the keys, readable only by you; default: print them once")
    .option("--public", "make the channels public")
    .option("--dry-run", "show what would be imported without saving")
    .action(async (name: "ntfy" | "gotify", files: string[], options: Options) => {
      const { openSqliteTables } = await import("../importers/sqlite_tables.ts");
      const { readGotifyDatabase, readNtfyDatabase } = await import("../importers/read_ntfy_gotify_databases.ts");
      const { importChannels } = await import("../importers/import_channels.ts");
      const { loadDatabaseSettings, runOnMigratedDatabase } = await reach();
      const { workspace, member, messages: most, keysTo = null, dryRun = false } = options;
      const tables: ReturnType<typeof openSqliteTables>[] = [];
      try {
        for (const path of files) tables.push(openSqliteTables(path));
        const source = (name === "ntfy" ? readNtfyDatabase : readGotifyDatabase)(tables, now());
        const asked = { workspace, member, isPublic: options.public ?? false, most, keysTo, dryRun };
        const done = await runOnMigratedDatabase(loadDatabaseSettings(), (em) =>
          importChannels(em, source, asked, now()),
        );
        process.stderr.write(tableOf(done));
        for (const note of source.notes) printNote(note);
        printResult({ dry_run: dryRun, channels: done, notes: source.notes });
      } finally {
        for (const one of tables) one.close();
      }
    });
}

const COLUMNS = ["from", "handle", "state", "messages", "left_out"] as const;

/** For people; names come from the file, so nothing in them moves a terminal. */
function tableOf(channels: readonly ImportedChannel[]): string {
  const formatCell = (value: unknown) => [...String(value).replace(/\p{C}/gu, "")].slice(0, 40).join("");
  const rows = [
    COLUMNS.map((name) => name.replace("_", " ")),
    ...channels.map((one) => COLUMNS.map((name) => formatCell(one[name]))),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const pad = (cell: string, at: number) => cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}

/** The arguments of both, in addition to the database. The secret may come out of a backup, so it is not required. */
const settings = () =>
  loadNamedSettings([
    "dataDir",
    "secret",
    "assetsS3Endpoint",
    "assetsS3Bucket",
    "assetsS3Region",
    "assetsS3AccessKeyId",
    "assetsS3SecretAccessKey",
    "backupTarget",
    "backupS3Endpoint",
    "backupS3Region",
    "backupS3AccessKeyId",
    "backupS3SecretAccessKey",
  ]);

function readKeep(said: string): number {
  if (!/^[1-9]\d{0,5}$/.test(said)) throw new InvalidArgumentError("It must be a whole number of 1 or more.");
  return Number(said);
}

export function addBackupCommands(program: Command, version: string, now: () => Date): void {
  program
    .command("backup")
    .summary("back up the database, files and secret")
    .description(
      "Create a backup of this server, running or not: a consistent copy of the database, the uploaded files " +
        "and the server secret, in a new subfolder. Protect it like DATA_DIR.",
    )
    .argument("[to]", "a folder or s3://bucket/prefix; default: BACKUP_TARGET")
    .option("--keep <n>", "afterwards, delete all but the newest n backups", readKeep)
    .option("--without-secret", "leave out the secret; to restore the backup, SECRET must then be set")
    .action(async (to: string | undefined, options: { keep?: number; withoutSecret?: true }) => {
      const { loadDatabaseSettings } = await reach();
      const { makeBackup } = await import("../../identity/operator/backup.ts");
      const where = loadDatabaseSettings();
      const { backupTarget, ...rest } = loadNamedSettings(
        ["backupTarget"],
        to === undefined ? {} : { BACKUP_TARGET: to },
      );
      if (backupTarget === null) throw new UsageError("specify a folder or s3://bucket/prefix, or set BACKUP_TARGET");
      const server = { ...settings(), ...rest, databaseUrl: where.databaseUrl };
      const made = await makeBackup(where, server, { to: backupTarget, version, now: now(), ...options });
      printResult(made);
      const missing = made.missing_files.length;
      if (missing > 0)
        printNote(`${missing} uploaded ${missing === 1 ? "file was" : "files were"} missing from the store`);
    });

  program
    .command("restore")
    .summary("restore a backup")
    .description(
      "Restore a backup into the server that the settings describe, completely or not at all. Without --check, the " +
        "service must be stopped, and the server must be empty unless --replace is set. Devices reload their inboxes.",
    )
    .argument("<from>", "the backup's folder, or s3://bucket/prefix/name")
    .option("--replace", "delete the existing data of this server")
    .option("--check", "only check that the backup is complete")
    .action(async (from: string, options: { replace?: true; check?: true }) => {
      const { loadDatabaseSettings } = await reach();
      const { restoreBackup } = await import("../../identity/operator/restore_backup.ts");
      const where = loadDatabaseSettings();
      const server = { ...settings(), databaseUrl: where.databaseUrl };
      const done = await restoreBackup(where, server, { from, version, ...options });
      printResult({ ...(options.check ? { check: true } : {}), ...done });
      if (options.check) return;
      if (where.databaseUrl !== null && server.secret === null)
        printNote(`set SECRET to the contents of ${done.restored}/secret before you start the service`);
      printNote(
        `the data is from ${done.made_at}. If keys were revoked or members removed after that, revoke or remove ` +
          "them again. Overdue alerts will be sent when the service starts",
      );
    });
}
