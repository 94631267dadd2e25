// A backup whose rows are those of an older version: it becomes a server of this one, also where tables were removed
// since.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Migrator } from "@mikro-orm/migrations";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect, test } from "vitest";
import { BACKUP_FORMAT, serializeManifest } from "../../src/identity/operator/backup_manifest.ts";
import { writeBackupRows } from "../../src/identity/operator/backup_rows.ts";
import { formatBackupName, openBackupStorage } from "../../src/identity/operator/backup_storage.ts";
import { runInCopyTransaction } from "../../src/identity/operator/copy_stream.ts";
import { listMigrationNames, readAppliedMigrations } from "../../src/store/db/migrate.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
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

type Rows = Record<string, unknown[][]>;

/** The values of all rows of these tables, in the order of the columns. */
async function readTables(orm: Orm, tables: readonly string[]): Promise<Rows> {
  const em = orm.em.fork() as SqlEntityManager;
  const rows: Rows = {};
  for (const table of tables)
    rows[table] = (await em.execute<object[]>(`select * from ${table} t order by t::text`)).map(Object.values);
  return rows;
}

/** The last migration of version 0.2.0, and rows of each table that the next version renames. */
const LAST_OF_0_2_0 = "Migration20261124200300_striped_counts";
const ROWS_OF_0_2_0 = `
  insert into own_device (id, user_id, device_id, shown_as, shown_at)
    select gen_random_uuid(), 'someone', id, gen_random_uuid(), now() from device limit 1;
  insert into left_reports (alert_id) values (gen_random_uuid());
  insert into epoch (home, timeline) values ('a server', '00000001');
  insert into alert_change (alert_id, updated_at, former) select id, now(), '{"title": "Before"}' from alert limit 1;
  insert into alert_series (alert_id, filled_to, fill_at) select id, now(), now() from alert limit 1;
  insert into step_up (user_id, client_id, asked_at) values ('someone', 'an assistant', now());
  insert into connection (id, user_id, client_id, member_id, scopes, asks_first)
    select gen_random_uuid(), 'someone', 'an assistant', id, '{alerts:read}', true from member limit 1;
  insert into connection_grant (id, connection_id, codes) select gen_random_uuid(), id, '{a hash}' from connection;
  insert into idempotency_record (credential_id, operation, key, request_hash, answer, given)
    values ('key', 'create_alert', 'a', '', '\\x01', '{"at": "now"}');
  insert into member_link (token_hash, member_id, made_by, expires_at) select '\\x01', id, 'manager', now()
    from member limit 1;
  update alert_counter set untold = true, told_acks = 1, told_at = now(), replied = true, replied_told_at = now();
  update channel_state set untold = true, told_subscribers = 1, told_at = now()`;

/** Tables whose rows are compared: names in 0.2.0 and today, with the same columns in the same order. */
const TABLES = {
  subscriber_mix: "subscriber_breakdown",
  own_device: "test_device",
  left_reports: "orphaned_report_alert",
  ...Object.fromEntries(
    ["alert_change", "alert_counter", "alert_series", "api_key", "channel_day", "channel_state", "connection"]
      .concat(["connection_grant", "idempotency_record", "member", "member_link", "report", "step_up", "workspace"])
      .map((table) => [table, table]),
  ),
};

/** The folder of a backup of an older version, and rows that it contains. */
async function oldBackup(version: "0.1.0" | "0.2.0"): Promise<{ backup: string; rows: Rows }> {
  const orm = createOrm({ databaseUrl: await emptyDatabase(), databasePoolSize: 1 });
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(kept("0.1.0.sql"));
  // The dump sets the path of its session.
  client.release(true);
  if (version === "0.2.0") {
    await new Migrator(orm.em).up({ to: LAST_OF_0_2_0 });
    await (orm.em.fork() as SqlEntityManager).execute(ROWS_OF_0_2_0);
  }
  const none = { backupS3Endpoint: null, backupS3Region: "", backupS3AccessKeyId: null };
  const shelf = await openBackupStorage(at("backups"), { ...none, backupS3SecretAccessKey: null });
  const box = shelf.getBackup(formatBackupName(new Date()));
  const rows = await runInCopyTransaction(orm, {}, (em, copier) => writeBackupRows(orm, em, copier, box));
  const migrations = (await readAppliedMigrations(orm.em.fork())) ?? [];
  const read = version === "0.2.0" ? await readTables(orm, Object.keys(TABLES)) : {};
  await orm.close(true);
  const made = { version, made_at: new Date().toISOString(), postgresql: "18.4" };
  const without = { files: [], missing_files: [], secret: null };
  await box.finish(
    serializeManifest({ belfry: "backup", format: BACKUP_FORMAT, ...made, migrations, ...rows, ...without }),
  );
  return { backup: box.where, rows: read };
}

// rules#upgrade
test.each([
  ["0.1.0", listMigrationNames().slice(1)],
  ["0.2.0", listMigrationNames().filter((name) => name > LAST_OF_0_2_0)],
] as const)("a backup of %s is restored and migrated, with all rows", async (version, migrations) => {
  const { secret } = JSON.parse(kept("0.1.0.json"));
  const databaseUrl = await emptyDatabase();
  const settings = { DATABASE_URL: databaseUrl, DATA_DIR: at(`data-${version}`), SECRET: secret };
  const { backup, rows } = await oldBackup(version);
  const { code, json, stderr } = await runBelfryShared(["restore", backup], settings);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(json.migrations).toEqual(migrations);
  // Once more, over a server that has the tables of this version.
  const again = await runBelfryShared(["restore", backup, "--replace"], settings);
  expect(again).toMatchObject({ code: 0, json: { rows: json.rows } });
  const orm = createOrm({ databaseUrl, databasePoolSize: 1 });
  const [{ n }] = await (orm.em.fork() as any).execute("select count(*)::int as n from alert");
  expect(n).toBeGreaterThan(0);
  await expectRecountClean(orm);
  for (const [table, old] of Object.entries(rows)) {
    const name = TABLES[table as keyof typeof TABLES];
    expect(old.length, table).toBeGreaterThan(0);
    expect(await readTables(orm, [name])).toEqual({ [name]: old });
  }
  await orm.close(true);
});
