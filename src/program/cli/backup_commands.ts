// `belfry backup` and `belfry restore`: what is asked of them, and what a person should know afterwards. What they do stands in
// src/identity/operator.

import { type Command, InvalidArgumentError } from "commander";
import { loadSettings } from "../../store/config/load.ts";
import { printResult, remark, UsageError } from "./output.ts";

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
    "backupTo",
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
    .argument("[to]", "a folder, or s3://bucket/prefix; BACKUP_TO when absent")
    .option("--keep <n>", "afterwards remove all but the newest n here", readKeep)
    .option("--without-secret", "leave the secret out; restoring then takes SECRET from its settings")
    .action(async (to: string | undefined, options: { keep?: number; withoutSecret?: true }) => {
      const { operatorSettings } = await import("../../identity/operator/reach.ts");
      const { makeBackup } = await import("../../identity/operator/backup.ts");
      const where = operatorSettings();
      const { backupTo, ...rest } = loadSettings(["backupTo"], to === undefined ? {} : { BACKUP_TO: to });
      if (backupTo === null) throw new UsageError("name a folder or s3://bucket/prefix, or set BACKUP_TO");
      const server = { ...settings(), ...rest, databaseUrl: where.databaseUrl };
      const made = await makeBackup(where, server, { to: backupTo, version, now: now(), ...options });
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
