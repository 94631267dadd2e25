// Changes that are retried and changes that are not, and the results of a change that ran twice.

import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { describe, expect, test } from "vitest";
import { checkDatabaseConsistency } from "../../src/identity/operator/consistency_checks.ts";
import { text } from "../../src/model/fields/sql_statement_types.ts";
import { findDatabaseUnavailableCode } from "../../src/store/db/database_unavailable_errors.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import {
  createStatementDefiner,
  getKysely,
  MAX_DATABASE_ATTEMPTS,
  runStatement,
} from "../../src/store/db/statement.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { expectRecountClean, findWrongCounts } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { WAIT } from "../support/wait.ts";

const defineStatement = createStatementDefiner("upkeep");

const world = await openWorld();

describe("on a service", () => {
  test("a rolled back attempt announces nothing: one event, for any number of attempts", async () => {
    const pusher = await world.pusher();
    await world.sql("create sequence attempts");
    await world.sql(`create function undo_first() returns trigger language plpgsql as $$ begin
      if nextval('attempts') <= 2 then raise exception 'undone' using errcode = '40P01'; end if; return null; end $$`);
    await world.sql(
      "create constraint trigger undo after insert on alert deferrable initially deferred for each row execute " +
        "function undo_first()",
    );
    try {
      const made = await world.alert(pusher.id, { send: true });
      expect(await world.sql("select last_value::int as n from attempts")).toEqual([{ n: 3 }]);
      const about = world.events.filter(({ data }) => data.pusher_id === pusher.id);
      expect(about.map(({ event, data }) => [event, data.alert_id])).toEqual([["alert.sent", made.id]]);
    } finally {
      await world.sql("drop trigger undo on alert");
    }
  });

  test("connections that PostgreSQL ended while they were idle cost no request", async () => {
    const pusher = await world.pusher();
    const alert = await world.alert(pusher.id, { send: true });
    const token = await world.device(pusher.handle);
    const admin = createOrm({ databaseUrl: world.settings.DATABASE_URL! });
    const em = admin.em.fork() as SqlEntityManager;
    const reports = [{ alert_id: alert.id, kind: "read" }];
    const calls = [
      () => world.rest("get_pusher", { pusher_id: pusher.id }),
      () => world.rest("list_alerts", { pusher_id: pusher.id }),
      () => world.rest("create_alert", { pusher_id: pusher.id, title: "Cut", send: true }),
      () => world.handset("GET", "/inbox", token),
      () => world.handset("POST", "/reports", token, { reports }),
      () => world.handset("PUT", `/subscriptions/${pusher.handle}`, token, { muted: true }),
    ];
    try {
      for (let round = 0; round < 4; round++) {
        await callConcurrently(12, (i) => calls[i % calls.length]!(), 12);
        await em.execute(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> " +
            "pg_backend_pid()",
        );
        // At once: the pool has not noticed yet.
        const answers = await callConcurrently(12, (i) => calls[(i + round) % calls.length]!(), 12);
        expect(answers.filter(({ status }) => status >= 400).map(({ body }) => body)).toEqual([]);
      }
    } finally {
      await admin.close(true);
    }
    await expectRecountClean(world.service.orm);
  });

  test("a statement whose connection is lost is retried when it is declared to read, with any text", async () => {
    await world.sql("create sequence lost");
    await world.sql(`create function lose() returns text language plpgsql as $$ begin
      perform nextval('lost'); perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return ''; end
        $$`);
    const kysely = getKysely(world.service.orm);
    const columns = { at: text };
    const losing = defineStatement("lose_for_a_test", { columns, text: "select lose() as at" });
    const reading = defineStatement.reading("lose_a_reading_for_a_test", {
      columns,
      text: "select /* update */ lose() as at",
    });
    for (const [statement, times] of [
      [losing, 1],
      [reading, 1 + MAX_DATABASE_ATTEMPTS],
    ] as const) {
      expect(findDatabaseUnavailableCode(await runStatement(kysely, statement, {}).catch((error) => error))).not.toBe(
        null,
      );
      expect(await world.sql("select last_value::int as n from lost")).toEqual([{ n: times }]);
    }
  });

  test("a reading whose connection is lost late is not waited for once more", async () => {
    const slow = defineStatement.reading("sleep_for_a_test", {
      columns: { at: text },
      text: "select pg_sleep(60)::text as at",
    });
    const asleep = () =>
      world.sql(
        "select pid from pg_stat_activity where query = 'select pg_sleep(60)::text as at' and state = 'active'",
      );
    const answer = runStatement(getKysely(world.service.orm), slow, {}).catch((error) => error);
    await expect.poll(asleep, WAIT).toHaveLength(1);
    await pause(5_200);
    await world.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)::text as at'",
    );
    expect(findDatabaseUnavailableCode(await answer)).not.toBe(null);
    // The ended backend answers its client before it leaves pg_stat_activity. A second try sleeps for 60 seconds.
    await expect.poll(asleep, WAIT).toEqual([]);
  });

  test("a report and the deletion of its alert: in either order nothing is left over", async () => {
    const pusher = await world.pusher();
    const token = await world.device(pusher.handle);
    const admin = createOrm({ databaseUrl: world.settings.DATABASE_URL! });
    const waits = async () =>
      (
        await world.sql(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length;
    try {
      const alert = await world.alert(pusher.id, { send: true });
      const reports = [{ alert_id: alert.id, kind: "read" }];
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
      // Visible to a batch that began before it was called off, and then deleted while that one waits.
      await world.sql("alter table alert disable trigger alert_updated");
      await world.sql("update alert set status = 'sent', sent_at = now(), cancelled_at = null where id = ?", [
        parseUuid(alert.id),
      ]);
      const em = admin.em.fork() as SqlEntityManager;
      await em.begin();
      await em.execute("delete from alert where id = ?", [parseUuid(alert.id)]);
      const answer = world.handset("POST", "/reports", token, { reports });
      await expect.poll(waits, WAIT).toBeGreaterThan(0);
      await em.commit();
      expect((await answer).body).toEqual({ accepted: 0 });
      expect(await findWrongCounts(world.service.orm)).not.toHaveProperty("report.orphans");
      expect(await findWrongCounts(world.service.orm)).not.toHaveProperty("alert_counter.orphans");
    } finally {
      await world.sql("alter table alert enable trigger alert_updated");
      await admin.close(true);
    }
  });

  test("doctor finds rows that belong to nothing, and removes them on request", async () => {
    const lost = "01900000-0000-7000-8000-00000000dead";
    await world.sql("insert into report (alert_id, device_id, kind, reported_at) values (?, 7, 1, now())", [lost]);
    await world.sql("insert into alert_counter (alert_id, reads) values (?, 1)", [lost]);
    await world.sql("insert into alert_counter_stripe values (?, 1, 1, 0, '{0,0,0,0}')", [lost]);
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const orphans = async (repair?: boolean) => {
      const { checks, repaired } = await checkDatabaseConsistency(em, repair === undefined ? {} : { repair });
      return { left: checks.filter(({ name }) => name.endsWith("orphans")).map(({ wrong }) => wrong), repaired };
    };
    expect(await orphans()).toEqual({ left: [1, 1, 1], repaired: undefined });
    expect(await orphans(true)).toEqual({
      left: [0, 0, 0],
      repaired: [
        { name: "report.orphans", removed: 1 },
        { name: "alert_counter.orphans", removed: 1 },
        { name: "alert_counter_stripe.orphans", removed: 1 },
      ],
    });
  });
});
