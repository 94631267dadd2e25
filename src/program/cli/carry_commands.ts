// `belfry export`, `belfry import` and `belfry import-from`: where a file is read and written, and a table of what becomes of another
// program's files. `belfry backup` and `belfry restore`: what is asked of them, and what a person should know afterwards. What stands in
// files is decided in src/identity/operator, what becomes of another program's in src/program/moving_in.

import { once } from "node:events";
import { existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { invalidRequest } from "../../model/errors.ts";
import { LIMITS, said } from "../../model/limits.ts";
import { loadSettings } from "../../store/config/load.ts";
import { readCredentials } from "../../store/secret/credentials.ts";
import { syncFolder } from "../../store/secret/private_file.ts";
import type { MovedIn } from "../moving_in/move_in.ts";
import { printResult, remark, UsageError } from "./output.ts";

const STAYS =
  "Not in it: passwords, sessions, connected assistants, secrets of webhooks, addresses at which phones are woken, the audit log and the bytes of uploaded files.";

/** Only for these commands: what reaches the database takes longer to load than all else that a command needs. */
const reach = () => import("../../identity/operator/reach.ts");

export function addCarryCommands(program: Command, now: () => Date): void {
  program
    .command("export")
    .summary("write workspaces as lines of JSON")
    .description(
      `Write one workspace, or all, as lines of JSON, of one instant and while the service runs: members, channels, alerts, counts, keys as hashes, subscribers as pseudonyms. ${STAYS}`,
    )
    .option("--workspace <wsp_…>", "only this one")
    .option("--to <file>", "a new file that only you read; standard output when absent")
    .action(async ({ workspace, to }: { workspace?: string; to?: string }) => {
      const { operatorSettings, workForOperator } = await reach();
      const { exportWorkspaces } = await import("../../identity/operator/export.ts");
      const asked = { workspace, now: now() };
      const result = await (to === undefined ? toOutput : toFile(to))((write) =>
        workForOperator(operatorSettings(), (_, orm) => exportWorkspaces(orm, asked, write)),
      );
      if (to !== undefined) printResult(result);
      const files = result.lines.file ?? 0;
      if (files > 0) remark(`${files} uploaded files are named and not in it: copy DATA_DIR/assets, or the bucket`);
    });

  program
    .command("import")
    .summary("read what export wrote, on another server")
    .description(
      "Read a file of belfry export, on a server of the same version, whole or not at all. Workspaces that are there already stay as they are. Members get a link to join (members link), and each webhook a new secret before it is enabled.",
    )
    .argument("<file>", "the file; - is standard input")
    .option("--dry-run", "try everything, and leave nothing")
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) => {
      const { operatorSettings, workForOperator } = await reach();
      const { importWorkspaces } = await import("../../identity/operator/import.ts");
      const { hasDatabase } = await import("../../store/embedded/cluster.ts");
      const { loadSecret } = await import("../../store/secret/secret.ts");
      const { targetRules } = await import("../../effects/webhooks/target.ts");
      const where = loadSettings([
        ...(["databaseUrl", "dataDir", "secret", "host", "port", "publicUrl"] as const),
        ...(["webhookAllowHosts", "webhookDnsServers"] as const),
      ]);
      const local = where.databaseUrl === null ? readCredentials(where.dataDir) : null;
      const publicUrl = local?.url ?? where.publicUrl;
      const { webhookAllowHosts: allowHosts, webhookDnsServers: dnsServers } = where;
      const targets = targetRules({ allowHosts, dnsServers });
      const opened = file === "-" ? null : await opening(file);
      const bytes = opened?.createReadStream({ autoClose: false }) ?? process.stdin;
      const result = await workForOperator(operatorSettings(), (em) => {
        const secret = loadSecret(where, where.databaseUrl === null && hasDatabase(where.dataDir));
        return importWorkspaces(em, { bytes, dryRun, secret, publicUrl, targets, now: now() });
      }).finally(() => opened?.close());
      printResult({ dry_run: dryRun, ...result });
      if (result.rows.file)
        remark("put the uploaded files into DATA_DIR/assets, or the bucket, under the names that they have");
    });
}

/** @throws 422 for what cannot be opened, or is no file. */
async function opening(path: string): Promise<FileHandle> {
  const refused = (code: string | undefined) => invalidRequest(`The file cannot be read (${code}).`, "file");
  const file = await open(path, "r").catch(({ code }) => {
    throw refused(code);
  });
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw refused("EISDIR");
}

type Write = (lines: string | Uint8Array) => Promise<void>;

/** Waits for whoever reads it. */
async function toOutput<T>(work: (write: Write) => Promise<T>): Promise<T> {
  return work(async (lines) => {
    if (!process.stdout.write(lines)) await once(process.stdout, "drain");
  });
}

/** A file that bears its name only when it is whole. */
const toFile =
  (path: string) =>
  async <T>(work: (write: Write) => Promise<T>): Promise<T> => {
    const part = `${path}.part`;
    let file: FileHandle;
    try {
      if (existsSync(path)) throw Object.assign(new Error("it is there"), { code: "EEXIST" });
      file = await open(part, "wx", 0o600);
    } catch (error) {
      throw invalidRequest(
        `${path} and ${part} cannot be made (${(error as NodeJS.ErrnoException).code}): name a file that is not there yet.`,
        "to",
      );
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
      throw error;
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
    throw new InvalidArgumentError(`It must be a number from 0 to ${said("import_messages")}.`);
  return count;
}

export function addImportFromCommand(program: Command, now: () => Date): void {
  program
    .command("import-from")
    .summary("make channels and keys of another program's files")
    .description(
      "Read the files of ntfy (user.db, cache.db) or Gotify (gotify.db): a channel for each topic or application, a key that may publish there, and past messages as alerts that ring nowhere. Passwords and tokens stay. Private channels, unless --public is given.",
    )
    .addArgument(new Argument("<program>", "whose files").choices(["ntfy", "gotify"]))
    .argument("<files...>", "its SQLite files, or copies of them")
    .option("--workspace <wsp_…>", "the workspace; may be left out while there is only one")
    .option("--member <mem_…>", "for whom the keys act; the workspace's owner when absent")
    .option("--messages <number>", "the newest of each; 0 takes none over", readCount, LIMITS.import_messages)
    .option("--keys-to <file>", "a new file for the keys that only you read; else they are printed, this once")
    .option("--public", "list the channels for everybody")
    .option("--dry-run", "say what would become of everything, and leave nothing")
    .action(async (name: "ntfy" | "gotify", files: string[], options: Options) => {
      const { openTables } = await import("../moving_in/tables.ts");
      const { readNtfy } = await import("../moving_in/kept_files.ts");
      const { readGotify } = await import("../moving_in/kept_files.ts");
      const { moveIn } = await import("../moving_in/move_in.ts");
      const { operatorSettings, workForOperator } = await import("../../identity/operator/reach.ts");
      const { workspace, member, messages: most, keysTo = null, dryRun = false } = options;
      const tables: ReturnType<typeof openTables>[] = [];
      try {
        for (const path of files) tables.push(openTables(path));
        const source = (name === "ntfy" ? readNtfy : readGotify)(tables, now());
        const asked = { workspace, member, isPublic: options.public ?? false, most, keysTo, dryRun };
        const channels = await workForOperator(operatorSettings(), (em) => moveIn(em, source, asked, now()));
        process.stderr.write(tableOf(channels));
        for (const note of source.notes) remark(note);
        printResult({ dry_run: dryRun, channels, notes: source.notes });
      } finally {
        for (const one of tables) one.close();
      }
    });
}

const COLUMNS = ["from", "handle", "state", "messages", "left_out"] as const;

/** For people; names come from the file, so nothing in them moves a terminal. */
function tableOf(channels: readonly MovedIn[]): string {
  const shown = (value: unknown) => [...String(value).replace(/\p{C}/gu, "")].slice(0, 40).join("");
  const rows = [
    COLUMNS.map((name) => name.replace("_", " ")),
    ...channels.map((one) => COLUMNS.map((name) => shown(one[name]))),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** What both need besides where the database is. The secret may come out of a backup, so it is not asked for. */
const settings = () =>
  loadSettings([
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
  if (!/^[1-9]\d{0,5}$/.test(said)) throw new InvalidArgumentError("It is a whole number from 1.");
  return Number(said);
}

export function addBackupCommands(program: Command, version: string, now: () => Date): void {
  program
    .command("backup")
    .summary("keep database, files and secret")
    .description(
      "Write one backup of this server, while it runs or not: all rows of one instant, the uploaded files and the server secret, as a folder of its own below the one that is named. It is as secret as DATA_DIR.",
    )
    .argument("[to]", "a folder, or s3://bucket/prefix; BACKUP_TARGET when absent")
    .option("--keep <n>", "afterwards remove all but the newest n here", readKeep)
    .option("--without-secret", "leave the secret out; restoring then takes SECRET from its settings")
    .action(async (to: string | undefined, options: { keep?: number; withoutSecret?: true }) => {
      const { operatorSettings } = await import("../../identity/operator/reach.ts");
      const { makeBackup } = await import("../../identity/operator/backup.ts");
      const where = operatorSettings();
      const { backupTarget, ...rest } = loadSettings(["backupTarget"], to === undefined ? {} : { BACKUP_TARGET: to });
      if (backupTarget === null) throw new UsageError("name a folder or s3://bucket/prefix, or set BACKUP_TARGET");
      const server = { ...settings(), ...rest, databaseUrl: where.databaseUrl };
      const made = await makeBackup(where, server, { to: backupTarget, version, now: now(), ...options });
      printResult(made);
      if (made.missing_files.length > 0)
        remark(`the store did not have ${made.missing_files.length} of the uploaded files that rows name`);
    });

  program
    .command("restore")
    .summary("make a server of a backup")
    .description(
      "Make a backup the server of these settings, whole or not at all. The service must be stopped, and the server empty unless it may be replaced. Handsets read their inboxes anew.",
    )
    .argument("<from>", "the backup's folder, or s3://bucket/prefix/name")
    .option("--replace", "remove what this server holds")
    .option("--check", "only read all of it, and say whether it is whole")
    .action(async (from: string, options: { replace?: true; check?: true }) => {
      const { operatorSettings } = await import("../../identity/operator/reach.ts");
      const { restoreBackup } = await import("../../identity/operator/restore.ts");
      const where = operatorSettings();
      const server = { ...settings(), databaseUrl: where.databaseUrl };
      const done = await restoreBackup(where, server, { from, version, ...options });
      printResult({ ...(options.check ? { check: true } : {}), ...done });
      if (options.check) return;
      if (where.databaseUrl !== null && server.secret === null)
        remark(`start with SECRET set to what stands in ${done.restored}/secret`);
      remark(
        `what ended after ${done.made_at} is good again: revoke those keys and remove those members once more; what was scheduled until now goes out at the start`,
      );
    });
}
