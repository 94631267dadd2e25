// The cost of statistics, the inbox, lists of subscribers and of an account's alerts: by plan, not by time. There are
// 50,000 alerts, 200,000 reports and 50,000 subscriptions. No statement reads a whole table of them, with generic and
// custom plans.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Statement } from "../../src/store/db/statement.ts";
import { listAlerts } from "../../src/store/queries/alert_lists.ts";
import { searchAlertsByOrder } from "../../src/store/queries/alert_search.ts";
import { countUnsentAlertsOfChannels, readChannelCounts } from "../../src/store/queries/channels.ts";
import {
  publishDueAlerts,
  readInboxChannelsOfDevices,
  readInboxPage,
  readInboxPages,
  readInboxPageWithDueAlerts,
} from "../../src/store/queries/inbox.ts";
import { findLongPollDevicesByTokenHash } from "../../src/store/queries/live_update_reads.ts";
import { listSubscribersByState } from "../../src/store/queries/subscriber_lists_and_counts.ts";
import {
  findDevicesWithInboxState,
  readInboxStatesOfDevices,
} from "../../src/store/queries/subscriptions_and_directory.ts";
import {
  readAlertTimeline,
  readSingleAlertTotals,
  readSumsPerChannel,
  sumDailyCounts,
} from "../../src/store/stats/stats_queries.ts";
import { parseUuid } from "../support/handsets.ts";
import { listPlanNodes, type PlanNode } from "../support/query_plans.ts";
import { World } from "../support/world.ts";

const PUSHERS = 20;

describe("with 200,000 reports", () => {
  let world: World;
  const channels: string[] = [];
  let alert: string;

  beforeAll(async () => {
    world = await World.open();
    for (let n = 0; n < PUSHERS; n++) channels.push(parseUuid((await world.pusher()).id));
    const of = `('{${channels.join(",")}}'::uuid[])[1 + n % ${PUSHERS}]`;
    // The triggers keep counters row by row; what is measured here reads them and does not write them.
    const em = world.service.orm.em.fork() as SqlEntityManager;
    await em.transactional(async (inside) => {
      for (const sql of [
        "set local session_replication_role = replica",
        `insert into device (id, token_hash, platform, app_version, locale, timezone)
         select n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'ios', '1', 'en', 'UTC' from generate_series(1, 50000) n`,
        `insert into subscription (device_id, pusher_id, permissions, muted, subscribed_at)
         select n, ${of}, '{}', n % 7 = 0, now() - n * interval '1 second' from generate_series(1, 50000) n`,
        `insert into alert (id, pusher_id, status, title, search_vector, sent_at, send_at, created_at)
         select gen_random_uuid(), ${of}, case when n % 500 = 0 then 'scheduled' when n % 10 = 0 then 'draft' else
           'sent' end,
           'T', 'tide', case when n % 10 <> 0 then now() - n * interval '10 minutes' end,
           case when n % 500 = 0 then now() + n * interval '1 minute' end, now() - n * interval '10 minutes'
         from generate_series(1, 50000) n`,
        `insert into report (alert_id, device_id, kind, reported_at)
         select a.id, d, 1 + d % 2, now() - d * interval '1 minute'
         from (select id, row_number() over () as place from alert where status = 'sent' limit 2000) a,
           generate_series(a.place * 20, a.place * 20 + 99) d`,
        `insert into alert_counter (alert_id, reads, acks) select alert_id, 50, 50 from report group by 1`,
        `insert into channel_day (pusher_id, day, published, reads, acks)
         select ${of}, current_date - n / ${PUSHERS}, 5, 5, 5 from generate_series(0, ${PUSHERS * 366 - 1}) n`,
      ])
        await inside.execute(sql);
    });
    for (const table of ["device", "subscription", "alert", "report", "alert_counter", "channel_day"])
      await world.sql(`analyze ${table}`);
    [{ alert }] = (await world.sql<any>("select alert_id as alert from report limit 1")) as any;
    const [{ reports, alerts }] = (await world.sql(
      "select (select count(*) from report)::int as reports, (select count(*) from alert)::int as alerts",
    )) as any;
    expect([reports, alerts]).toEqual([200_000, 50_000]);
  });
  afterAll(() => world.close());

  const array = () => `'{${channels.join(",")}}'`;
  /** Statement and SQL for its parameters. */
  interface Measured<In> {
    name: string;
    statement: Statement<In, unknown>;
    values: () => { [Name in keyof In]: string };
  }
  const measured = <In>(name: string, statement: Statement<In, unknown>, values: Measured<In>["values"]) => ({
    name,
    text: statement.text,
    values: () => statement.parameters.map(([parameter]) => values()[parameter as keyof In]),
  });
  const day =
    (ids: () => string, from = "current_date - 6") =>
    () => ({ pusher_ids: ids(), from, to: "current_date" });
  const one = () => `'{${channels[0]}}'`;
  const LATER = "now() - interval '9 days'";
  const inbox = (before: string) => ({ device_id: "'1'", before, inside: "null", limit: "51", max_bytes: "1000000" });
  const account = () => ({
    workspace_id: `'${parseUuid(world.workspace.id)}'`,
    pusher_ids: "null",
    before: "null",
    inside: "null",
    limit: "51",
  });
  const statements = [
    measured("alert_timeline", readAlertTimeline, () => ({
      alert_id: `'${alert}'`,
      sent_at: "now() - interval '1 day'",
      sample: "10000",
    })),
    measured("alert_totals", readSingleAlertTotals, () => ({ alert_id: `'${alert}'` })),
    measured("day_sums of a channel", sumDailyCounts, day(one)),
    measured("day_sums of the account", sumDailyCounts, day(array)),
    measured("day_sums of a year", sumDailyCounts, day(array, "current_date - 365")),
    measured("channel_sums of the account", readSumsPerChannel, day(array)),
    measured("channel_sums of a year", readSumsPerChannel, day(array, "current_date - 365")),
    measured("inbox_page", readInboxPage, () => inbox("null")),
    measured("inbox_page of a later page", readInboxPage, () => inbox(LATER)),
    measured("inbox_page_with_unpublished_alerts", readInboxPageWithDueAlerts, () => ({
      ...inbox("null"),
      due: "'{x}'",
    })),
    measured("find_devices_with_inbox", findDevicesWithInboxState, () => ({
      hashes: `array['${"1".padStart(64, "0")}']`,
    })),
    measured("inbox_states", readInboxStatesOfDevices, () => ({ devices: "'{1}'" })),
    measured("inbox_channels", readInboxChannelsOfDevices, () => ({ devices: "'{1}'" })),
    measured("publish_due_alerts", publishDueAlerts, () => ({ channels: array(), limit: "500" })),
    measured("channel_counts", readChannelCounts, () => ({ pusher_id: `'${channels[0]}'` })),
    measured("count_unsent_alerts_of_channels", countUnsentAlertsOfChannels, () => ({ pusher_ids: array() })),
    ...Object.entries(listSubscribersByState).flatMap(([status, statement]) => [
      measured(`list_subscribers_${status}`, statement, () => ({
        pusher_id: `'${channels[0]}'`,
        before: "null",
        limit: "51",
      })),
      measured(`list_subscribers_${status} of a later page`, statement, () => ({
        pusher_id: `'${channels[0]}'`,
        before: "now() - interval '6 hours'",
        limit: "101",
      })),
    ]),
    ...Object.values(listAlerts).map((statement) => measured(statement.name, statement, account)),
    ...Object.values(searchAlertsByOrder).flatMap((side) =>
      Object.values(side).map((statement) =>
        measured(statement.name, statement, () => ({
          ...account(),
          sought: "'tide'",
          tagged: "'[]'",
          scans: "'{tide}'",
          recheck: "false",
          from: "null",
          to: "null",
        })),
      ),
    ),
  ];

  /** The nodes of a statement's plan, by the plan that PostgreSQL makes in this mode. */
  async function planOf(inside: SqlEntityManager, text: string, parameters: string[]): Promise<PlanNode[]> {
    await inside.execute(`prepare measured as ${text}`);
    const [row] = await inside.execute<any[]>(`explain (format json) execute measured (${parameters.join(", ")})`);
    await inside.execute("deallocate measured");
    return listPlanNodes(row["QUERY PLAN"][0].Plan);
  }

  test.each(["force_custom_plan", "force_generic_plan"])("no whole table is read (%s)", async (mode) => {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const whole: unknown[] = [];
    await em.transactional(async (inside) => {
      await inside.execute(`set local plan_cache_mode = ${mode}`);
      for (const { name, text, values } of statements) {
        const plan = await planOf(inside, text, values());
        for (const node of plan)
          if (/^Seq Scan/.test(node["Node Type"]) && /^(alert|report|subscription)$/.test(node["Relation Name"]!))
            whole.push([name, node["Relation Name"]]);
        // It is found by an index, and that is not the absence of any scan.
        const indexed = plan.filter((node) => /^(Index|Bitmap Index)/.test(node["Node Type"]));
        if (indexed.length === 0) whole.push([name, "no index"]);
      }
    });
    expect(whole).toEqual([]);
  });

  test("a handset's channels are looked up by their key, however few there are", async () => {
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const looked = [
      measured("find_long_poll_devices", findLongPollDevicesByTokenHash, () => ({
        hashes: `array['${"1".padStart(64, "0")}']`,
      })),
      measured("inbox_pages", readInboxPages, () => ({
        devices: "'{1}'",
        ...{ limit: "51", max_bytes: "1000000", max_channels: "400", max_total: "1000000" },
      })),
      ...statements.filter(({ name }) => /^(inbox_|find_devices_)/.test(name)),
    ];
    const read: unknown[] = [];
    await em.begin();
    try {
      for (const sql of [
        "set local session_replication_role = replica",
        `insert into pusher (id, workspace_id, handle, name, category, description, requested_perms, alert_types,
          tags, search_text, gradient_from, gradient_to, initials)
         select gen_random_uuid(), (select id from workspace limit 1), 'few-' || n, 'F', 'cities', 'F', '{}', '{}',
           '{}', 'f', '#336699', '#993366', 'F'
         from generate_series(1, 100) n`,
        "insert into channel_state (pusher_id) select id from pusher where handle like 'few-%'",
        "analyze pusher",
        "analyze channel_state",
        "set local plan_cache_mode = force_generic_plan",
      ])
        await em.execute(sql);
      for (const { name, text, values } of looked)
        for (const node of await planOf(em, text, values())) {
          const table = node["Relation Name"]!;
          if (node["Node Type"] === "Seq Scan" && /^(channel_state|pusher)$/.test(table)) read.push([name, table]);
        }
    } finally {
      await em.rollback();
    }
    expect(looked).toHaveLength(8);
    expect(read).toEqual([]);
  });

  // rules#find-is-indexed
  test.each(["force_custom_plan", "force_generic_plan"])(
    "a search uses the indexes of terms and those of its order (%s)",
    async (mode) => {
      const em = world.service.orm.em.fork() as SqlEntityManager;
      await em.transactional(async (inside) => {
        await inside.execute(`set local plan_cache_mode = ${mode}`);
        for (const { name, text, values } of statements.filter(({ name }) => name.startsWith("search_"))) {
          const plan = await planOf(inside, text, values());
          const used = new Set(plan.map((node) => node["Index Name"]));
          const expected = /_scheduled_/.test(name)
            ? ["alert_next_scheduled", "alert_search_visible"]
            : /_sent_/.test(name)
              ? ["alert_newest_sent", "alert_next_scheduled", "alert_search_visible"]
              : ["alert_newest", "alert_search_hidden"];
          expect([...used], name).toEqual(expect.arrayContaining(expected));
          // Each alert that is shown, by its key.
          expect(used, name).toContain("alert_pkey");
        }
      });
    },
  );

  test.each(["force_custom_plan", "force_generic_plan"])(
    "an inbox's ids come from its index alone, in its order (%s)",
    async (mode) => {
      await world.sql("vacuum (analyze) alert");
      const em = world.service.orm.em.fork() as SqlEntityManager;
      await em.transactional(async (inside) => {
        await inside.execute(`set local plan_cache_mode = ${mode}`);
        for (const before of ["null", LATER]) {
          const { text, values } = measured("inbox_page", readInboxPage, () => inbox(before));
          const plan = await planOf(inside, text, values());
          const of = (index: string) => plan.filter((node) => node["Index Name"] === index);
          // Once for the page, and once for the alerts from before the device joined.
          expect(of("alert_inbox").map((node) => node["Node Type"])).toEqual(Array(2).fill("Index Only Scan"));
          expect(of("alert_scheduled")).toEqual([]);
          expect(plan.some((node) => node["Node Type"] === "Bitmap Heap Scan")).toBe(false);
        }
      });
    },
  );
});
