// A backup whose rows are those of an older version: it becomes a server of this one, also where tables have gone
// since.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BACKUP_FORMAT, serializeManifest } from "../../src/identity/operator/backup_manifest.ts";
import { writeRows } from "../../src/identity/operator/backup_rows.ts";
import { formatBackupName, openBackupStorage } from "../../src/identity/operator/backup_storage.ts";
import { withCopier } from "../../src/identity/operator/copy_stream.ts";
import { listMigrations, readAppliedMigrations } from "../../src/store/db/migrate.ts";
import { openOrm } from "../../src/store/db/orm.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { runBelfryShared } from "../support/processes.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { freshDatabase } from "../support/world.ts";

const { at, ends } = openTestFolder();
const kept = (name: string) => readFileSync(join(import.meta.dirname, "../database/released_versions", name), "utf8");

async function emptyDatabase(): Promise<string> {
  const { settings, remove } = await freshDatabase({ empty: true });
  ends.push(remove);
  return settings.DATABASE_URL!;
}

/** The folder of a backup of 0.1.0's rows. */
async function oldBackup(): Promise<string> {
  const orm = openOrm({ databaseUrl: await emptyDatabase(), databasePoolSize: 1 });
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(kept("0.1.0.sql"));
  // The dump sets the path of its session.
  client.release(true);
  const none = { backupS3Endpoint: null, backupS3Region: "", backupS3AccessKeyId: null };
  const shelf = await openBackupStorage(at("backups"), { ...none, backupS3SecretAccessKey: null });
  const box = shelf.getBackup(formatBackupName(new Date()));
  const rows = await withCopier(orm, {}, (em, copier) => writeRows(orm, em, copier, box));
  const migrations = (await readAppliedMigrations(orm.em.fork())) ?? [];
  await orm.close(true);
  const made = { version: "0.1.0", made_at: new Date().toISOString(), postgresql: "18.4" };
  const without = { files: [], missing_files: [], secret: null };
  await box.finish(
    serializeManifest({ belfry: "backup", format: BACKUP_FORMAT, ...made, migrations, ...rows, ...without }),
  );
  return box.where;
}

// rules#upgrade
test("a backup of 0.1.0's rows is restored and brought up", async () => {
  const { secret } = JSON.parse(kept("0.1.0.json"));
  const databaseUrl = await emptyDatabase();
  const settings = { DATABASE_URL: databaseUrl, DATA_DIR: at("data"), SECRET: secret };
  const backup = await oldBackup();
  const { code, json, stderr } = await runBelfryShared(["restore", backup], settings);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(json.migrations).toEqual(listMigrations().slice(1));
  // Once more, over a server that has the tables of this version.
  const again = await runBelfryShared(["restore", backup, "--replace"], settings);
  expect(again).toMatchObject({ code: 0, json: { rows: json.rows } });
  const orm = openOrm({ databaseUrl, databasePoolSize: 1 });
  const [{ n }] = await (orm.em.fork() as any).execute("select count(*)::int as n from alert");
  expect(n).toBeGreaterThan(0);
  await expectRecountClean(orm);
  await orm.close(true);
});
